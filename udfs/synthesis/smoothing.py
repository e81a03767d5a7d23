"""Numbers of single persons drawn anew among their neighbours; values of many stay."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers

DECIMALS = 6
UNITS = (864e8, 1e6)  # of times in microseconds: a day, a second
DIGITS = 5  # beyond those of the deviation, where values have no few decimals


class Smoothing:
    """What is released of the value of a donor.

    0 and values of k records or more stay. Of the others, in their order, a place is drawn among the k records on
    either side, and the value between those there; the outermost k count as their mean, which none is above.

    Examples
    --------
    >>> x = np.array([0, 0, 50, 50, 50, 50, 50, *range(100, 200, 7)], dtype=float)
    >>> found = Smoothing(x, 5).draw(np.array([0, 3, 7, 21]), np.array([0.5, 0.5, 0.999, 0.999]))
    >>> found.tolist()  # NaN: as it is
    [nan, nan, 135.0, 184.0]
    """

    def __init__(self, x: Floats, k: int, *, time: bool = False) -> None:
        there = ~np.isnan(x)
        values, place, counts = np.unique(x[there], return_inverse=True, return_counts=True)
        rare = (counts < k) & (values != 0)
        self.k = k
        self.place = np.full(len(x), -1, dtype=np.int32)
        self.place[there] = np.where(rare, np.cumsum(rare) - 1, -1)[place]
        self.knots, self.counts = values[rare], counts[rare]
        self.kept = values[~rare]
        self.step = _find_step(values, UNITS if time else ())

    def draw(self, donors: Integers, uniforms: Floats) -> Floats:
        """Return the released values, NaN where the donor's value stays."""
        found = np.full(len(donors), np.nan)
        place = self.place[donors]
        moved = place >= 0
        if not moved.any():
            return found
        rest = int(self.counts.sum())
        if rest < self.k:  # too few to hide among: the nearest value that many have
            if not len(self.kept):
                raise ValueError(
                    f"{rest} records have a number; expected at least {self.k}, of which values are drawn: leave the "
                    "column out"
                )
            nearest = np.abs(self.knots[:, np.newaxis] - self.kept).argmin(1)
            found[moved] = self.kept[nearest][place[moved]]
            return found
        middles = np.cumsum(self.counts) - self.counts / 2
        drawn = middles[place[moved]] + (2 * uniforms[moved] - 1) * self.k
        low, high = (_mean_of_first(v, c, self.k) for v, c in self._ends())
        between = np.interp(drawn, middles, np.clip(self.knots, low, high))
        found[moved] = (
            np.rint(between / self.step) * self.step
            if self.step >= 1
            else np.round(np.rint(between * np.rint(1 / self.step)) / np.rint(1 / self.step), 12)
        )
        found[moved] += 0.0
        return found

    def _ends(self) -> tuple[tuple[Floats, Integers], tuple[Floats, Integers]]:
        return (self.knots, self.counts), (self.knots[::-1], self.counts[::-1])


def _mean_of_first(values: Floats, counts: Integers, k: int) -> float:
    """Return the mean of the first k records."""
    taken = np.clip(k - (np.cumsum(counts) - counts), 0, counts)
    return float((values * taken).sum() / taken.sum())


def _find_step(values: Floats, units: tuple[float, ...]) -> float:
    """Return the unit of all values, or of their decimals, or of some digits beyond their deviation."""
    for unit in units:
        if (values % unit == 0).all():
            return unit
    for decimals in range(DECIMALS + 1):
        if (np.abs(values) < 2**52 / 10**decimals).all() and (np.round(values, decimals) == values).all():
            return float(10.0**-decimals)
    return float(10.0 ** (np.floor(np.log10(values.std())) - DIGITS))
