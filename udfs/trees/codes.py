"""Columns as a few codes each, on which trees grow: 0 for missing, then at most 255 values or intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats

Codes = npt.NDArray[np.uint8]
NOMINAL = 2
MOST = 255  # codes of values that there are


@dataclass(frozen=True)
class Coding:
    """The upper ends of the intervals of a column, the last one open; of names the code of each."""

    ends: Floats
    nominal: bool

    @property
    def codes(self) -> int:
        """How many codes there are, with that of missing values."""
        return (int(self.ends.max(initial=0)) if self.nominal else len(self.ends)) + 1

    def encode(self, values: Floats) -> Codes:
        """Return the codes of values.

        Examples
        --------
        >>> find_coding(np.array([3.0, 7.0, 7.0, 20.0]), 0).encode(np.array([7.0, 8.0, 99.0, np.nan])).tolist()
        [2, 3, 3, 0]
        """
        missing = np.isnan(values)
        if self.nominal:
            return np.where(missing, 0, self.ends[np.where(missing, 1, values).astype(np.int64) - 1]).astype(np.uint8)
        found = 1 + np.searchsorted(self.ends[:-1], values, side="left")
        return np.where(missing, 0, found).astype(np.uint8)


def find_coding(values: Floats, kind: int, *, most: int = 1) -> Coding:
    """Return the coding of a column: a code a value where there are 255 or fewer, else intervals of like frequency.

    Names are the numbers 1, 2, ..., `most` or more; beyond 254 of them the rarest have the last code together.

    Examples
    --------
    >>> find_coding(np.arange(1000.0), 0).codes
    256
    >>> find_coding(np.array([1.0, 3.0, 2.0, np.nan]), NOMINAL).ends.tolist()
    [1.0, 2.0, 3.0]
    """
    there = values[~np.isnan(values)]
    if kind == NOMINAL:
        counts = np.bincount(there.astype(np.int64), minlength=most + 1)[1:]
        codes = np.full(len(counts), float(MOST))
        first = np.argsort(-counts, kind="stable")[: MOST if len(counts) <= MOST else MOST - 1]
        codes[np.sort(first)] = np.arange(1, len(first) + 1)
        return Coding(codes, nominal=True)
    ordered = np.sort(there)
    ends = ordered[np.r_[True, ordered[1:] != ordered[:-1]]] if len(ordered) else ordered
    if len(ends) > MOST:
        places = (np.arange(1, MOST + 1) * len(ordered) + MOST - 1) // MOST - 1
        ends = np.unique(ordered[places])
    return Coding(ends if len(ends) else np.zeros(1), nominal=False)
