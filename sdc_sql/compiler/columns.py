"""Columns of a relation, and what `*`, `COLUMNS(...)` and `unnest(struct)` mean over them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

from sqlglot import exp

from sdc_sql.compiler.known import compute_known_value
from sdc_sql.db import query
from sdc_sql.errors import ColumnError, Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


@cache
def fold_case(name: str) -> str:
    """Return a name as DuckDB compares it: the case of ASCII letters is ignored."""
    return "".join(c.lower() if c.isascii() else c for c in name)


@dataclass(frozen=True)
class Field:
    """A column of a relation. A struct has the names of its `fields`; a column with one `constant` has its value.

    Where an engine cannot take a struct apart again, its values also travel in columns of their own, whose
    `parent` is the struct: they go where it goes, and no macro names them. A list of `size` elements, or a struct, that
    is taken apart wholly (`is_apart`) is no column of the result at all: only its values are columns.
    """

    name: str
    fields: tuple[str, ...] = ()
    parent: str = ""
    constant: exp.Expression | None = None
    size: int = 0
    is_apart: bool = False


# a query, and its columns
Relation: TypeAlias = tuple[exp.Query, tuple[Field, ...]]
# a CTE's name in a macro: its name in the result and its columns; None where it is known to give no rows,
# an error where it cannot be expanded
Scope: TypeAlias = Mapping[str, "tuple[str, tuple[Field, ...]] | Unsupported | None"]


@dataclass(frozen=True)
class Source:
    """One relation of a FROM clause, under its alias."""

    alias: str
    fields: tuple[Field, ...]

    def find(self, name: str) -> Field | None:
        """Return the column of that name."""
        return next((f for f in self.fields if fold_case(f.name) == fold_case(name)), None)


@dataclass(frozen=True)
class Item:
    """One column of a SELECT: its expression and its name."""

    tree: exp.Expression
    field: Field

    def sql(self) -> exp.Expression:
        """Return it as SELECT has it."""
        if not self.field.name or (isinstance(self.tree, exp.Column) and self.tree.name == self.field.name):
            return self.tree
        return exp.Alias(this=self.tree, alias=exp.to_identifier(self.field.name, quoted=True))

    def rename(self, name: str) -> Item:
        """Return it under another name."""
        return Item(self.tree, replace(self.field, name=name))


def name_companion(struct: str, position: int) -> str:
    """Return the name of the column that carries a value of a struct (short: PostgreSQL cuts names at 63 bytes)."""
    return f"{struct}.{position + 1}"


def _join_parts(column: exp.Column, field: Field) -> exp.Expression:
    """Return a list or a struct made of the columns that carry its values."""
    count = len(field.fields) or field.size
    parts = [exp.column(name_companion(field.name, n), table=column.table or None, quoted=True) for n in range(count)]
    if not field.fields:
        return exp.Array(expressions=parts)
    named = zip(field.fields, parts, strict=True)
    return exp.Struct(
        expressions=[exp.PropertyEQ(this=exp.to_identifier(n, quoted=True), expression=p) for n, p in named]
    )


def forget_constants(fields: Sequence[Field]) -> tuple[Field, ...]:
    """Forget that columns are constants."""
    return tuple(field if field.is_apart else replace(field, constant=None) for field in fields)


def list_own_columns(tree: exp.Expression) -> list[exp.Column]:
    """Return the references to columns in an expression, but for those inside its subqueries."""
    nodes: Iterator[Any] = tree.walk(prune=lambda node: isinstance(node, exp.Query))
    return [node for node in nodes if isinstance(node, exp.Column) and not isinstance(node.this, exp.Star)]


def replace_columns(tree: exp.Expression, replaced: Callable[[exp.Column], exp.Expression]) -> exp.Expression:
    """Replace references to columns in an expression, but for those inside its subqueries."""
    if isinstance(tree, exp.Column):
        return replaced(tree)
    for column in list_own_columns(tree):
        column.replace(replaced(column))
    return tree


class Sources:
    """The relations of a FROM clause, and the outer ones that a subquery may refer to."""

    def __init__(self, inner: Sequence[Source], outer: Sources | None = None, merged: Sequence[str] = ()) -> None:
        self.inner = tuple(inner)
        self.outer = outer
        self.merged = {fold_case(name) for name in merged}  # the columns of JOIN ... USING stand once

    def column(self, source: Source, name: str) -> exp.Column:
        """Return a reference to a column, qualified where there are several relations."""
        plain = len(self.inner) == 1 or fold_case(name) in self.merged
        return exp.column(name, table=None if plain else source.alias, quoted=True)

    def all(self, table: str = "") -> Iterator[Item]:
        """Return every column, or those of one relation, in order."""
        seen: set[str] = set()
        for source in self.inner:
            if not table or fold_case(source.alias) == fold_case(table):
                for field in source.fields:
                    if not table and fold_case(field.name) in self.merged & seen:
                        continue
                    seen.add(fold_case(field.name))
                    yield Item(self.column(source, field.name), field)

    def find(self, column: exp.Column) -> Field | None:
        """Return the column that a reference is about."""
        for source in self.inner:
            if not column.table or fold_case(source.alias) == fold_case(column.table):
                field = source.find(column.name)
                if field:
                    return field
        return self.outer.find(column) if self.outer else None

    def replace_constants(self, tree: exp.Expression) -> exp.Expression:
        """Replace the columns that are constants by their values."""

        def replace_constant(column: exp.Column) -> exp.Expression:
            found = self.find(column)
            if found is not None and found.is_apart and found.constant is None:
                return _join_parts(column, found)
            if found is None or found.constant is None:
                return column
            value: exp.Expression = found.constant.copy()
            return value

        return replace_columns(tree, replace_constant)

    def spell_columns(self, tree: exp.Expression) -> exp.Expression:
        """Write the names of columns as the relations do: other engines tell capitals from small letters."""

        def spell_column(column: exp.Column) -> exp.Expression:
            found = self.find(column)
            if found is None or not found.name or found.name == column.name:
                return column
            return exp.column(found.name, table=column.table or None, quoted=True)

        return replace_columns(tree, spell_column)

    def names(self) -> list[str]:
        """Return the names of the columns as COLUMNS sees them."""
        return [item.field.name for item in self.all() if not item.field.parent]

    def chosen(self, columns: exp.Columns) -> list[Item]:
        """Return the columns that COLUMNS(...) chooses.

        Raises
        ------
        ColumnError
            In the words of the macros' checks: they answer a wrong list with the complaint in the place of a name.
        """
        have = query.make_text_literal(self.names())
        rule = columns.this
        if isinstance(rule, exp.Star):
            return [item for item in self.all() if not item.field.parent]
        if isinstance(rule, exp.Literal):  # the literal is a regular expression
            return [item for item in self.all() if not item.field.parent and re.search(rule.this, item.field.name)]
        if isinstance(rule, exp.Lambda):
            rule = exp.Anonymous(this="list_filter", expressions=[have, rule.copy()])
        else:
            rule = rule.transform(
                lambda node: (
                    have.copy()
                    if isinstance(node, exp.Star) or (isinstance(node, exp.Paren) and isinstance(node.this, exp.Star))
                    else node
                )
            )
        chosen = compute_known_value(rule)
        chosen = [chosen] if isinstance(chosen, str) else chosen or []
        by_name = {fold_case(item.field.name): item for item in self.all() if not item.field.parent}
        for name in chosen:
            if fold_case(name) not in by_name:
                raise ColumnError(f'Column "{name.rpartition("; so ")[0] or name}.')
        return [by_name[fold_case(name)] for name in chosen]

    def check(self, tree: exp.Expression) -> None:
        """Check that every column of an expression is there.

        Raises
        ------
        Unsupported
            Where one is not: the macro uses a construct that was not understood.
        """
        for column in list_own_columns(tree):
            if self.find(column) is None:
                raise Unsupported(f"The column {column.sql('duckdb')} cannot be found while the macro is expanded.")
