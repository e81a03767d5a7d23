"""The threshold on the individual risk that keeps the re-identification rate: SDC handbook, section 3.3.5."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from brute_force import bounded_rate, individual_risks
from hypothesis import given
from hypothesis import strategies as st
from small_tables import NULLS, PROPERTY, fetch, small_tables


@pytest.mark.slow
@PROPERTY
@given(table=small_tables(), max_rate=st.floats(1e-4, 0.999))
def test_the_threshold_is_the_largest_that_keeps_the_rate(db, table, max_rate):
    table.store(db, "t")
    for nulls in NULLS:
        (row,) = fetch(db, "FROM sdc_risk_threshold('t', ?, 'weight', ?, nulls := ?)", table.keys, max_rate, nulls)
        risks = [float(r) for r in individual_risks(table.records, table.column("weight"), nulls)]
        threshold, rate = row["threshold"], sum(risks) / len(risks)
        assert row["rate"] == pytest.approx(rate, rel=1e-12)
        assert row["rate_after"] == pytest.approx(bounded_rate(risks, threshold), rel=1e-12)
        assert bounded_rate(risks, threshold) <= max_rate * (1 + 1e-12)
        if rate > max_rate:
            assert bounded_rate(risks, threshold * (1 + 1e-6)) > max_rate
            assert row["rate_after"] == pytest.approx(max_rate, rel=1e-12)
        elif rate < max_rate * (1 - 1e-12):
            assert (threshold, row["records_above"], row["keys_above"]) == (1, 0, 0)
        cells = dict(zip(table.records, risks, strict=True))
        assert (row["records"], row["keys"]) == (len(risks), len(cells))
        close = any(
            r == pytest.approx(threshold, rel=1e-12) for r in risks
        )  # a risk on the threshold: either side will do
        if not close:
            assert row["records_above"] == sum(r > threshold for r in risks)
            assert row["keys_above"] == sum(r > threshold for r in cells.values())


def test_worked_by_hand(con):
    """Weights of 1, so r = 1/f: four records of risk 1/4 and two of risk 1, n = 6, rate (1 + 2) / 6 = 0.5.

    For a rate of 0.4 the four count 1 and the two count r*: 1 + 2 r* = 2.4, r* = 0.7. For a rate of
    0.2 all six count r*: 6 r* = 1.2, r* = 0.2.
    """
    con.execute("CREATE TABLE t AS SELECT unnest([1, 1, 1, 1, 2, 3]) AS a")
    (row,) = fetch(con, "FROM sdc_risk_threshold('t', ['a'], 1, 0.4)")
    assert row == pytest.approx(
        {"threshold": 0.7, "records_above": 2, "keys_above": 2, "records": 6, "keys": 3, "rate": 0.5, "rate_after": 0.4}
    )
    (row,) = fetch(con, "FROM sdc_risk_threshold('t', ['a'], 1, 0.2)")
    assert row == pytest.approx(
        {"threshold": 0.2, "records_above": 6, "keys_above": 3, "records": 6, "keys": 3, "rate": 0.5, "rate_after": 0.2}
    )
    (row,) = fetch(con, "FROM sdc_risk_threshold('t', ['a'], 1, 0.6)")
    assert row == pytest.approx(
        {"threshold": 1, "records_above": 0, "keys_above": 0, "records": 6, "keys": 3, "rate": 0.5, "rate_after": 0.5}
    )


def test_the_threshold_grows_with_the_rate(persons):
    rates = [0.001, 0.01, 0.02, 0.05, 0.08, 0.1, 0.5]
    found = [
        persons.execute(
            "SELECT threshold FROM sdc_risk_threshold('persons', ['age', 'sex'], 'weight', ?)", [r]
        ).fetchone()[0]
        for r in rates
    ]
    assert found == sorted(found)
    assert found[-1] == 1


@pytest.mark.parametrize(
    ("entry", "weight", "max_rate"),
    [
        ("measure_risk_maxglobal_1e-04", "sampling_weight", 0.0001),
        ("measure_risk_maxglobal_0.001", "sampling_weight", 0.001),
        ("measure_risk_maxglobal_0.01", "sampling_weight", 0.01),
        ("measure_risk_maxglobal_0.05", "sampling_weight", 0.05),
        ("measure_risk_unw_hid", 1, 0.01),
    ],
)
def test_sdcmicros_threshold_is_the_last_safe_key(shared, sdcmicro, con, *, entry, weight, max_rate):
    """sdcMicro 5.8.1, measure_risk with max_global_risk: fixtures/sdcmicro_testdata.json.

    It answers with the risk of k*, the last key that is safe; ours is the largest threshold that keeps the
    rate, which lies between that risk and the next key's. It answers NA where the file is safe as it is.
    """
    theirs = sdcmicro[entry]["global_threshold"]
    keys = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
    con.execute(f"CREATE TABLE t AS FROM '{shared / 'data' / 'testdata.parquet'}'")
    (row,) = fetch(con, "FROM sdc_risk_threshold('t', ?, ?, ?)", keys, weight, max_rate)
    if theirs == "NA":
        assert (row["threshold"], row["records_above"]) == (1, 0)
        return
    records = shared / "reference" / "records" / f"{entry}_records.parquet"
    risks = con.execute(f"SELECT DISTINCT risk FROM '{records}'").fetchall()
    assert max(r for (r,) in risks if r <= row["threshold"]) == pytest.approx(theirs, rel=1e-12)


@pytest.mark.slow
def test_no_rounding_decides_which_cells_are_above(con):
    """With weights of 1 the risk of a cell is 1/f and its bound a fraction: the greatest rate is each in turn."""
    draws = np.random.Generator(np.random.PCG64(5))
    for _ in range(12):
        sizes = sorted({int(f) for f in draws.integers(1, 60, size=9)})
        cells = [f for f in sizes for _ in range(int(draws.integers(1, 40)))]
        rows = "SELECT c, unnest(range(f)) FROM (SELECT unnest(?) AS f, unnest(range(?)) AS c)"
        con.execute(f"CREATE OR REPLACE TABLE t AS {rows}", [cells, len(cells)])
        n = sum(cells)
        for least in sizes[1:]:  # the risk 1/least, which is not the greatest
            rate = sum(f * min(Fraction(1, f), Fraction(1, least)) for f in cells) / n
            (row,) = fetch(con, "FROM sdc_risk_threshold('t', ['c'], 1, ?)", float(rate))
            assert row["threshold"] == pytest.approx(1 / least, rel=1e-12)
            assert row["keys_above"] == sum(f < least for f in cells)
            assert row["records_above"] == sum(f for f in cells if f < least)
        (row,) = fetch(
            con, "FROM sdc_risk_threshold('t', ['c'], 1, ?)", len(cells) / n
        )  # the rate of the file as it is
        assert (row["threshold"], row["records_above"]) == (1, 0)


def test_a_rate_that_is_met_is_kept(con):
    """Weights of 1: a cell of four, two of two and one of one record; of nine the rate is 4 / 9."""
    con.execute("CREATE TABLE t AS SELECT unnest(['a', 'a', 'a', 'a', 'b', 'b', 'c', 'c', NULL]) AS x")
    call = "FROM sdc_risk_threshold('t', ['x'], 1, {})"
    # bounded by r: 1 + 4 min(r, 1/2) + min(r, 1); 3.5 of nine at r = 1/2, which is on the threshold and not above it
    (row,) = con.execute(call.format(3.5 / 9)).fetchall()
    assert row == pytest.approx((0.5, 1, 1, 9, 4, 4 / 9, 3.5 / 9))
    (row,) = con.execute(call.format(2.5 / 9)).fetchall()
    assert row == pytest.approx((0.3, 5, 3, 9, 4, 4 / 9, 2.5 / 9))
    (row,) = con.execute(call.format(4 / 9)).fetchall()
    assert row == pytest.approx((1, 0, 0, 9, 4, 4 / 9, 4 / 9))
