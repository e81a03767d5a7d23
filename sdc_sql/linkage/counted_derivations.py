"""Count the derivations of hidden values that the sieve has left: cells here, their figures in SQL, a few at a time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from sdc_sql.db.registered import register_rows
from sdc_sql.linkage.derivations import SUPPRESSED
from sdc_sql.udfs.derivation_counts import Variable, count_cells, count_labels

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Future

    from sdc_sql.linkage.derivations import Derivations
    from sdc_sql.roles import Roles
    from sdc_sql.udfs.derivation import Codes
    from sdc_sql.udfs.derivation_counts import Counts

AT_ONCE = 4  # derivations in a query: of one variable they share its margin
_KNOWN, _HIDDEN, _LABELS = "sdc_derived_known", "sdc_derived_hidden", "sdc_derived_labels"
_TRIED = "sdc_derivations_tried"


def count_derivations(data: Roles, original: str, found: Derivations, macro: str) -> list[dict[str, Any]]:
    """Return the rows of a macro of derivations, which are counted here by the numbers of the values."""
    for table in (original, data.table):
        data.rows("sdc__refused", table, found.columns, compared=[data.id])  # as the macro of two tables does
    pool = ThreadPoolExecutor(max_workers=2)  # each sorts some columns
    try:
        begun = (few for tasks in _list_tasks(found.tasks) for few in _begin_counts(pool, found, tasks))
        tried = [row for few in _look_ahead(begun) for row in _fetch_figures(data, found, few)]
    finally:
        pool.shutdown(cancel_futures=True)
    with register_rows(data.con, _TRIED, pa.Table.from_pylist(tried)):
        return data.rows(macro, _TRIED, found.columns, found.givers)


def _list_tasks(tasks: list[list[int]]) -> list[list[list[int]]]:
    """Return the derivations of each variable, and of how it was masked."""
    return [[*its] for _, its in groupby(sorted(tasks, key=lambda task: task[1:]), lambda task: task[1:])]


class _Begun(NamedTuple):
    """A few derivations of a variable, its margin, the counts of each, and its labels, as they come to be known."""

    tasks: list[list[int]]
    margin: Future[tuple[Counts, Counts]]
    counts: list[Future[tuple[Counts, Counts]]]
    labels: Future[tuple[Codes, Codes]]


def _begin_counts(pool: ThreadPoolExecutor, found: Derivations, tasks: list[list[int]]) -> Iterator[_Begun]:
    """Begin to count the derivations of one variable, a few each time that the next are asked for."""
    (place, masked), (old, released) = tasks[0][1:], found.sides[tasks[0][1] - 1]
    known, records = found.known[place, masked], found.records[place, masked]
    shown = released if masked == SUPPRESSED else old
    whole = Variable(shown, old, records, among=masked != SUPPRESSED)
    variable = whole if known is shown else Variable(known, old, records, among=whole.among)
    margin = pool.submit(count_cells, [], [], whole)
    labels = pool.submit(count_labels, *((old, released) if masked == SUPPRESSED else (old[:0], released[:0])))
    for start in range(0, len(tasks), AT_ONCE):
        few, counts = tasks[start : start + AT_ONCE], []
        for giver, *_ in few:
            columns = [found.codes[i] for i in found.places[giver - 1]]
            kinds = [max(int(column.max(initial=0)) + 1, 1) for column in columns]
            counts.append(pool.submit(count_cells, columns, kinds, variable))
        yield _Begun(few, margin, counts, labels)


def _look_ahead(begun: Iterator[_Begun]) -> Iterator[_Begun]:
    """Return what is begun when the next is begun too: no more than these are held at once."""
    former = next(begun)
    for one in begun:
        yield former
        former = one
    yield former


def _fetch_figures(data: Roles, found: Derivations, begun: _Begun) -> list[dict[str, Any]]:
    """Return the rows of a few derivations, once they are counted."""
    (_, place, masked), (old, released) = begun.tasks[0], begun.labels.result()
    counted = [one.result() for one in (begun.margin, *begun.counts)]
    numbers = [-2 * place - masked, *range(1, len(begun.tasks) + 1)]
    known, hidden = (_name_counts(numbers, [both[side] for both in counted]) for side in (0, 1))
    labels = pa.table({"sdc__j": np.full(len(old), place), "sdc__o": old, "sdc__r": released})
    with (
        register_rows(data.con, _KNOWN, known),
        register_rows(data.con, _HIDDEN, hidden),
        register_rows(data.con, _LABELS, labels),
    ):
        rows: list[dict[str, Any]] = data.rows(
            "sdc__counted_derived", _KNOWN, _HIDDEN, _LABELS, found.columns, begun.tasks
        )
    return rows


def _name_counts(tasks: list[int], counted: list[Counts]) -> pa.Table:
    """Return the counts of several tasks under the names by which the macro asks for them."""
    cells, values, records, several, hidden = (np.concatenate(column) for column in zip(*counted, strict=True))
    of = np.repeat(tasks, [len(one.cells) for one in counted])
    return pa.table(
        {
            "sdc__task": of, "sdc__cell": cells, "sdc__t": values, "sdc__n": records, "sdc__v": several,
            "sdc__truth": values, "sdc__x": hidden,
        }
    )  # fmt: skip
