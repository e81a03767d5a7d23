"""Queries over the macros as sqlglot trees; text only at the last moment.

Whatever a caller gives (names, numbers, lists) becomes a literal or an identifier of the tree; text is
never pasted.
"""

from __future__ import annotations

import math
from decimal import Decimal
from numbers import Integral, Real
from typing import TYPE_CHECKING, TypeAlias

from sqlglot import exp

from sdc_sql.db.checks import text_for_message
from sdc_sql.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Item: TypeAlias = "str | bool | float | None"
Lists: TypeAlias = "Sequence[Item] | Sequence[Sequence[str]] | Sequence[Sequence[int]]"
Value: TypeAlias = "Item | Lists | Mapping[str, Sequence[Item]]"


def make_text_literal(value: Value) -> exp.Expression:
    """Return a Python value as a literal of the tree.

    A float is written with an exponent, so that DuckDB reads it as DOUBLE and not as DECIMAL.

    Examples
    --------
    >>> make_text_literal(["age",
    ...     "we'ird"]).sql("duckdb"), make_text_literal(0.02).sql("duckdb"), make_text_literal(None).sql("duckdb")
    ("['age', 'we''ird']", '0.02e0', 'NULL')
    """
    if isinstance(value, dict):  # a dictionary becomes a struct
        fields = [
            exp.PropertyEQ(this=exp.to_identifier(n, quoted=True), expression=make_text_literal(v))
            for n, v in value.items()
        ]
        return exp.Struct(expressions=fields)
    if isinstance(value, list | tuple):
        return exp.Array(expressions=[make_text_literal(v) for v in value])
    if isinstance(value, Real | Decimal) and not isinstance(value, Integral):
        value = float(value)  # numpy's floats have another repr
        if not math.isfinite(value):
            raise ParameterError(f"A number is {value}: it must be finite.")
        text = repr(abs(value))
        number = exp.Literal.number(text if "e" in text else f"{text}e0")
        return exp.Neg(this=number) if value < 0 else number
    if isinstance(value, Integral) and not isinstance(value, bool):
        value = int(value)
    try:
        converted = exp.convert(value)
    except ValueError:  # the message of sqlglot would show the whole value
        raise ParameterError(
            f"An argument is {text_for_message(value)}: give a text, a number or a list of them."
        ) from None
    assert isinstance(converted, exp.Expression)  # noqa: S101 - for the type checker: convert is typed loosely
    return converted


def call_macro(macro: str, *arguments: Value, **named: Value) -> exp.Select:
    """Return ``SELECT * FROM macro(arguments, name := value)``.

    Examples
    --------
    >>> write_sql(call_macro("sdc_theta", "persons", ["age"], 0.1, confidence=0.95))
    "SELECT * FROM sdc_theta('persons', ['age'], 0.1e0, confidence := 0.95e0)"
    """
    function = exp.Anonymous(
        this=macro,
        expressions=[
            *(make_text_literal(a) for a in arguments),
            *(exp.PropertyEQ(this=exp.to_identifier(n), expression=make_text_literal(v)) for n, v in named.items()),
        ],
    )
    return exp.select("*").from_(exp.Table(this=function))


def write_sql(query: exp.Expression) -> str:
    """Write a tree as DuckDB's SQL, names of macros as they are."""
    return query.sql(dialect="duckdb", normalize_functions=False)
