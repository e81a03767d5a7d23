"""For each record of a file whether fewer than two of another are nearer to it than the one that is truly its own.

The distance of the true pair is the bound. A record is done with once two others are found to be nearer: its own is
then neither the nearest nor the second nearest. Most are so in the block that they fall into themselves, and few blocks
are left to look at for the others. It is exact, and memory is bounded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from sdc_sql.udfs.linkage.blocks import EPS, Blocks, Bounds, choose_block_size, list_blocks
from sdc_sql.udfs.linkage.nearest import ELEMENTS, PAIRS
from sdc_sql.udfs.linkage.products import Block
from sdc_sql.udfs.linkage.records import (
    Records,
    Variables,
    compute_squared_distances,
    group_records,
    mask_foreign_categories,
)

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers, Truths

TWO = 2  # nearer ones, and a record is done with
ROWS = 4096  # so many records of a block are bounded together


class Limits(NamedTuple):
    """The least and the greatest numbers that a record may have to be a candidate, shape (n, p)."""

    least: Floats
    greatest: Floats


def count_nearer(
    x: Records, y: Records, most: Floats, variables: Variables, limits: Limits | None = None
) -> tuple[Integers, Integers]:
    """Return how many records of y are nearer than the true one, up to 2, and how many are as near.

    An intruder who takes the nearest record, one of the tied ones at random, is right with chance 1 / (as near) where
    none is nearer. The true one is the second nearest with that chance where one is nearer, or none and two as near.

    Parameters
    ----------
    most
        For each row of x the squared distance of the record of y that is truly its own.
    limits
        For each row of x which records of y are candidates; the others are no records to it.

    Returns
    -------
    tuple
        The second counts all that are as near, the true one if it is among y, where fewer than two are nearer.
    """
    if not len(variables.factors) + len(variables.costs):  # nothing tells records from one another: all are at 0
        every = int(y.counts.sum())
        return np.where(most > 0, min(every, TWO), 0), np.where(most > 0, 0, every)
    mine, other = mask_foreign_categories(x, y)
    (queries, of), (targets, _) = group_records(mine), group_records(other)
    # records alike, as far from their own, are one
    distances, far = np.unique(most, return_inverse=True)
    asked, which = np.unique(of * max(len(distances), 1) + far, return_inverse=True)
    first = np.empty(len(asked), dtype=np.int64)
    first[which] = np.arange(len(of))
    if limits is not None:
        limits = Limits(limits.least[first], limits.greatest[first])
    search = _Search(queries.select(of[first]), targets, most[first], variables, limits)
    search.run()
    return np.minimum(search.nearer, TWO)[which], search.equal[which]


class _Search:
    def __init__(
        self, queries: Records, targets: Records, most: Floats, variables: Variables, limits: Limits | None
    ) -> None:
        self.x, self.y, self.variables, self.limits, self.most = queries, targets, variables, limits, most
        # between these two it is settled exactly whether a record is as near
        self.within, self.past = most * (1 - 1e-6), most * (1 + 1e-6)
        self.nearer, self.equal = np.zeros((2, len(queries)), dtype=np.int64)

    def run(self) -> None:
        if not len(self.x) or not len(self.y):
            return
        targets = Blocks(self.y, self.variables, choose_block_size(self.y))
        categories = np.maximum(self.x.codes.max(axis=0), self.y.codes.max(axis=0)) + 1
        made = [Block(self.y, rows, self.variables, categories) for rows in targets.rows]
        places = targets.place(self.x)
        bounds = Bounds(self.x, targets, self.variables)
        pairs: list[tuple[Integers, Integers]] = []
        for block, all_of in list_blocks(targets.leaf(places)):
            self._look(made[block], all_of)
            rows = self._open(all_of)
            for some in np.array_split(rows, -(-len(rows) // ROWS) or 1):
                near = _find_near_blocks(targets, places[some], self.past[some].max(initial=0), self.variables)
                near = near[near != block]
                use = bounds.compute_bounds(some, near) <= self.past[some][:, None]
                if self.limits is not None:
                    use &= self._admit_blocks(targets, some, near)
                mine, other = np.nonzero(use)
                pairs.append((some[mine], near[other]))
            if sum(len(found) for found, _ in pairs) > PAIRS:
                self._visit(made, pairs)
                pairs = []
        self._visit(made, pairs)

    def _open(self, rows: Integers) -> Integers:
        return rows[self.nearer[rows] < TWO]

    def _visit(self, made: list[Block], pairs: list[tuple[Integers, Integers]]) -> None:
        if pairs:
            rows, blocks = (np.concatenate(parts) for parts in zip(*pairs, strict=True))
            for block, some in list_blocks(blocks):
                self._look(made[block], self._open(rows[some]))

    def _look(self, block: Block, rows: Integers) -> None:
        step = max(1, ELEMENTS // block.width)
        for start in range(0, len(rows), step):
            self._compare(block, rows[start : start + step])

    def _compare(self, block: Block, rows: Integers) -> None:
        counts = self.y.counts[block.rows]
        lower, off = block.bound_from_below(self.x, rows)
        settled = lower > self.past[rows].astype(np.float32)[:, None]
        if self.limits is None:
            # the error of rounding to single precision is taken off
            surely = self.within[rows] - 2 * (off + block.off) * (1 + 1e-6)
            inside = lower < np.where(surely > 0, surely, -np.inf).astype(np.float32)[:, None]
            self.nearer[rows] += inside[:, : len(counts)] @ counts
            settled |= inside
        mine, other = block.find_unsettled(settled)
        if self.limits is not None:
            allowed = self._admit_pairs(rows[mine], block.rows[other])
            mine, other = mine[allowed], other[allowed]
        i, k = rows[mine], block.rows[other]
        distances = compute_squared_distances(self.x, i, self.y, k, self.variables)
        for total, found in ((self.nearer, distances < self.most[i]), (self.equal, distances == self.most[i])):
            total[rows] += np.bincount(mine[found], counts[other[found]], len(rows)).astype(np.int64)

    def _admit_pairs(self, i: Integers, k: Integers) -> Truths:
        """Return of pairs whether the second is a candidate of the first."""
        allowed = np.ones(len(i), dtype=bool)
        for least, greatest, column in zip(*(m.T for m in self.limits or ()), self.y.numbers.T, strict=True):
            values = column[k]
            allowed &= (least[i] <= values) & (values <= greatest[i])
        return allowed

    def _admit_blocks(self, targets: Blocks, rows: Integers, blocks: Integers) -> Truths:
        """Return of records and blocks whether a block can hold a candidate; rounding keeps the order of numbers."""
        allowed = np.ones((len(rows), len(blocks)), dtype=bool)
        for j, (least, greatest) in enumerate(zip(*(m.T for m in self.limits or ()), strict=True)):
            low, high = (targets.coordinate(m[rows], j)[:, None] for m in (least, greatest))
            allowed &= (low <= targets.greatest[j, blocks]) & (targets.least[j, blocks] <= high)
        return allowed


def _find_near_blocks(targets: Blocks, places: Floats, most: float, variables: Variables) -> Integers:
    """Return the blocks that can hold a record as near as most to one of some places."""
    if not len(places):
        return np.empty(0, dtype=np.int64)
    low, high = places.min(axis=0)[:, None], places.max(axis=0)[:, None]
    gaps = np.maximum(targets.least - high, low - targets.greatest)
    sizes = np.abs(low) + np.abs(high) + np.abs(targets.least) + np.abs(targets.greatest)
    numbers = len(variables.factors)
    least = np.square(np.maximum(gaps - 8 * EPS * sizes, 0)[:numbers]).sum(axis=0)
    least += variables.costs @ (gaps[numbers:] > 0)
    return np.flatnonzero(least * (1 - 1e-5) <= most)
