"""One call of each measure, written for an engine, and what that engine and DuckDB answer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import sqlglot
from every_macro import _ROLES, CALLS
from sqlglot import exp

import sdc_sql

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ROOT = Path(__file__).resolve().parents[2]
EVERY = {**CALLS, "sdc_sse_sst": "FROM sdc_sse_sst({tbl}, {masked}, ['age', 'weight'], 'id')"}

# Both have NULL in the keys. `many` is a real file (22,272 couples) under the names of the roles.
TABLES = {
    "persons": """
        FROM (VALUES
            (1, 30, 'f', 'north', 10e0, 1), (2, 30, 'f', 'north', 15e0, 1), (3, 41, 'm', 'north', 20e0, 1),
            (4, 41, 'm', 'south', 20e0, 2), (5, 41, 'm', 'south', 12.5e0, 2), (6, NULL, 'f', 'south', 30e0, 3),
            (7, 67, NULL, 'south', 8e0, 3), (8, 25, 'm', NULL, 11e0, 3)
        ) AS t(id, age, sex, region, weight, household)""",
    "many": f"""
        SELECT couple AS id, CASE WHEN couple % 50 > 0 THEN (experience + hours)::INTEGER END AS age,
               CASE WHEN couple % 37 > 0 THEN race || education END AS sex,
               CASE WHEN couple % 11 > 0 THEN region END AS region, weight, couple // 3 AS household
        FROM '{ROOT}/fixtures/cps_couples.parquet'""",
}
TABLES |= {
    f"{name}_masked": f"SELECT * REPLACE (2 * (age // 2) AS age, round(weight, -1) AS weight) FROM ({rows})"
    for name, rows in TABLES.items()
}


@dataclass(frozen=True)
class Call:
    """A call of a macro on one table."""

    macro: str
    arguments: tuple[Any, ...]
    named: dict[str, Any]
    sql: str

    def compiled(self, dialect: str, con: duckdb.DuckDBPyConnection) -> str:
        return sdc_sql.compile(self.macro, *self.arguments, dialect=dialect, con=con, **self.named)


def call(name: str, table: str = "persons") -> Call:
    """Return a call of tests/every_macro.py on a table."""
    sql = EVERY[name].format(**_ROLES | {"tbl": f"'{table}'", "masked": f"'{table}_masked'"})
    function = sqlglot.parse_one(f"SELECT * {sql}", read="duckdb").find(exp.Anonymous)
    given = [(e.this.name, e.expression) if isinstance(e, exp.PropertyEQ) else ("", e) for e in function.expressions]
    values = [(n, duckdb.sql(f"SELECT {e.sql('duckdb')}").fetchall()[0][0]) for n, e in given]
    values = [(n, float(v) if isinstance(v, Decimal) else v) for n, v in values]
    return Call(function.name, tuple(v for n, v in values if not n), {n: v for n, v in values if n}, sql)


@cache
def reference() -> duckdb.DuckDBPyConnection:
    """Return a DuckDB connection with the macros and the tables."""
    con = sdc_sql.load(duckdb.connect())
    for name, rows in TABLES.items():
        con.execute(f"CREATE TABLE {name} AS {rows}")
    return con


def plain(value: object) -> object:
    """Return a value without its engine's type of number."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return value


def ordered(rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Return rows in an order that rounding does not change."""
    plainly = [[plain(v) for v in row] for row in rows]
    return sorted(plainly, key=lambda row: repr([float(f"{v:.6g}") if isinstance(v, int | float) else v for v in row]))


def assert_same(found: Sequence[Sequence[Any]], expected: Sequence[Sequence[Any]], names: Sequence[str]) -> None:
    """Compare two answers: numbers to 1e-9, everything else exactly."""
    assert len(found) == len(expected)
    for row, right in zip(ordered(found), ordered(expected), strict=True):
        for name, value, wanted in zip(names, row, right, strict=True):
            if isinstance(wanted, float) and value is not None:
                assert math.isclose(value, wanted, rel_tol=1e-9, abs_tol=1e-15), (name, row, right)
            else:
                assert value == wanted, (name, row, right)


Run = "Callable[[str], tuple[list[str], list[Sequence[Any]]]]"


def assert_answers_as_duckdb(run: Callable[[str], tuple[list[str], list[Any]]], dialect: str, made: Call) -> None:
    """Run a call on an engine and in DuckDB and compare names and numbers."""
    con = reference()
    names, rows = run(made.compiled(dialect, con))
    expected = con.execute(made.sql).fetchall()
    assert names == [name for name, *_ in con.description]
    assert_same(rows, expected, names)
