"""How much lies in each of many boxes, exactly: of points with whole-number coordinates, each counting something.

One coordinate is looked up in the sorted points, the second by the digits of its ranks (a wavelet matrix): a million
boxes in a million points take seconds, however much they hold. More coordinates go by blocks of near points: a block
that lies in the boxes of all points of another is counted as a whole, one that touches none is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt
    from sdc_sql.udfs.arguments import Floats, Integers

    Short = npt.NDArray[np.int32]

BLOCK, FEW = 256, 64  # points of a block, and of those whose boxes are looked at together
PAIRS = 4_000_000  # compared at a time


def sum_boxes(points: Integers, low: Integers, high: Integers, counts: Floats) -> Floats:
    """Return what each box holds.

    Parameters
    ----------
    points
        Their coordinates, whole numbers from 0, shape (coordinates, points); of three and more below 2^31.
    low, high
        The boxes: the least coordinate that is in, and the first that is in no more; shape (coordinates, boxes), a box
        for each point.
    counts
        What each point counts: whole numbers whose sums are exact, shape (quantities, points); first 1 for each.

    Returns
    -------
    Floats
        Shape (quantities, boxes).
    """
    if len(points) == 1:
        order, start, end = _sort_points(points[0], low[0], high[0])
        sums = _sum_counts(counts[:, order])
        return sums[:, end] - sums[:, start]
    if len(points) == 2:  # noqa: PLR2004 - a plane
        order, start, end = _sort_points(points[0], low[0], high[0])
        bounds = [_sum_below(points[1][order], start, end, limit[1], counts[:, order]) for limit in (high, low)]
        return bounds[0] - bounds[1]
    return _sum_by_blocks(points.astype(np.int32), low.astype(np.int32), high.astype(np.int32), counts)


def _sum_counts(counts: Floats) -> Floats:
    """Return the sums of what stands before each place, and of all."""
    return np.hstack([np.zeros((len(counts), 1)), np.cumsum(counts, axis=1)])


def _sort_points(at: Integers, low: Integers, high: Integers) -> tuple[Integers, Integers, Integers]:
    order = np.argsort(at, kind="stable")
    ranked = at[order]
    return order, np.searchsorted(ranked, low), np.searchsorted(ranked, high)


def _sum_below(values: Integers, start: Integers, end: Integers, limit: Integers, counts: Floats) -> Floats:
    """Return what the places from start to end hold of values below a limit, digit by digit from the first one.

    Claude, Navarro & Ordonez (2015), The wavelet matrix, Information Systems 47, 15-32.
    """
    found = np.zeros((len(counts), len(start)))
    for bit in range(int(max(values.max(), limit.max())).bit_length() - 1, -1, -1):
        one = (values >> bit & 1).astype(bool)
        ahead = np.concatenate([[0], np.cumsum(~one)])  # places of a zero before each
        above = (limit >> bit & 1).astype(bool)
        zeros = ahead[start], ahead[end]
        if above.any():
            sums = _sum_counts(counts * ~one)
            found += (sums[:, end] - sums[:, start]) * above
        start = np.where(above, start - zeros[0] + ahead[-1], zeros[0])
        end = np.where(above, end - zeros[1] + ahead[-1], zeros[1])
        order = np.concatenate([np.flatnonzero(~one), np.flatnonzero(one)])
        values, counts = values[order], counts[:, order]
    return found


def _split_rows(points: Short, rows: Integers, most: int) -> list[Integers]:
    """Return rows in blocks, cut at the median of the coordinate that is spread most of all its values."""
    spread = np.maximum(points[:, rows].max(axis=1) - points[:, rows].min(axis=1), 1)
    done, left = [], [rows]
    while left:
        rows = left.pop()
        if len(rows) <= most:
            done.append(rows)
            continue
        of = int(np.argmax((points[:, rows].max(axis=1) - points[:, rows].min(axis=1)) / spread))
        half = len(rows) // 2
        order = np.argpartition(points[of, rows], half)
        left += [rows[order[:half]], rows[order[half:]]]
    return done


def _sum_by_blocks(points: Short, low: Short, high: Short, counts: Floats) -> Floats:
    found = np.zeros((len(counts), points.shape[1]))
    blocks = _split_rows(points, np.arange(points.shape[1]), BLOCK)
    order = np.concatenate(blocks)
    starts = np.cumsum([0, *(len(rows) for rows in blocks)])
    points, counts = points[:, order], counts[:, order]
    least, most = (of.reduceat(points, starts[:-1], axis=1) for of in (np.minimum, np.maximum))
    whole = np.add.reduceat(counts, starts[:-1], axis=1)
    places = np.arange(len(order))
    parts = [part for i in range(len(blocks)) for part in _split_rows(points, places[starts[i] : starts[i + 1]], FEW)]
    for part in parts:
        rows = order[part]
        mine, their = low[:, rows], high[:, rows]
        first, last = mine.min(axis=1)[:, None], their.max(axis=1)[:, None]
        touched = ((most >= first) & (least < last)).all(axis=0)
        inside = ((least >= mine.max(axis=1)[:, None]) & (most < their.min(axis=1)[:, None])).all(axis=0)
        found[:, rows] += whole[:, inside].sum(axis=1)[:, None]
        near = [places[starts[i] : starts[i + 1]] for i in np.flatnonzero(touched & ~inside)]
        if not near:
            continue
        others = np.concatenate(near)
        for at, lowest, highest in zip(points, first, last, strict=True):
            others = others[(at[others] >= lowest) & (at[others] < highest)]
        for some in np.array_split(others, len(others) * len(rows) // PAIRS + 1):
            within = np.ones((len(rows), len(some)), dtype=bool)
            for at, lowest, highest in zip(points, mine, their, strict=True):
                within &= at[some] >= lowest[:, None]
                within &= at[some] < highest[:, None]
            found[0, rows] += np.count_nonzero(within, axis=1)  # the first quantity counts points
            if len(counts) > 1:
                found[1:, rows] += (within @ counts[1:, some].T).T
    return found
