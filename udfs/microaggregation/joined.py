"""To which published average a new record goes: the nearest one, which stays as it is.

No average is published anew: each original value enters one at the most, whoever comes, leaves or changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers

LEAF = 64  # so many groups stand together, at the least
RECORDS = 100_000  # so many records are looked for at a time
PAIRS = 1_000_000  # and so many pairs of a record and a box, at the most
NEAR = 1 + 1e-12  # a sum in another order may differ in its last bits: what is as near as the best is looked at


def find_nearest_group(x: Floats, groups: Floats) -> Integers:
    """Return of each record the row of the nearest group, of several the first; columns are in units of their own.

    Groups are cut into boxes within boxes. Each record goes down into the nearer half each time and looks at the groups
    that it finds; then at those of all boxes that are no farther away than the best of these, from the whole down.

    Examples
    --------
    >>> find_nearest_group(np.array([[1.0], [7.0], [4.0]]), np.array([[6.0], [2.0]]))
    array([1, 0, 0])
    """
    if not len(groups):
        raise ValueError("there is no group")
    boxes = _cut_boxes(groups)
    found = np.empty(len(x), dtype=np.int64)
    for start in range(0, len(x), RECORDS):
        found[start : start + RECORDS] = _search_boxes(x[start : start + RECORDS], groups, boxes)
    return found


@dataclass(frozen=True)
class _Boxes:
    """Boxes within boxes, of each where it begins and ends: the whole is 1, and the halves of i are 2 i and 2 i + 1.

    From ``uncut`` on they are not cut: of these ``rows`` has the groups, the first rows first.
    """

    low: Floats
    high: Floats
    uncut: int
    rows: list[Integers]


def _cut_boxes(groups: Floats) -> _Boxes:
    """Cut the groups by their first column into as many parts as are needed, each of these by the second, and so on."""
    n, columns = groups.shape
    bits = max(0, (n // LEAF).bit_length() - 1)
    order, place, done = np.arange(n), np.arange(n), 0
    for j in range(columns):
        order = order[np.lexsort((groups[order, j], (place << done) // n))]
        done += (bits - done) // (columns - j)
    uncut = 1 << bits
    box = (place << bits) // n
    order = order[np.lexsort((order, box))]
    starts = np.searchsorted(box, np.arange(uncut))
    low, high = np.empty((2 * uncut, columns)), np.empty((2 * uncut, columns))
    low[uncut:] = np.minimum.reduceat(groups[order], starts, axis=0)
    high[uncut:] = np.maximum.reduceat(groups[order], starts, axis=0)
    for level in reversed(range(bits)):
        those, halves = slice(1 << level, 2 << level), slice(2 << level, 4 << level)
        low[those] = np.minimum(low[halves][::2], low[halves][1::2])
        high[those] = np.maximum(high[halves][::2], high[halves][1::2])
    return _Boxes(low, high, uncut, np.split(order, starts[1:]))


def _search_boxes(x: Floats, groups: Floats, boxes: _Boxes) -> Integers:
    """Return the row of the nearest group of each record."""
    every = np.arange(len(x))
    least, best = np.full(len(x), np.inf), np.full(len(x), len(groups), dtype=np.int64)
    nearest = np.ones(len(x), dtype=np.int64)
    for _ in range(boxes.uncut.bit_length() - 1):
        nearest = 2 * nearest + (_away(x, boxes, every, 2 * nearest) > _away(x, boxes, every, 2 * nearest + 1))
    _look(x, groups, boxes.rows, (every, nearest - boxes.uncut), least, best)
    # A box in a box is no nearer than that one, in rounded numbers too: each step of the sum is monotone.
    left = [(every, np.ones(len(x), dtype=np.int64))]
    while left:
        records, places = left.pop()
        near = _away(x, boxes, records, places) <= least[records] * NEAR
        records, places = records[near], places[near]
        if len(places) > PAIRS:  # where many groups are as near: by parts, so that the pairs are not all there at once
            half = len(places) // 2
            left += [(records[:half], places[:half]), (records[half:], places[half:])]
        elif len(places) and places[0] < boxes.uncut:
            left.append((np.append(records, records), np.append(2 * places, 2 * places + 1)))
        else:
            other = places != nearest[records]
            _look(x, groups, boxes.rows, (records[other], places[other] - boxes.uncut), least, best)
    return best


def _away(x: Floats, boxes: _Boxes, records: Integers, places: Integers) -> Floats:
    """Return the squared distance of records to boxes, of each pair."""
    away = np.zeros(len(records))
    for j in range(x.shape[1]):
        its = x[records, j]
        away += np.maximum(np.maximum(boxes.low[places, j] - its, its - boxes.high[places, j]), 0) ** 2
    return away


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
