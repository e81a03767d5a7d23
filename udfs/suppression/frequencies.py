"""What the records count that agree with a cell on a set of keys.

The cells are crossed again for each set, numbered by the codes of its keys: a number for each crossing that may be,
where these are not many more than the cells.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.udfs.arguments import Floats, Integers, Truths
    from sdc_sql.udfs.suppression.cells import Cells

_ROOM = 4  # numbers for each cell that are not worth a sort
_MOST = 2**62


class Groups:
    """The number of each cell in the crossing of some keys, and how many numbers there are."""

    def __init__(self, numbers: Integers, size: int) -> None:
        self.numbers, self.size = numbers, size

    def sums(self, of: Integers, amounts: Floats) -> Floats:
        """Return what some cells count in each number, (size,)."""
        return np.asarray(np.bincount(self.numbers[of], amounts, minlength=self.size), dtype=np.float64)

    def members(self, number: int) -> Integers:
        """Return the cells that have a number."""
        return self._order[self._starts[number] : self._starts[number + 1]]

    @cached_property
    def _order(self) -> Integers:
        return np.argsort(self.numbers, kind="stable")

    @cached_property
    def _starts(self) -> Integers:
        return np.concatenate([[0], np.cumsum(np.bincount(self.numbers, minlength=self.size))])


class Frequencies:
    """The frequencies of each cell on any set of keys (a bit each), as far as these are not NULL in it.

    Parameters
    ----------
    amounts
        What the cells count: records, or the sums of their weights, (n,).
    wildcard
        Whether NULL in another cell agrees with every value, or with none.
    at_least
        What cells that agree count at least, all together: their records, where weights are a little below 1.
    """

    def __init__(
        self, cells: Cells, amounts: Floats, *, wildcard: bool = False, at_least: Floats | None = None
    ) -> None:
        self.cells, self.amounts, self.wildcard = cells, amounts, wildcard
        self.patterns = [p for p in np.unique(cells.known).tolist() if p != cells.every]
        self.crossed: dict[int, Groups] = {}
        self.complete: dict[int, Floats] = {}
        self.found: dict[int, Floats] = {}
        self.least = None if at_least is None else Frequencies(cells, at_least, wildcard=wildcard)

    def count_frequencies(self, keys: int) -> Floats:
        """Return the frequency of each cell, (n,)."""
        if keys not in self.found:
            found = self._count_known(keys)
            for pattern in self.patterns:
                if keys & ~pattern:
                    here = self.cells.known == pattern
                    found = found.copy()
                    found[here] = self._count_known(keys & pattern)[here]
            self.found[keys] = found
        return self.found[keys]

    def _count_known(self, keys: int) -> Floats:
        """Return it for the cells where none of the keys is NULL."""
        if keys not in self.complete:
            known = self.cells.known & keys if self.wildcard else np.full(self.cells.number, keys)
            total = np.zeros(self.cells.number)
            for pattern in np.unique(known).tolist() if self.patterns else [keys]:
                of = np.flatnonzero(known == pattern)
                total += self.groups(pattern).sums(of, self.amounts[of])[self.groups(pattern).numbers]
            self.complete[keys] = total
        return self.complete[keys]

    def groups(self, keys: int) -> Groups:
        """Return the cells numbered by these keys, NULL a value."""
        if keys not in self.crossed:
            size, numbers = 1, np.zeros(self.cells.number, dtype=np.int64)
            for key in range(self.cells.keys):
                if keys >> key & 1:
                    column, values = self.cells.column(key)
                    if size * values >= _MOST:
                        size, numbers = find_distinct(numbers)
                    numbers, size = numbers * values + column, size * values
            if size > _ROOM * self.cells.number + 1000:
                size, numbers = find_distinct(numbers)
            self.crossed[keys] = Groups(numbers, size)
        return self.crossed[keys]

    def find_frequent(self, keys: int, limit: float) -> Truths:
        """Return which cells are frequent enough in a set of keys, (n,)."""
        found = self.count_frequencies(keys) >= limit
        return found if self.least is None else found | (self.least.count_frequencies(keys) >= limit)

    def find_frequent_without(self, limits: Mapping[int, float], left_out: int, wanted: Integers) -> Truths:
        """Return which of the wanted cells, without some keys, are frequent enough in every set of `limits`.

        Only cells count where these keys are not NULL yet.
        """
        needed: dict[int, float] = {}
        for keys, limit in limits.items():
            needed[keys & ~left_out] = max(limit, needed.get(keys & ~left_out, 0.0))
        good = np.flatnonzero(self.cells.find_keeping(left_out, wanted))
        for keys, limit in needed.items():
            if not len(good):
                break
            good = good[self.find_frequent(keys, limit)[wanted[good]]]
        found = np.zeros(len(wanted), dtype=np.bool_)
        found[good] = True
        return found


def find_distinct(numbers: Integers) -> tuple[int, Integers]:
    """Return how many numbers are distinct, and the place of each among them.

    Examples
    --------
    >>> find_distinct(np.array([7, 5, 7]))
    (2, array([1, 0, 1]))
    """
    values, place = np.unique(numbers, return_inverse=True)
    return len(values), place
