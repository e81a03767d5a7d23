"""How many records have all their numbers between the limits of another, exactly.

A block of records whose box lies within the limits is counted as a whole, one whose box is outside is left out, and of
the others the records are compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.linkage.blocks import Blocks, list_blocks
from sdc_sql.udfs.linkage.nearest import ELEMENTS, PAIRS
from sdc_sql.udfs.linkage.records import Records, Variables

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Integers
    from sdc_sql.udfs.linkage.nearer import Limits

SIZE = 128  # records of a block
ROWS = 1024  # compared with all blocks together


def count_within_limits(y: Records, limits: Limits) -> Integers:
    """Return for each row of the limits how many records of y have all their numbers there."""
    if not len(y) or not len(limits.least):
        return np.zeros(len(limits.least), dtype=np.int64)
    count = _Count(y, limits)
    count.run()
    return count.found


class _Count:
    def __init__(self, y: Records, limits: Limits) -> None:
        numbers = Records(y.numbers, np.empty((len(y), 0), dtype=np.int64), y.counts)
        self.y, self.limits = numbers, limits
        self.found = np.zeros(len(limits.least), dtype=np.int64)
        self.blocks = Blocks(numbers, Variables(np.ones(y.numbers.shape[1]), np.empty(0)), SIZE)
        self.low = np.array([y.numbers[rows].min(axis=0) for rows in self.blocks.rows]).T
        self.high = np.array([y.numbers[rows].max(axis=0) for rows in self.blocks.rows]).T

    def run(self) -> None:
        counts = np.array([self.y.counts[rows].sum() for rows in self.blocks.rows])
        least, greatest = self.limits
        # near records together have few blocks together
        leaves = self.blocks.leaf((least + greatest) / 2 - self.blocks.origin)
        order = np.argsort(leaves, kind="stable")
        pairs: list[tuple[Integers, Integers]] = []
        for rows in np.array_split(order, -(-len(order) // ROWS)):
            bottom, top = least[rows].min(axis=0)[:, None], greatest[rows].max(axis=0)[:, None]
            near = np.flatnonzero(((self.low <= top) & (self.high >= bottom)).all(axis=0))
            some, whole = np.ones((2, len(rows), len(near)), dtype=bool)
            for j, (first, last) in enumerate(zip(self.low[:, near], self.high[:, near], strict=True)):
                bottom, top = least[rows, j][:, None], greatest[rows, j][:, None]
                some &= (first <= top) & (last >= bottom)
                whole &= (first >= bottom) & (last <= top)
            self.found[rows] += (some & whole) @ counts[near]
            mine, other = np.nonzero(some & ~whole)
            pairs.append((rows[mine], near[other]))
            if sum(len(part) for part, _ in pairs) > PAIRS or rows[-1] == order[-1]:
                rows_of, blocks = (np.concatenate(parts) for parts in zip(*pairs, strict=True))
                for block, places in list_blocks(blocks):
                    for start in range(0, len(places), ELEMENTS // SIZE):
                        self._compare(block, rows_of[places[start : start + ELEMENTS // SIZE]])
                pairs = []

    def _compare(self, block: int, rows: Integers) -> None:
        members = self.blocks.rows[block]
        inside = np.ones((len(rows), len(members)), dtype=bool)
        for j, column in enumerate(self.y.numbers[members].T):
            bottom, top = self.limits.least[rows, j], self.limits.greatest[rows, j]
            if bottom.max() > self.low[j, block]:
                inside &= column >= bottom[:, None]
            if top.min() < self.high[j, block]:
                inside &= column <= top[:, None]
        self.found[rows] += inside @ self.y.counts[members]
