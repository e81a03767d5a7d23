"""For each record of a file how many of another are nearer to it than the record that is truly its own, exactly.

The distance of the true pair is the bound: a block that is farther is left out, one that is nearer as a whole is
counted as a whole, and only of the others the records are compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.linkage.blocks import Blocks, Bounds, by_block, size_of
from sdc_sql.udfs.linkage.nearest import BOUNDS, ELEMENTS
from sdc_sql.udfs.linkage.products import Block
from sdc_sql.udfs.linkage.records import Records, Variables, comparable, kinds, squared

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers


def nearer(x: Records, y: Records, pairs: Integers, variables: Variables) -> tuple[Integers, Integers]:
    """Return how many records of y are nearer than the true one, and how many are as near, the true one among them.

    An intruder who takes the nearest record, one of the tied ones at random, is right with chance 1 / (as near) where
    none is nearer. The true one is the second nearest with that chance where one is nearer, or none and two as near.

    Parameters
    ----------
    pairs
        For each row of x the row of y that is truly its own.
    """
    mine, other = comparable(x, y)
    most = squared(mine, np.arange(len(mine)), other, pairs, variables)
    targets, _ = kinds(other)
    count = _Count(mine, targets, most, variables)
    count.run()
    return count.nearer, count.equal


class _Count:
    def __init__(self, queries: Records, targets: Records, most: Floats, variables: Variables) -> None:
        self.x, self.y, self.variables = queries, targets, variables
        self.most = most
        # as near or not is settled exactly between these
        self.within, self.past = most * (1 - 1e-6), most * (1 + 1e-6)
        self.nearer, self.equal = np.zeros((2, len(queries)), dtype=np.int64)

    def run(self) -> None:
        if not len(self.x) or not len(self.y):
            return
        size = size_of(self.y)
        targets = Blocks(self.y, self.variables, size)
        categories = np.maximum(self.x.codes.max(axis=0), self.y.codes.max(axis=0)) + 1
        made = [Block(self.y, rows, self.variables, categories) for rows in targets.rows]
        counts = np.array([self.y.counts[rows].sum() for rows in targets.rows])
        least, most = (Bounds(self.x, targets, self.variables, most=which) for which in (False, True))
        order = np.concatenate(Blocks(self.x, self.variables, size).rows)
        for rows in np.array_split(order, max(1, len(order) * len(made) // BOUNDS)):
            whole = most.of(rows) < self.within[rows][:, None]
            self.nearer[rows] += whole @ counts
            near = (least.of(rows) <= self.past[rows][:, None]) & ~whole
            blocks, some = np.nonzero(near.T)
            for block, places in by_block(blocks):
                self._look(made[block], rows[some[places]])

    def _look(self, block: Block, rows: Integers) -> None:
        counts = self.y.counts[block.rows]
        step = max(1, ELEMENTS // block.width)
        for start in range(0, len(rows), step):
            of = rows[start : start + step]
            lower, off = block.lower(self.x, of)
            farther = lower > self.past[of].astype(np.float32)[:, None]
            # what rounding to single precision adds is taken off
            surely = self.within[of] - 2 * (off + block.off) * (1 + 1e-6)
            inside = lower < np.where(surely > 0, surely, -np.inf).astype(np.float32)[:, None]
            self.nearer[of] += inside[:, : len(counts)] @ counts
            mine, other = block.unsettled(farther | inside)
            distances = squared(self.x, of[mine], self.y, block.rows[other], self.variables)
            nearer, equal = distances < self.most[of[mine]], distances == self.most[of[mine]]
            for total, found in ((self.nearer, nearer), (self.equal, equal)):
                total[of] += np.bincount(mine[found], counts[other[found]], len(of)).astype(np.int64)
