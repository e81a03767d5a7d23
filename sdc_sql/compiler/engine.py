"""All that the compiler has to know about an engine: its module says it, and the rest knows no engine by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlglot import exp


@dataclass(frozen=True)
class Engine:
    """An engine that a query is written for.

    Parameters
    ----------
    steps
        What is said otherwise there, in this order, each of every node.
    nodes, functions
        Constructs and functions that mean there what they mean in DuckDB, besides those that all engines share.
    try_casts
        Whether a cast that gives NULL where it fails is known there, of a number.
    refuse_join
        Raises an error where a join is not known to keep the checks of the data.
    key
        How the secret key is given.
    notes
        What a reader of any query is told besides.
    plans_once
        Whether its planner has to be told what is computed once, and what a join meets once at most.
    """

    steps: tuple[Callable[[exp.Expression], exp.Expression], ...]
    nodes: tuple[type[exp.Expression], ...]
    functions: frozenset[str]
    key: str
    notes: tuple[str, ...] = ()
    try_casts: bool = False
    refuse_join: Callable[[exp.Join], None] | None = None
    plans_once: bool = False
