"""To which published average a new record goes: the nearest one, which stays as it is.

No average is published anew: each original value enters one at the most, whoever comes, leaves or changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers

LEAF = 128  # so many groups stand together, at the most
ELEMENTS = 4_000_000  # so many numbers has an array at the most


def find_nearest_group(x: Floats, groups: Floats) -> Integers:
    """Return of each record the row of the nearest group, of several the first; columns are in units of their own.

    Groups are cut at the median of their widest column, again and again, into boxes. Each record looks at the groups of
    the nearest box, and then at those of all boxes that are no farther away than the best of these.

    Examples
    --------
    >>> find_nearest_group(np.array([[1.0], [7.0], [4.0]]), np.array([[6.0], [2.0]]))
    array([1, 0, 0])
    """
    if not len(groups):
        raise ValueError("there is no group")
    boxes = _cut_boxes(groups)
    low = np.array([groups[rows].min(axis=0) for rows in boxes])
    high = np.array([groups[rows].max(axis=0) for rows in boxes])
    found = np.empty(len(x), dtype=np.int64)
    step = max(1, ELEMENTS // len(boxes))
    for start in range(0, len(x), step):
        found[start : start + step] = _search_boxes(x[start : start + step], groups, boxes, low, high)
    return found


def _cut_boxes(groups: Floats) -> list[Integers]:
    """Return the rows of the groups of each box."""
    left, found = [np.arange(len(groups))], []
    while left:
        rows = left.pop()
        if len(rows) <= LEAF:
            found.append(np.sort(rows))
            continue
        its = groups[rows]
        along = its[:, int(np.argmax(its.max(axis=0) - its.min(axis=0)))]
        order, half = np.argpartition(along, len(rows) // 2), len(rows) // 2
        left += [rows[order[:half]], rows[order[half:]]]
    return found


def _search_boxes(x: Floats, groups: Floats, boxes: list[Integers], low: Floats, high: Floats) -> Integers:
    """Return the row of the nearest group of each record."""
    away = np.zeros((len(x), len(boxes)))  # squares, from each record to each box
    for j in range(x.shape[1]):
        away += np.maximum(np.maximum(low[:, j] - x[:, j : j + 1], x[:, j : j + 1] - high[:, j]), 0) ** 2
    least, best = np.full(len(x), np.inf), np.full(len(x), len(groups), dtype=np.int64)
    nearest = away.argmin(axis=1)
    _look(x, groups, boxes, (np.arange(len(x)), nearest), least, best)
    away[np.arange(len(x)), nearest] = np.inf
    # a sum in another order may differ in its last bits: a box that is as near as the best is looked at
    records, places = np.nonzero(away <= (least * (1 + 1e-12))[:, None])
    _look(x, groups, boxes, (records, places), least, best)
    return best


def _look(  # noqa: PLR0917
    x: Floats,
    groups: Floats,
    boxes: list[Integers],
    pairs: tuple[Integers, Integers],
    least: Floats,
    best: Integers,
) -> None:
    """Look at boxes for some records, and take note where a group of them is nearer, or as near and before."""
    records, places = pairs
    order = np.argsort(places, kind="stable")
    records, places = records[order], places[order]
    ends = np.flatnonzero(np.append(np.diff(places), 1)) + 1
    for start, end in zip(np.append(0, ends[:-1]), ends, strict=True) if len(places) else ():
        those, rows = records[start:end], boxes[places[start]]
        squares = ((groups[rows][None] - x[those][:, None]) ** 2).sum(axis=2)
        at = squares.argmin(axis=1)
        near, row = squares[np.arange(len(those)), at], rows[at]
        closer = (near < least[those]) | ((near == least[those]) & (row < best[those]))
        least[those[closer]], best[those[closer]] = near[closer], row[closer]
