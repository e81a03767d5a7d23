"""The fewest suppressions so that each record's combinations of values are frequent enough, set of keys by set.

As with `strong`, the original frequencies decide, so each record is decided by itself and the answer is the optimum. A
combination of which some values are suppressed has the frequency of what is left of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdc_sql.udfs.arguments import Floats, Integers, Truths
    from sdc_sql.udfs.suppression.cells import Cells

_DIGITS = 1e-12  # sums of weights that differ in the last digits are equal


def frequent(
    cells: Cells, sets: Sequence[int], thresholds: Sequence[float], amounts: Floats, *, inclusive: bool
) -> Integers:
    """Return for each cell the keys that its records lose, a bit each.

    Parameters
    ----------
    sets, thresholds
        The sets of keys that are looked at, a bit a key, and the threshold of each.
    amounts
        What the cells count: records, or the sums of their weights, (n,).
    inclusive
        Whether a frequency equal to the threshold is too low.

    Examples
    --------
    >>> from sdc_sql.udfs.suppression.cells import Cells
    >>> cells = Cells(np.array([[1, 1], [1, 2], [2, 2]]), np.array([1, 1, 1]), [1, 1])
    >>> frequent(cells, [1, 2], [1, 1], np.ones(3), inclusive=True).tolist()
    [2, 0, 1]
    """
    search = _Frequencies(cells, amounts)
    limits = {s: t * (1 + _DIGITS) if inclusive else t * (1 - _DIGITS) for s, t in zip(sets, thresholds, strict=True)}
    if sets and not _enough(np.array([amounts.sum()]), max(limits.values()), inclusive=inclusive)[0]:
        raise ValueError(f"all records together are {amounts.sum():g}, too few for a threshold of {max(thresholds):g}")
    lost = np.full(cells.number, -1, dtype=np.int64)
    left = np.arange(cells.number)
    for left_out in cells.sets:
        needed: dict[int, float] = {}
        for keys, limit in limits.items():
            needed[keys & ~left_out] = max(limit, needed.get(keys & ~left_out, 0.0))
        good = cells.keeping(left_out, left)
        for keys, limit in needed.items():
            good[good] = _enough(search.of(keys)[left[good]], limit, inclusive=inclusive)
        lost[left[good]] = left_out
        left = left[~good]
        if not len(left):
            break
    return lost


def _enough(amounts: Floats, limit: float, *, inclusive: bool) -> Truths:
    return np.asarray(amounts > limit if inclusive else amounts >= limit)


class _Frequencies:
    """What the records count that agree with a cell on a set of keys, as far as these are not NULL in it."""

    def __init__(self, cells: Cells, amounts: Floats) -> None:
        self.cells, self.amounts = cells, amounts
        self.patterns = [p for p in np.unique(cells.known).tolist() if p != cells.every]
        self.found: dict[int, Floats] = {}
        self.as_they_are: dict[int, Floats] = {}

    def of(self, keys: int) -> Floats:
        """Return the amounts for each cell, (n,)."""
        if keys not in self.found:
            found = self._as_they_are(keys).copy()
            for pattern in self.patterns:
                if keys & ~pattern:
                    here = self.cells.known == pattern
                    found[here] = self._as_they_are(keys & pattern)[here]
            self.found[keys] = found
        return self.found[keys]

    def _as_they_are(self, keys: int) -> Floats:
        if keys not in self.as_they_are:
            everyone = np.arange(self.cells.number)
            self.as_they_are[keys] = self.cells.sums(self.cells.every & ~keys, everyone, self.amounts, 0.0)
        return self.as_they_are[keys]
