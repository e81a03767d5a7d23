"""Where Mondrian may cut a group of records by one key, and what the best cut gains.

The values of a key are numbered in order, so that a range and a node of a hierarchy alike are a run of numbers, low to
high, of size high - low. A cut is worth what it takes from the sizes, summed over records and divided by the size of
the whole key, over the square root of its impurity, n - (sum of n_i^2) / n: what is gained, by how much of the group is
used up for it. Only whole numbers, division and square roots take part, which round alike on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers, Truths

_DENSE = 4  # up to so many places for each cell are counted, more are sorted


@dataclass(frozen=True)
class Groups:
    """Cells in the order of their groups.

    Parameters
    ----------
    of
        The group of each cell, ascending from 0 without gaps.
    counts
        The records of each cell.
    starts
        The first cell of each group.
    totals
        The records of each group.
    """

    of: Integers
    counts: Integers
    starts: Integers
    totals: Integers

    @classmethod
    def make_from_ordered(cls, of: Integers, counts: Integers) -> Groups:
        """Return them, of cells that are in order."""
        starts = np.flatnonzero(np.diff(of, prepend=-1))
        return cls(of, counts, starts, np.add.reduceat(counts, starts) if len(starts) else counts)

    def select(self, which: Truths) -> Groups:
        """Return some of the groups, numbered anew."""
        cells = which[self.of]
        return Groups.make_from_ordered((np.cumsum(which) - 1)[self.of[cells]], self.counts[cells])

    def sum_by_place(self, places: Integers, size: int) -> tuple[Integers, Integers, Integers]:
        """Return the group, the place and the records of what stands at each place of each group, in that order."""
        keys, slots = self.of * size + places, len(self.starts) * size
        if slots <= _DENSE * len(keys):
            sums = np.bincount(keys, self.counts, slots).astype(np.int64)
            found = np.flatnonzero(sums)
            return found // size, found % size, sums[found]
        order = np.argsort(keys, kind="stable")
        ordered = keys[order]
        first = np.flatnonzero(np.diff(ordered, prepend=-1))
        return ordered[first] // size, ordered[first] % size, np.add.reduceat(self.counts[order], first)


@dataclass(frozen=True)
class Cuts:
    """The best cut of each group by one key.

    Parameters
    ----------
    worth
        What it is worth, (groups,); 0 where there is none.
    side, low, high
        The part that each cell comes to, from 0, and the run of that part; for groups without a cut of no meaning.
    """

    worth: Floats
    side: Integers
    low: Integers
    high: Integers


def range_cuts(groups: Groups, places: Integers, k: int, size: int, runs: tuple[Integers, Integers]) -> Cuts:
    """Return the best cuts in two. Each stands midway between the values beside it, so that neither is told by it."""
    low, high = runs
    of, value, n = groups.sum_by_place(places, size)
    before = np.cumsum(groups.totals) - groups.totals
    left = np.cumsum(n) - before[of]
    total = groups.totals[of]
    right = total - left
    cut = (value + np.append(value[1:], 0)) // 2
    allowed = np.flatnonzero((left >= k) & (right >= k))
    of, cut, left, right, total = of[allowed], cut[allowed], left[allowed], right[allowed], total[allowed]
    gain = left * (high[of] - cut) + right * (cut + 1 - low[of])
    worth = _value_cuts(gain, size, total, left * left + right * right)
    best = np.zeros(len(groups.totals))
    at = np.zeros(len(best), dtype=np.int64)
    chosen = _best_of_each(of, worth)
    best[of[chosen]], at[of[chosen]] = worth[chosen], cut[chosen]
    above = places > at[groups.of]
    return Cuts(
        best,
        above.astype(np.int64),
        np.where(above, at[groups.of] + 1, low[groups.of]),
        np.where(above, high[groups.of], at[groups.of]),
    )


def node_cuts(groups: Groups, places: Integers, k: int, nodes: Nodes, level: Integers) -> Cuts:
    """Return the cuts of a node into its children.

    Children of k records or more leave the node, and the others stay in it together. Where these are fewer than k, the
    smallest of those that would leave stays with them.
    """
    below = np.maximum(level - 1, 0)[groups.of]
    child = nodes.low[below, places]
    of, value, n = groups.sum_by_place(child, nodes.size)
    leaves = (n >= k) & (level[of] > 0)
    rest = groups.totals - _sum_by_group(of, np.where(leaves, n, 0), groups)
    short = (rest > 0) & (rest < k)
    stays = _best_of_each(of[leaves & short[of]], -n[leaves & short[of]].astype(np.float64))
    leaves[np.flatnonzero(leaves & short[of])[stays]] = False
    leaving = np.where(leaves, n, 0)
    rest = groups.totals - _sum_by_group(of, leaving, groups)
    runs = nodes.high[np.maximum(level - 1, 0)[of], value] - value
    first = places[groups.starts]
    whole = (nodes.high[level, first] - nodes.low[level, first])[of]
    gain = _sum_by_group(of, leaving * (whole - runs), groups)
    worth = _value_cuts(gain, nodes.size, groups.totals, _sum_by_group(of, leaving * leaving, groups) + rest * rest)
    goes = leaves[np.searchsorted(of * nodes.size + value, groups.of * nodes.size + child)]
    at = level[groups.of]
    return Cuts(
        worth,
        np.where(goes, child + 1, 0),
        np.where(goes, child, nodes.low[at, places]),
        np.where(goes, nodes.high[below, places], nodes.high[at, places]),
    )


@dataclass(frozen=True)
class Nodes:
    """A hierarchy: for each level and place the run of the node that it is in, (levels, size), level 0 first."""

    low: Integers
    high: Integers

    @property
    def size(self) -> int:
        """The number of values."""
        return len(self.low[0])

    def levels(self, groups: Groups, places: Integers) -> Integers:
        """Return the level of the lowest node that holds all of each group."""
        least, most = np.minimum.reduceat(places, groups.starts), np.maximum.reduceat(places, groups.starts)
        return np.asarray((self.low[:, least] != self.low[:, most]).sum(axis=0))


def _sum_by_group(of: Integers, amounts: Integers, groups: Groups) -> Integers:
    """Return the sums of whole numbers, exact, of rows in the order of the groups, each of which has one."""
    return np.add.reduceat(amounts, np.flatnonzero(np.diff(of, prepend=-1)))[: len(groups.totals)]


def _value_cuts(gain: Integers, size: int, total: Integers, squares: Integers) -> Floats:
    """Return what cuts are worth; 0 where nothing is cut off."""
    impurity = (total * total - squares) / total
    cut = (gain > 0) & (impurity > 0)
    return np.where(cut, gain / max(size - 1, 1) / np.sqrt(np.where(cut, impurity, 1.0)), 0.0)


def _best_of_each(of: Integers, worth: Floats) -> Integers:
    """Return the first row of the greatest worth of each group, of rows in the order of the groups."""
    if not len(of):
        return np.zeros(0, dtype=np.int64)
    starts = np.flatnonzero(np.diff(of, prepend=-1))
    lengths = np.diff(np.append(starts, len(of)))
    best = np.flatnonzero(worth == np.repeat(np.maximum.reduceat(worth, starts), lengths))
    return best[np.flatnonzero(np.diff(of[best], prepend=-1))]
