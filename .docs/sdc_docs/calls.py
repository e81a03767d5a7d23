"""The call that a header gives as its example: each argument by its name, as a value of Python."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any

import duckdb
import sqlglot
from sqlglot import exp

from sdc_sql.db.catalogue.load import load
from sdc_sql.db.catalogue.macros import example_tables, index_catalogue, read_catalogue

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.db.catalogue.functions import Declaration
    from sdc_sql.db.catalogue.headers import Parameter

# The draws of the examples are the same in every build; nobody but the eight persons of the examples is masked by it.
_KEY = "the key of the examples in the documentation, which hides nobody"


@dataclass(frozen=True)
class Call:
    """A function and what its example gives it."""

    declaration: Declaration
    given: Mapping[str, Any]

    @property
    def parameters(self) -> list[Parameter]:
        """Return the parameters that are given, in their order."""
        return [p for p in self.declaration.parameters if p.name in self.given]

    @property
    def tables(self) -> list[str]:
        """Return the tables that it reads, the measured one first."""
        found: list[str] = []
        for p in self.parameters:
            value = self.given[p.name]
            if p.type == "table" and isinstance(value, str):
                found.append(value)
            elif p.type == "tables":
                found += [name for name in value if isinstance(name, str)]
        return list(dict.fromkeys(found))


def read_call(declaration: Declaration) -> Call:
    """Return the call of the example of a table macro."""
    return _read_calls()[declaration.name]


@cache
def _read_calls() -> dict[str, Call]:
    """Return the calls of all examples, whose constants are computed at once."""
    said: dict[str, list[tuple[str, exp.Expression]]] = {}
    for declaration in read_catalogue():
        if declaration.is_table:
            parsed = sqlglot.parse_one(f"SELECT * {declaration.example}", read="duckdb")
            call = next(c for c in parsed.find_all(exp.Anonymous) if c.name.lower() == declaration.name)
            said[declaration.name] = [
                (argument.this.name, argument.expression)
                if isinstance(argument, exp.PropertyEQ)
                else (p.name, argument)
                for p, argument in zip(declaration.parameters, call.expressions, strict=False)
            ]
    constants = exp.Select(expressions=[value for given in said.values() for _, value in given])
    values = iter(duckdb.sql(constants.sql("duckdb")).fetchall()[0])
    by_name = index_catalogue()
    return {macro: Call(by_name[macro], {n: _plain(next(values)) for n, _ in given}) for macro, given in said.items()}


def _plain(value: Any) -> Any:  # noqa: ANN401 - whatever an argument is
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, list):
        return [_plain(v) for v in value]
    if isinstance(value, dict):
        return {name: _plain(v) for name, v in value.items()}
    return value


@cache
def connect() -> duckdb.DuckDBPyConnection:
    """Return a connection with the tables of the examples, on which every example runs."""
    con = duckdb.connect(config={"threads": 1})
    con.execute("SET enable_progress_bar = false")
    con.execute("SET VARIABLE sdc_key = ?", [_KEY])
    load(con)
    con.execute(example_tables())
    return con


@cache
def run_example(example: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Return the columns and the rows that an example gives."""
    found = connect().execute(example)
    return [str(name) for name, *_ in found.description], found.fetchall()
