"""The cells of the crossing and their frequencies, NULL a category of its own."""

from __future__ import annotations

import subprocess
import sys

import pytest
from brute_force import cells, plain
from hypothesis import given
from small_tables import NULLS, PROPERTY, fetch, small_tables


@pytest.mark.slow
@PROPERTY
@given(table=small_tables())
def test_cells_equal_a_count_over_all_pairs(db, table):
    table.store(db, "t")
    for nulls in NULLS:
        rows = db.execute("FROM sdc_cells('t', ?, nulls := ?)", [table.keys, nulls]).fetchall()
        found = {plain(row[:-1]): row[-1] for row in rows}
        assert found == cells(table.records, nulls), nulls
        assert len(rows) == len(found)  # each combination once


def test_the_example_of_the_header(con):
    con.execute("CREATE TABLE persons AS FROM (VALUES (30, 'f'), (30, 'f'), (41, 'm')) AS t(age, sex)")
    rows = fetch(con, "FROM sdc_cells('persons', ['age', 'sex']) ORDER BY age")
    assert rows == [{"age": 30, "sex": "f", "sample_frequency": 2}, {"age": 41, "sex": "m", "sample_frequency": 1}]


def test_null_is_a_category_of_its_own_by_default(con):
    con.execute("CREATE TABLE t AS FROM (VALUES (NULL, 'f'), (NULL, 'f'), (30, 'f'), (NULL, NULL)) AS t(age, sex)")
    rows = con.execute("FROM sdc_cells('t', ['age', 'sex']) ORDER BY ALL").fetchall()
    assert sorted(rows, key=repr) == sorted([(None, "f", 2), (30, "f", 1), (None, None, 1)], key=repr)


def test_columns_stand_in_the_tables_order_with_its_types(persons):
    result = persons.execute("FROM sdc_cells('persons', ['SEX', 'age'])")
    assert [(d[0], str(d[1])) for d in result.description] == [
        ("age", "INTEGER"),
        ("sex", "VARCHAR"),
        ("sample_frequency", "BIGINT"),
    ]


# A type, and two values of it: the first in two spellings that are equal.
TYPES = [
    ("TINYINT", "-1", "-1", "127"),
    ("INTEGER", "0", "0", "1"),
    ("UBIGINT", "18446744073709551615", "18446744073709551615", "18446744073709551614"),
    ("HUGEINT", "170141183460469231731687303715884105727", "170141183460469231731687303715884105727", "-1"),
    ("VARCHAR", "'a'", "'a'", "'A'"),
    ("VARCHAR", "''", "''", "' '"),
    ("DATE", "'1970-01-01'", "'1970-01-01'", "'infinity'"),
    ("TIMESTAMP", "'2000-02-29 12:00:00'", "'2000-02-29 12:00'", "'2000-02-29 12:00:00.000001'"),
    ("TIME", "'12:00'", "'12:00:00'", "'12:00:00.000001'"),
    ("BOOLEAN", "false", "false", "true"),
    ("DOUBLE", "'nan'", "'nan'", "'inf'"),
    ("DOUBLE", "0.0", "'0e7'", "5e-324"),
    ("FLOAT", "'nan'", "'nan'", "1.5"),
    ("DECIMAL(18,3)", "1.0", "1.000", "1.001"),
    ("ENUM ('low', 'high')", "'high'", "'high'", "'low'"),
    (
        "UUID",
        "'00000000-0000-0000-0000-000000000001'",
        "'00000000-0000-0000-0000-000000000001'",
        "'80000000-0000-0000-0000-000000000001'",
    ),
    ("BLOB", "'\\x00'", "'\\x00'", "'\\x00\\x00'"),
    ("BIT", "'01'", "'01'", "'001'"),
    ("INTERVAL", "'2 days 3 hours'", "'2 days 180 minutes'", "'1 month'"),
    ("DOUBLE[]", "[0.0, -1.5]", "['0', '-1.5']", "[-1.05]"),
    ("INTEGER[]", "[1, NULL]", "[1, NULL]", "[1]"),
    ("VARCHAR[]", "[]", "[]", "['']"),
    ("STRUCT(a INTEGER, b VARCHAR)", "{'a': 1, 'b': NULL}", "{'a': 1, 'b': NULL}", "{'a': NULL, 'b': 'x'}"),
    ("STRUCT(a INTEGER)[]", "[{'a': NULL}]", "[{'a': NULL}]", "[NULL]"),
    ("MAP(VARCHAR, INTEGER)", "MAP {'a': 1}", "MAP {'a': 1}", "MAP {'a': NULL}"),
]


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("kind", "one", "same", "other"), TYPES, ids=[f"{t[0]} {t[1]}" for t in TYPES])
def test_keys_of_every_type(con, kind, one, same, other):
    """Records: x, x, y, NULL, each with one of two places. By hand: 2, 2, 1, 1; with wildcards 3, 3, 2, 4."""
    con.execute(f"CREATE TABLE t (id INTEGER, v {kind}, place VARCHAR, weight INTEGER, household INTEGER)")
    for i, value in enumerate((one, same, other, "NULL")):
        con.execute(f"INSERT INTO t VALUES ({i}, {value}, 'here', 10, 1)")
    for nulls, expected in (("category", [2, 2, 1, 1]), ("wildcard", [3, 3, 2, 4])):
        rows = con.execute(
            f"SELECT sample_frequency FROM sdc_frequencies('t', ['v', 'place'], nulls := '{nulls}') ORDER BY id"
        )
        assert [f for (f,) in rows.fetchall()] == expected
        rows = con.execute(f"SELECT sample_frequency FROM sdc_cells('t', ['place', 'v'], nulls := '{nulls}')")
        assert sorted(f for (f,) in rows.fetchall()) == sorted(set(expected) if nulls == "wildcard" else [2, 1, 1])
        risk = con.execute(
            f"SELECT sample_frequency, individual_risk FROM sdc_individual_risk('t', ['v'], 10, nulls := '{nulls}')"
        )
        assert len({f for f, _ in risk.fetchall()}) == len(set(expected))
    counted = con.execute("SELECT n1, n2 FROM sdc_theta('t', ['v'], 0.1)").fetchone()
    assert counted == (2, 1)
    by = con.execute("SELECT n1, n2 FROM sdc_theta_by('t', ['v'], 'place', 0.1)").fetchall()
    assert by == [(2, 1)]
    true = con.execute("SELECT population_uniques, theta FROM sdc_population_risk('t', 't', ['v'])").fetchone()
    assert true == (2, 1)


