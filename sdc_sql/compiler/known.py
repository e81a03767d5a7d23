"""Expressions that depend on the arguments of a call alone, macros and lambdas included: DuckDB computes them at once.

The text that a macro hands to ``query('...')``, made of the caller's names and numbers, is read so too.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sdc_sql.compiler.constants import NOT_CONSTANT, compute_value, connect_for_constants, make_literal
from sdc_sql.compiler.definitions import load_definitions
from sdc_sql.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_VARYING = tuple(kind for kind in NOT_CONSTANT if kind not in (exp.Struct, exp.PropertyEQ))


def _list_called_macros(tree: exp.Expression) -> Iterator[str]:
    """Return the names of the package's macros that an expression calls."""
    return (node.name for node in tree.find_all(exp.Anonymous) if node.name.startswith("sdc_"))


@cache
def _load(macro: str) -> None:
    """Load a macro, and before it those that it calls, for the computation of constants."""
    definition = load_definitions()[macro]
    for other in _list_called_macros(definition.body):
        _load(other)
    with connect_for_constants().cursor() as con:
        con.execute(definition.text)


@cache
def _is_function(macro: str) -> bool:
    """Say whether a macro is a function of its arguments: it reads no table, no variable, no clock."""
    definition = load_definitions().get(macro)
    if definition is None or definition.is_table:
        return False
    nodes: list[Any] = list(definition.body.walk())
    return all(
        (isinstance(n, exp.Column) and not n.table and n.name in definition.parameters) or not _varies(n) for n in nodes
    )


def _varies(node: exp.Expression) -> bool:
    if isinstance(node, exp.Anonymous):
        if node.name.startswith("sdc_"):
            return not _is_function(node.name)
        return "variable" in node.name.lower()
    return isinstance(node, _VARYING)


def is_known(tree: exp.Expression) -> bool:
    """Say whether an expression, before its macros are inlined, depends on nothing but the arguments of the call."""
    nodes: Iterator[Any] = tree.walk()
    return not any(_varies(node) for node in nodes)


def is_known_rule(columns: exp.Columns) -> bool:
    """Say whether the rule of COLUMNS(...) depends on nothing but the columns and the arguments of the call."""
    nodes: Iterator[Any] = columns.this.walk()
    return not any(_varies(node) for node in nodes if not isinstance(node, exp.Star))


def compute_known_value(tree: exp.Expression) -> Any:  # noqa: ANN401 - whatever DuckDB computes
    """Compute such an expression.

    Raises
    ------
    InputError
        The macro's own complaint, where it refuses an argument.
    """
    for macro in _list_called_macros(tree):
        _load(macro)
    return compute_value(tree)


def compute_known(tree: exp.Expression, kept: Collection[str] = ()) -> exp.Expression:
    """Return an expression computed, where it calls macros (but those that are kept) and is known; else as it is."""
    calls = set(_list_called_macros(tree))
    if not calls or calls & set(kept) or not is_known(tree):
        return tree
    for macro in calls:
        _load(macro)
    try:
        return make_literal(tree)
    except InputError:  # where the expression is used at all, the error is raised there
        return tree
