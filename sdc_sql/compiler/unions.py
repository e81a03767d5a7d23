"""A UNION of two queries, by place or by name; a side that is known to give no rows vanishes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sdc_sql.compiler.columns import Source, Sources, forget_constants
from sdc_sql.compiler.trees import WITH, make_subquery, refuse_others, unwrap_query
from sdc_sql.errors import Unsupported

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdc_sql.compiler.columns import Field, Relation, Scope
    from sdc_sql.compiler.expansion import Expansion


def expand_union(expansion: Expansion, tree: exp.Union, scope: Scope, outer: Sources | None) -> Relation | None:
    """Expand a UNION; None where neither side gives rows."""
    refuse_others(tree, {"this", "expression", "by_name", "distinct", WITH})
    left = expansion.query(tree.this, scope, outer)
    right = expansion.query(tree.expression, scope, outer)
    if left is None or right is None:
        only = left or right
        if (
            right
            and not tree.args.get("by_name")
            and tree.this.named_selects != [f.name for f in right[1] if not f.parent]
        ):
            raise Unsupported("The sides of a UNION name their columns differently, and the first gives no rows.")
        return (unwrap_query(only[0]), only[1]) if only else None
    if tree.args.get("by_name"):
        right = _reorder_columns(expansion, right, left[1])
        if expansion.is_apart and _is_for_names(left[0]):
            return right
    if [(f.fields, f.parent) for f in left[1]] != [(f.fields, f.parent) for f in right[1]]:
        raise Unsupported("The sides of a UNION do not have the same columns.")
    distinct = bool(tree.args.get("distinct"))
    return exp.Union(this=left[0], expression=right[0], distinct=distinct), forget_constants(left[1])


def _is_for_names(tree: exp.Query) -> bool:
    """Say whether a side is there for the order of its columns: their types need not be those of the other side."""
    limit = unwrap_query(tree).args.get("limit")
    return limit is not None and limit.expression == exp.Literal.number(0)


def _reorder_columns(expansion: Expansion, relation: Relation, like: Sequence[Field]) -> Relation:
    """Put the columns of a relation in the order of those of another one, by name."""
    alias = expansion.ctes.alias("sdc__named")
    sources = Sources([Source(alias, relation[1])])
    there = [sources.inner[0].find(f.name) for f in like]
    if len(relation[1]) != len(like) or None in there:
        raise Unsupported("The sides of a UNION BY NAME do not have the same columns.")
    found = [f for f in there if f]
    query = exp.select(*(sources.column(sources.inner[0], f.name) for f in found)).from_(
        make_subquery(relation[0], alias)
    )
    return query, tuple(found)