@pytest.mark.one_in(8)
@pytest.mark.parametrize(("kind", "one", "same", "other"), TYPES, ids=[f"{t[0]} {t[1]}" for t in TYPES])
def test_strata_and_households_of_every_type(con, kind, one, same, other):
    con.execute(f"CREATE TABLE t (v {kind}, a INTEGER)")
    for i, value in enumerate((one, same, other)):
        con.execute(f"INSERT INTO t VALUES ({value}, {i})")
    assert con.execute("SELECT n1 FROM sdc_theta_by('t', ['a'], 'v', 0.1) ORDER BY n1").fetchall() == [(1,), (2,)]
    sizes = con.execute("SELECT household_size FROM sdc_household_risk('t', ['a'], 10, 'v') ORDER BY a").fetchall()
    assert sizes == [(2,), (2,), (1,)]
    assert con.execute("SELECT households FROM sdc_household_global_risk('t', ['a'], 10, 'v')").fetchone() == (2,)


def test_adult_cells(shared, con):
    """../shared/reference/README.md: ARX 3.9.2 on adult, 9 quasi-identifiers."""
    con.execute(f"CREATE TABLE adult AS FROM '{shared / 'data' / 'adult.parquet'}'")
    keys = [c for (c,) in con.execute("SELECT column_name FROM (DESCRIBE adult)").fetchall()]  # all nine
    found = con.execute(
        "SELECT count(*), max(sample_frequency), sum(sample_frequency) FROM sdc_cells('adult', ?)", [keys]
    )
    assert found.fetchone() == (19_502, 45, 30_162)


@pytest.mark.slow
def test_keys_of_fixed_size_arrays():
    """In a process of its own: DuckDB 2.0.0 dies of GROUP BY row(v) where v is INTEGER[2]."""
    program = """
import duckdb, sdc_sql
con = sdc_sql.load(duckdb.connect())
con.execute("CREATE TABLE t AS SELECT [1, i % 2]::INTEGER[2] AS v, 'here' AS place FROM range(3) r(i)")
print(con.execute("SELECT n1, n2 FROM sdc_theta('t', ['v'], 0.1)").fetchall())
print(con.execute("SELECT n1, n2 FROM sdc_theta_by('t', ['v'], 'place', 0.1)").fetchall())
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.splitlines()) == (0, ["[(1, 1)]"] * 2)
