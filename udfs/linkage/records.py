"""Records to be compared, and the distance of two of them.

The squared distance is a sum over variables: of a number the squared difference times a factor, of a category its cost
where the two differ. Variables in order (ordinal ones) are numbers: their ranks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers

NONE = -1  # a category that agrees with no other, not even with itself
BITS = 22  # so many bits are rounded off a squared distance: 30 stay, nine digits


@dataclass(frozen=True)
class Variables:
    """What each variable counts: a factor of the difference of numbers, a cost of categories that differ."""

    factors: Floats
    costs: Floats

    def __post_init__(self) -> None:
        """Refuse what is no distance."""
        for name, found in (("factor", self.factors), ("weight", self.costs)):
            if not (np.isfinite(found).all() and (found >= 0).all()):
                raise ValueError(f"a {name} of the distance is not a number of at least 0: give finite ones")


@dataclass(frozen=True)
class Records:
    """The records of a file.

    Parameters
    ----------
    numbers
        Shape (n, p), without missing values.
    codes
        Categories by numbers from 0, shape (n, q); NONE where it agrees with no other.
    counts
        How many records of the file each stands for, shape (n,).
    """

    numbers: Floats
    codes: Integers
    counts: Integers

    def __post_init__(self) -> None:
        """Refuse missing numbers: there is no distance to them."""
        if not np.isfinite(self.numbers).all():
            raise ValueError(
                "a number is missing (NULL) or not finite, and there is no distance to it: leave these records or the "
                "column out, or have the column compared as categories, where NULL is one of them"
            )

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.counts)

    def select(self, rows: Integers) -> Records:
        """Return some of the rows."""
        return Records(self.numbers[rows], self.codes[rows], self.counts[rows])


def compute_squared_distances(x: Records, i: Integers, y: Records, k: Integers, variables: Variables) -> Floats:
    """Return the squared distances of the rows i of one file to the rows k of the other, pair by pair.

    They are rounded to nine digits, so that equal ones are equal: 0.3 - 0.2 and 0.2 - 0.1 differ in the sixteenth.
    """
    apart = np.square((x.numbers.take(i, axis=0) - y.numbers.take(k, axis=0)) * variables.factors)
    mine = x.codes.take(i, axis=0)
    differ = ((mine != y.codes.take(k, axis=0)) | (mine == NONE)) * variables.costs
    total = np.zeros(len(i))
    for column in (*apart.T, *differ.T):  # always in this order
        total += column
    return ((total.view(np.int64) + (1 << (BITS - 1))) & -(1 << BITS)).view(np.float64)


def group_records(records: Records) -> tuple[Records, Integers]:
    """Return the different records, each with its count, and for each row which of these it is."""
    if not len(records):
        return records, np.empty(0, dtype=np.int64)
    keys = [*records.numbers.T, *records.codes.T]
    order = np.lexsort(keys) if keys else np.arange(len(records))
    new = np.zeros(len(records), dtype=bool)
    new[0] = True
    for key in keys:
        new[1:] |= np.diff(key[order]) != 0
    of = np.empty(len(records), dtype=np.int64)
    of[order] = np.cumsum(new) - 1
    counts = np.bincount(of, weights=records.counts).astype(np.int64)
    first = order[new]
    return Records(records.numbers[first], records.codes[first], counts), of


def mask_foreign_categories(x: Records, y: Records) -> tuple[Records, Records]:
    """Return both files with categories that the other has not as NONE: they agree with nothing, whichever they are."""
    mine, other = x.codes.copy(), y.codes.copy()
    for j in range(mine.shape[1]):
        both = np.intersect1d(mine[:, j], other[:, j])
        for codes in (mine[:, j], other[:, j]):
            codes[:] = np.where(np.isin(codes, both), np.searchsorted(both, codes), NONE)
    return Records(x.numbers, mine, x.counts), Records(y.numbers, other, y.counts)


def mask_single_categories(x: Records) -> Records:
    """Return a file with the categories of a single record as NONE: no other record agrees with them."""
    codes = x.codes.copy()
    for j in range(codes.shape[1]):
        found, of = np.unique(codes[:, j], return_inverse=True)
        shared = np.bincount(of, weights=x.counts) > 1
        numbers = np.where(shared, np.cumsum(shared) - 1, NONE)
        codes[:, j] = numbers[of] if len(found) else NONE
    return Records(x.numbers, codes, x.counts)
