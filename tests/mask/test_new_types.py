"""A mask that gives another type than its column's (labels for numbers) changes its type, or nothing at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from masked_tables import shape

import sdc_sql
from sdc_sql.db.masking.apply import apply_mask
from sdc_sql.db.masking.masking import Masking
from sdc_sql.errors import ColumnError

if TYPE_CHECKING:
    import duckdb

TENS = """CREATE MACRO sdc__tens_of_age(tbl, columns, id) AS TABLE
    SELECT sdc__id, ((age // 10) * 10) || '+' AS age FROM sdc__identified(tbl, id)"""
NUMBERS = """CREATE MACRO sdc__number_of_region(tbl, columns, id) AS TABLE
    SELECT sdc__id, CASE region WHEN 'north' THEN 1 WHEN 'south' THEN 2 END AS region FROM sdc__identified(tbl, id)"""

CHILD = """CREATE OR REPLACE TABLE t (id BIGINT PRIMARY KEY, age INTEGER, region VARCHAR);
    CREATE TABLE child (id BIGINT REFERENCES t(id))"""


@pytest.fixture
def aged(con):
    """Return a connection with a table of ages, and two masks that give other types than they find."""
    con.execute("CREATE OR REPLACE TABLE t (id BIGINT, age INTEGER, region VARCHAR)")
    con.execute("INSERT INTO t SELECT range, range % 60, ['north', 'south', NULL][1 + range % 3] FROM range(3000)")
    con.execute(TENS.replace("CREATE", "CREATE OR REPLACE TEMP"))
    con.execute(NUMBERS.replace("CREATE", "CREATE OR REPLACE TEMP"))
    con.execute("DROP TABLE IF EXISTS released")
    yield con
    con.execute(
        "DROP TABLE IF EXISTS child; DROP TABLE IF EXISTS released; DROP TABLE t; DROP TABLE IF EXISTS sdc_steps"
    )


def become(con: duckdb.DuckDBPyConnection, macro: str, column: str, into: str | None = None) -> object:
    data = sdc_sql.Microdata(con, "t", id="id")
    return apply_mask(
        data._roles, Masking(macro, (column,), {"columns": (column,), "id": "id"}, retyped=True), into=into
    )


def types(con: duckdb.DuckDBPyConnection, table: str) -> list[str]:
    return [str(kind) for kind in con.table(table).types]


@pytest.mark.parametrize("into", [None, "released", "temp.released"])
def test_numbers_become_labels(aged, into):
    wanted = [(i, f"{i % 60 // 10 * 10}+") for i in range(3000)]
    assert become(aged, "tens_of_age", "age", into).changed == 3000
    assert types(aged, into or "t") == ["BIGINT", "VARCHAR", "VARCHAR"]
    assert aged.execute(f"SELECT id, age FROM {into or 't'} ORDER BY id").fetchall() == wanted
    assert types(aged, "t")[1] == ("INTEGER" if into else "VARCHAR")


@pytest.mark.parametrize("into", [None, "released"])
def test_labels_become_numbers_and_missing_values_stay_missing(aged, into):
    assert become(aged, "number_of_region", "region", into).changed == 2000
    assert types(aged, into or "t") == ["BIGINT", "INTEGER", "INTEGER"]
    counts = aged.execute(f"SELECT region, count(*) FROM {into or 't'} GROUP BY 1 ORDER BY 1 NULLS FIRST").fetchall()
    assert counts == [(None, 1000), (1, 1000), (2, 1000)]


def test_only_what_differs_counts_as_changed(aged):
    aged.execute(
        "CREATE OR REPLACE TEMP MACRO sdc__tens_of_age(tbl, columns, id) AS TABLE "
        "SELECT sdc__id, CASE WHEN age >= 50 THEN '50+' ELSE age::VARCHAR END AS age FROM sdc__identified(tbl, id)"
    )
    assert become(aged, "tens_of_age", "age").changed == 500
    assert aged.execute("SELECT count(DISTINCT age) FROM t").fetchall() == [(51,)]


@pytest.mark.one_in(5)
@pytest.mark.whole
@pytest.mark.parametrize(
    "forbidding",
    [
        "CREATE OR REPLACE TABLE t (id BIGINT, age INTEGER CHECK (age >= 0), region VARCHAR)",
        "CREATE INDEX i ON t (age)",
        "CREATE OR REPLACE TABLE t (id BIGINT, age INTEGER, region VARCHAR, half DOUBLE GENERATED ALWAYS AS (age / 2))",
        "CREATE OR REPLACE TABLE t (id BIGINT PRIMARY KEY, age INTEGER UNIQUE, region VARCHAR)",
        CHILD,
    ],
)
def test_where_a_type_cannot_change_nothing_does(aged, forbidding):
    aged.execute(forbidding)
    if "CREATE INDEX" not in forbidding:
        aged.execute("INSERT INTO t (id, age, region) SELECT range, range, 'north' FROM range(60)")
    before, shaped = aged.execute("FROM t").fetchall(), shape(aged)
    with pytest.raises(ColumnError, match=r"age becomes VARCHAR.*into='name'"):
        become(aged, "tens_of_age", "age")
    assert aged.execute("FROM t").fetchall() == before
    assert shape(aged) == shaped
    assert become(aged, "tens_of_age", "age", "released").changed == len(before)


def test_a_column_that_must_not_be_null(aged):
    aged.execute("CREATE OR REPLACE TABLE t (id BIGINT, age INTEGER NOT NULL, region VARCHAR)")
    aged.execute("INSERT INTO t SELECT range, range % 60, 'south' FROM range(300)")
    become(aged, "tens_of_age", "age")
    assert types(aged, "t") == ["BIGINT", "VARCHAR", "VARCHAR"]
    assert aged.execute(
        "SELECT is_nullable FROM duckdb_columns() WHERE (table_name, column_name) = ('t', 'age')"
    ).fetchall() == [(False,)]
