"""Who makes whom more frequent: cells that agree on all keys of a set but one.

One that loses this key becomes compatible with the others. They are numbered, for each key in each set that has it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers, Truths
    from sdc_sql.udfs.suppression.rare import Rare


class Stars:
    """The numbers of some cells.

    Tables have a row a set and a column a cell.

    Parameters
    ----------
    held
        The cells of `rare` that are numbered.
    """

    def __init__(self, rare: Rare, held: Integers) -> None:
        self.held = held
        sets = rare.sets.tolist()
        self.rows = [np.flatnonzero(rare.sets >> key & 1) for key in range(len(rare.codes))]
        self.alike, self.size = _stack_crossings(rare, sets, held)
        self.by_key = [
            _stack_crossings(rare, [sets[r] & ~(1 << key) for r in rows], held) for key, rows in enumerate(self.rows)
        ]

    def sum_helped(self, worth: Floats, whole: Truths) -> Floats:
        """Return what of `worth` cells reach that lose a key, (keys, cells); whole: which have all keys of a set."""
        alike = self._sum_alike(worth)
        found = np.zeros((len(self.rows), len(self.held)))
        for key, rows in enumerate(self.rows):
            numbers, size = self.by_key[key]
            all_ = np.bincount(numbers.ravel(), worth[rows].ravel(), minlength=size)[numbers]
            found[key] = ((all_ - alike[rows]) * whole[rows]).sum(axis=0)
        return found

    def find_first(self, key: int, cells: Integers, rank: Integers, lacking: Truths) -> Truths:
        """Return which of the cells that would lose a key have a higher rank than all lacking ones that they help."""
        rows = self.rows[key]
        numbers, size = self.by_key[key]
        row, column = np.nonzero(lacking[rows])
        top = np.full(size, -1)
        np.maximum.at(top, numbers[row, column], rank[column])
        return np.asarray((top[numbers[:, cells]] <= rank[cells]).all(axis=0))

    def gains(self, which: Integers, keys: Integers, amounts: Floats, whole: Truths) -> Floats:
        """Return by how much each cell that has all keys of a set is more frequent as others lose a key each."""
        found, lost = np.zeros(self.alike.shape), np.zeros(self.alike.shape)
        for key, rows in enumerate(self.rows):
            cells = which[keys == key]
            numbers, size = self.by_key[key]
            given = amounts[cells] * whole[np.ix_(rows, cells)]
            found[rows] += np.bincount(numbers[:, cells].ravel(), given.ravel(), minlength=size)[numbers]
            lost[np.ix_(rows, cells)] = given
        return found - self._sum_alike(lost)

    def _sum_alike(self, amounts: Floats) -> Floats:
        """Return the sums of cells that agree on the whole set."""
        return np.asarray(
            np.bincount(self.alike.ravel(), amounts.ravel(), minlength=self.size)[self.alike], dtype=np.float64
        )


def _stack_crossings(rare: Rare, sets: list[int], held: Integers) -> tuple[Integers, int]:
    """Return the numbers of the cells in the crossings of these sets, one after another."""
    numbers, size = np.zeros((len(sets), len(held)), dtype=np.int64), 0
    for row, keys in enumerate(sets):
        groups = rare.groups(keys)
        numbers[row] = groups.numbers[held] + size
        size += groups.size
    return numbers, size
