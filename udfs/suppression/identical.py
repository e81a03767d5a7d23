"""Few suppressions so that each released row is shared by at least k released records, NULL taken as a value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.sorting import order_rows
from sdc_sql.udfs.suppression.bettering import improve_groups
from sdc_sql.udfs.suppression.borrowing import borrow_records
from sdc_sql.udfs.suppression.fewest import suppress_fewest
from sdc_sql.udfs.suppression.greedy import settle_cells
from sdc_sql.udfs.suppression.released_groups import Groups

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Integers
    from sdc_sql.udfs.suppression.cells import Cells

_SMALL = 130_000  # cells x sets of keys
_EFFORT, _LITTLE, _OF_ONE = 3_000_000, 200_000, 15_000
_PIECE = 4096  # cells


def make_identical(cells: Cells, k: int, effort: int | None = None) -> Integers:
    """Return a row for each cell and set of keys that some of its records lose: cell, keys (a bit each), records.

    To find the fewest is NP-hard: this is a greedy answer, made better as far as the effort reaches. Of ten records and
    fewer it is the fewest.

    Parameters
    ----------
    effort
        Records times sets of keys that are looked at to better the greedy answer. By default 15,000 for each cell of
        fewer than k records, up to 3,000,000 (about a second); of large tables, which gain little by it, 200,000.

    Examples
    --------
    Of (a, b), (a, c), (a, c) one cannot be released as (a, *) by itself: one of the others joins it, or all do.

    >>> from sdc_sql.udfs.suppression.cells import Cells
    >>> make_identical(Cells(np.array([[1, 1], [1, 2]]), np.array([1, 3]), [1, 1]), 2).tolist()
    [[0, 2, 1], [1, 0, 2], [1, 2, 1]]
    """
    total = int(cells.totals.sum())
    if total < k:
        raise ValueError(f"there are {total} records, fewer than k = {k}: nothing can be released alike")
    lost, left = settle_cells(cells, k)
    groups = Groups(cells)
    for left_out in np.unique(lost[lost >= 0]).tolist():
        here = np.flatnonzero((lost == left_out) & (cells.counts > 0))
        rows = cells.released(left_out, here).tolist()
        for cell, row, n in zip(here.tolist(), rows, cells.counts[here].tolist(), strict=True):
            groups.add(cell, row, left_out, n)
    borrow_records(groups, left, k)
    fewer = suppress_fewest(cells, k)
    if fewer is not None:
        least, rows = fewer
        cost = sum(groups.cost(cell, row) * n for cell, by_row in groups.released.items() for row, n in by_row.items())
        if least < cost * (1 - 1e-9):
            return rows
        effort = 0
    improve_groups(groups, k, _effort(cells, k) if effort is None else effort)
    found = [(cell, groups.left_out[cell, row], n) for cell, rows in groups.released.items() for row, n in rows.items()]
    return np.array(sorted(found), dtype=np.int64).reshape(-1, 3)


def _effort(cells: Cells, k: int) -> int:
    most = _EFFORT if cells.number * len(cells.sets) <= _SMALL else _LITTLE
    return min(most, _OF_ONE * int((cells.totals < k).sum()))


def make_identical_within(cells: Cells, k: int) -> Integers:
    """Return the same where keys are never suppressed: cells that differ in one have nothing to do with one another.

    So they are taken in pieces, which takes much less time where there are many; and the effort is shared out.
    """
    kept = [key for key in range(cells.keys) if cells.kept >> key & 1]
    columns = np.stack([cells.column(key)[0] for key in kept], axis=1)
    _, own = np.unique(columns, axis=0, return_inverse=True)
    order = np.argsort(own.ravel(), kind="stable")
    ends = np.flatnonzero(np.diff(own.ravel()[order], append=-1)) + 1
    unsafe, effort = max(1, int((cells.totals < k).sum())), _effort(cells, k)
    found, start = [], 0
    for end in ends.tolist():
        if end - start < _PIECE and end < cells.number:
            continue
        here = np.sort(order[start:end])
        piece = cells.part(here)
        share = -(-effort * int((piece.totals < k).sum()) // unsafe)
        if (piece.totals < k).any():
            rows = make_identical(piece, k, share)
        else:
            rows = np.stack([np.arange(len(here)), np.zeros_like(here), piece.counts], axis=1)
        rows[:, 0] = here[rows[:, 0]]
        found.append(rows)
        start = end
    every = np.concatenate(found) if found else np.zeros((0, 3), dtype=np.int64)
    return np.asarray(every[order_rows(every)])
