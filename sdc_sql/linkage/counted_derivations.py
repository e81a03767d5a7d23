"""Count the derivations of hidden values that the sieve has left: cells here, their figures in SQL, a few at a time."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
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
    from sdc_sql.udfs.derivation_cells import Codes
    from sdc_sql.udfs.derivation_counts import Counts

AT_ONCE = 8  # derivations in a query
_KNOWN, _HIDDEN, _LABELS = "sdc_derived_known", "sdc_derived_hidden", "sdc_derived_labels"
_TRIED = "sdc_derivations_tried"
_NOTHING = np.zeros(0, dtype=np.int64)


def count_derivations(
    data: Roles, original: str, found: Derivations, macro: str, over: float | None = None
) -> list[dict[str, Any]]:
    """Return the rows of a macro of derivations, which are counted here by the numbers of the values.

    Parameters
    ----------
    over
        The predicted gain beyond which each derivation is counted, as every rule is. Of the others those are left out
        that cannot gain more than one that is told. By default every derivation is counted.
    """
    for table in (original, data.table):
        data.rows("sdc__refused", table, found.columns, compared=[data.id])  # as the macro of two tables does
    pool = ThreadPoolExecutor(max_workers=2)  # each holds the cells of a derivation
    tried: list[dict[str, Any]] = []
    try:
        for tasks in _choose_tasks(data, found, over, tried):
            begun = _look_ahead(_begin_counts(pool, data, found, tasks))
            tried += [row for few in begun for row in _fetch_figures(data, found, few)]
    finally:
        pool.shutdown(cancel_futures=True)
    return _ask_macro(data, found, macro, tried) if tried else []


def _choose_tasks(
    data: Roles, found: Derivations, over: float | None, tried: list[dict[str, Any]]
) -> Iterator[list[list[int]]]:  # fmt: skip
    """Yield what is to be counted next; the rows of what was yielded before are among the tried ones then.

    With each pair its columns are counted: it is told only where it says more than these.
    """
    if over is None:
        yield found.tasks
        return
    ranked = sorted(zip(found.most, found.tasks, strict=True), reverse=True)  # what may be a rule first
    rules = sum(math.isinf(most) for most, _ in ranked)
    few = rules or 1
    done: list[list[int]] = []
    while ranked:
        gained = _ask_macro(data, found, "sdc__summed_derivations", tried)[0]["predicted_gain"] if tried else 0.0
        chosen = [task for most, task in ranked[:few] if most > min(gained, over)]
        if not chosen:
            return
        ranked, few, rules = ranked[few:], 1 if rules else AT_ONCE, 0
        if tasks := [task for task in _add_columns_of_pairs(found, chosen) if task not in done]:
            done += tasks
            yield tasks


def _add_columns_of_pairs(found: Derivations, tasks: list[list[int]]) -> list[list[int]]:
    """Return some derivations, and those by one column of their pairs."""
    columns = [([i], of) for giver, *of in tasks for i in found.places[giver - 1]]
    return [task for task in found.tasks if task in tasks or ([*found.places[task[0] - 1]], task[1:]) in columns]


def _ask_macro(data: Roles, found: Derivations, macro: str, tried: list[dict[str, Any]]) -> list[dict[str, Any]]:
    with register_rows(data.con, _TRIED, pa.Table.from_pylist(tried)):
        rows: list[dict[str, Any]] = data.rows(macro, _TRIED, found.columns, found.givers)
    return rows


class _Begun(NamedTuple):
    """A few derivations, the counts of each, and the margins and labels of their variables, as they come to be known.

    Margins stand by the place of a variable and by how it was masked, labels by its place.
    """

    tasks: list[list[int]]
    counts: list[Future[tuple[Counts, Counts]]]
    margins: dict[tuple[int, int], Future[tuple[Counts, Counts]]]
    labels: dict[int, Future[tuple[Codes, Codes]]]


def _begin_counts(
    pool: ThreadPoolExecutor, data: Roles, found: Derivations, tasks: list[list[int]]
) -> Iterator[_Begun]:  # fmt: skip
    """Begin to count derivations, a few each time that the next are asked for, one variable after another."""
    begun = _Begun([], [], {}, {})
    for giver, place, masked in sorted(tasks, key=lambda task: task[1:]):
        found.put_in_order(data, place)
        if (place, masked) not in begun.margins:
            whole, variable = _make_variables(found, place, masked)
            begun.margins[place, masked] = pool.submit(count_cells, [], [], whole)
            if masked == SUPPRESSED:
                begun.labels[place] = pool.submit(count_labels, *found.sides[place - 1])
        columns = [found.codes[i] for i in found.places[giver - 1]]
        kinds = [max(int(column.max(initial=0)) + 1, 1) for column in columns]
        begun.tasks.append([giver, place, masked])
        begun.counts.append(pool.submit(count_cells, columns, kinds, variable))
        if len(begun.tasks) == AT_ONCE:
            yield begun
            begun = _Begun([], [], {}, {})
    if begun.tasks:
        yield begun


def _make_variables(found: Derivations, place: int, masked: int) -> tuple[Variable, Variable]:
    """Return a variable as its margin is counted, and as its cells are: without what a household shows of its own."""
    known, records, (old, released) = found.known[place, masked], found.records[place, masked], found.sides[place - 1]
    shown, among = (released, False) if masked == SUPPRESSED else (old, True)
    whole = Variable(shown, old, records, among=among)
    return whole, whole if known is shown else Variable(known, old, records, among=among)


def _look_ahead(begun: Iterator[_Begun]) -> Iterator[_Begun]:
    """Return what is begun when the next is begun too: no more than these are held at once."""
    former = next(begun)
    for one in begun:
        yield former
        former = one
    yield former


def _fetch_figures(data: Roles, found: Derivations, begun: _Begun) -> list[dict[str, Any]]:
    """Return the rows of a few derivations, once they are counted."""
    counted = [one.result() for one in (*begun.margins.values(), *begun.counts)]
    numbers = [*(-2 * place - masked for place, masked in begun.margins), *range(1, len(begun.tasks) + 1)]
    known, hidden = (_name_counts(numbers, [both[side] for both in counted]) for side in (0, 1))
    labels = {place: one.result() for place, one in begun.labels.items()} or {0: (_NOTHING, _NOTHING)}
    of = np.repeat([*labels], [len(old) for old, _ in labels.values()])
    old, released = (np.concatenate(side) for side in zip(*labels.values(), strict=True))
    with (
        register_rows(data.con, _KNOWN, known),
        register_rows(data.con, _HIDDEN, hidden),
        register_rows(data.con, _LABELS, pa.table({"sdc__j": of, "sdc__o": old, "sdc__r": released})),
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
