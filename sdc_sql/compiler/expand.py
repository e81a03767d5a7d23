"""Expand a call of a table macro to one query without macros, COLUMNS, GROUP BY ALL, stars or query_table.

Every nested table macro becomes a common table expression with a name of its own; scalar macros are inlined, as
DuckDB does; columns are listed; constants are computed and dead branches dropped. ``select`` expands one SELECT
with ``relations`` (FROM), ``items`` (the SELECT list) and ``expressions``; each comes back here for a query in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sdc_sql.compiler import draws, expressions
from sdc_sql.compiler.columns import fold_case
from sdc_sql.compiler.constants import fold
from sdc_sql.compiler.ctes import CommonTables
from sdc_sql.compiler.definitions import load_definitions, substitute_parameters
from sdc_sql.compiler.empty import add_row_checks
from sdc_sql.compiler.expansion import Expansion
from sdc_sql.compiler.known import compute_known
from sdc_sql.compiler.select import select
from sdc_sql.compiler.trees import WITH, refuse_others, unwrap_query
from sdc_sql.compiler.unions import expand_union
from sdc_sql.errors import Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from sdc_sql.compiler.columns import Relation, Scope, Sources


class CallExpansion(Expansion):
    """The query that a call of a table macro stands for, in the making.

    Parameters
    ----------
    columns_of, companions
        As in :class:`Expansion`.
    kept
        Scalar macros that are not inlined: an engine other than DuckDB has words of its own for them.
    is_apart
        As in :class:`Expansion`.
    """

    def __init__(
        self,
        columns_of: Callable[[str], Sequence[str]],
        *,
        companions: bool,
        kept: Collection[str] = (),
        is_apart: bool = False,
    ) -> None:
        self.columns_of = columns_of
        self.companions = companions
        self._kept = kept
        self.is_foreign = bool(kept)
        self._own = draws.list_draw_macros() if kept else {}
        self.is_apart = is_apart
        self.ctes = CommonTables()
        self.checks = {}
        self.together: Collection[str] = ()
        self.joined: dict[str, list[tuple[str, str]]] = {}

    def call(self, macro: str, arguments: Sequence[exp.Expression]) -> exp.Query:
        """Return the query that a call of a macro stands for."""
        given = load_definitions()[macro].bind(arguments)
        looked_up = [given[name] for name in ("tbl", "population") if name in given]
        self.together = {part.name for part in looked_up if part.is_string} if len(looked_up) > 1 else ()
        relation = self.macro(macro, arguments, {})
        if relation is None:
            raise Unsupported(f"{macro} has no branch left with these arguments.")
        tree, fields = relation
        if any(f.fields for f in fields):
            raise Unsupported(
                f"{macro} returns a struct; write it with dialect='duckdb' or name the columns one by one."
            )
        tree = unwrap_query(tree)
        return self.ctes.put_before(add_row_checks(tree, [f.name for f in fields], self.checks.values()))

    def macro(self, name: str, arguments: Sequence[exp.Expression], scope: Scope) -> Relation | None:
        """Expand a call of a table macro; None where it is known to give no rows."""
        definition = self._own.get(name) or load_definitions().get(name)
        if definition is None or not definition.is_table:
            raise Unsupported(f"The table function {name} is not a macro of this package.")
        bound = definition.bind([fold(self.inline_calls(_compute_argument(a.copy()))) for a in arguments])
        with self.ctes.body():
            return self.query(substitute_parameters(definition.body, bound), scope)

    def query(self, tree: exp.Expression, scope: Scope, outer: Sources | None = None) -> Relation | None:
        """Expand a query; None where it is known to give no rows."""
        if isinstance(tree, exp.Subquery):
            refuse_others(tree, {"this", "alias"})
            relation = self.query(tree.this, scope, outer)
            return (exp.Subquery(this=relation[0]), relation[1]) if relation else None
        scope = self._expand_with(tree, scope)
        if isinstance(tree, exp.Union):
            return expand_union(self, tree, scope, outer)
        if isinstance(tree, exp.Select):
            return select(self, tree, scope, outer)
        raise Unsupported(f"The expansion does not know {type(tree).__name__}: {tree.sql('duckdb')[:80]}")

    def _expand_with(self, tree: exp.Expression, scope: Scope) -> Scope:
        with_ = tree.args.get(WITH)
        if with_ is None:
            return scope
        refuse_others(with_, {"expressions"})
        inner = dict(scope)
        for cte in with_.expressions:
            try:
                with self.ctes.body():
                    relation = self.query(cte.this, inner)
            except Unsupported as error:  # where the relation is read at all, the error is raised there
                inner[fold_case(cte.alias)] = error
                continue
            if cte.args["alias"].columns:
                raise Unsupported(f"The expansion does not know this WITH: {cte.sql('duckdb')[:80]}")
            # (PostgreSQL would else join its tables with others, in an order of its own)
            kept = self.companions and (bool(cte.args.get("materialized")) or cte.alias in draws.ONCE)
            inner[fold_case(cte.alias)] = self.ctes.add(cte.alias, relation, materialized=kept) if relation else None
        return inner

    def inline_calls(self, tree: exp.Expression) -> exp.Expression:
        """Put the bodies of scalar macros in the places of their calls."""
        return expressions.inline_macros(tree, self._kept, self._own)

    def expression(
        self, tree: exp.Expression, sources: Sources, scope: Scope, check: Sources | None = None
    ) -> exp.Expression:
        """Expand an expression that gives one column at most."""
        tree = expressions.unpack_columns(self.inline_calls(sources.replace_constants(tree.copy())), sources)
        return expressions.finish_expression(self, tree, sources, scope, check or sources)


def _compute_argument(tree: exp.Expression) -> exp.Expression:
    """Return an argument, by position or by name, computed where it is known."""
    if isinstance(tree, exp.PropertyEQ):
        tree.set("expression", compute_known(tree.expression))
        return tree
    return compute_known(tree)
