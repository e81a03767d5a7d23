"""How long a call of a macro is to DuckDB, which binds an argument in each place where the macro names it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import pytest
from sqlglot import exp

from sdc_sql.compiler.definitions import load_definitions

if TYPE_CHECKING:
    from collections.abc import Sequence

MACROS = load_definitions()
MOST = 3_000  # a node takes some ten to twenty microseconds to bind


class Size(NamedTuple):
    """The nodes of an expression whose macros are expanded, and how often each parameter is named in it."""

    own: int
    copies: dict[str, int]


@cache
def expand_macro(name: str) -> Size:
    return expand(MACROS[name].body, MACROS[name].parameters)


def expand(tree: exp.Expr, parameters: Sequence[str]) -> Size:
    if isinstance(tree, exp.Identifier):
        return Size(0, {})
    if isinstance(tree, exp.Column) and not tree.table and tree.name in parameters:
        return Size(0, {tree.name: 1})
    inner = MACROS.get(tree.name) if isinstance(tree, exp.Anonymous) else None
    if inner is not None and not inner.is_table:
        body = expand_macro(inner.name)
        parts = [
            (expand(value, parameters), body.copies.get(name, 0))
            for name, value in inner.bind(tree.expressions).items()
        ]
        own = body.own
    else:
        parts, own = [(expand(child, parameters), 1) for child in tree.iter_expressions()], 1
    copies: dict[str, int] = {}
    for part, times in parts:
        own += part.own * times
        for name, k in part.copies.items():
            copies[name] = copies.get(name, 0) + k * times
    return Size(own, copies)


def test_a_size_counts_each_copy():
    body = exp.maybe_parse("x * (x + 1)", dialect="duckdb")
    assert expand(body, ["x"]) == Size(4, {"x": 2})


@pytest.mark.slow
@pytest.mark.whole
def test_no_call_is_long_to_bind():
    """Rounding one column had 43,000 nodes, which took DuckDB a quarter of a second."""
    sizes = {name: expand_macro(name) for name, macro in MACROS.items() if not macro.is_table}
    long = {name: size for name, size in sizes.items() if size.own + sum(size.copies.values()) > MOST}
    assert not long, (
        "a long argument is to stand once: as a column of a query within, or as a list of one (sql/README.md)"
    )
