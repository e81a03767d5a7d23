"""Rewrite a query as an engine understands it. What is rewritten means the same there: the tests run it.

Both engines: a quotient is one of DOUBLEs (DuckDB's ``/``; dividing by zero is an error there, not infinity), a number
with a point is a DOUBLE, a NULL that nothing gives a type is a DOUBLE (``doubles``). The rest is a file an engine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sdc_sql.compiler import postgres, spark

if TYPE_CHECKING:
    from sqlglot import exp

ENGINES = {"spark": spark.ENGINE, "postgres": postgres.ENGINE}


def rewrite_for_engine(tree: exp.Query, dialect: str) -> exp.Query:
    """Return a query in the words of an engine (the tree itself is changed, by whatever a step returns)."""
    nodes: list[Any] = list(tree.walk())
    for step in ENGINES[dialect].steps:
        changed = False
        for node in reversed(nodes):  # inner nodes come before outer ones
            made = step(node)
            if made is not node:
                node.replace(made)
                changed = True
        if changed:
            nodes = list(tree.walk())
    return tree
