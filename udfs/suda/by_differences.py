"""Minimal sample uniques record by record: the smallest sets of keys that meet every difference to another cell.

A record is alone on a set of keys if and only if the set meets each of its differences, the keys in which it is not as
some other cell. So its minimal sample uniques are the minimal sets that meet all of these. Few differences are ever
needed. For each record are held the minimal sets that meet the differences seen so far: on such a set it is alone, and
the set is one of its minimal sample uniques, or some cell agrees there, and that is one more difference to meet (Berge
1989, chapter 2; Gunopulos, Khardon, Mannila, Saluja, Toivonen & Sharma 2003, Dualize and Advance). All records with the
same set are looked up at once. So the work follows what is found, however many sets of keys there are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.suda.agreement import Agreement, bit, sizes
from sdc_sql.udfs.suda.work import TooMuchWorkError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray
    from sdc_sql.udfs.arguments import Integers, Truths
    from sdc_sql.udfs.suda.work import Work

    Sets = NDArray[np.uint64]

MOST_SETS = 10_000_000  # sets held at once, of all records
_PAIRS = 4_000_000  # sets compared at once
_COST = 8  # looking a cell up costs as much as counting it so many times


def search_by_differences(
    columns: Sequence[NDArray[np.integer]], single: Truths, most: int, *, zero_is_null: bool, work: Work
) -> Iterator[tuple[int, Integers]]:
    """Yield each set of keys that is minimal for some record, with the cells for which it is: sizes upward."""
    cells = Agreement(columns)
    usable = np.full(cells.number, (1 << cells.keys) - 1, dtype=np.uint64)
    for p, column in enumerate(columns) if zero_is_null else ():
        usable[column == 0] &= ~bit(p)
    needed = _find_needed_keys(cells, work)
    owners = np.flatnonzero(single & (needed & ~usable == 0) & (sizes(needed) <= most))
    sets = needed[owners]
    found, of = owners[:0], sets[:0]
    while len(owners):
        alone, pairs = _look_up_sets(cells, owners, sets, work)
        found, of = np.concatenate([found, owners[alone]]), np.concatenate([of, sets[alone]])
        owners, sets = owners[~alone], sets[~alone]
        for whose, differences in _list_in_turn(*pairs):
            meet = np.zeros(cells.number, dtype=np.uint64)
            meet[whose] = differences
            asked = np.zeros(cells.number, dtype=np.bool_)
            asked[whose] = True
            missed = np.flatnonzero(asked[owners])
            missed = missed[sets[missed] & meet[owners[missed]] == 0]
            kept = np.ones(len(owners), dtype=np.bool_)
            kept[missed] = False
            more, larger = _extend_sets(owners[missed], sets[missed], (meet & usable)[owners[missed]], cells.keys, most)
            owners, sets = owners[kept], sets[kept]
            asked[:] = False
            asked[more] = True
            here, there = asked[owners], asked[found]
            others = np.concatenate([owners[here], found[there]]), np.concatenate([sets[here], of[there]])
            minimal = ~_holds_another(more, larger, *others, work)
            owners, sets = np.concatenate([owners, more[minimal]]), np.concatenate([sets, larger[minimal]])
        if len(owners) + len(found) > MOST_SETS:
            raise TooMuchWorkError
    yield from _split_by_set(found, of)


def _find_needed_keys(cells: Agreement, work: Work) -> Sets:
    """Return for each cell the keys that are the only difference to some other: each set that meets all has them."""
    every = (1 << cells.keys) - 1
    needed = np.zeros(cells.number, dtype=np.uint64)
    for p in range(cells.keys):
        work.add(_COST * cells.number)
        for other in cells.find_agreeing(every ^ (1 << p)):
            agrees = np.flatnonzero(other >= 0)
            agrees = agrees[cells.differences(agrees, other[agrees]) == bit(p)]
            needed[agrees] |= bit(p)
    return needed


def _look_up_sets(cells: Agreement, owners: Integers, sets: Sets, work: Work) -> tuple[Truths, tuple[Integers, Sets]]:
    """Return which cells are alone on their sets, and for each of the others one or two differences not met."""
    order = np.argsort(sets, kind="stable")
    alone = np.zeros(len(owners), dtype=np.bool_)
    at, others = [], []
    for start, end in _find_runs(sets[order]):
        work.add(_COST * cells.number)
        these = order[start:end]
        alone[these] = True
        for other in cells.find_agreeing(int(sets[these[0]])):
            agrees = other[owners[these]]
            alone[these[agrees >= 0]] = False
            at.append(these[agrees >= 0])
            others.append(agrees[agrees >= 0])
    which = np.concatenate(at)
    differences = cells.differences(owners[which], np.concatenate(others))
    real = differences & sets[which] == 0  # only the hashes agreed otherwise: the set is looked up again
    return alone, (owners[which[real]], differences[real])


def _list_in_turn(owners: Integers, differences: Sets) -> Iterator[tuple[Integers, Sets]]:
    """Yield for each cell its smallest difference, then for each the next, and so on."""
    if not len(owners):
        return
    order = np.lexsort((differences, sizes(differences), owners))
    owners, differences = owners[order], differences[order]
    first = np.append(True, owners[1:] != owners[:-1])
    new = first | np.append(True, differences[1:] != differences[:-1])
    owners, differences, first = owners[new], differences[new], first[new]
    starts = np.flatnonzero(first)
    turn = np.arange(len(owners)) - np.repeat(starts, np.diff(np.append(starts, len(owners))))
    for t in range(int(turn.max()) + 1):
        yield owners[turn == t], differences[turn == t]


def _extend_sets(owners: Integers, sets: Sets, meet: Sets, keys: int, most: int) -> tuple[Integers, Sets]:
    """Return each set with one more key, for each of the keys to choose from."""
    short = sizes(sets) < most
    owners, sets, meet = owners[short], sets[short], meet[short]
    chosen = [np.flatnonzero(meet & bit(p)) for p in range(keys)]
    if sum(len(c) for c in chosen) > MOST_SETS:
        raise TooMuchWorkError
    larger = [sets[c] | bit(p) for p, c in enumerate(chosen)]
    return owners[np.concatenate(chosen)], np.concatenate(larger)


def _holds_another(owners: Integers, sets: Sets, whose: Integers, others: Sets, work: Work) -> Truths:
    """Return whether a set holds one of the other sets of the same cell."""
    order = np.argsort(whose, kind="stable")
    whose, others = whose[order], others[order]
    starts = np.searchsorted(whose, owners)
    counts = np.searchsorted(whose, owners, side="right") - starts
    totals = np.cumsum(counts)
    work.add(int(counts.sum()))
    result = np.zeros(len(owners), dtype=np.bool_)
    start = 0
    while start < len(owners):
        done = int(totals[start - 1]) if start else 0
        end = max(start + 1, int(np.searchsorted(totals, done + _PAIRS, side="right")))
        some = np.arange(start, end)
        pair = np.repeat(some, counts[some])
        other = others[
            np.arange(len(pair)) + np.repeat(starts[some] - (totals[some] - counts[some] - done), counts[some])
        ]
        result[pair[other & sets[pair] == other]] = True
        start = end
    return result


def _split_by_set(cells: Integers, sets: Sets) -> Iterator[tuple[int, Integers]]:
    order = np.lexsort((cells, sets, sizes(sets)))
    cells, sets = cells[order], sets[order]
    for start, end in _find_runs(sets):
        yield int(sets[start]), cells[start:end]


def _find_runs(values: Sets) -> list[tuple[int, int]]:
    """Return the first and the one after the last place of each run of equal values."""
    bounds = (np.flatnonzero(values[1:] != values[:-1]) + 1).tolist()
    return list(zip([0, *bounds], [*bounds, len(values)], strict=True)) if len(values) else []
