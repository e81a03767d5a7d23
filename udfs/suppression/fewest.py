"""The fewest suppressions by which each released row is shared by k, of a few records: by looking at all groupings.

A group of records releases what all of them have in common, or less: a row of records that stay as they are. A group
of 2k can be parted into two that lose no more, so that groups of k to 2k - 1 suffice, and fewer where such records have
the row. Of the sets of records, from the smallest on, the best grouping is that of a group with the first record and of
what it leaves.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers, Truths
    from sdc_sql.udfs.suppression.cells import Cells

RECORDS = 10  # more records than these would have more than a thousand sets


def suppress_fewest(cells: Cells, k: int) -> tuple[float, Integers] | None:
    """Return the least cost, and what :func:`identical` returns: a row for each cell and set of keys that it loses.

    None where there are more than a few records, or no grouping.

    Examples
    --------
    >>> from sdc_sql.udfs.suppression.cells import Cells
    >>> codes = np.array([[2, 1, 1], [2, 1, 2], [1, 1, 0], [1, 0, 1]])
    >>> cost, rows = suppress_fewest(Cells(codes, np.array([2, 1, 1, 1]), [1, 1, 1]), 2)
    >>> cost, rows.tolist()
    (5.0, [[0, 4, 2], [1, 4, 1], [2, 2, 1], [3, 4, 1]])
    """
    n = int(cells.counts.sum())
    if not 0 < n <= RECORDS:
        return None
    of = np.repeat(np.arange(cells.number), cells.counts).tolist()
    groups, rows = _find_groups(cells, of, k)
    best, chosen = np.full(1 << n, np.inf), np.zeros(1 << n, dtype=np.int64)
    best[0] = 0
    for some in range(1, 1 << n):
        sets, costs = groups[(some & -some).bit_length() - 1]
        within = np.flatnonzero((sets & ~some) == 0)
        if len(within):
            whole = costs[within] + best[some ^ sets[within]]
            least = int(np.argmin(whole))
            best[some], chosen[some] = whole[least], sets[within[least]]
    left, lost = (1 << n) - 1, dict[tuple[int, int], int]()
    if not np.isfinite(best[left]):
        return None
    total = float(best[left])
    while left:
        group = int(chosen[left])
        for i in range(n):
            if group >> i & 1:
                place = of[i], rows[group] & int(cells.known[of[i]])
                lost[place] = lost.get(place, 0) + 1
        left ^= group
    found = [(cell, left_out, number) for (cell, left_out), number in sorted(lost.items())]
    return total, np.array(found, dtype=np.int64).reshape(-1, 3)


def _find_groups(cells: Cells, of: list[int], k: int) -> tuple[list[tuple[Integers, Floats]], dict[int, int]]:
    """Return the groups that may be released, by their first record, with their costs; and the keys that each loses."""
    codes = np.stack([cells.column(key)[0] for key in range(cells.keys)], axis=1)
    alike = [[_keys(codes[i] == codes[j]) for j in range(cells.number)] for i in range(cells.number)]
    known, n = cells.known.tolist(), len(of)
    standing = [(cell, int(cells.others[cell])) for cell in np.flatnonzero(cells.others).tolist()]
    lost, found = dict[int, int](), [(list[int](), list[float]()) for _ in of]
    cost_of = [0.0 if left_out & cells.kept else cells.cost(left_out) for left_out in range(cells.every + 1)]
    for size in range(1, min(2 * k - 1, n) + 1):
        for group in combinations(range(n), size):
            members = [of[i] for i in group]
            first, common = members[0], known[members[0]]
            for cell in members:
                common &= alike[first][cell]
            # records become what all have in common, or a row of records that stay as they are, which may have less
            stays = [(known[c], m) for c, m in standing if not known[c] & ~(common & alike[first][c])]
            kept = [row for row, number in stays if size + number >= k] + ([common] if size >= k else [])
            costs = [
                (sum(cost_of[known[cell] & ~row] for cell in members), cells.every & ~row)
                for row in kept
                if not any(known[cell] & ~row & cells.kept for cell in members)
            ]
            if costs:
                cost, left_out = min(costs)
                name = sum(1 << i for i in group)
                lost[name] = left_out
                found[group[0]][0].append(name)
                found[group[0]][1].append(cost)
    return [(np.array(sets, dtype=np.int64), np.array(costs)) for sets, costs in found], lost


def _keys(which: Truths) -> int:
    """Return keys as a bit each."""
    return sum(1 << key for key in np.flatnonzero(which).tolist())
