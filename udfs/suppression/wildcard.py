"""Few suppressions so that each released record is compatible with at least k released ones, NULL agreeing with all.

Each record that is suppressed makes one record more compatible with all that share the keys it keeps. So of records
that agree on some keys only some are suppressed: as many as the others lack. None loses more than would be needed if
no other record were suppressed (without this, k - 1 records blanked whole would make any file anonymous).
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from sdc_sql.udfs.sorting import group_values, sort_with_places

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers, Truths
    from sdc_sql.udfs.suppression.cells import Cells

_PATTERNS = 40  # with more patterns of NULL in the keys, records with NULL count for nobody but themselves

_ROUNDS = 60
_NEAR = 0.8  # a share of the best score in a round


def suppress_by_wildcard(cells: Cells, k: int) -> Integers:
    """Return for each cell the keys that its records lose, a bit each.

    Examples
    --------
    Of two records (a, b) and (a, c) one loses its second key, and agrees with the other.

    >>> from sdc_sql.udfs.suppression.cells import Cells
    >>> suppress_by_wildcard(Cells(np.array([[1, 1], [1, 2]]), np.array([1, 1]), [1, 1]), 2).tolist()
    [2, 0]
    """
    total = int(cells.totals.sum())
    if total < k:
        raise ValueError(f"there are {total} records, fewer than k = {k}: no suppression is enough")
    return _Search(cells, k).lost


class _Set(NamedTuple):
    """A set of keys: the cells left whose group, of those that agree on the other keys, has some that may lose it."""

    left_out: int
    cells: Integers
    groups: Integers
    may: Truths

    def select(self, left: Truths) -> _Set:
        """Return the same of the cells that are still left."""
        here = left[self.cells]
        return self if here.all() else _Set(self.left_out, self.cells[here], self.groups[here], self.may[here])


class _Plan(NamedTuple):
    """What is suppressed where a set of keys is: of its cells, whether suppressed, what each gains."""

    set: _Set
    suppressed: Truths
    gains: Floats
    score: Floats  # how far the records of each group come nearer to k, for each one suppressed


class _Search:
    """The cells that have fewer than k compatible records yet."""

    def __init__(self, cells: Cells, k: int) -> None:
        self.cells, self.k = cells, k
        self.lost = np.zeros(cells.number, dtype=np.int64)
        self.found = compatible(cells)
        self.sizes = cells.counts.astype(np.float64)
        self.everyone = cells.totals.astype(np.float64)
        self.left = np.flatnonzero((self.found < k) & (cells.counts > 0))
        for _, level in groupby(zip(cells.costs, cells.sets, strict=True), key=lambda pair: pair[0]):
            if not len(self.left):
                break
            self._suppress_at_cost([left_out for _, left_out in level])

    def _suppress_at_cost(self, level: list[int]) -> None:
        """Suppress sets of keys of one cost: in each round where that gains most, and no record has a better set."""
        sets = [self._group_cells(left_out) for left_out in level]
        for _ in range(_ROUNDS):
            sets = self._list_usable(sets)
            plans = [self._plan(s) for s in sets]
            if not plans:
                return
            best, of = np.zeros(self.cells.number), np.full(self.cells.number, -1)
            for place, plan in enumerate(plans):
                score = plan.score[plan.set.groups]
                better = score > best[plan.set.cells]
                here = plan.set.cells[better]
                best[here], of[here] = score[better], place
            of[best < _NEAR * max(float(plan.score.max()) for plan in plans)] = -1
            self._carry_out(plans, of)
        for one in sets:  # few are left: one set after another
            for usable in self._list_usable([one]):
                self._carry_out([self._plan(usable)], np.zeros(self.cells.number, dtype=np.int64))

    def _group_cells(self, left_out: int) -> _Set:
        """Return the cells left that a set of keys concerns."""
        keeping = self.left[self.cells.find_keeping_known(left_out, self.left)]
        may = np.zeros(self.cells.number, dtype=np.bool_)
        may[keeping] = self.cells.sums(left_out, keeping, self.everyone, self.k) >= self.k
        if not may.any():
            return _Set(left_out, self.left[:0], self.left[:0], may[:0])
        rows, groups = group_values(self.cells.released(left_out, self.left))
        concerned = np.zeros(len(rows), dtype=np.bool_)
        concerned[groups[may[self.left]]] = True
        here = concerned[groups]
        return _Set(left_out, self.left[here], (np.cumsum(concerned) - 1)[groups[here]], may[self.left][here])

    def _list_usable(self, sets: list[_Set]) -> list[_Set]:
        """Return the sets that some cell left may lose, with what is left of their cells."""
        left = np.zeros(self.cells.number, dtype=np.bool_)
        left[self.left] = True
        return [s for s in (one.select(left) for one in sets) if s.may.any()]

    def _carry_out(self, plans: list[_Plan], of: Integers) -> None:
        """Suppress as planned in the groups all of whose records to be suppressed are of this plan."""
        settled = np.zeros(self.cells.number, dtype=np.bool_)
        for place, plan in enumerate(plans):
            spoilt = np.zeros(len(plan.score), dtype=np.bool_)
            spoilt[plan.set.groups[plan.suppressed & (of[plan.set.cells] != place)]] = True
            whole = ~spoilt[plan.set.groups]
            here = plan.set.cells[plan.suppressed & whole]
            self.found[plan.set.cells] += np.where(whole, plan.gains, 0.0)
            self.lost[here] = plan.set.left_out & self.cells.known[here]
            settled[here] = True
        self.left = self.left[~settled[self.left] & (self.found[self.left] < self.k)]

    def _plan(self, one: _Set) -> _Plan:
        """Return what is suppressed where a set of keys is, of the cells that may lose it."""
        groups, own = one.groups, self.sizes[one.cells]
        found = self.found[one.cells]
        lacking = self.k - found
        complete = self.cells.known[one.cells] == self.cells.every
        # cells with NULL may agree already: only complete ones, which differ, are counted as gained
        sizes = np.where(complete, own, 0.0)
        order = np.flatnonzero(one.may)
        # by groups, those that lack most first: what a cell has is a whole number below k
        order = order[sort_with_places(groups[order] * self.k + found[order].astype(np.int64))[0]]
        starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
        before = np.cumsum(sizes[order]) - sizes[order]
        before -= np.repeat(before[starts], np.diff(starts, append=len(order)))
        suppressed = np.zeros(len(groups), dtype=np.bool_)
        suppressed[order[before < lacking[order]]] = True
        total = np.bincount(groups[suppressed], weights=sizes[suppressed], minlength=int(groups.max()) + 1)
        gains = np.where(complete, total[groups], 0.0)
        given = np.bincount(groups, weights=own * suppressed)
        helped = own * np.where(suppressed, lacking, np.minimum(gains, lacking))
        score = np.divide(np.bincount(groups, weights=helped), given, out=np.zeros(len(given)), where=given > 0)
        return _Plan(one, suppressed, gains, score)


def compatible(cells: Cells) -> Floats:
    """Return how many records each cell is compatible with, NULL agreeing with every value."""
    patterns = np.unique(cells.known)
    if len(patterns) == 1 and patterns[0] == cells.every:
        return cells.totals.astype(np.float64)
    own = [np.flatnonzero(cells.known == p) for p in patterns]
    found = np.zeros(cells.number)
    for one, here in zip(patterns.tolist(), own, strict=True):
        for other, there in zip(patterns.tolist(), own, strict=True) if len(patterns) <= _PATTERNS else [(one, here)]:
            both = np.concatenate([here, there])
            values, groups = group_values(cells.released(cells.every & ~(one & other), both))
            sums = np.bincount(groups[len(here) :], weights=cells.totals[there], minlength=len(values))
            found[here] += sums[groups[: len(here)]]
    return found
