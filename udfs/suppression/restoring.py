"""Suppressed values that are not needed are given back: the dearest first, one after another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.suppression.frequencies import Groups

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdc_sql.udfs.arguments import Integers
    from sdc_sql.udfs.suppression.rare import Rare


def restore_values(rare: Rare, weights: Sequence[float]) -> None:
    """Give each suppressed value back with which every combination is still frequent enough."""
    rare.count()
    suppressed = rare.lost & ~rare.missing
    values = [
        (-weight * int(rare.counts[cell]), key, cell)
        for key, weight in enumerate(weights)
        for cell in np.flatnonzero(suppressed >> key & 1).tolist()
    ]
    restoring = _Restoring(rare)
    for _, key, cell in sorted(values):
        restoring.restore_one(key, cell)


class _Restoring:
    """What is told once of all cells."""

    def __init__(self, rare: Rare) -> None:
        self.rare = rare
        self.changed = np.flatnonzero(rare.lost != rare.missing)
        self.partial = np.flatnonzero(rare.lost)  # the cells that may have NULL in some key
        self.crossed: dict[tuple[int, int], tuple[Integers, Groups]] = {}

    def restore_one(self, key: int, cell: int) -> None:
        """Give a value back if that can be."""
        rare = self.rare
        lost = int(rare.lost[cell])
        own_rows, own = rare.measure_without(cell, lost & ~(1 << key), self.changed)
        if (own < 0).any():
            return
        rows, others = self._find_losing(key, cell)
        over = rare.over[rows, others] - rare.amounts[cell]
        if (over < 0).any():
            return
        rare.over[rows, others] = over
        rare.lost[cell] = lost & ~(1 << key)
        rare.over[own_rows, cell] = own

    def _find_losing(self, key: int, cell: int) -> tuple[Integers, Integers]:
        """Return in which sets which cells agree with a cell only as this key is suppressed: rows and cells."""
        rare, partial = self.rare, self.partial
        lost, codes = int(rare.lost[cell]), rare.codes[key]
        rows = np.flatnonzero(rare.sets >> key & 1)
        # complete ones agree on what the cell keeps
        agreeing = [
            self._find_agreeing(row, kept, cell)
            for row, kept in zip(rows.tolist(), (rare.sets[rows] & ~lost).tolist(), strict=True)
        ]
        of, complete = np.repeat(rows, [len(cells) for cells in agreeing]), np.concatenate(agreeing)
        losing = (rare.lost[complete] & rare.sets[of] == 0) & (codes[complete] != codes[cell])
        partial = partial[(rare.lost[partial] >> key & 1 == 0) & (codes[partial] != codes[cell])]
        unlike = rare.find_differing(cell, partial) & ~rare.lost[partial] & ~lost
        sets = rare.sets[rows, np.newaxis]
        row, place = np.nonzero(
            (unlike & sets == 0) & (rare.lost[partial] & sets > 0) & rare.rare[np.ix_(rows, partial)]
        )
        return np.concatenate([of[losing], rows[row]]), np.concatenate([complete[losing], partial[place]])

    def _find_agreeing(self, row: int, kept: int, cell: int) -> Integers:
        """Return the cells, rare in a set, that have the categories of a cell in some keys."""
        groups = self.rare.groups(kept)
        if (row, kept) not in self.crossed:
            of = np.flatnonzero(self.rare.rare[row])
            self.crossed[row, kept] = of, Groups(groups.numbers[of], groups.size)
        of, among = self.crossed[row, kept]
        return of[among.members(int(groups.numbers[cell]))]
