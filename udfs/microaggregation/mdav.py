"""MDAV, maximum distance to average vector: groups of k records, formed from the outside inwards.

The searches are those of `farthest` and `ungrouped`, which skip what cannot be the result; the partition is that of
the plain algorithm, which examines every record four times for two groups.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.microaggregation.checks import check_k, require_matrix
from sdc_sql.udfs.microaggregation.farthest import Outermost
from sdc_sql.udfs.microaggregation.ungrouped import Remaining

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def mdav(x: ArrayLike, k: int) -> NDArray[np.int64]:
    """Partition records into groups of k (at most two are larger) whose records are similar.

    While at least 3k records remain: take the record r farthest from their mean and make a group of r and the k - 1
    records nearest to it; take the record s farthest from r among the others and make a group in the same way. If 2k to
    3k - 1 remain, make one such group around the record farthest from the mean; what is left is the last group.

    Every group has at least k and at most 2k - 1 records, and only the last can have more than k: each
    round leaves at least k, so that the rounds end with k to 3k - 1 records; of 2k or more, k go, which
    leaves k to 2k - 1.

    Parameters
    ----------
    x : (n, p) array of numbers
        n records of p variables. Distances are squared Euclidean: standardise first, so that no unit outweighs
        another (`partitions.standardised`).
    k : int
        The least number of records in a group, 2 or more, at most n.

    Returns
    -------
    (n,) int64 array
        The group of each record, 0, 1, ... in the order in which the groups are formed.

    Raises
    ------
    ValueError
        x is not a matrix of finite numbers, k is below 2, or there are fewer than k records.

    Notes
    -----
    Ties: of records at equal distance the lowest row number comes first. The mean is a running sum over a count; where
    it is not exact (sums of integers below 2^53 are), records that tie up to rounding may come in either order.

    References
    ----------
    SDC handbook, section 3.4.5.4; J. Domingo-Ferrer and V. Torra, "Ordinal, continuous and heterogeneous
    k-anonymity through microaggregation", Data Mining and Knowledge Discovery 11 (2005), 195-212 (MDAV-generic). The
    handbook prints the range of step 5 backwards, "between 3k - 1 and 2k" (2k to 3k - 1 is meant), and begins with
    two groups without asking for 3k records: 2k + 1 records would leave a group of one. Here the count comes first.

    Examples
    --------
    >>> mdav([[0], [1], [2], [10], [11], [12], [13]], k=3).tolist()
    [0, 0, 0, 1, 1, 1, 1]
    """
    matrix = require_matrix(x)
    k = check_k(k, len(matrix))
    remaining = Remaining(matrix, k)
    outermost = Outermost(remaining)
    total = matrix.sum(axis=0)
    groups = np.empty(len(matrix), dtype=np.int64)
    formed = 0

    def form_around(record: int) -> None:
        nonlocal formed
        rows = [row for _, row in remaining.find_nearest(matrix[record], k, record)]
        groups[rows] = formed
        formed += 1
        np.subtract(total, matrix[rows].sum(axis=0), out=total)
        remaining.remove(rows)

    while remaining.count >= 3 * k:
        r = outermost.find_farthest(total / remaining.count)
        form_around(r)
        form_around(remaining.find_farthest(matrix[r]))
    if remaining.count >= 2 * k:  # step 5, 2k to 3k - 1 records
        form_around(outermost.find_farthest(total / remaining.count))
    groups[remaining.rows()] = formed  # steps 5.4 and 6, k to 2k - 1 records
    return groups
