"""The risk of the whole file: SDC handbook, section 3.3.5."""

from __future__ import annotations

import math

import pytest
from brute_force import individual_risks
from hypothesis import given
from small_tables import NULLS, PROPERTY, fetch, small_tables


@pytest.mark.slow
@PROPERTY
@given(table=small_tables())
def test_global_risk_equals_the_sum_over_records(db, table):
    table.store(db, "t")
    for nulls in NULLS:
        (row,) = fetch(db, "FROM sdc_global_risk('t', ?, 'weight', nulls := ?)", table.keys, nulls)
        expected = float(sum(individual_risks(table.records, table.column("weight"), nulls)))
        assert row["records"] == len(table.rows)
        assert row["expected_reidentifications"] == pytest.approx(expected, rel=1e-12)
        assert row["reidentification_rate"] == pytest.approx(expected / len(table.rows), rel=1e-12)
        assert row["percent"] == pytest.approx(100 * expected / len(table.rows), rel=1e-12)


def test_a_census_is_re_identified_once_a_cell(persons):
    """Weights of 1: r = 1/f, so each cell counts 1; five cells of age and sex among eight records."""
    (row,) = fetch(persons, "FROM sdc_global_risk('persons', ['age', 'sex'], 1)")
    assert row == pytest.approx(
        {
            "records": 8,
            "expected_reidentifications": 5,
            "reidentification_rate": 5 / 8,
            "percent": 62.5,
        }
    )


def test_sdcmicro_on_testdata(shared, sdcmicro, con):
    """sdcMicro 5.8.1, its risk (r = 1/f, weights of 1) exact, its weighted risk approximate from f = 3 on.

    fixtures/sdcmicro_testdata.json: 412 without weights; 10.778... with them, by an
    approximation that is never below the exact risk and at most 0.44 % above it.
    """
    keys = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
    con.execute(f"CREATE TABLE t AS FROM '{shared / 'data' / 'testdata.parquet'}'")
    (row,) = fetch(con, "FROM sdc_global_risk('t', ?, 1)", keys)
    assert row["expected_reidentifications"] == pytest.approx(
        sdcmicro["measure_risk_unw_hid"]["global_risk_ER"], rel=1e-12
    )
    assert row["percent"] == pytest.approx(sdcmicro["measure_risk_unw_hid"]["global_risk_pct"], rel=1e-12)
    (row,) = fetch(con, "FROM sdc_global_risk('t', ?, 'sampling_weight')", keys)
    theirs = sdcmicro["measure_risk_w"]
    for ours, approximation in (
        ("expected_reidentifications", "global_risk_ER"),
        ("reidentification_rate", "global_risk"),
        ("percent", "global_risk_pct"),
    ):
        assert theirs[approximation] * (1 - 0.004403) < row[ours] <= theirs[approximation]


def test_every_figure_of_the_header_by_hand(con):
    """(3.2) in closed form: r_1 = (p / q) ln(1 / p) and r_2 = (p / q) (1 - r_1), p = 2 / 25 and 1 / 20."""
    con.execute("CREATE TABLE persons AS FROM (VALUES (30, 'f', 10), (30, 'f', 15), (41, 'm', 20)) t(age, sex, w)")
    expected = 2 * 0.08 / 0.92 * (1 - 0.08 / 0.92 * math.log(12.5)) + math.log(20) / 19
    (row,) = con.execute("FROM sdc_global_risk('persons', ['age', 'sex'], 'w')").fetchall()
    assert row == pytest.approx((3, expected, expected / 3, expected / 3 * 100))
    # where NULL agrees with every value, its record weighs in each cell, and all are its own
    con.execute("INSERT INTO persons VALUES (NULL, 'm', 5)")
    (row,) = con.execute("FROM sdc_global_risk('persons', ['age', 'sex'], 'w', nulls := 'wildcard')").fetchall()
    expected += 2 * 0.08 / 0.92 * (1 - 0.08 / 0.92 * math.log(12.5)) - math.log(20) / 19
    assert row[0] == 4
    assert row[1] == pytest.approx(expected)
    with pytest.raises(Exception, match="less than"):
        con.execute("FROM sdc_global_risk('persons', ['age', 'sex'], 0.5)").fetchall()
    (row,) = con.execute(
        "FROM sdc_global_risk('persons', ['age', 'sex'], 0.5, small_weights := 'at_least_one')"
    ).fetchall()
    assert row == pytest.approx((4, 3, 0.75, 75))
