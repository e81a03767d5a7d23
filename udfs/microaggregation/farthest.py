"""The record farthest from a centroid that moves a little at a time: only the outermost shell is searched.

A full search from centroid c0 keeps the sites farthest from it, the shell, and t, the greatest distance from c0 among
all others. The triangle inequality puts every other site within t + |c - c0| of a later centroid c (and sites only
leave). If the farthest of the shell is farther than that, it is the farthest of all; else the search is full again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from sdc_sql.udfs.microaggregation.ungrouped import Remaining

SAFE = 1 + 1e-9  # computed distances have a relative error of some 1e-15


class Outermost:
    """The shell of the records that remain."""

    def __init__(self, remaining: Remaining) -> None:
        self._remaining = remaining
        self._sites = np.empty(0, dtype=np.int64)

    def find_farthest(self, c: NDArray[np.float64]) -> int:
        """Return the record farthest from c; of several, the lowest row."""
        if self._sites.size:
            d = _squares(self._points, c)
            d[~self._remaining.left[self._sites]] = -1.0
            best = d.max()
            moved = np.sqrt(((c - self._centre) ** 2).sum())
            if best > ((self._inside + moved) * SAFE) ** 2:
                return self._remaining.find_lowest(self._sites[d == best])
        return self._look(c)

    def _look(self, c: NDArray[np.float64]) -> int:
        sites, points = self._remaining.points()
        d = _squares(points, c)
        answer = self._remaining.find_lowest(sites[d == d.max()])
        shell = 64 + int(2 * np.sqrt(len(sites)))
        if shell < len(sites):
            order = np.argpartition(d, len(sites) - shell - 1)
            self._inside = np.sqrt(d[order[len(sites) - shell - 1]])
            keep = order[len(sites) - shell :]
            self._sites, self._points, self._centre = sites[keep], points[:, keep], c
        else:
            self._inside = -np.inf
            self._sites, self._points, self._centre = sites, points, c
        return answer


def _squares(points: NDArray[np.float64], c: NDArray[np.float64]) -> NDArray[np.float64]:
    d = points - c[:, None]
    d *= d
    total: NDArray[np.float64] = d.sum(axis=0)
    return total
