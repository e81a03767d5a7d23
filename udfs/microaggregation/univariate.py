"""Optimal microaggregation of one variable: the shortest path through the sorted values (Hansen and Mukherjee)."""

from __future__ import annotations

from itertools import islice
from operator import add
from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.microaggregation.checks import check_k, require_column

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

ARCS = 1 << 20  # lengths of arcs kept at a time
SMALL = (
    10  # the greatest k for which it is faster to solve the nodes one by one than k at a time; the groups are the same
)
THREE = 3  # the usual k, for which there is a loop of its own


def optimal_univariate(values: ArrayLike, k: int) -> NDArray[np.int64]:
    """Partition one variable into groups of at least k with the least sum of squares within groups, exactly.

    In an optimal partition a group is a run of the sorted values of at most 2k - 1 records. Nodes 0 ... n lie between
    the sorted values; an arc (i, j) is the group of the values i + 1 ... j, i + k <= j < i + 2k, and its length the
    sum of squares about their mean. The shortest path from 0 to n is the optimum.

    Parameters
    ----------
    values : (n,) array of numbers
    k : int
        The least number of records in a group, 2 or more, at most n.

    Returns
    -------
    (n,) int64 array
        The group of each record, 0, 1, ... from the lowest values to the highest; k to 2k - 1 records each.

    Raises
    ------
    ValueError
        The values are not a column of finite numbers, k is below 2, or there are fewer than k values.

    Notes
    -----
    Time and memory: O(n k) and O(n). Ties: equal values lie in the order of their rows; of two optima the one with the
    larger last group.

    References
    ----------
    S. L. Hansen and S. Mukherjee, "A polynomial algorithm for optimal univariate microaggregation", IEEE
    Transactions on Knowledge and Data Engineering 15 (2003), 1043-1044; SDC handbook, section 3.4.5.3, which prints the
    condition of an arc as 1 + k <= j < i + 2k; i + k <= j is meant.

    Examples
    --------
    >>> optimal_univariate([1, 2, 3, 4, 5, 90, 91, 92, 93], k=3).tolist()
    [0, 0, 0, 0, 0, 1, 1, 1, 1]
    """
    column = require_column(values)
    k = check_k(k, len(column))
    order = np.argsort(column)
    ordered = column[order]
    if (ordered[1:] == ordered[:-1]).any():  # the slower sort only where there are ties
        order = np.argsort(column, kind="stable")
    sizes = _shortest_path(ordered - ordered[len(column) // 2], k)  # a common offset would cost digits
    groups = np.empty(len(column), dtype=np.int64)
    ends = np.zeros(len(column), dtype=np.int64)
    steps, node = sizes.tolist(), len(column)
    while node:
        node -= steps[node]
        ends[node] = 1
    groups[order] = np.cumsum(ends) - 1
    return groups


def _shortest_path(v: NDArray[np.float64], k: int) -> NDArray[np.int64]:
    """Return of each node 0 ... n the size of the last group on the shortest path to it."""
    n = len(v)
    # cost[j + 2k - 1] is node j: what lies before node 0 cannot be reached
    cost = np.full(n + 3 * k, np.inf)
    cost[2 * k - 1] = 0.0
    # window i holds the nodes i - 2k + 1 ... i - k: where the arcs to node i begin, longest first
    windows = np.lib.stride_tricks.sliding_window_view(cost, k)
    sizes = np.zeros(n + 1 + k, dtype=np.int64)
    step = max(1, ARCS // (k * k)) * k
    for first in range(k, n + 1, step):
        arcs = _arcs(v, first, min(first + step, n + 1), k)
        stop = first + len(arcs)
        if k <= SMALL:
            least_costs = _find_least_of_three if k == THREE else _find_least
            cost[first + 2 * k - 1 : stop + 2 * k - 1] = least_costs(cost[first : first + 2 * k - 1].tolist(), arcs)
        else:
            for at in range(first, stop, k):  # an arc of k values begins before the k nodes that end here
                until = min(at + k, stop)
                totals = windows[at:until] + arcs[at - first : until - first]
                cost[at + 2 * k - 1 : until + 2 * k - 1] = totals.min(axis=1)
        least = cost[first + 2 * k - 1 : stop + 2 * k - 1]
        for shorter in range(k - 1, -1, -1):  # the longest arc last: of several that are shortest paths it is taken
            sizes[first:stop][windows[first:stop, shorter] + arcs[:, shorter] == least] = 2 * k - 1 - shorter
    return sizes


def _find_least(known: list[float], arcs: NDArray[np.float64]) -> list[float]:
    """Return the least costs of the nodes whose arcs are given, after those of the 2k - 1 nodes before them.

    A node at a time, since each hangs on those before; but no step of the loop over k arcs is Python's own: the
    iterators read the costs that are appended meanwhile.
    """
    before = len(known)
    totals = (map(add, islice(known, i, None), lengths.tolist()) for i, lengths in enumerate(arcs.T))
    for least in map(min, *totals):
        known.append(least)  # noqa: PERF402 - not all at once: the next least needs it
    return known[before:]


def _find_least_of_three(known: list[float], arcs: NDArray[np.float64]) -> list[float]:
    """Return what `_find_least` does for k = 3, in two thirds of its time: the costs that a node needs have names."""
    found: list[float] = []
    before_5, before_4, before_3, before_2, before_1 = known
    for of_5, of_4, of_3 in zip(*(lengths.tolist() for lengths in arcs.T), strict=True):
        least = before_3 + of_3
        longer = before_4 + of_4
        if longer < least:  # noqa: PLR1730 - min() takes twice as long
            least = longer
        longer = before_5 + of_5
        if longer < least:  # noqa: PLR1730
            least = longer
        found.append(least)
        before_5, before_4, before_3, before_2, before_1 = before_4, before_3, before_2, before_1, least
    return found


def _arcs(v: NDArray[np.float64], first: int, until: int, k: int) -> NDArray[np.float64]:
    """Return the lengths (until - first, k) of the arcs to nodes first ... until - 1, of 2k - 1 down to k values.

    Built value by value (the mean and the sum of squares updated, as in Welford's method): differences of
    cumulated squares would lose all digits on large values.
    """
    arcs = np.full((until - first, k), np.inf, order="F")
    before = np.concatenate([np.zeros(max(0, 2 * k - 1 - first)), v[max(0, first - 2 * k + 1) : until - 1]])
    mean = before[2 * k - 2 :].copy()  # the last value of each arc; then one more to the left at a time
    squares = np.zeros(until - first)
    for size in range(2, 2 * k):
        away = before[2 * k - 1 - size : len(before) - size + 1] - mean
        squares += away * away * ((size - 1) / size)
        mean += away / size
        if size >= k:
            arcs[max(0, size - first) :, 2 * k - 1 - size] = squares[max(0, size - first) :]
    return arcs
