"""A greatest flow between two sides: how many records of each original cell became how many of each released one.

Cells offer their records in rounds, in the order of what can be chosen for them, which finds nearly all; what is left
is pushed along shortest paths, all cells that still lack records at once (Hopcroft & Karp 1973, Ford & Fulkerson).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Integers


def list_adjacent(starts: Integers, nodes: Integers) -> Integers:
    """Return the places of the edges of some nodes, which stand one after another from `starts`.

    Examples
    --------
    >>> list_adjacent(np.array([0, 2, 2, 5]), np.array([0, 2])).tolist()
    [0, 1, 2, 3, 4]
    """
    sizes = starts[nodes + 1] - starts[nodes]
    ends = np.cumsum(sizes)
    return np.asarray(np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts[nodes] - (ends - sizes), sizes))


def find_edge_starts(ends: Integers, number: int) -> Integers:
    """Return where the edges of each node begin, once they are sorted by their node, and where the last ones end.

    Examples
    --------
    >>> find_edge_starts(np.array([0, 0, 2]), 3).tolist()
    [0, 2, 2, 3]
    """
    return np.concatenate([[0], np.cumsum(np.bincount(ends, minlength=number))]).astype(np.int64)


class Flow:
    """Edges from original to released cells, and what flows along each.

    Examples
    --------
    One record (0) may be either of two released ones, another (1) the first alone.

    >>> flow = Flow(np.array([0, 0, 1]), np.array([0, 1, 0]), np.array([1, 1]), np.array([1, 1]))
    >>> flow.along.tolist(), flow.unreleased.tolist(), flow.strange.tolist()
    ([0, 1, 1], [0, 0], [0, 0])
    """

    def __init__(self, olds: Integers, news: Integers, before: Integers, after: Integers) -> None:
        self.olds, self.news = olds, news
        self.unreleased, self.strange = before.copy(), after.copy()  # the records of either side that no flow takes yet
        self.along = np.zeros(len(olds), dtype=np.int64)
        self._of_old, self._of_new = np.argsort(olds, kind="stable"), np.argsort(news, kind="stable")
        self._old_starts, self._new_starts = find_edge_starts(olds, len(before)), find_edge_starts(news, len(after))
        self._flow_in_rounds()
        while self._augment_paths():
            pass

    def _flow_in_rounds(self) -> None:
        """Let each original cell offer its records where fewest could go, of which those with fewest choices are taken.

        Of an offer either all is taken, or the released cell is full: none is made twice, and the rounds are no more
        than the choices of one cell.
        """
        choices, sizes = np.diff(self._old_starts), np.diff(self._new_starts)
        left = np.lexsort([self.news, sizes[self.news]])
        first = np.empty(len(choices), dtype=np.int64)
        while True:
            left = left[(self.unreleased[self.olds[left]] > 0) & (self.strange[self.news[left]] > 0)]
            if not len(left):
                return
            olds = self.olds[left]
            first[olds[::-1]] = np.arange(len(left) - 1, -1, -1)  # of several the one that is written last
            offers = left[first[olds] == np.arange(len(left))]
            offers = offers[np.lexsort([choices[self.olds[offers]], self.news[offers]])]
            self._take_offers(offers)

    def _take_offers(self, offers: Integers) -> None:
        """Push along edges, one of each original cell, until the released ones are full; they stand by these."""
        olds, news = self.olds[offers], self.news[offers]
        upto = np.cumsum(self.unreleased[olds])
        starts = np.flatnonzero(np.diff(news, prepend=-1))
        before = np.repeat(upto[starts] - self.unreleased[olds[starts]], np.diff(starts, append=len(news)))
        room = np.maximum(self.strange[news] - (upto - before - self.unreleased[olds]), 0)
        pushed = np.minimum(self.unreleased[olds], room)
        self.along[offers] += pushed
        self.unreleased[olds] -= pushed
        self.strange[news[starts]] -= np.add.reduceat(pushed, starts)

    def _augment_paths(self) -> bool:
        """Push along shortest paths from all released cells that lack records; return whether there was one."""
        to_old = np.full(len(self.unreleased), -1)  # the edge by which a cell was reached
        to_new = np.full(len(self.strange), -1)
        layer = np.flatnonzero(self.strange)
        to_new[layer] = len(self.olds)  # a root
        while len(layer):
            edges = self._of_new[list_adjacent(self._new_starts, layer)]
            reached = _find_first(edges, self.olds[edges], to_old)
            free = reached[self.unreleased[reached] > 0]
            if len(free):
                return sum(self._push_back(old, to_old, to_new) for old in free.tolist()) > 0
            edges = self._of_old[list_adjacent(self._old_starts, reached)]
            edges = edges[self.along[edges] > 0]
            layer = _find_first(edges, self.news[edges], to_new)
        return False

    def _push_back(self, old: int, to_old: Integers, to_new: Integers) -> int:
        """Push along the path to a cell as much as there still is of it."""
        more, less, here = [], [], old
        while True:
            more.append(int(to_old[here]))
            root = int(self.news[more[-1]])
            if to_new[root] == len(self.olds):
                break
            less.append(int(to_new[root]))
            here = int(self.olds[less[-1]])
        number = min(int(self.unreleased[old]), int(self.strange[root]), *map(int, self.along[less]))
        self.along[more] += number
        self.along[less] -= number
        self.unreleased[old] -= number
        self.strange[root] -= number
        return number


def _find_first(edges: Integers, ends: Integers, by: Integers) -> Integers:
    """Return the ends that were not reached yet, and note one edge of each."""
    new = by[ends] < 0
    found, first = np.unique(ends[new], return_index=True)
    by[found] = edges[new][first]
    return np.asarray(found)
