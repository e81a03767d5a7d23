"""To which published average a new record goes: the nearest one, which stays as it is.

No average is published anew: each original value enters one at the most, whoever comes, leaves or changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers

FIRST = 32  # so many groups are looked at first, to either side
ELEMENTS = 4_000_000  # so many numbers has an array at the most


def find_nearest_group(x: Floats, groups: Floats) -> Integers:
    """Return of each record the row of the nearest group, of several the first; columns are in units of their own.

    Groups are sorted along their widest column. A window about the record's place is looked at, and doubled until what
    lies outside is further away in that column alone.

    Examples
    --------
    >>> find_nearest_group(np.array([[1.0], [7.0], [4.0]]), np.array([[6.0], [2.0]]))
    array([1, 0, 0])
    """
    if not len(groups):
        raise ValueError("there is no group")
    axis = int(np.argmax(groups.max(axis=0) - groups.min(axis=0)))
    order = np.lexsort((np.arange(len(groups)), groups[:, axis]))
    sorted_, along = groups[order], groups[order, axis]
    found = np.empty(len(x), dtype=np.int64)
    waiting, width = np.arange(len(x)), FIRST
    while len(waiting):
        left: list[Integers] = []
        step = max(1, ELEMENTS // (2 * width * groups.shape[1]))
        for rows in np.array_split(waiting, -(-len(waiting) // step)):
            best, settled = _search_window(x[rows], sorted_, along, order, axis, width)
            found[rows] = best
            left.append(rows[~settled])
        waiting, width = np.concatenate(left), 2 * width
    return found


def _search_window(  # noqa: PLR0917
    x: Floats, groups: Floats, along: Floats, order: Integers, axis: int, width: int
) -> tuple[Integers, np.ndarray[tuple[int], np.dtype[np.bool_]]]:
    """Return the nearest group of each record within its window, and whether none outside can be as near."""
    n, size = len(along), min(len(along), 2 * width)
    start = np.clip(np.searchsorted(along, x[:, axis]) - width, 0, n - size)
    places = start[:, None] + np.arange(size)
    squares = ((groups[places] - x[:, None, :]) ** 2).sum(axis=2)
    least = squares.min(axis=1)
    first = np.where(squares == least[:, None], order[places], n).min(axis=1)
    below = np.where(start > 0, (x[:, axis] - along[np.maximum(start - 1, 0)]) ** 2, np.inf)
    end = start + size
    above = np.where(end < n, (along[np.minimum(end, n - 1)] - x[:, axis]) ** 2, np.inf)
    return first, (below > least) & (above > least)
