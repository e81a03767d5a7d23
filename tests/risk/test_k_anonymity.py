"""k-anonymity: records and cells below each level."""

from __future__ import annotations

import pytest
from brute_force import cells, sample_frequencies
from hypothesis import given
from hypothesis import strategies as st
from small_tables import NULLS, PROPERTY, small_tables


@pytest.mark.slow
@PROPERTY
@given(table=small_tables(), k=st.integers(2, 8))
def test_violations_equal_a_count_over_all_pairs(db, table, k):
    table.store(db, "t")
    for nulls in NULLS:
        rows = db.execute("FROM sdc_k_anonymity('t', ?, ?, nulls := ?)", [table.keys, k, nulls]).fetchall()
        f, cell = sample_frequencies(table.records, nulls), cells(table.records, nulls).values()
        assert rows == [(j, sum(x < j for x in f), sum(x < j for x in cell)) for j in range(2, k + 1)]


def test_the_example_of_the_header(con):
    con.execute("CREATE TABLE persons AS FROM (VALUES (30, 'f'), (30, 'f'), (41, 'm')) AS t(age, sex)")
    assert con.execute("FROM sdc_k_anonymity('persons', ['age', 'sex'], 3)").fetchall() == [(2, 1, 1), (3, 3, 2)]


def test_suppression_makes_a_file_anonymous(con):
    """By hand: with the odd one's sex suppressed, it agrees with both others and they with it."""
    con.execute("CREATE TABLE t AS FROM (VALUES (30, 'f'), (30, 'f'), (30, NULL)) AS t(age, sex)")
    assert con.execute("FROM sdc_k_anonymity('t', ['age', 'sex'], 3, nulls := 'wildcard')").fetchall() == [
        (2, 0, 0),
        (3, 0, 0),
    ]
    assert con.execute("FROM sdc_k_anonymity('t', ['age', 'sex'], 3)").fetchall() == [(2, 1, 1), (3, 3, 2)]


@pytest.mark.parametrize("nulls", NULLS)  # no value is missing here
def test_sdcmicro_on_testdata(shared, sdcmicro, con, nulls):
    """sdcMicro 5.8.1: fixtures/sdcmicro_testdata.json, testdata_kv7."""
    reference = sdcmicro["testdata_kv7"]
    con.execute(f"CREATE TABLE t AS FROM '{shared / 'data' / 'testdata.parquet'}'")
    rows = con.execute(
        "SELECT k, records FROM sdc_k_anonymity('t', ?, 5, nulls := ?)", [reference["keyVars"], nulls]
    ).fetchall()
    found = dict(rows)
    theirs = [reference[f"violate_{k}_anonymity"] for k in (2, 3, 5)]
    assert [found[k] for k in (2, 3, 5)] == theirs == [157, 281, 458]


def test_without_a_k_it_is_three(con):
    """Cells of 1, 1, 2, 3 and 4 records: exactly k are enough."""
    con.execute("CREATE TABLE t AS SELECT unnest(['a', NULL, 'c', 'c', 'd', 'd', 'd', 'e', 'e', 'e', 'e']) AS x")
    assert con.execute("FROM sdc_k_anonymity('t', ['x'])").fetchall() == [(2, 2, 2), (3, 4, 3)]
    found = con.execute("FROM sdc_k_anonymity('t', ['x'], 5)").fetchall()
    assert found == [(2, 2, 2), (3, 4, 3), (4, 7, 4), (5, 11, 5)]
    # NULL agrees with all eleven, and they with it: frequencies 2, 11, 3, 4, 5
    found = con.execute("FROM sdc_k_anonymity('t', ['x'], nulls := 'wildcard')").fetchall()
    assert found == [(2, 0, 0), (3, 1, 1)]
