"""The true risk of a sample, its population at hand."""

from __future__ import annotations

from fractions import Fraction

import duckdb
import pytest
from brute_force import population_risk
from hypothesis import assume, given
from small_tables import PROPERTY, SmallTable, fetch, small_tables

EUSILC = ["region", "hsize", "age", "gender", "ecoStat", "citizenship"]


def check(row, expected):
    assert set(row) == set(expected)
    for name, value in expected.items():
        if isinstance(value, Fraction):
            assert row[name] == pytest.approx(float(value), rel=1e-13), name
        else:
            assert row[name] == value, name


@pytest.mark.slow
@PROPERTY
@given(population=small_tables(max_rows=25))
def test_a_random_sample_of_a_random_population(db, population):
    sample = population.where("kept", value=True)
    assume(sample.rows)
    population.store(db, "population")
    sample.store(db, "sample")
    (row,) = fetch(db, "FROM sdc_population_risk('sample', 'population', ?)", population.keys)
    check(row, population_risk(sample.records, population.records))
    (row,) = fetch(db, "FROM sdc_population_risk('population', 'population', ?)", population.keys)
    check(row, population_risk(population.records, population.records))
    assert row["theta"] == (1 if row["sample_uniques"] else 0)  # a census: every unique match is correct


def test_worked_by_hand(con):
    """F = 1, 2, 3, 1; f = 1, 1, 2, 0 for the cells a, b, c, d."""
    con.execute("CREATE TABLE population AS SELECT unnest(['a', 'b', 'b', 'c', 'c', 'c', 'd']) AS x")
    con.execute("CREATE TABLE sample AS SELECT unnest(['a', 'b', 'c', 'c']) AS x")
    (row,) = fetch(con, "FROM sdc_population_risk('sample', 'population', ['x'])")
    check(
        row,
        {
            "pr_pu": Fraction(2, 7),
            "pr_pu_given_su": Fraction(1, 2),
            "theta": Fraction(2, 3),  # (2): two uniques, and 1 + 2 persons who match one
            "p": Fraction(3, 4),  # (3): (1/1 + 1/2) / 2
            "tau1": Fraction(11, 6),  # 1 + 1/2 + 1/3, over cells
            "tau2": Fraction(3, 2),
            "expected_correct_matches": Fraction(13, 6),  # 1 + 1/2 + 2/3, over records
            "sample_records": 4,
            "population_records": 7,
            "sample_cells": 3,
            "population_cells": 4,
            "sample_uniques": 2,
            "population_uniques": 2,
            "sample_and_population_uniques": 1,
            "unique_matches": 3,
        },
    )


def test_without_sample_uniques(con):
    con.execute("CREATE TABLE t AS SELECT unnest([1, 1, 2, 2]) AS x")
    (row,) = fetch(con, "FROM sdc_population_risk('t', 't', ['x'])")
    assert (row["pr_pu"], row["pr_pu_given_su"], row["theta"], row["p"], row["tau2"]) == (0, 0, 0, 0, 0)
    assert (row["tau1"], row["expected_correct_matches"]) == (1, 2)
    counts = ("sample_records", "population_records", "sample_cells", "population_cells")
    assert [row[name] for name in counts] == [4, 4, 2, 2]
    uniques = ("sample_uniques", "population_uniques", "sample_and_population_uniques", "unique_matches")
    assert [row[name] for name in uniques] == [0] * 4


@pytest.mark.one_in(5)
@pytest.mark.whole
@pytest.mark.parametrize(
    "columns",
    [
        "b, a, c",
        "c, B, A",
        "a::BIGINT AS a, b, c",
        "b, a::SMALLINT AS a, c",
        "b::VARCHAR AS b, a, c",
    ],
)
def test_columns_in_another_order_spelling_or_width(con, columns):
    """A sample with the same values in other columns' places. The keys a and b swap meaning if taken by place."""
    con.execute("CREATE TABLE population AS SELECT i % 3 AS a, i % 4 AS b, i AS c FROM range(7) t(i)")
    con.execute("CREATE TABLE straight AS FROM population WHERE c < 5")
    con.execute("ALTER TABLE population ALTER a TYPE INTEGER; ALTER TABLE population ALTER b TYPE INTEGER")
    con.execute(f"CREATE TABLE sample AS SELECT {columns} FROM straight")
    expected = con.execute("FROM sdc_population_risk('straight', 'population', ['a', 'b'])").fetchall()
    assert con.execute("FROM sdc_population_risk('sample', 'population', ['a', 'b'])").fetchall() == expected
    assert con.execute("FROM sdc_population_risk('straight', 'sample', ['a', 'b'])").fetchall()


def test_null_is_a_category_on_both_sides(con):
    con.execute("CREATE TABLE population AS SELECT unnest([NULL, NULL, 1]) AS x")
    con.execute("CREATE TABLE sample AS SELECT unnest([NULL]::INTEGER[]) AS x")
    (row,) = fetch(con, "FROM sdc_population_risk('sample', 'population', ['x'])")
    assert (row["sample_uniques"], row["unique_matches"], row["theta"]) == (1, 2, 0.5)


@pytest.mark.parametrize("every", [10, 50])
def test_a_systematic_sample_of_eusilc(shared, con, every):
    """The population's figures from ../shared/data/README.md; the sample's from counting in Python."""
    con.execute(f"""
        CREATE TABLE population AS SELECT file_row_number AS i, * EXCLUDE (file_row_number)
        FROM read_parquet('{shared / "data" / "eusilc_population.parquet"}', file_row_number = true)
    """)
    con.execute(f"CREATE TABLE sample AS FROM population WHERE i % {every} = 3")
    (row,) = fetch(con, "FROM sdc_population_risk('sample', 'population', ?)", EUSILC)
    assert (row["population_records"], row["population_cells"], row["population_uniques"]) == (58_654, 14_029, 5_778)
    assert row["pr_pu"] == pytest.approx(5_778 / 58_654, rel=1e-14)
    rows = {t: con.execute(f"SELECT {', '.join(EUSILC)} FROM {t}").fetchall() for t in ("sample", "population")}
    check(
        row, population_risk(SmallTable(EUSILC, rows["sample"]).records, SmallTable(EUSILC, rows["population"]).records)
    )


@pytest.mark.parametrize("columns", ["population_cells", "sample_records", "sample_uniques", "count(*)", "theta"])
def test_a_cell_that_the_population_lacks_is_refused_whatever_is_selected(persons, columns):
    persons.execute("CREATE TABLE others AS FROM persons WHERE age <> 67")
    with pytest.raises(duckdb.Error, match="has more records in the sample than in the population"):
        persons.execute(f"SELECT {columns} FROM sdc_population_risk('persons', 'others', ['age', 'sex'])").fetchall()
