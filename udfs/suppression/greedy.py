"""Groups of at least k records that are released alike: the cheapest sets of keys first.

A record that shares its released row with k - 1 others joins them at the first set of keys where so many are left.
Among sets of one cost the one that settles most records comes first.
"""

from __future__ import annotations

import heapq
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np
from sdc_sql.udfs.sorting import group_values

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from sdc_sql.udfs.arguments import Integers, Truths
    from sdc_sql.udfs.suppression.cells import Cells


def settle_cells(cells: Cells, k: int) -> tuple[Integers, Integers]:
    """Return the keys that each cell loses (a bit each; -1: not settled), and the cells that are not settled."""
    lost = np.where((cells.totals >= k) | (cells.counts == 0), 0, -1)
    left = np.flatnonzero(lost < 0)
    opened = cells.released(0, np.flatnonzero(cells.totals >= k))
    has_null = bool((cells.known != cells.every).any())
    for _, level in groupby(zip(cells.costs, cells.sets, strict=True), key=lambda pair: pair[0]):
        queue = [(-cells.number * k, place, left_out) for place, (_, left_out) in enumerate(level)]
        while queue and len(left):  # a set settles fewer as others settle: the first that is up to date is best
            _, place, left_out = heapq.heappop(queue)
            found, rows = _find_joining(cells, k, left_out, left, opened if has_null else None)
            gain = -int(cells.counts[left[found]].sum())
            if queue and (gain, place) > queue[0][:2]:
                if gain:
                    heapq.heappush(queue, (gain, place, left_out))
                continue
            lost[left[found]] = left_out
            opened = np.concatenate([opened, rows]) if has_null else opened
            left = left[~found]
    return lost, left


def _find_joining(
    cells: Cells, k: int, left_out: int, left: Integers, opened: NDArray[Any] | None
) -> tuple[Truths, NDArray[Any]]:
    """Return which of the cells left find k records that are released alike, and their rows."""
    rows, groups = group_values(cells.released(left_out, left))
    sizes = np.bincount(groups, weights=cells.counts[left], minlength=len(rows))
    enough = sizes >= k
    if opened is not None:  # rows with NULL may be there already
        enough = (sizes + cells.count_standing(rows) >= k) | np.isin(rows, opened)
    return enough[groups], rows[enough]
