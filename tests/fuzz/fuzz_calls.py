"""Calls of every macro on a made-up table: the example of its header, its columns and tables replaced, then spoilt.

A macro that is declared with an example on the tables of ``sdc_help`` is taken in by itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import duckdb
import sqlglot
from payloads import PAYLOADS
from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.macros import example_tables, read_catalogue

if TYPE_CHECKING:
    from random import Random

    from fuzz_tables import Made

    from sdc_sql.db.catalogue.functions import Declaration
    from sdc_sql.db.catalogue.headers import Parameter

MACROS = tuple(d for d in read_catalogue() if d.name != "sdc_help")
ROLES = {"column", "columns", "table", "tables", "column or number", "levels", "lists of columns", "combinations"}
NUMBERS = (0, 1, 2, 3, 0.5, 0.1, 0.99, -1, 2.5, 1e308, 1e-308, 10**18, math.nan, math.inf)
SPARED = frozenset({"samples", "repetitions"})  # large numbers take minutes, as they are asked to
WRONG: tuple[Any, ...] = (
    None,
    "",
    "nowhere",
    [],
    -1,
    0,
    1.5,
    1e308,
    True,
    "abc",
    ["nowhere"],
    [None],
    [[]],
    "x" * 5000,
)


@dataclass(frozen=True)
class Call:
    """A macro and its arguments by name."""

    macro: Declaration
    arguments: dict[str, Any]
    spoilt: bool

    @property
    def sql(self) -> str:
        """Return the call as a query."""
        first = [p.name for p in self.macro.required]
        parts = [literal(self.arguments[name]) for name in first]
        parts += [f"{n} := {literal(v)}" for n, v in self.arguments.items() if n not in first]
        how = "SELECT * FROM" if self.macro.is_table else "SELECT"
        return f"{how} {self.macro.name}({', '.join(parts)})"


def literal(value: Any) -> str:
    """Return a value as SQL, NaN too."""
    if isinstance(value, float) and not math.isfinite(value):
        return f"'{value}'::DOUBLE"
    if isinstance(value, list) and any(isinstance(v, float) for v in value):
        return f"[{', '.join(map(literal, value))}]"
    return query.write_sql(query.make_text_literal(value))


@cache
def examples() -> dict[str, dict[str, Any]]:
    """Return the arguments of every example, by macro and name."""
    found = {}
    with duckdb.connect(config={"threads": 1}) as con:
        con.execute(example_tables())
        for macro in MACROS:
            text = macro.example.removesuffix(";")
            tree = sqlglot.parse_one(text if text.startswith("SELECT") else f"SELECT * {text}", read="duckdb")
            call = next(c for c in tree.find_all(exp.Anonymous) if c.this == macro.name)
            found[macro.name] = {}
            for parameter, given in zip(macro.parameters, call.expressions, strict=False):
                named = isinstance(given, exp.PropertyEQ)
                value = given.expression if named else given
                # (a column of a record, in the example of a scalar macro)
                sql = "7" if value.find(exp.Column) else value.sql("duckdb")
                ((answer,),) = con.execute(f"SELECT {sql}").fetchall()
                name = given.this.name if named else parameter.name
                found[macro.name][name] = float(answer) if type(answer).__name__ == "Decimal" else answer
    return found


def renamed(value: Any, names: dict[str, str]) -> Any:
    """Return a value of an example with the names of the made-up table, however deep they stand."""
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, list | tuple):
        return [renamed(v, names) for v in value]
    if isinstance(value, dict):
        return {k: renamed(v, names) for k, v in value.items()}
    return value


def _optional(rng: Random, p: Parameter, table: Made) -> Any:  # noqa: PLR0911
    """Return a value for an argument that the example does not give."""
    columns = table.columns
    if p.choices:
        return rng.choice(p.choices)
    if p.type == "columns":
        return [columns[c] for c in rng.sample(("age", "sex", "region", "income"), rng.randint(1, 2))]
    if p.type == "column":
        return columns.get(p.name) or columns[rng.choice(("sex", "region", "w", "household"))]
    if p.type == "column or number":
        return rng.choice((columns["w"], 7.5))
    if p.name == "loss":
        return "precision"
    if "truth value" in p.type:
        return rng.random() < 0.5
    if p.type == "whole number":
        return rng.choice((1, 2, 3, 5)) if p.name not in SPARED else 2
    if p.type.startswith("number"):
        return rng.choice(NUMBERS[1:7])
    return rng.choice(("some text", "zq", "spring 2026"))


def call(rng: Random, table: Made, macro: Declaration) -> Call:
    """Return a call of a macro: as its example, with more arguments, and one in three with a wrong one."""
    names = {**table.columns, **table.tables}
    arguments = {}
    for p in macro.parameters:
        if p.name in examples()[macro.name]:
            value = examples()[macro.name][p.name]
            arguments[p.name] = renamed(value, names) if p.type in ROLES or p.name == "id" else value
        elif p.default is not None and rng.random() < 0.15:
            arguments[p.name] = _optional(rng, p, table)
    if "keys" in arguments and isinstance(arguments["keys"], list) and rng.random() < 0.4 and arguments["keys"]:
        arguments["keys"] = arguments["keys"][: rng.randint(1, len(arguments["keys"]))]
    spoilt = rng.random() < 0.35
    if spoilt:
        p = rng.choice(macro.parameters)
        number = "number" in p.type and p.type != "column or number"
        if p.name not in SPARED | {"loss"}:  # (which is SQL by its meaning)
            values = rng.choice((WRONG, PAYLOADS, NUMBERS if number else tuple(table.columns.values())))
            arguments[p.name] = rng.choice(values)
    ordered = {p.name: arguments[p.name] for p in macro.parameters if p.name in arguments}
    return Call(macro, ordered, spoilt)
