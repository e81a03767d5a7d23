"""Few suppressions so that each released record is compatible with at least k released ones, NULL agreeing with all.

Each record that is suppressed makes one record more compatible with all that share the keys it keeps. So of records
that agree on some keys only some are suppressed: as many as the others lack. None loses more than would be needed if
no other record were suppressed (without this, k - 1 records blanked whole would make any file anonymous).
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

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


class _Set:
    """A set of keys, and what is suppressed where it is.

    Its cells are those left whose group, of those that agree on the other keys, has some that may lose it.
    """

    def __init__(self, left_out: int, cells: Integers, groups: Integers, may: Truths) -> None:
        self.left_out, self.cells, self.groups, self.may = left_out, cells, groups, may
        self.suppressed = np.zeros(len(cells), dtype=np.bool_)
        self.gains = np.zeros(len(cells))
        # how far the records of each group come nearer to k, for each one suppressed
        self.score = np.zeros(int(groups.max(initial=-1)) + 1)

    def keep(self, here: Truths) -> None:
        """Leave out the cells that are not here."""
        if not here.all():
            self.cells, self.groups, self.may = self.cells[here], self.groups[here], self.may[here]
            self.suppressed, self.gains = self.suppressed[here], self.gains[here]


class _Search:
    """The cells that have fewer than k compatible records yet."""

    def __init__(self, cells: Cells, k: int) -> None:
        self.cells, self.k = cells, k
        self.lost = np.zeros(cells.number, dtype=np.int64)
        self.found = compatible(cells)
        self.sizes = cells.counts.astype(np.float64)
        self.everyone = cells.totals.astype(np.float64)
        self.left = (self.found < k) & (cells.counts > 0)
        for _, level in groupby(zip(cells.costs, cells.sets, strict=True), key=lambda pair: pair[0]):
            left = np.flatnonzero(self.left)
            if not len(left):
                break
            self._suppress_at_cost([self._group_cells(left_out, left) for _, left_out in level])

    def _suppress_at_cost(self, sets: list[_Set]) -> None:
        """Suppress sets of keys of one cost: in each round where that gains most, and no record has a better set."""
        changed = self.left
        for _ in range(_ROUNDS):
            sets = self._list_usable(sets, changed)
            if not sets:
                return
            best, of = np.zeros(self.cells.number), np.full(self.cells.number, -1)
            for place, one in enumerate(sets):
                score = one.score[one.groups]
                better = score > best[one.cells]
                here = one.cells[better]
                best[here], of[here] = score[better], place
            of[best < _NEAR * max(float(one.score.max()) for one in sets)] = -1
            changed = self._carry_out(sets, of)
        for one in sets:  # few are left: one set after another
            for usable in self._list_usable([one], changed):
                changed |= self._carry_out([usable], np.zeros(self.cells.number, dtype=np.int64))

    def _group_cells(self, left_out: int, left: Integers) -> _Set:
        """Return the cells left that a set of keys concerns."""
        keeping = left[self.cells.find_keeping_known(left_out, left)]
        may = np.zeros(self.cells.number, dtype=np.bool_)
        may[keeping] = self.cells.sums(left_out, keeping, self.everyone, self.k) >= self.k
        if not may.any():
            return _Set(left_out, left[:0], left[:0], may[:0])
        rows, groups = group_values(self.cells.released(left_out, left))
        concerned = np.zeros(len(rows), dtype=np.bool_)
        concerned[groups[may[left]]] = True
        here = concerned[groups]
        return _Set(left_out, left[here], (np.cumsum(concerned) - 1)[groups[here]], may[left][here])

    def _list_usable(self, sets: list[_Set], changed: Truths) -> list[_Set]:
        """Return the sets that some cell left may lose, planned anew in the groups where a cell has changed."""
        for one in sets:
            here = changed[one.cells]
            if here.any():
                anew = np.zeros(len(one.score), dtype=np.bool_)
                anew[one.groups[here]] = True
                one.keep(self.left[one.cells])
                self._plan(one, anew)
        return [one for one in sets if one.may.any()]

    def _carry_out(self, sets: list[_Set], of: Integers) -> Truths:
        """Suppress as planned in the groups all of whose records to be suppressed are of this set.

        Returns which cells have changed.
        """
        changed, settled = np.zeros(self.cells.number, dtype=np.bool_), np.zeros(self.cells.number, dtype=np.bool_)
        for place, one in enumerate(sets):
            spoilt = np.zeros(len(one.score), dtype=np.bool_)
            spoilt[one.groups[one.suppressed & (of[one.cells] != place)]] = True
            whole = ~spoilt[one.groups]
            gaining = whole & (one.gains > 0)
            self.found[one.cells[gaining]] += one.gains[gaining]
            changed[one.cells[gaining]] = True
            here = one.cells[one.suppressed & whole]
            self.lost[here] = one.left_out & self.cells.known[here]
            settled[here] = True
        self.left &= ~settled & (self.found < self.k)
        return changed | settled

    def _plan(self, one: _Set, anew: Truths) -> None:
        """Plan what is suppressed in some groups where a set of keys is, of the cells that may lose it."""
        rows = np.flatnonzero(anew[one.groups])
        cells, groups = one.cells[rows], (np.cumsum(anew) - 1)[one.groups[rows]]
        number = np.count_nonzero(anew)
        own, found = self.sizes[cells], self.found[cells]
        lacking = self.k - found
        complete = self.cells.known[cells] == self.cells.every
        # cells with NULL may agree already: only complete ones, which differ, are counted as gained
        sizes = np.where(complete, own, 0.0)
        order = np.flatnonzero(one.may[rows])
        # by groups, those that lack most first: what a cell has is a whole number below k
        order = order[sort_with_places(groups[order] * self.k + found[order].astype(np.int64))[0]]
        starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
        before = np.cumsum(sizes[order]) - sizes[order]
        before -= np.repeat(before[starts], np.diff(starts, append=len(order)))
        suppressed = np.zeros(len(groups), dtype=np.bool_)
        suppressed[order[before < lacking[order]]] = True
        total = np.bincount(groups[suppressed], weights=sizes[suppressed], minlength=number)
        gains = np.where(complete, total[groups], 0.0)
        given = np.bincount(groups, weights=own * suppressed, minlength=number)
        helped = np.bincount(
            groups, weights=own * np.where(suppressed, lacking, np.minimum(gains, lacking)), minlength=number
        )
        one.score[anew] = np.divide(helped, given, out=np.zeros(number), where=given > 0)
        one.suppressed[rows], one.gains[rows] = suppressed, gains


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
