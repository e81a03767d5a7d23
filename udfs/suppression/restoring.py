"""Suppressed values that are not needed are given back: the dearest first, one after another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdc_sql.udfs.arguments import Integers
    from sdc_sql.udfs.suppression.rare import Rare


def restore(rare: Rare, weights: Sequence[float]) -> None:
    """Give each suppressed value back with which every combination is still frequent enough."""
    rare.count()
    suppressed = rare.lost & ~rare.missing
    changed, partial = np.flatnonzero(suppressed), np.flatnonzero(rare.lost)
    values = [
        (-weight * int(rare.counts[cell]), key, cell)
        for key, weight in enumerate(weights)
        for cell in changed[suppressed[changed] >> key & 1 == 1].tolist()
    ]
    for _, key, cell in sorted(values):
        _one(rare, key, cell, changed, partial)


def _one(rare: Rare, key: int, cell: int, changed: Integers, partial: Integers) -> None:
    """Give a value back if that can be."""
    lost = int(rare.lost[cell])
    own_rows, own = rare.of_one(cell, lost & ~(1 << key), changed)
    if (own < 0).any():
        return
    rows, others = _losing(rare, key, cell, partial)
    over = rare.over[rows, others] - rare.amounts[cell]
    if (over < 0).any():
        return
    rare.over[rows, others] = over
    rare.lost[cell] = lost & ~(1 << key)
    rare.over[own_rows, cell] = own


def _losing(rare: Rare, key: int, cell: int, partial: Integers) -> tuple[Integers, Integers]:
    """Return in which sets which cells agree with a cell only as this key is suppressed: rows and cells.

    `partial`: the cells that may have NULL in some key.
    """
    lost, codes = int(rare.lost[cell]), rare.codes[key]
    rows = np.flatnonzero(rare.sets >> key & 1)
    found = []
    for one in rows.tolist():  # complete ones agree on what the cell keeps
        agreeing = rare.groups(int(rare.sets[one]) & ~lost).members(cell)
        found.append(agreeing[rare.rare[one, agreeing] & (rare.lost[agreeing] & rare.sets[one] == 0)])
    complete = np.concatenate(found)
    differ = codes[complete] != codes[cell]
    partial = partial[(rare.lost[partial] >> key & 1 == 0) & (codes[partial] != codes[cell])]
    unlike = rare.differing(cell, partial) & ~rare.lost[partial] & ~lost
    sets = rare.sets[rows, np.newaxis]
    row, place = np.nonzero((unlike & sets == 0) & (rare.lost[partial] & sets > 0) & rare.rare[np.ix_(rows, partial)])
    of = np.repeat(rows, [len(cells) for cells in found])
    return np.concatenate([of[differ], rows[row]]), np.concatenate([complete[differ], partial[place]])
