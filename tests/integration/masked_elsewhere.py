"""Calls of compiled masks, and what DuckDB answers: the engines' draws must be its own, digit for digit.

Each mask is called by the example of its header, on a table of ours; what is odd of some stands in `ODD`.
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import duckdb
import sqlglot
from sqlglot import exp

import sdc_sql
from sdc_sql.db import query
from sdc_sql.db.catalogue.macros import example_tables, read_catalogue

if TYPE_CHECKING:
    from collections.abc import Callable

    from sdc_sql.db.catalogue.functions import Declaration

KEY = "k7Q-92hbnSxvE4tLw0zRmYp8dUc3aGfJ"  # of the tests
COLUMNS = ["id", "name", "income", "age", "region", "tiny"]
# NULL, NaN, infinity, a bound, whole numbers, texts with letters beyond ASCII
ROWS = """
    SELECT i::BIGINT AS id, 'né ' || i || CASE WHEN i % 3 = 0 THEN '🙂' ELSE '' END AS name,
           CASE WHEN i % 17 = 0 THEN NULL WHEN i = 5 THEN 'nan'::DOUBLE WHEN i % 2 = 0 THEN -i / 7e0
                ELSE round((i * 7919) % 1000 / 7e0, 3) END AS income,
           CASE WHEN i % 13 <> 0 THEN ((i * 31) % 90)::INTEGER END AS age,
           CASE WHEN i % 5 <> 0 THEN 'r' || i % 3 END AS region,
           ((i * 37) % 101) * 1e-7 AS tiny
    FROM range(1, 301) AS t(i)"""
NOT_STORED = {"w", "born"}  # of the tables of the examples: a DECIMAL and a date are read otherwise by each engine
# what becomes of regions, and of ages
GROUPS = """
    FROM (VALUES ('r0', 'west'), ('r1', 'west'), ('r2', 'east'), ('0', 'born'), (NULL, 'unknown')) AS t("from", "to")"""
TABLES = {"workers": ROWS, "groups": GROUPS}
ODD: dict[str, tuple[str, list[Any], dict[str, Any]]] = {
    "absolute": ("sdc_noise_absolute", [["income", "age"], [2.5, 3], "id"], {}),
    "absolute, text ids": ("sdc_noise_absolute", [["Income"], 0.1, "name"], {"release": "2026 'a'", "stream": "x"}),
    "bounds": ("sdc_noise_absolute", [["age", "tiny"], [5, 1e-7], "id"], {"lower": [0, None], "upper": [100, None]}),
    "rounded": ("sdc_noise_absolute", [["income"], 10, "id"], {"rounded": True}),
    "nothing": ("sdc_noise_absolute", [["income"], 0, "id"], {}),
    "relative": ("sdc_noise", [["income", "age", "tiny"], 0.1, "id"], {}),
    "intervals": ("sdc_recode_intervals", ["age", [20, 40, 60], "id"], {"ends": "open"}),
    "closed intervals": ("sdc_recode_intervals", ["tiny", [0, 2.5e-6, 1], "name"], {}),
    "labels": ("sdc_recode_intervals", ["Age", [18, 65], "id"], {"ends": "open", "labels": ["a", "b'", "c"]}),
    "mapping": ("sdc_recode", ["Region", "groups", "id"], {}),
    "mapping, others labelled": ("sdc_recode", ["age", "groups", "id"], {"others": "label", "label": "it's"}),
    "mapping, others kept": ("sdc_recode", ["name", "groups", "id"], {"others": "keep"}),
    "first characters": ("sdc_recode_keep_first", ["name", 4, "id"], {}),
    "first digits": ("sdc_recode_keep_first", ["age", 1, "name"], {"digits": 3}),
    "last characters": ("sdc_recode_drop_last", ["Name", 2, "id"], {}),
    "last digits": ("sdc_recode_drop_last", ["age", 1, "id"], {"digits": 2}),
    "strata": ("sdc_noise", [["income", "age"], 0.2, "name"], {"stratum": "region", "upper": [500, None]}),
}


def _example(mask: Declaration) -> tuple[str, list[Any], dict[str, Any]]:
    """Return the call of a header's example; the tables that it names join ours."""
    call = sqlglot.parse_one(f"SELECT * {mask.example}", read="duckdb").find(exp.Anonymous)
    assert call is not None
    types = {p.name: p.type for p in mask.parameters}
    by_position: list[Any] = []
    named: dict[str, Any] = {}
    with duckdb.connect() as con:
        con.execute(example_tables())
        for parameter, part in zip(mask.parameters, call.expressions, strict=False):
            is_named = isinstance(part, exp.PropertyEQ)
            name, sql = (part.this.name, part.expression) if is_named else (parameter.name, part)
            (value,) = con.execute(f"SELECT {sql.sql('duckdb')}").fetchall()[0]
            if types[name] == "table" and value is not None:
                value = _stored(con, value)
            value = float(value) if isinstance(value, Decimal) else value
            if is_named:
                named[name] = value
            else:
                by_position.append(value)
    return mask.name, by_position, named


def _stored(con: duckdb.DuckDBPyConnection, example: str) -> str:
    """Put a table of the examples among ours; return its name here (`persons` are others elsewhere)."""
    table = con.table(example).select(*[c for c in con.table(example).columns if c not in NOT_STORED])
    rows = exp.values(table.fetchall(), "t", table.columns)
    TABLES[f"example_{example}"] = query.write_sql(exp.select("*").from_(rows))
    return f"example_{example}"


CALLS = {d.name: _example(d) for d in read_catalogue() if d.is_step and d.is_table and not d.not_compiled}
CALLS |= {name: (macro, ["workers", *given], named) for name, (macro, given, named) in ODD.items()}


def answers(call: str) -> list[tuple[Any, ...]]:
    """Return DuckDB's own answer."""
    macro, arguments, named = CALLS[call]
    with duckdb.connect() as con:
        sdc_sql.load(con)
        con.execute("SET VARIABLE sdc_key = $1", [KEY])
        for table, rows in TABLES.items():
            con.execute(f"CREATE TABLE {table} AS {rows}")
        return con.execute(query.write_sql(query.call_macro(macro, *arguments, **named))).fetchall()


def compiled(call: str, dialect: Any) -> str:
    """Return the query for an engine."""
    macro, arguments, named = CALLS[call]
    with duckdb.connect() as con:
        columns = {table: con.sql(rows).columns for table, rows in TABLES.items()}
    return sdc_sql.compile(macro, *arguments, dialect=dialect, columns=columns, **named)


def assert_alike(ask: Callable[[str], tuple[list[str], list[Any]]], call: str, dialect: str) -> None:
    """Compare an engine's masked values with DuckDB's: what has noise to the bit, the rest to nine digits."""
    sql = compiled(call, dialect)
    assert KEY not in sql
    names, rows = ask(sql)
    expected = answers(call)
    assert len(names) == len(expected[0])
    far = 0 if "noise" in CALLS[call][0] else 1e-9  # a logarithm of another last bit is lost on the grid
    ours, theirs = ({row[0]: row for row in found} for found in (expected, rows))
    assert len(rows) == len(ours) == len(theirs)
    for record, row in ours.items():
        for x, y in zip(row, theirs[record], strict=True):
            same = x == y or (
                isinstance(x, float | int)
                and isinstance(y, float | int)
                and (math.isclose(x, y, rel_tol=far) or (math.isnan(x) and math.isnan(y)))
            )
            assert same, (call, record, row, theirs[record])
