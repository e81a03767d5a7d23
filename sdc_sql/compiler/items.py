"""The elements of a SELECT list: stars, COLUMNS(...), structs and plain expressions, as columns with names."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from sdc_sql.compiler.columns import Field, Item, fold_case, name_companion
from sdc_sql.compiler.constants import fold, is_constant
from sdc_sql.compiler.expressions import finish_expression, order_row_numbers, replace_earlier_columns, unpack_columns
from sdc_sql.errors import Unsupported

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sdc_sql.compiler.columns import Scope, Sources
    from sdc_sql.compiler.expansion import Expansion


def expand_item(
    expansion: Expansion, node: exp.Expression, sources: Sources, scope: Scope, before: Sequence[Item]
) -> list[Item]:
    """Return the columns that one element of a SELECT list stands for."""
    star = node.this if isinstance(node, exp.Column) else node
    if isinstance(star, exp.Star):
        return _star(expansion, star, node.table if isinstance(node, exp.Column) else "", sources, scope)
    alias = node.alias if isinstance(node, exp.Alias) else ""
    tree = node.this if isinstance(node, exp.Alias) else node
    tree = unpack_columns(expansion.inline_calls(sources.replace_constants(tree.copy())), sources)
    rules = [columns.this for columns in tree.find_all(exp.Columns)]
    items: list[Item] = []
    for name, copy in _expand_columns(tree, sources):
        label = alias.replace("\\0", name) if name else alias
        if rules and isinstance(rules[0], exp.Literal):  # "\\1" is the first group of a regular expression
            label = re.sub(rules[0].this, alias, name)
        done = finish_expression(
            expansion, replace_earlier_columns(fold(copy), sources, before), sources, scope, sources
        )
        made = order_row_numbers(done, sources)
        if isinstance(made, exp.Explode) and isinstance(made.this, exp.Column) and not label:
            items += _unnest_struct(expansion, made.this, sources)
            continue
        bare = name if isinstance(tree, exp.Columns) else made.name if isinstance(made, exp.Column) else ""
        item = Item(made, _make_field(made, sources)).rename(label or bare)
        if expansion.is_apart and isinstance(made, exp.Array | exp.Struct):
            items += _take_item_apart(item.rename(item.field.name or node.name))
            continue
        items += [_write_row(item) if expansion.companions else item, *list_parts(expansion, item, sources)]
    return items


def list_parts(expansion: Expansion, item: Item, sources: Sources) -> Iterator[Item]:
    """Return the columns that carry the values of a struct, where they are wanted."""
    if not expansion.companions:
        return
    name = item.field.name
    if isinstance(item.tree, exp.Struct):
        parts = [e.expression.copy() for e in item.tree.expressions]
    elif isinstance(item.tree, exp.Column):
        field = sources.find(item.tree)
        table = item.tree.table or None
        names = [name_companion(item.tree.name, n) for n in range(len(field.fields if field else ()))]
        parts = [exp.column(n, table=table, quoted=True) for n in names]
    else:
        parts = []
    for position, part in enumerate(parts):
        yield Item(part, Field(name_companion(name, position), parent=name))


def _take_item_apart(item: Item) -> Iterator[Item]:
    """Return a list or a struct as the columns that carry its values; of a list of constants there are none."""
    name, tree = item.field.name, item.tree
    is_list = isinstance(tree, exp.Array)
    parts = tree.expressions if is_list else [e.expression for e in tree.expressions]
    known = is_list and is_constant(tree)
    size = len(parts) if is_list else 0
    yield Item(tree, replace(item.field, size=size, is_apart=True, constant=tree.copy() if known else None))
    for position, part in enumerate([] if known else parts):
        yield Item(part.copy(), Field(name_companion(name, position), parent=name))


def _star(expansion: Expansion, star: exp.Star, table: str, sources: Sources, scope: Scope) -> list[Item]:
    without = {fold_case(e.name) for e in star.args.get("except_") or star.args.get("except") or []}
    replaced = {fold_case(e.alias): e.this for e in star.args.get("replace") or []}
    items = []
    for item in sources.all(table):
        if fold_case(item.field.name) in without or fold_case(item.field.parent) in without:
            continue
        if fold_case(item.field.name) in replaced:
            tree = expansion.expression(replaced[fold_case(item.field.name)], sources, scope)
            items.append(Item(tree, replace(_make_field(tree, sources), name=item.field.name)))
        else:
            items.append(item)
    return items


def _expand_columns(tree: exp.Expression, sources: Sources) -> Iterator[tuple[str, exp.Expression]]:
    """Give a copy of an expression for each column that its COLUMNS(...) chooses; the expression itself without one."""
    chooses = list(tree.find_all(exp.Columns))
    if not chooses:
        yield "", tree
        return
    chosen = [sources.chosen(columns) for columns in chooses]
    if any([i.field.name for i in c] != [i.field.name for i in chosen[0]] for c in chosen):
        raise Unsupported(f"Several COLUMNS that differ in one expression: {tree.sql('duckdb')[:80]}")
    for item in chosen[0]:
        copy = tree.copy()
        yield (
            item.field.name,
            copy.transform(lambda n, tree=item.tree: tree.copy() if isinstance(n, exp.Columns) else n, copy=False),
        )


def _make_field(tree: exp.Expression, sources: Sources) -> Field:
    if isinstance(tree, exp.Struct):
        return Field("", tuple(e.name for e in tree.expressions))
    if isinstance(tree, exp.Literal | exp.Boolean):
        return Field("", constant=tree)
    found = sources.find(tree) if isinstance(tree, exp.Column) else None
    return Field("", found.fields) if found else Field("")


def _write_row(item: Item) -> Item:
    """Write a struct as a row of its values."""
    if isinstance(item.tree, exp.Struct):
        values = [e.expression.copy() for e in item.tree.expressions]
        return Item(exp.Anonymous(this="ROW", expressions=values), item.field)
    return item


def _unnest_struct(expansion: Expansion, struct: exp.Column, sources: Sources) -> Iterator[Item]:
    field = sources.find(struct)
    if field is None or not field.fields:
        raise Unsupported(f"unnest({struct.sql('duckdb')}) of what is not known to be a struct.")
    for position, name in enumerate(field.fields):
        if expansion.companions:
            part: exp.Expression = exp.column(
                name_companion(struct.name, position), table=struct.table or None, quoted=True
            )
        else:
            part = exp.Dot(this=struct.copy(), expression=exp.to_identifier(name, quoted=True))
        yield Item(part, Field(name))
