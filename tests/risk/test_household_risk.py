"""Household risk: SDC handbook, section 3.3.5, "Releasing hierarchical files"."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from brute_force import household_risks, individual_risks
from hypothesis import given
from small_tables import NULLS, PROPERTY, fetch, small_tables

KV7 = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]


@pytest.mark.slow
@PROPERTY
@given(table=small_tables())
def test_household_risk_equals_the_product_over_members(db, table):
    table.store(db, "t")
    households = table.column("household")
    sizes = Counter(households)
    for nulls in NULLS:
        risks = individual_risks(table.records, table.column("weight"), nulls)
        expected = [float(r) for r in household_risks(risks, households)]
        rows = fetch(
            db, "FROM sdc_household_risk('t', ?, 'weight', 'household', 0.1, nulls := ?) ORDER BY id", table.keys, nulls
        )
        assert [r["individual_risk"] for r in rows] == pytest.approx([float(r) for r in risks], rel=1e-12)
        assert [r["household_risk"] for r in rows] == pytest.approx(expected, rel=1e-12)
        assert [r["household_size"] for r in rows] == [sizes[h] for h in households]
        assert [r["individual_threshold"] for r in rows] == pytest.approx(
            [0.1 / sizes[h] for h in households], rel=1e-15
        )

        (row,) = fetch(
            db, "FROM sdc_household_global_risk('t', ?, 'weight', 'household', nulls := ?)", table.keys, nulls
        )
        once = dict(zip(households, expected, strict=True))
        assert (row["records"], row["households"]) == (len(table.rows), len(once))
        assert row["expected_reidentified_persons"] == pytest.approx(sum(expected), rel=1e-12)
        assert row["expected_reidentified_households"] == pytest.approx(sum(once.values()), rel=1e-12)
        assert row["reidentification_rate"] == pytest.approx(sum(expected) / len(expected), rel=1e-12)
        assert row["percent"] == pytest.approx(100 * sum(expected) / len(expected), rel=1e-12)
        assert row["household_reidentification_rate"] == pytest.approx(sum(once.values()) / len(once), rel=1e-12)


def test_tiny_risks_keep_their_digits(con):
    """Two unlike members, each standing for 1e15: r = p ln(1/p) / (1 - p), far below the rounding of 1 - r."""
    con.execute("CREATE TABLE t AS FROM (VALUES (1, 1), (2, 1)) AS t(a, g)")
    (row, _) = fetch(con, "FROM sdc_household_risk('t', ['a'], 1e15, 'g')")
    assert row["household_risk"] == pytest.approx(2 * 1e-15 * math.log(1e15), rel=1e-12)


def test_a_certain_member_makes_a_certain_household(con):
    con.execute("CREATE TABLE t AS FROM (VALUES (1, 1, 1), (2, 1, 50), (2, 2, 50)) AS t(a, g, w)")
    rows = fetch(con, "FROM sdc_household_risk('t', ['a'], 'w', 'g') ORDER BY a, g")
    assert [r["household_risk"] == 1 for r in rows] == [True, True, False]


def test_living_alone_changes_nothing(persons):
    rows = fetch(persons, "FROM sdc_household_risk('persons', ['age', 'sex'], 'weight', 'id')")
    for row in rows:
        assert row["household_risk"] == pytest.approx(row["individual_risk"], rel=1e-14)
        assert row["household_size"] == 1


def test_members_below_their_threshold_make_a_safe_household(persons):
    """The household's risk is at most the sum of its members': r^h <= sum r_i < |g| delta = r^h*."""
    rows = fetch(persons, "FROM sdc_household_risk('persons', ['age', 'sex'], 'weight', 'household', 0.5)")
    for g in (1, 2, 3):
        members = [r for r in rows if r["household"] == g]
        assert members[0]["household_risk"] <= sum(r["individual_risk"] for r in members)
        if all(r["individual_risk"] < r["individual_threshold"] for r in members):
            assert members[0]["household_risk"] < 0.5


def test_no_threshold_asked_for(persons):
    rows = persons.execute(
        "SELECT DISTINCT individual_threshold FROM sdc_household_risk('persons', ['age'], 'weight', 'household')"
    )
    assert rows.fetchall() == [(None,)]


def stored(con, shared):
    con.execute(f"""
        CREATE TABLE t AS SELECT file_row_number + 1 AS row, * EXCLUDE (file_row_number)
        FROM read_parquet('{shared / "data" / "testdata.parquet"}', file_row_number = true)
    """)


def test_sdcmicro_with_weights(shared, con):
    """sdcMicro 5.8.1, measure_risk with hid: ../shared/reference/records/measure_risk_w_hid_records.parquet.

    Built on its approximate individual risk, at f = 3 by 0.4403 % above the exact one (test_individual_risk);
    51.81 is its sum over persons and 10.51 that over households (../shared/reference/README.md).
    """
    stored(con, shared)
    theirs = fetch(
        con, f"FROM '{shared / 'reference' / 'records' / 'measure_risk_w_hid_records.parquet'}' ORDER BY row"
    )
    ours = fetch(con, "FROM sdc_household_risk('t', ?, 'sampling_weight', 'ori_hid') ORDER BY row", KV7)
    assert len(ours) == len(theirs) == 4580
    for a, b in zip(ours, theirs, strict=True):
        assert b["hier_risk"] * (1 - 0.004403) < a["household_risk"] <= b["hier_risk"] * (1 + 1e-12)
    # the same households from sdcMicro's own individual risks, so that these tables do mean the same thing
    members: dict[int, list[float]] = {}
    for a, b in zip(ours, theirs, strict=True):
        members.setdefault(a["ori_hid"], []).append(b["risk"])
    by_household = {h: 1 - math.prod(1 - r for r in risks) for h, risks in members.items()}
    assert round(sum(by_household[a["ori_hid"]] for a in ours), 2) == 51.81
    assert round(sum(by_household.values()), 2) == 10.51
    (row,) = fetch(con, "FROM sdc_household_global_risk('t', ?, 'sampling_weight', 'ori_hid')", KV7)
    assert row["households"] == len(by_household) == 1000
    assert 51.8129274359607 * (1 - 0.004403) < row["expected_reidentified_persons"] <= 51.8129274359607
    assert (
        sum(by_household.values()) * (1 - 0.004403)
        < row["expected_reidentified_households"]
        <= sum(by_household.values())
    )


def test_sdcmicro_without_weights(shared, con):
    """sdcMicro 5.8.1: risks of 1/f, nothing approximate. measure_risk_unw_hid: 1281.7272510666 persons."""
    stored(con, shared)
    path = shared / "reference" / "records" / "measure_risk_unw_hid_records.parquet"
    theirs = con.execute(f"SELECT hier_risk FROM '{path}' ORDER BY row")
    theirs = [r for (r,) in theirs.fetchall()]
    ours = con.execute(
        "SELECT household_risk FROM sdc_household_risk('t', ?, 1, 'ori_hid') ORDER BY row", [KV7]
    ).fetchall()
    assert [r for (r,) in ours] == pytest.approx(theirs, rel=1e-12)
    (row,) = fetch(con, "FROM sdc_household_global_risk('t', ?, 1, 'ori_hid')", KV7)
    assert row["expected_reidentified_persons"] == pytest.approx(1281.7272510666, rel=1e-12)
    assert row["percent"] == pytest.approx(27.9853111586593, rel=1e-12)


def test_every_figure_of_the_header_by_hand(con):
    """(3.2) in closed form: r_1 = (p / q) ln(1 / p), r_2 = (p / q) (1 - r_1), p = f / F; and 1 - (1 - r_2)^2."""
    con.execute("""CREATE TABLE persons AS FROM
        (VALUES (30, 'f', 10, 1), (30, 'f', 15, 1), (41, 'm', 20, 2)) t(age, sex, w, household)""")
    two, one = 0.08 / 0.92 * (1 - 0.08 / 0.92 * math.log(12.5)), math.log(20) / 19
    pair = 1 - (1 - two) ** 2
    call = "('persons', ['age', 'sex'], 'w', 'household'"
    found = con.execute(f"FROM sdc_household_risk{call}, 0.1) ORDER BY w").fetchall()
    assert [row[4:] for row in found] == [
        pytest.approx(row) for row in [(two, pair, 2, 0.05), (two, pair, 2, 0.05), (one, one, 1, 0.1)]
    ]
    (row,) = con.execute(f"FROM sdc_household_global_risk{call})").fetchall()
    rate = (2 * pair + one) / 3
    assert row == pytest.approx((3, 2, 2 * pair + one, pair + one, rate, 100 * rate, (pair + one) / 2))
