"""The common table expressions of the query in the making: each has a name of its own, and equal ones stand once."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from sqlglot import exp

from sdc_sql.compiler.columns import fold_case
from sdc_sql.compiler.trees import WITH, unwrap_query

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sdc_sql.compiler.columns import Field, Relation


def _find_unused_name(name: str, used: set[str]) -> str:
    number, unused = 1, name
    while fold_case(unused) in used:
        number += 1
        unused = f"{name}_{number}"
    used.add(fold_case(unused))
    return unused


class CommonTables:
    """Every relation that was given a name, in the order in which they can be read."""

    def __init__(self) -> None:
        self._ctes: list[exp.CTE] = []
        self._names: set[str] = set()
        self._aliases: set[str] = set()
        self._by_text: dict[str, tuple[str, tuple[Field, ...]]] = {}

    @contextmanager
    def body(self) -> Iterator[None]:
        """Begin the query of another one: its aliases are counted anew, so that equal queries have equal texts."""
        outside, self._aliases = self._aliases, set()
        yield
        self._aliases = outside

    def alias(self, name: str) -> str:
        """Return an alias that the query of this common table expression does not have yet."""
        return _find_unused_name(name, self._aliases)

    def add(self, name: str, relation: Relation, *, materialized: bool = False) -> tuple[str, tuple[Field, ...]]:
        """Make a relation a common table expression, or find the equal one; return its name and its columns."""
        tree = unwrap_query(relation[0])
        text = tree.sql("duckdb", normalize_functions=False)
        if text not in self._by_text or self._by_text[text][1] != relation[1]:
            # each of our names begins with sdc__, and no name of a caller's table does
            own = name if name.startswith("sdc__") else f"sdc__{name.removeprefix('sdc_')}"
            name = _find_unused_name(own, self._names)
            alias = exp.TableAlias(this=exp.to_identifier(name, quoted=True))
            self._ctes.append(exp.CTE(this=tree, alias=alias, materialized=materialized or None))
            self._by_text[text] = name, relation[1]
        return self._by_text[text]

    def put_before(self, tree: exp.Query) -> exp.Query:
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
