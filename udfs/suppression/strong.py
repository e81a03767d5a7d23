"""The fewest suppressions so that each record agrees, on the keys it keeps, with at least k records of the original.

Whether a set of kept keys will do for a record depends on the original records alone, so each record is decided by
itself: the cheapest set that will do is the best there is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers
    from sdc_sql.udfs.suppression.cells import Cells


def suppress_strongly(cells: Cells, k: float, amounts: Floats | None = None) -> Integers:
    """Return for each cell the keys that its records lose, a bit each.

    Parameters
    ----------
    k
        The least number of original records, or where `amounts` are given of persons.
    amounts
        The sum of the weights of each cell.

    Examples
    --------
    Of (a, b), (a, c), (a, c) the first keeps its first key: three records have it.

    >>> from sdc_sql.udfs.suppression.cells import Cells
    >>> suppress_strongly(Cells(np.array([[1, 1], [1, 2]]), np.array([1, 2]), [1, 1]), 2).tolist()
    [2, 0]
    """
    sizes = cells.totals.astype(np.float64) if amounts is None else amounts
    if sizes.sum() < k * (1 - 1e-12):
        raise ValueError(f"all records together are {sizes.sum():g}, fewer than k = {k:g}: no suppression is enough")
    lost = np.full(cells.number, -1, dtype=np.int64)
    left = np.flatnonzero(cells.counts > 0)
    for left_out in cells.sets:
        may = cells.find_keeping_known(left_out, left)
        here = left[may]
        if not len(here):
            continue
        enough = np.zeros(len(left), dtype=np.bool_)
        enough[may] = cells.sums(left_out, here, sizes, k) >= k * (1 - 1e-12)
        lost[left[enough]] = left_out & cells.known[left[enough]]
        left = left[~enough]
        if not len(left):
            break
    return lost
