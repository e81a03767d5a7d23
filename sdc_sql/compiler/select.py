"""One SELECT: its clauses, in the order in which each may refer to the ones before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sdc_sql.compiler.columns import Field, Item, Source, Sources
from sdc_sql.compiler.constants import complain, fold
from sdc_sql.compiler.expressions import replace_earlier_columns
from sdc_sql.compiler.items import expand_item, list_parts
from sdc_sql.compiler.relations import expand_from
from sdc_sql.compiler.trees import FROM, WITH, alias_column, find_aggregates, refuse_others
from sdc_sql.errors import Unsupported

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdc_sql.compiler.columns import Relation, Scope
    from sdc_sql.compiler.expansion import Expansion

_CLAUSES = {
    WITH, FROM, "expressions", "joins", "where", "group", "having", "windows", "order", "limit", "distinct",
}  # fmt: skip


def select(expansion: Expansion, tree: exp.Select, scope: Scope, outer: Sources | None) -> Relation | None:
    """Expand a SELECT; None where it is known to give no rows."""
    refuse_others(tree, _CLAUSES)
    where = tree.args.get("where")
    if where and fold(expansion.inline_calls(where.this.copy())) == exp.false():
        return None  # the result is known before the relations are read
    result = exp.Select()
    sources = expand_from(expansion, tree, result, scope, outer)
    if sources is None:
        _refuse_aggregate_of_nothing(expansion, tree)
        return None
    items: list[Item] = []
    for node in tree.expressions:
        items += expand_item(expansion, node, sources, scope, items)
    for item in items:
        complain(item.tree)
    shown = [item.sql() for item in items if not item.field.is_apart]
    result.set("expressions", shown or [alias_column(exp.Literal.number(1), "sdc__one")])
    if tree.args.get("distinct"):
        refuse_others(tree.args["distinct"], set())
        result.set("distinct", exp.Distinct())
    _conditions(expansion, tree, result, sources, scope)
    if tree.args.get("group"):
        result.set("group", _group(expansion, tree.args["group"], items, sources, scope))
    if tree.args.get("windows"):
        result.set("windows", [expansion.expression(w, sources, scope) for w in tree.args["windows"]])
    if tree.args.get("order"):
        known = Sources([*sources.inner, Source("", tuple(i.field for i in items))], sources.outer)
        ordered = [expansion.expression(o, sources, scope, known) for o in tree.args["order"].expressions]
        result.set("order", exp.Order(expressions=ordered))
    if tree.args.get("limit"):
        result.set("limit", exp.Limit(expression=fold(expansion.inline_calls(tree.args["limit"].expression.copy()))))
    return result, tuple(item.field for item in items)


def _refuse_aggregate_of_nothing(expansion: Expansion, tree: exp.Select) -> None:
    """Refuse a SELECT that gives a row where its relations give none: it aggregates, and groups by no column."""
    group = tree.args.get("group")
    if group and any(isinstance(key, exp.Column) for key in group.expressions):
        return
    aggregated = any(find_aggregates(expansion.inline_calls(e.copy())) for e in tree.expressions)
    if group or tree.args.get("having") or aggregated:
        raise Unsupported(f"An aggregate of a subquery that gives no rows: {tree.sql('duckdb')[:80]}")


def _conditions(expansion: Expansion, tree: exp.Select, result: exp.Select, sources: Sources, scope: Scope) -> None:
    for name, kind in (("where", exp.Where), ("having", exp.Having)):
        clause = tree.args.get(name)
        if clause:
            condition = expansion.expression(clause.this, sources, scope)
            complain(condition)
            if condition != exp.true():
                result.set(name, kind(this=condition))


def _group(
    expansion: Expansion, group: exp.Group, items: Sequence[Item], sources: Sources, scope: Scope
) -> exp.Group | None:
    """Expand GROUP BY, and list the columns that GROUP BY ALL stands for; return None where no column is left."""
    refuse_others(group, {"all", "expressions"})
    if group.args.get("all"):
        keys = [item.tree for item in items if not find_aggregates(item.tree)]
    else:
        keys = []
        for node in group.expressions:
            key = expansion.expression(replace_earlier_columns(node.copy(), sources, items), sources, scope)
            keys += [key, *(i.tree for i in list_parts(expansion, Item(key, Field("")), sources))]
    keys = [key.copy() for key in keys if next(key.find_all(exp.Column), None)]
    return exp.Group(expressions=keys) if keys else None
