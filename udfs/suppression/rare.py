"""The cells that have rare combinations, and how frequent these become as keys are suppressed.

A cell that has lost a key counts for all that agree with it on its other keys. In a set S a cell is looked at by what
it keeps of S, T; cells that have lost P of T count where they agree with it on T without P.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.suppression.frequencies import Groups, find_distinct

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sdc_sql.udfs.arguments import Floats, Integers
    from sdc_sql.udfs.suppression.frequencies import Frequencies


class Rare:
    """The cells with a rare combination: what they have lost, and by how much they are frequent enough in each set.

    Parameters
    ----------
    frequencies
        The frequencies as they are, NULL agreeing with every value.
    limits
        The least frequency in each set of keys, a bit a key.
    """

    def __init__(self, frequencies: Frequencies, limits: Mapping[int, float]) -> None:
        cells = frequencies.cells
        self.frequencies = frequencies
        self.here = np.flatnonzero(~frequencies.find_frequent_without(limits, 0, np.arange(cells.number)))
        self.counts, self.amounts = cells.counts[self.here], frequencies.amounts[self.here]
        self.missing = cells.every & ~cells.known[self.here]  # before anything is suppressed
        self.lost = self.missing.copy()
        over = {
            keys: np.where(frequencies.find_frequent(keys, limit), np.inf, frequencies.count_frequencies(keys) - limit)[
                self.here
            ]
            for keys, limit in limits.items()
        }
        over = {keys: of for keys, of in over.items() if (of < 0).any()}
        self.sets = np.array([*over], dtype=np.int64)
        self.limits = np.array([limits[keys] for keys in over])
        # how far frequencies are above the limit, (sets, cells); infinite: frequent from the start, and so for ever
        self.over = np.array([np.where(of < 0, of, np.inf) for of in over.values()]).reshape(len(over), len(self.here))
        self.rare = self.over < 0
        self.crossed: dict[int, Groups] = {}
        self.codes = np.array([self.groups(1 << key).numbers for key in range(cells.keys)], dtype=np.int32)
        self.bits = 1 << np.arange(cells.keys)

    def groups(self, keys: int) -> Groups:
        """Return the cells numbered by these keys, NULL a value."""
        if keys not in self.crossed:
            size, numbers = find_distinct(self.frequencies.groups(keys).numbers[self.here])
            self.crossed[keys] = Groups(numbers, size)
        return self.crossed[keys]

    def suppress(self, which: Integers, keys: Integers) -> None:
        """Suppress a key (a bit) of some cells; what is over of cells is brought up to date where it was below 0.

        But for what cells that had all keys of a set do for others that have them: `Stars.gains`.
        """
        before = self.lost[which]
        self.lost[which] |= keys
        changes = list(list_by_change(which, before, self.lost[which]))
        open_ = np.flatnonzero((self.over < 0).any(axis=0))
        for row, keyset in enumerate(self.sets.tolist()):
            for old, new, cells in changes:
                if old & keyset and (old ^ new) & keyset:
                    of = open_[(self.lost[open_] & keyset == 0) & (self.over[row, open_] < 0)]
                    self.over[row, of] += self._count_gain(keyset, old, new, cells, of)
        partial = open_[self.lost[open_] > 0]
        partial = partial[~np.isin(partial, which)]
        for row, keyset in enumerate(self.sets.tolist() if len(partial) else ()):
            of = partial[(self.over[row, partial] < 0) & (self.lost[partial] & keyset > 0)]
            kept = keyset & ~self.lost[of]
            for one in sorted(set(kept.tolist())):
                for old, new, cells in changes:
                    if (old ^ new) & one:
                        self.over[row, of[kept == one]] += self._count_gain(one, old, new, cells, of[kept == one])

    def _count_gain(self, keys: int, old: int, new: int, which: Integers, of: Integers) -> Floats:
        """Return how much more frequent some cells are on `keys` when others lose more than they had lost."""
        wide, narrow = self.groups(keys & ~new), self.groups(keys & ~old)
        amounts = self.amounts[which]
        return wide.sums(which, amounts)[wide.numbers[of]] - narrow.sums(which, amounts)[narrow.numbers[of]]

    def count(self) -> None:
        """Count what is over of all cells anew."""
        for row, keyset in enumerate(self.sets.tolist()):
            of = np.flatnonzero(self.rare[row])
            kept = keyset & ~self.lost[of]
            for one in sorted(set(kept.tolist())):
                here = of[kept == one]
                found = self.frequencies.count_frequencies(one)[self.here[here]] - self.limits[row]
                changed = np.flatnonzero((self.lost ^ self.missing) & one)
                for old, new, cells in list_by_change(changed, self.missing[changed] & one, self.lost[changed] & one):
                    found += self._count_gain(one, old, new, cells, here)
                self.over[row, here] = found

    def measure_without(self, cell: int, lost: int, changed: Integers) -> tuple[Integers, Floats]:
        """Return what would be over of a cell if it had lost these keys, and in which sets (their rows).

        `changed`: the cells that have lost keys, and perhaps others.
        """
        rows = np.flatnonzero(self.rare[:, cell])
        kept = self.sets[rows] & ~lost
        base = np.array([self.frequencies.count_frequencies(keys)[self.here[cell]] for keys in kept.tolist()])
        differing = self.find_differing(cell, changed)
        before, after = differing & ~self.missing[changed], differing & ~self.lost[changed]
        more = (after & kept[:, np.newaxis] == 0).astype(np.float64) - (before & kept[:, np.newaxis] == 0)
        return rows, base + more @ self.amounts[changed] - self.limits[rows]

    def find_differing(self, cell: int, others: Integers) -> Integers:
        """Return the keys whose categories others do not share with a cell, a bit each."""
        return np.asarray(self.bits @ (self.codes[:, others] != self.codes[:, cell, np.newaxis]))


def list_by_change(cells: Integers, before: Integers, after: Integers) -> Iterator[tuple[int, int, Integers]]:
    """Return the cells by what they had lost before and have lost after, where that is not the same.

    Examples
    --------
    >>> list(list_by_change(np.array([4, 5]), np.array([0, 0]), np.array([0, 2])))
    [(0, 2, array([5]))]
    """
    for old, new in sorted(set(zip(before.tolist(), after.tolist(), strict=True))):
        if old != new:
            yield old, new, cells[(before == old) & (after == new)]
