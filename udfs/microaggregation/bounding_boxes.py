"""Bounding boxes of points, and bounds on the distance from a point to anything in a box.

For a point q the squared distance to anything in a box [lo, hi] lies between

    sum_j max(lo_j - q_j, q_j - hi_j, 0)^2    and    sum_j max(q_j - lo_j, hi_j - q_j)^2

and so it does in floating-point arithmetic, to the last bit: subtraction, squaring and addition round monotonically,
and bounds and distances add the variables in the same order. No margin is needed.

A box is kept as its edges (lo, -hi), shape (2, ..., p, boxes); an empty one has lo = inf, hi = -inf.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def distances(cells: NDArray[np.float64], q: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the squared distances (..., m) between points (..., p, m) and a point q (p, 1)."""
    d = cells - q
    d *= d
    total: NDArray[np.float64] = d.sum(axis=-2)
    return total


def edges(cells: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the bounding boxes (2, ..., p) of points (..., p, m); a nan is no point."""
    return np.stack([np.fmin.reduce(cells, axis=-1, initial=np.inf), -np.fmax.reduce(cells, axis=-1, initial=-np.inf)])


def find_least_distances(box: NDArray[np.float64], q: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the least squared distance (..., boxes) that a point in each box can have; inf for an empty box."""
    gap = np.maximum(box[0] - q, box[1] + q)
    np.maximum(gap, 0.0, out=gap)
    gap *= gap
    total: NDArray[np.float64] = gap.sum(axis=-2)
    return total


def find_greatest_distances(box: NDArray[np.float64], q: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the greatest squared distance (..., boxes) that a point in each box can have; 0 for an empty box."""
    span = np.minimum(box[0] - q, box[1] + q)
    np.minimum(span, 0.0, out=span)
    span *= span
    total: NDArray[np.float64] = span.sum(axis=-2)
    return total


def split_into_boxes(points: NDArray[np.float64], chosen: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """Divide points into boxes of at most `size`, by halving at the median of the widest variable.

    Parameters
    ----------
    points : (m, p) float array
        The last row is nan: it fills boxes that are not full.
    chosen : (c,) int array
        The points to divide.
    size : int

    Returns
    -------
    (boxes, width) int array of points; the number of boxes is a power of two, neighbouring boxes in turn.
    """
    halvings = max(0, int(np.ceil(np.log2(max(len(chosen), 1) / size))))
    width = -(-len(chosen) // 2**halvings)
    nodes = np.full((1, width * 2**halvings), len(points) - 1, dtype=np.int64)  # nan is sorted last
    nodes[0, : len(chosen)] = chosen
    for _ in range(halvings):
        values = points[nodes]
        widest = np.argmax(np.fmax.reduce(values, axis=1) - np.fmin.reduce(values, axis=1), axis=1)
        along = np.take_along_axis(values, widest[:, None, None], axis=2)[:, :, 0]
        half = nodes.shape[1] // 2
        nodes = np.take_along_axis(nodes, np.argpartition(along, half, axis=1), axis=1).reshape(-1, half)
    return nodes
