"""The common table expressions of the query in the making, each under a name of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sdc_sql.compiler.columns import folded
from sdc_sql.compiler.trees import WITH, without_parentheses

if TYPE_CHECKING:
    from sdc_sql.compiler.columns import Field, Relation


class CommonTables:
    """Every relation that was given a name, in the order in which they can be read."""

    def __init__(self) -> None:
        self._ctes: list[exp.CTE] = []
        self._used: set[str] = set()

    def fresh(self, name: str) -> str:
        """Return a name that nothing in the query has yet."""
        number, fresh = 1, name
        while folded(fresh) in self._used:
            number += 1
            fresh = f"{name}_{number}"
        self._used.add(folded(fresh))
        return fresh

    def added(self, name: str, relation: Relation) -> tuple[str, tuple[Field, ...]]:
        """Make a relation a common table expression; return its name in the query, and its columns."""
        fresh = self.fresh(name)
        alias = exp.TableAlias(this=exp.to_identifier(fresh, quoted=True))
        self._ctes.append(exp.CTE(this=without_parentheses(relation[0]), alias=alias))
        return fresh, relation[1]

    def before(self, tree: exp.Query) -> exp.Query:
        """Return a query with those that it reads, directly or through another, before it."""
        by_name = {cte.alias: cte for cte in self._ctes}
        wanted: set[str] = set()
        open_ = [tree]
        while open_:
            for table in open_.pop().find_all(exp.Table):
                if table.name in by_name and not table.db and table.name not in wanted:
                    wanted.add(table.name)
                    open_.append(by_name[table.name].this)
        if wanted:
            tree.set(WITH, exp.With(expressions=[cte for cte in self._ctes if cte.alias in wanted]))
        return tree
