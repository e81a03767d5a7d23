"""What the parts of an expansion (FROM, SELECT, expressions) ask of the whole, which stands in ``expand``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from sqlglot import exp

    from sdc_sql.compiler.columns import Relation, Scope, Sources
    from sdc_sql.compiler.ctes import CommonTables


class Expansion(Protocol):
    """One query in the making.

    Attributes
    ----------
    columns_of
        Gives the columns of a table of the caller's by its name.
    companions
        Whether the values of a struct also travel in columns of their own, for an engine that cannot take it apart.
    is_foreign
        Whether the query is for an engine other than DuckDB.
    is_apart
        Whether lists and structs are taken apart, and only their values are columns.
    ctes
        The common table expressions so far.
    checks
        The checks of tables for rows so far, by their texts.
    together
        The table and the population, where records are looked up in one by their keys.
    joined
        The keys of these two so far, each with its table, by the folded name.
    """

    columns_of: Callable[[str], Sequence[str]]
    companions: bool
    is_foreign: bool
    is_apart: bool
    ctes: CommonTables
    checks: dict[str, exp.Select]
    together: Collection[str]
    joined: dict[str, list[tuple[str, str]]]

    def macro(self, name: str, arguments: Sequence[exp.Expression], scope: Scope) -> Relation | None:
        """Expand a call of a table macro; None where it is known to give no rows."""

    def query(self, tree: exp.Expression, scope: Scope, outer: Sources | None = None) -> Relation | None:
        """Expand a query; None where it is known to give no rows."""

    def inline_calls(self, tree: exp.Expression) -> exp.Expression:
        """Put the bodies of scalar macros in the places of their calls."""

    def expression(
        self, tree: exp.Expression, sources: Sources, scope: Scope, check: Sources | None = None
    ) -> exp.Expression:
        """Expand an expression that gives one column at most."""
