"""Mondrian: groups of records cut in parts of at least k, until none can be cut any more.

LeFevre, DeWitt & Ramakrishnan (2006), Mondrian multidimensional k-anonymity, ICDE, with strict cuts: records with equal
values are never parted. All groups are cut at once, round by round. Which key a group is cut by, and where, is what
gains most (`splits`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.adapters import NUMBER, WHOLE, declare_function, require_given
from sdc_sql.udfs.arrow_function import NUMBERS, TABLE
from sdc_sql.udfs.generalisation.splits import Groups, Nodes, node_cuts, range_cuts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdc_sql.udfs.arguments import Floats, Integers, Truths


def mondrian(
    places: Integers, counts: Integers, k: int, keys: Sequence[Nodes | int]
) -> tuple[Integers, Integers, Integers]:
    """Return the group of each cell, (n,), and the run of each group on each key: its low and high ends, (groups, d).

    Parameters
    ----------
    places
        The place of each cell's value in the order of each key, (n, d).
    counts
        The records of each cell, (n,).
    k
        The least number of records in a group.
    keys
        For each key its hierarchy, or the number of its values where any range of them may be a group's.

    Examples
    --------
    >>> of, low, high = mondrian(np.array([[0], [1], [3], [5]]), np.array([1, 1, 1, 1]), 2, [6])
    >>> of.tolist(), low.tolist(), high.tolist()
    ([0, 0, 1, 1], [[0], [3]], [[2], [5]])
    """
    ended, _ = _cut_all(places, counts, k, keys)
    first = np.cumsum([0, *(len(e.low) for e in ended)])
    group = np.empty(len(counts), dtype=np.int64)
    for number, some in zip(first, ended, strict=False):
        group[some.at] = number + some.groups.of
    return group, np.concatenate([e.low for e in ended]), np.concatenate([e.high for e in ended])


@dataclass(frozen=True)
class Parts:
    """The parts into which the groups of a round are cut: the first one of all has no part before it.

    ``number`` of each part, ``parent``, the part that is cut, and ``key``, by which; ``side`` as of `Cuts`; the run of
    the part on that key; and its records.
    """

    number: Integers
    parent: Integers
    key: Integers
    side: Integers
    low: Integers
    high: Integers
    records: Integers


def cut_parts(places: Integers, counts: Integers, k: int, keys: Sequence[Nodes | int]) -> list[Parts]:
    """Return how the groups are cut, round by round; the whole is part 0. The arguments are those of `mondrian`."""
    return _cut_all(places, counts, k, keys)[1]


def _cut_all(
    places: Integers, counts: Integers, k: int, keys: Sequence[Nodes | int]
) -> tuple[list[_Uncut], list[Parts]]:
    """Return the groups that cannot be cut any more, and the cuts by which they came about."""
    if counts.sum() < k:
        raise ValueError(f"there are {counts.sum():,} records, fewer than k = {k}: no group can have k of them")
    high = np.array([[(key if isinstance(key, int) else key.size) - 1 for key in keys]])
    whole = Groups.make_from_ordered(np.zeros(len(counts), dtype=np.int64), counts)
    number = np.zeros(1, dtype=np.int64)
    uncut = _Uncut(np.arange(len(counts)), whole, np.zeros_like(high), high, np.zeros_like(high), number)
    ended, cuts, parts = [], [], 1
    while len(uncut.at):
        uncut = uncut.tighten(places, keys)
        small = uncut.groups.totals < 2 * k
        ended.append(uncut.select(small))
        uncut = uncut.select(~small)
        stays, left, made = _cut_groups(uncut, places, keys, k, parts)
        ended.append(uncut.select(stays))
        uncut = left
        cuts.append(made)
        parts += len(made.number)
    return ended, cuts


@dataclass(frozen=True)
class _Uncut:
    """Groups, the cells in them by number, their runs and levels on each key, (groups, d), and their own numbers."""

    at: Integers
    groups: Groups
    low: Integers
    high: Integers
    level: Integers
    number: Integers

    def select(self, which: Truths) -> _Uncut:
        """Return some of the groups."""
        cells = self.at[which[self.groups.of]]
        runs = self.low[which], self.high[which], self.level[which]
        return _Uncut(cells, self.groups.select(which), *runs, self.number[which])

    def tighten(self, places: Integers, keys: Sequence[Nodes | int]) -> _Uncut:
        """Return the same with the lowest node of each hierarchy that holds all of a group. Ranges stay."""
        low, high, level = self.low.copy(), self.high.copy(), self.level.copy()
        first = self.at[self.groups.starts]
        for j, key in enumerate(keys):
            if isinstance(key, Nodes):
                level[:, j] = key.levels(self.groups, places[self.at, j])
                low[:, j] = key.low[level[:, j], places[first, j]]
                high[:, j] = key.high[level[:, j], places[first, j]]
        return _Uncut(self.at, self.groups, low, high, level, self.number)


def _cut_groups(
    uncut: _Uncut, places: Integers, keys: Sequence[Nodes | int], k: int, parts_before: int
) -> tuple[Truths, _Uncut, Parts]:
    """Return which groups cannot be cut, the parts of the others, and the cuts, each by the key that is worth most."""
    groups = uncut.groups
    worth = np.zeros(len(uncut.low))
    by, side = np.zeros(len(worth), dtype=np.int64), np.zeros(len(uncut.at), dtype=np.int64)
    ends = np.zeros((2, len(side)), dtype=np.int64)
    for j, key in enumerate(keys if len(side) else ()):
        here = places[uncut.at, j]
        if isinstance(key, Nodes):
            cuts = node_cuts(groups, here, k, key, uncut.level[:, j])
        else:
            cuts = range_cuts(groups, here, k, key, (uncut.low[:, j], uncut.high[:, j]))
        better = cuts.worth > worth
        worth[better], by[better] = cuts.worth[better], j
        cells = better[groups.of]
        side[cells], ends[0, cells], ends[1, cells] = cuts.side[cells], cuts.low[cells], cuts.high[cells]
    moves = np.flatnonzero((worth > 0)[groups.of])
    parts = groups.of[moves] * (int(side.max(initial=0)) + 1) + side[moves]
    order = np.argsort(parts, kind="stable")
    moves, parts = moves[order], parts[order]
    new = Groups.make_from_ordered(np.cumsum(np.diff(parts, prepend=parts[:1]) != 0), groups.counts[moves])
    first = moves[new.starts]
    parents = groups.of[first]
    low, high, rows = uncut.low[parents], uncut.high[parents], np.arange(len(parents))
    low[rows, by[parents]], high[rows, by[parents]] = ends[0, first], ends[1, first]
    number = parts_before + rows
    made = Parts(number, uncut.number[parents], by[parents], side[first], ends[0, first], ends[1, first], new.totals)
    return worth == 0, _Uncut(uncut.at[moves], new, low, high, uncut.level[parents], number), made


def local_recoding(codes: Floats, counts: Floats, k: float, places: Floats, nodes: Floats) -> Integers:
    """Return the number of groups, the group of each cell from 1, the low end of each group on each key, the high ends.

    Parameters
    ----------
    codes
        The cells, their values by number.
    places
        One after another, for each value its key from 0, its number and its place.
    nodes
        Likewise, for each value of a key with a hierarchy: its key, a level, its place, and the run of its node there.
    """
    at, orders = place_cells(codes.astype(np.int64), _shape_rows(places, 3), _shape_rows(nodes, 5))
    of, low, high = mondrian(at, counts.astype(np.int64), int(require_given(k, "k")), orders)
    return np.concatenate([[len(low)], of + 1, low.ravel(), high.ravel()])


def place_cells(numbers: Integers, places: Integers, nodes: Integers) -> tuple[Integers, list[Nodes | int]]:
    """Return the places of cells, (n, d), whose values are given by number, and each key's order, as of `mondrian`.

    Parameters
    ----------
    places, nodes
        The rows of `local_recoding`.
    """
    at = np.empty_like(numbers)
    orders: list[Nodes | int] = []
    for j in range(numbers.shape[1]):
        own, tree = places[places[:, 0] == j], nodes[nodes[:, 0] == j]
        known = own[np.argsort(own[:, 1])]
        at[:, j] = known[np.searchsorted(known[:, 1], numbers[:, j]), 2]
        orders.append(make_nodes(tree) if len(tree) else len(own))
    return at, orders


def _shape_rows(flat: Floats, width: int) -> Integers:
    return flat.astype(np.int64).reshape(-1, width)


def make_nodes(rows: Integers) -> Nodes:
    """Return a hierarchy by its rows, each a key, a level, a place, and the run of its node there."""
    shape = (int(rows[:, 1].max()) + 1, int(rows[:, 2].max()) + 1)
    low, high = np.empty(shape, dtype=np.int64), np.empty(shape, dtype=np.int64)
    low[rows[:, 1], rows[:, 2]], high[rows[:, 1], rows[:, 2]] = rows[:, 3], rows[:, 4]
    if (low[-1] != 0).any() or (high[-1] != shape[1] - 1).any():
        raise ValueError(
            "a hierarchy has several labels on its highest level: give it one more, with '*' for all values"
        )
    return Nodes(low, high)


FUNCTIONS = (
    declare_function(
        "local_recoding", local_recoding, WHOLE, by_stratum=False,
        codes=TABLE, counts=NUMBERS, k=NUMBER, places=NUMBERS, nodes=NUMBERS,
    ),
)  # fmt: skip
