"""One call of every mask, from the example of its header, for what must hold of them all."""

from __future__ import annotations

from decimal import Decimal

import duckdb
import sqlglot
from sqlglot import exp

from sdc_sql.db.catalogue.macros import read_catalogue

MASKS = {d.name: d for d in read_catalogue() if d.masks}


def call(name: str, table: str) -> str:
    assert MASKS[name].example.startswith(f"FROM {name}('persons', ")
    return MASKS[name].example.replace("'persons'", f"'{table}'").removesuffix(";")


def arguments(name: str) -> dict[str, object]:
    """Return the arguments of the example by their names, but for the table and the id."""
    function = sqlglot.parse_one(f"SELECT * {MASKS[name].example}", read="duckdb").find(exp.Anonymous)
    found = {}
    for parameter, given in zip(MASKS[name].parameters, function.expressions, strict=False):
        named = isinstance(given, exp.PropertyEQ)
        value = given.expression if named else given
        ((answer,),) = duckdb.sql(f"SELECT {value.sql('duckdb')}").fetchall()
        found[given.this.name if named else parameter.name] = float(answer) if isinstance(answer, Decimal) else answer
    return {key: answer for key, answer in found.items() if key not in {"tbl", "id"}}


def masked_columns(name: str) -> list[str]:
    given = arguments(name)
    columns = next(given[key] for key in ("columns", "column_name", "keys") if key in given)
    return [columns] if isinstance(columns, str) else list(columns)
