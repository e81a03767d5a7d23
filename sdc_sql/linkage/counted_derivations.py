"""Count the derivations of hidden values that the sieve has left: a few in a query, so that few are held at once."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from sdc_sql.db.registered import register_rows

if TYPE_CHECKING:
    from sdc_sql.linkage.derivations import Derivations
    from sdc_sql.roles import Roles

AT_ONCE = 4  # derivations in a query: of one variable they share its margin and its hidden records
_PAIRS, _TRIED = "sdc_derived_pairs", "sdc_derivations_tried"


def count_derivations(data: Roles, original: str, found: Derivations, macro: str) -> list[dict[str, Any]]:
    """Return the rows of a macro of derivations, which are counted here by the numbers of the values."""
    for table in (original, data.table):
        data.rows("sdc__refused", table, found.columns, compared=[data.id])  # as the macro of two tables does
    with register_rows(data.con, _PAIRS, found.pairs):
        tried = [row for tasks in _split_tasks(found.tasks) for row in _count_few(data, found, tasks)]
    with register_rows(data.con, _TRIED, pa.Table.from_pylist(tried)):
        return data.rows(macro, _TRIED, found.columns, found.givers)


def _count_few(data: Roles, found: Derivations, tasks: list[list[int]]) -> list[dict[str, Any]]:
    """Return the rows of some derivations, asked for with the places of their own givers alone."""
    own = sorted({giver for giver, *_ in tasks})
    places = [found.places[giver - 1] for giver in own]
    asked = [[own.index(giver) + 1, *rest] for giver, *rest in tasks]
    rows = data.rows("sdc__numbered_derived", _PAIRS, found.columns, places, asked, data.household is not None)
    return [{**row, "sdc__i": own[row["sdc__i"] - 1]} for row in rows]


def _split_tasks(tasks: list[list[int]]) -> list[list[list[int]]]:
    """Return the derivations of each variable, a few at a time: what one query counts it holds at once."""
    ordered = sorted(tasks, key=lambda task: task[1:])
    by_variable = [[*its] for _, its in groupby(ordered, lambda task: task[1:])]
    return [its[start : start + AT_ONCE] for its in by_variable for start in range(0, len(its), AT_ONCE)]
