"""The records not yet in a group, kept in boxes, so that a search examines a few boxes instead of every record.

Records with the same values are one *site*: a search meets a value once, however many records share it. The sites lie
in leaves (boxes of some thirty), the leaves in larger boxes; see `bounding_boxes` for the bounds. A search first
examines where the answer is likely, which gives a distance to beat (the reach), then every box with a bound not
strictly worse. Hence it is exact: what is skipped cannot even tie. Of records at equal distance the
lowest row comes first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.microaggregation import bounding_boxes as boxes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

LEAF = 32  # sites in a leaf, at most (more for large groups); this and the next three affect the speed, not the result
FEW = 12  # leaves that are examined without narrowing them down first
LAZY = 24  # leaves that may lose a site before the boxes are shrunk; a box too large is still correct
REBUILD = 0.6  # everything is divided again when fewer than this share of the sites is left


class Remaining:
    """The records of x that are in no group yet.

    Parameters
    ----------
    x : (n, p) float array, finite
    size : int
        How many neighbours are searched for at a time; the leaves are at least twice as large.

    Attributes
    ----------
    count : int
        Records that remain.
    left : (sites,) bool array
        The sites that hold a record still.
    """

    def __init__(self, x: NDArray[np.float64], size: int) -> None:
        order = np.lexsort(x.T[::-1])  # stable: within a site, rows ascend
        first = np.ones(len(x), dtype=bool)
        first[1:] = (x[order[1:]] != x[order[:-1]]).any(axis=1)
        starts = np.flatnonzero(first)
        site_of = np.empty(len(x), dtype=np.int64)
        site_of[order] = np.cumsum(first) - 1
        self.count = len(x)
        self.left = np.ones(len(starts), dtype=bool)
        self._leaf = max(LEAF, 2 * size)
        self._rows: list[int] = order.tolist()
        self._site_of: list[int] = site_of.tolist()
        self._next: list[int] = starts.tolist()  # records leave a site in the order of their rows
        self._end: list[int] = [*starts[1:].tolist(), len(x)]
        self._points = np.vstack([x[order[starts]], np.full((1, x.shape[1]), np.nan)])  # the last fills leaves
        self._divide()

    def _divide(self) -> None:
        chosen = np.flatnonzero(self.left)
        self._sites = boxes.split_into_boxes(self._points, chosen, self._leaf)
        self._cells = np.ascontiguousarray(self._points[self._sites].transpose(0, 2, 1))
        n, p, self._width = self._cells.shape
        self._fan = 2 ** max(0, n.bit_length() // 2 - 1)  # leaves in a larger box
        self._leaf_box = np.empty((2, n // self._fan, p, self._fan))
        self._large_box = np.empty((2, p, n // self._fan))
        self._tighten(np.arange(n))
        place = np.zeros(len(self._points), dtype=np.int64)
        place[self._sites.ravel()] = np.arange(self._sites.size)
        self._place: list[int] = place.tolist()
        self._built = self._alive = len(chosen)
        self._touched: list[int] = []

    def _tighten(self, touched: NDArray[np.int64]) -> None:
        """Shrink the boxes of some leaves, and the larger boxes around them, to the sites still there."""
        large, slot = np.divmod(touched, self._fan)
        self._leaf_box[:, large, :, slot] = boxes.edges(self._cells[touched]).transpose(1, 0, 2)
        self._large_box[:, :, large] = self._leaf_box[:, large].min(axis=3).transpose(0, 2, 1)

    def find_nearest(self, x: NDArray[np.float64], m: int, home: int | None = None) -> list[tuple[float, int]]:
        """Return (squared distance, row) of the m records nearest to x (p,), in that order; m at most `count`.

        `home`, a record at x, gives the leaf to examine first.
        """
        q = x[:, None]
        reach = np.inf
        if home is not None:
            leaf = self._place[self._site_of[home]] // self._width
            reach = _find_smallest(boxes.distances(self._cells[leaf], q), m)
        large = np.flatnonzero(boxes.find_least_distances(self._large_box, q) <= reach)
        bound = boxes.find_least_distances(self._leaf_box.take(large, axis=1), q).ravel()
        where = np.flatnonzero(bound <= reach)
        if where.size > FEW:
            bound = bound[where]
            likely = where[bound.argpartition(FEW)[:FEW]]
            reach = min(
                reach, _find_smallest(boxes.distances(self._cells.take(self._list_leaves(large, likely), axis=0), q), m)
            )
            where = where[bound <= reach]
        found = self._list_leaves(large, where)
        d = boxes.distances(self._cells.take(found, axis=0), q).ravel()
        hits = np.flatnonzero(d <= (reach if reach < np.inf else _find_smallest(d, m)))
        near: list[tuple[float, int]] = []
        for site, distance in zip(
            self._sites.take(found, axis=0).ravel()[hits].tolist(), d[hits].tolist(), strict=True
        ):
            start = self._next[site]
            near += [(distance, row) for row in self._rows[start : min(start + m, self._end[site])]]
        near.sort()
        return near[:m]

    def find_farthest(self, x: NDArray[np.float64]) -> int:
        """Return the record farthest from x (p,); of several, the lowest row."""
        q = x[:, None]
        large_bound = boxes.find_greatest_distances(self._large_box, q)
        large = np.array([large_bound.argmax()])
        leaf = self._list_leaves(large, np.array([boxes.find_greatest_distances(self._leaf_box[:, large], q).argmax()]))
        reach = np.fmax.reduce(boxes.distances(self._cells[leaf[0]], q), initial=0.0)
        large = np.flatnonzero(large_bound >= reach)
        bound = boxes.find_greatest_distances(self._leaf_box.take(large, axis=1), q).ravel()
        where = np.flatnonzero(bound >= reach)
        if where.size > FEW:
            bound = bound[where]
            likely = where[bound.argpartition(-FEW)[-FEW:]]
            d = boxes.distances(self._cells.take(self._list_leaves(large, likely), axis=0), q)
            reach = np.fmax.reduce(d, axis=None, initial=reach)
            where = where[bound >= reach]
        found = self._list_leaves(large, where)
        d = boxes.distances(self._cells.take(found, axis=0), q).ravel()
        return self.find_lowest(self._sites.take(found, axis=0).ravel()[np.flatnonzero(d == np.fmax.reduce(d))])

    def _list_leaves(self, large: NDArray[np.int64], where: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the numbers of leaves, given their places among the leaves of some larger boxes."""
        numbers: NDArray[np.int64] = large[where // self._fan] * self._fan + where % self._fan
        return numbers

    def find_lowest(self, sites: NDArray[np.int64]) -> int:
        """Return the lowest row left at some sites."""
        at: list[int] = sites.tolist()
        return min(self._rows[self._next[site]] for site in at)

    def points(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the sites that hold a record still (m,) and their values (p, m)."""
        sites = np.flatnonzero(self.left)
        return sites, np.ascontiguousarray(self._points[sites].T)

    def rows(self) -> list[int]:
        """Return the records that remain."""
        return [row for site in np.flatnonzero(self.left) for row in self._rows[self._next[site] : self._end[site]]]

    def remove(self, rows: Iterable[int]) -> None:
        """Take records out, as `nearest` gives them: of records with the same values, the lowest row first."""
        for row in rows:
            site = self._site_of[row]
            self.count -= 1
            self._next[site] += 1
            if self._next[site] == self._end[site]:
                self.left[site] = False
                leaf, slot = divmod(self._place[site], self._width)
                self._cells[leaf, :, slot] = np.nan  # neither near nor far
                self._alive -= 1
                self._touched.append(leaf)
        if self._alive < REBUILD * self._built:
            self._divide()
        elif len(self._touched) >= LAZY:
            self._tighten(np.array(self._touched))
            self._touched = []


def _find_smallest(d: NDArray[np.float64], m: int) -> float:
    """Return the m-th smallest number (nan does not count), inf if there are fewer."""
    if d.size < m:
        return np.inf
    value = float(np.partition(d, m - 1, axis=None)[m - 1])
    return np.inf if np.isnan(value) else value
