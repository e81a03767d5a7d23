"""The frequencies of each record's cell, beside the record."""

from __future__ import annotations

import pytest
from brute_force import population_frequencies, sample_frequencies
from hypothesis import given
from small_tables import NULLS, PROPERTY, fetch, small_tables

KV7 = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]


def stored(con, shared, data):
    """Store a data set as table t with its row number, counted from 1 as sdcMicro's records are."""
    con.execute(f"""
        CREATE TABLE t AS SELECT file_row_number + 1 AS row, * EXCLUDE (file_row_number)
        FROM read_parquet('{shared / "data" / data}.parquet', file_row_number = true)
    """)


@pytest.mark.slow
@PROPERTY
@given(table=small_tables())
def test_frequencies_equal_a_count_over_all_pairs(db, table):
    table.store(db, "t")
    for nulls in NULLS:
        rows = fetch(db, "FROM sdc_frequencies('t', ?, 'weight', nulls := ?) ORDER BY id", table.keys, nulls)
        assert [r["id"] for r in rows] == table.column("id")
        assert [r["sample_frequency"] for r in rows] == sample_frequencies(table.records, nulls)
        weights = table.column("weight")
        assert [r["population_frequency"] for r in rows] == population_frequencies(table.records, weights, nulls)


def test_every_column_is_kept_as_it_is(persons):
    result = persons.execute("FROM sdc_frequencies('persons', ['sex', 'age'], 'weight') ORDER BY id")
    before = persons.execute("DESCRIBE persons").fetchall()
    result = persons.execute("DESCRIBE FROM sdc_frequencies('persons', ['sex', 'age'], 'weight')").fetchall()
    assert [c[:2] for c in result] == [c[:2] for c in before] + [
        ("sample_frequency", "BIGINT"),
        ("population_frequency", "DOUBLE"),
    ]
    columns = "id, age, sex, region, weight, household"
    rows = persons.execute(f"SELECT {columns} FROM sdc_frequencies('persons', ['sex', 'age']) ORDER BY id").fetchall()
    assert rows == persons.execute(f"SELECT {columns} FROM persons ORDER BY id").fetchall()


def test_the_example_of_the_header(con):
    con.execute(
        "CREATE TABLE persons AS "
        "FROM (VALUES (1, 30, 'f', 10), (2, 30, 'f', 15), (3, 41, 'm', 20)) AS t(id, age, sex, w)"
    )
    rows = con.execute("FROM sdc_frequencies('persons', ['age', 'sex'], 'w') ORDER BY id").fetchall()
    assert rows == [(1, 30, "f", 10, 2, 25.0), (2, 30, "f", 15, 2, 25.0), (3, 41, "m", 20, 1, 20.0)]


@pytest.mark.parametrize("nulls", NULLS)
def test_a_number_that_every_record_weighs(persons, nulls):
    rows = persons.execute(
        "SELECT population_frequency, 2.5 * sample_frequency FROM sdc_frequencies('persons', ['age'], 2.5, nulls := ?)",
        [nulls],
    ).fetchall()
    assert all(float(a) == float(b) for a, b in rows)


@pytest.mark.parametrize("nulls", NULLS)
def test_no_weight_no_population(persons, nulls):
    rows = persons.execute(
        "SELECT DISTINCT population_frequency FROM sdc_frequencies('persons', ['age'], nulls := ?)", [nulls]
    )
    assert rows.fetchall() == [(None,)]


@pytest.mark.parametrize(
    "case",
    [
        ("testdata", "testdata_kv7_records", KV7, "sampling_weight"),
        ("testdata", "testdata_kv7_unweighted_records", KV7, 1),
        ("francdat", "francdat_records", ["Key1", "Key2", "Key3", "Key4"], "w"),
    ],
)
@pytest.mark.parametrize("nulls", NULLS)  # no value is missing here: both treatments are the same
def test_sdcmicro_agrees_record_by_record(shared, con, case, nulls):
    """sdcMicro 5.8.1, freqCalc: ../shared/reference/sdcmicro_freq_indivrisk.json."""
    data, reference, keys, weight = case
    stored(con, shared, data)
    found = con.execute(
        "SELECT row, sample_frequency, population_frequency FROM sdc_frequencies('t', ?, ?, nulls := ?) ORDER BY row",
        [keys, weight, nulls],
    )
    ours = found.fetchall()
    path = shared / "reference" / "records" / f"{reference}.parquet"
    assert ours == con.execute(f"SELECT row, fk, Fk_1 FROM '{path}' ORDER BY row").fetchall()
    assert len(ours) > 0
