"""One expression: its scalar macros inlined, its constants computed, its scalar subqueries expanded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sdc_sql.compiler.columns import fold_case, replace_columns
from sdc_sql.compiler.constants import fold
from sdc_sql.compiler.definitions import load_definitions, substitute_parameters, wrap_value
from sdc_sql.compiler.known import compute_known, is_known_rule
from sdc_sql.compiler.lists import replace_count_if, unroll_reduction
from sdc_sql.errors import Unsupported

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sdc_sql.compiler.columns import Item, Scope, Sources
    from sdc_sql.compiler.definitions import Definition
    from sdc_sql.compiler.expansion import Expansion


def inline_macros(tree: exp.Expression, kept: Collection[str], own: Mapping[str, Definition]) -> exp.Expression:
    """Put the bodies of scalar macros in the places of their calls, as DuckDB does, but for some that are kept.

    own: macros that an engine other than DuckDB has a body of its own for.
    """
    if isinstance(tree, exp.Query) or (isinstance(tree, exp.Columns) and is_known_rule(tree)):
        return tree
    tree = replace_count_if(unroll_reduction(tree))
    called = isinstance(tree, exp.Anonymous) and tree.name not in kept
    definition = own.get(tree.name) or load_definitions().get(tree.name) if called else None
    if definition and not definition.is_table:
        value = compute_known(tree, kept)
        if value is not tree:
            return value
        return inline_macros(
            wrap_value(substitute_parameters(definition.body, definition.bind(tree.expressions))), kept, own
        )
    for name, part in list(tree.args.items()):
        if isinstance(part, list):
            tree.set(name, [inline_macros(p, kept, own) if isinstance(p, exp.Expression) else p for p in part])
        elif isinstance(part, exp.Expression):
            tree.set(name, inline_macros(part, kept, own))
    return tree


def unpack_columns(tree: exp.Expression, sources: Sources) -> exp.Expression:
    """Replace f(*COLUMNS(...)) by f of these columns; a row of keys (sdc__k_...) by a struct of their own names."""
    for columns in list(tree.find_all(exp.Columns)):
        parent = columns.parent
        if columns.args.get("unpack") and parent is not None:
            chosen = sources.chosen(columns)
            is_row = isinstance(parent, exp.Anonymous) and parent.name == "row"
            parts = [
                exp.PropertyEQ(
                    this=exp.to_identifier(i.field.name.removeprefix("sdc__k_"), quoted=True), expression=i.tree
                )
                if is_row or isinstance(parent, exp.Struct)
                else i.tree
                for i in chosen
            ]
            position = next(n for n, e in enumerate(parent.expressions) if e is columns)
            parts = [*parent.expressions[:position], *parts, *parent.expressions[position + 1 :]]
            if not is_row:
                parent.set("expressions", parts)
            elif parent is tree:
                tree = exp.Struct(expressions=parts)
            else:
                parent.replace(exp.Struct(expressions=parts))
    return tree


def replace_earlier_columns(tree: exp.Expression, sources: Sources, before: Sequence[Item]) -> exp.Expression:
    """Replace the name of an earlier column of the same SELECT by what it stands for."""
    names = {fold_case(i.field.name): i.tree for i in before if i.field.name}

    def replace_column(column: exp.Column) -> exp.Expression:
        earlier = None if column.table or sources.find(column) else names.get(fold_case(column.name))
        return column if earlier is None else wrap_value(earlier)

    return replace_columns(tree, replace_column)


def finish_expression(
    expansion: Expansion, tree: exp.Expression, sources: Sources, scope: Scope, check: Sources
) -> exp.Expression:
    """Compute constants, spell and check the columns, and expand scalar subqueries."""
    tree = sources.spell_columns(fold(sources.replace_constants(tree)))
    if not isinstance(tree, exp.Query):
        check.check(tree)
    for inner in list(tree.find_all(exp.Subquery)):
        if inner.find_ancestor(exp.Query) is None or inner is tree:
            relation = expansion.query(inner.this, scope, sources)
            if relation is None or len(relation[1]) != 1:
                raise Unsupported(f"A scalar subquery must give one column: {inner.sql('duckdb')[:80]}")
            done = exp.Subquery(this=relation[0])
            if inner is tree:
                return done
            inner.replace(done)
    return tree


def order_row_numbers(tree: exp.Expression, sources: Sources) -> exp.Expression:
    """Give row_number() OVER () an order, of all columns: rows that are alike in all may change places.

    An engine may compute a common table expression each time that it is read, and must then number its rows alike.
    """
    for window in list(tree.find_all(exp.Window)):
        if isinstance(window.this, exp.RowNumber) and not window.args.get("order") and not window.args.get("alias"):
            by = [exp.Ordered(this=item.tree.copy(), nulls_first=False) for item in sources.all()]
            window.set("order", exp.Order(expressions=by))
    return tree
