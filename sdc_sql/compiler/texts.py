"""Expressions that hang on the arguments alone, macros and lambdas in them included: what DuckDB makes of them.

So is read what a macro hands to ``query('...')``: the text of a query, made of the caller's names and numbers.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sqlglot import exp

from sdc_sql.compiler.constants import NOT_CONSTANT, as_literal, connection, is_error, value_of
from sdc_sql.compiler.definitions import definitions
from sdc_sql.db.macros import sql_files
from sdc_sql.errors import InputError

_VARYING = tuple(kind for kind in NOT_CONSTANT if kind not in (exp.Struct, exp.PropertyEQ))


@cache
def _load(file: str) -> None:
    """Load a file of macros, and before it those that it calls, for the computation of constants."""
    found = next(f for f in sql_files() if f.name == file)
    for other in sql_files():
        if found.calls & set(other.defines):
            _load(other.name)
    with connection().cursor() as con:
        con.execute(found.text)


@cache
def _is_function(macro: str) -> bool:
    """Say whether a macro is a function of its arguments: it reads no table, no variable, no clock."""
    definition = definitions().get(macro)
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
    """Say whether an expression, before its macros are pasted, hangs on nothing but the arguments of the call."""
    nodes: list[Any] = list(tree.walk())
    return not any(_varies(node) for node in nodes)


def known_value(tree: exp.Expression) -> Any:  # noqa: ANN401 - whatever DuckDB computes
    """Compute such an expression.

    Raises
    ------
    InputError
        The macro's own complaint, where it refuses an argument.
    """
    called = {n.name for n in tree.find_all(exp.Anonymous)}
    for file in sql_files():
        if called & set(file.defines):
            _load(file.name)
    return value_of(tree)


def computed(tree: exp.Expression) -> exp.Expression:
    """Return an argument of a macro computed, where it calls macros of the package and is known; else as it is."""
    calls = [n for n in tree.find_all(exp.Anonymous) if n.name.startswith("sdc_")]
    if not calls or any(is_error(n) for n in calls) or not is_known(tree):
        return tree
    try:
        known_value(tree)
    except InputError:  # it is raised where the argument is used, if it is
        return tree
    return as_literal(tree.copy())
