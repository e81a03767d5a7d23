"""The example of a macro's header, with other arguments in the place of some."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlglot
from sqlglot import exp

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.db.catalogue.functions import Declaration


def argued(macro: Declaration, changed: Mapping[str, str]) -> str:
    """Return the call of the example with arguments (SQL text by name) changed or added."""
    text = f"SELECT {'* ' * macro.is_table}{macro.example.removeprefix('SELECT ')}"
    call = next(c for c in sqlglot.parse_one(text, read="duckdb").find_all(exp.Anonymous) if c.name == macro.name)
    given = {}
    for parameter, argument in zip(macro.parameters, call.expressions, strict=False):
        if isinstance(argument, exp.PropertyEQ):
            given[argument.this.name] = argument.expression.sql("duckdb")
        else:
            given[parameter.name] = argument.sql("duckdb")
    given |= changed
    positional = [given.pop(p.name) for p in macro.required]
    every = ", ".join([*positional, *(f"{name} := {value}" for name, value in given.items())])
    return f"{'FROM' if macro.is_table else 'SELECT'} {macro.name}({every})"
