"""Sample uniques and frequencies of frequencies."""

from __future__ import annotations

import pytest
from brute_force import frequency_counts, sample_frequencies
from hypothesis import given
from small_tables import NULLS, PROPERTY, fetch, small_tables


@pytest.mark.slow
@PROPERTY
@given(table=small_tables())
def test_frequency_counts_equal_a_count_over_all_pairs(db, table):
    table.store(db, "t")
    for nulls in NULLS:
        rows = db.execute("FROM sdc_frequency_counts('t', ?, nulls := ?)", [table.keys, nulls]).fetchall()
        assert rows == sorted(frequency_counts(table.records, nulls).items())


@pytest.mark.slow
@PROPERTY
@given(table=small_tables())
def test_the_summary_equals_a_count_over_all_pairs(db, table):
    table.store(db, "t")
    for nulls in NULLS:
        (row,) = fetch(db, "FROM sdc_frequency_summary('t', ?, nulls := ?)", table.keys, nulls)
        counts = frequency_counts(table.records, nulls)
        assert row == pytest.approx(
            {
                "records": len(table.rows),
                "cells": sum(counts.values()),
                "sample_uniques": counts[1],
                "uniques_rate": counts[1] / len(table.rows),
                "pairs": counts[2],
                "largest_cell": max(counts),
            },
            rel=1e-15,
        )


@pytest.mark.slow
@PROPERTY
@given(table=small_tables())
def test_sample_uniques_equal_a_search_over_all_pairs(db, table):
    table.store(db, "t")
    for nulls in NULLS:
        rows = db.execute(
            "SELECT id FROM sdc_sample_uniques('t', ?, nulls := ?) ORDER BY id", [table.keys, nulls]
        ).fetchall()
        assert [i for (i,) in rows] == [i for i, f in enumerate(sample_frequencies(table.records, nulls)) if f == 1]


def test_the_example_of_the_header(con):
    con.execute("CREATE TABLE persons AS FROM (VALUES (30, 'f'), (30, 'f'), (41, 'm')) AS t(age, sex)")
    assert con.execute("FROM sdc_frequency_counts('persons', ['age', 'sex'])").fetchall() == [(1, 1), (2, 1)]
    assert con.execute("FROM sdc_sample_uniques('persons', ['age', 'sex'])").fetchall() == [(41, "m")]


def test_sample_uniques_keep_every_column(persons):
    rows = persons.execute("FROM sdc_sample_uniques('persons', ['sex']) ORDER BY id").fetchall()
    assert rows == persons.execute("FROM persons WHERE id = 7").fetchall()  # the one record without a sex
    described = persons.execute("DESCRIBE FROM sdc_sample_uniques('persons', ['sex'])").fetchall()
    assert [d[:2] for d in described] == [d[:2] for d in persons.execute("DESCRIBE persons").fetchall()]


def test_no_sample_uniques(persons):
    assert persons.execute("FROM sdc_sample_uniques('persons', ['household'])").fetchall() == []
    assert persons.execute("FROM sdc_frequency_counts('persons', ['household'])").fetchall() == [(2, 1), (3, 2)]


def test_adult(shared, con):
    """../shared/reference/README.md: ARX 3.9.2 on adult, 9 quasi-identifiers, 1/f being its prosecutor risk."""
    con.execute(f"CREATE TABLE adult AS FROM '{shared / 'data' / 'adult.parquet'}'")
    keys = [c for (c,) in con.execute("SELECT column_name FROM (DESCRIBE adult)").fetchall()]
    uniques, mean, above = con.execute(
        """
        SELECT count(*) FILTER (sample_frequency = 1) / count(*), avg(1 / sample_frequency),
               count(*) FILTER (1 / sample_frequency > 0.2) / count(*)
        FROM sdc_frequencies('adult', ?)
    """,
        [keys],
    ).fetchone()
    assert (round(uniques, 6), round(mean, 6), round(above, 6)) == (0.514290, 0.646575, 0.778131)
    counts = con.execute("FROM sdc_frequency_counts('adult', ?)", [keys]).fetchall()
    assert (sum(n for _, n in counts), max(f for f, _ in counts)) == (19_502, 45)
    assert con.execute("SELECT count(*) FROM sdc_sample_uniques('adult', ?)", [keys]).fetchone() == (dict(counts)[1],)
    (row,) = fetch(con, "FROM sdc_frequency_summary('adult', ?)", keys)
    assert (row["records"], row["cells"], row["largest_cell"]) == (30_162, 19_502, 45)
    assert round(row["uniques_rate"], 6) == 0.514290


def test_every_figure_of_the_summary_by_hand(con):
    """Cells of 1, 1, 2, 2, 2 and 5 records; with wildcards the record without a value agrees with all of them."""
    values = ["a", None, "b", "b", "c", "c", "d", "d", "e", "e", "e", "e", "e"]
    con.execute("CREATE TABLE t AS SELECT unnest(range(13)) AS id, unnest(?::VARCHAR[]) AS x", [values])
    call = "FROM sdc_frequency_summary('t', ['x']{})"
    assert con.execute(call.format("")).fetchall() == [(13, 6, 2, pytest.approx(2 / 13), 3, 5)]
    # a has two, b, c and d three, e six, and NULL all thirteen
    assert con.execute(call.format(", nulls := 'wildcard'")).fetchall() == [(13, 6, 0, 0, 1, 13)]
    assert con.execute("FROM sdc_frequency_counts('t', ['x'])").fetchall() == [(1, 2), (2, 3), (5, 1)]
    found = con.execute("FROM sdc_frequency_counts('t', ['x'], nulls := 'wildcard')").fetchall()
    assert found == [(2, 1), (3, 3), (6, 1), (13, 1)]
    assert con.execute("SELECT id FROM sdc_sample_uniques('t', ['x']) ORDER BY id").fetchall() == [(0,), (1,)]
    con.execute("INSERT INTO t VALUES (13, 'f')")
    assert con.execute("FROM sdc_sample_uniques('t', ['x'], nulls := 'wildcard')").fetchall() == []
    con.execute("DELETE FROM t WHERE x IS NULL")
    found = con.execute("FROM sdc_sample_uniques('t', ['x'], nulls := 'wildcard') ORDER BY id").fetchall()
    assert found == [(0, "a"), (13, "f")]
