"""Errors on PostgreSQL, which has no function in SQL that raises one.

The message is cast to an integer, which it is not, and PostgreSQL answers ``invalid input syntax for type integer:
"sdc-sql: ..."``. The error stands in a branch of a CASE of its own (so that the other branches keep their type), and
its message always depends on a column (PostgreSQL computes what depends on none before the query runs, even in
branches that are never reached).
"""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from sdc_sql.compiler.constants import is_error
from sdc_sql.errors import Unsupported


def _make_failure(error: exp.Expression, beside: exp.Expression) -> exp.Expression:
    """Return a condition that PostgreSQL cannot decide, with the complaint in its error."""
    message = error.expressions[0]
    parts = [exp.Literal.string("sdc-sql: "), message]
    if next(message.find_all(exp.Column, exp.AggFunc), None) is None:
        parts.append(exp.Left(this=exp.cast(_atom(beside), "text"), expression=exp.Literal.number(0)))
    return exp.EQ(
        this=exp.cast(exp.Anonymous(this="CONCAT", expressions=parts), "int"), expression=exp.Literal.number(0)
    )


def _atom(tree: exp.Expression) -> exp.Expression:
    """Return a part of an expression that depends on the data: an aggregate, or a column outside of one."""
    nodes: list[Any] = list(tree.walk())
    for node in nodes:
        # (PostgreSQL does not read a setting before the query runs)
        is_setting = isinstance(node, exp.Anonymous) and node.name == "CURRENT_SETTING"
        if is_setting or isinstance(node, exp.AggFunc | exp.Column | exp.Window):
            copy: Any = node.copy()
            atom: exp.Expression = copy
            return atom
    raise Unsupported(f"An error that depends on no column cannot be raised on PostgreSQL: {tree.sql('duckdb')[:80]}")


def _branches(case: exp.Case) -> list[exp.Expression | None]:
    return [*(branch.args["true"] for branch in case.args["ifs"]), case.args.get("default")]


def replace_error(node: exp.Expression) -> exp.Expression:
    """Write CASE ... ELSE error(m) END and coalesce(x, error(m))."""
    if isinstance(node, exp.Coalesce) and is_error(node.expressions[-1]):
        kept = [part.copy() for part in (node.this, *node.expressions[:-1])]
        value = kept[0] if len(kept) == 1 else exp.Coalesce(this=kept[0], expressions=kept[1:])
        found = exp.Not(this=exp.Is(this=exp.Paren(this=value.copy()), expression=exp.null()))
        fails = exp.If(this=_make_failure(node.expressions[-1], value), true=exp.null())
        return exp.Case(ifs=[exp.If(this=found, true=value), fails])
    if isinstance(node, exp.Case) and any(is_error(part) for part in _branches(node)):
        node = node.copy()
        default = node.args.get("default")
        for branch in node.args["ifs"]:
            if is_error(branch.args["true"]):
                condition = exp.Case(
                    ifs=[exp.If(this=branch.this.copy(), true=_make_failure(branch.args["true"], branch.this))],
                    default=exp.false(),
                )
                branch.replace(exp.If(this=condition, true=exp.null()))
        if default is not None and is_error(default):
            node.append("ifs", exp.If(this=_make_failure(default, node.args["ifs"][0].this), true=exp.null()))
            node.set("default", None)
    return node
