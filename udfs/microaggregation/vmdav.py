"""V-MDAV: groups of k to 2k - 1 records, which grow where a neighbour is nearer to them than to the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.microaggregation.checks import check_k, require_matrix
from sdc_sql.udfs.microaggregation.ungrouped import Remaining

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def vmdav(x: ArrayLike, k: int, gamma: float = 0.2) -> NDArray[np.int64]:
    """Partition records into groups of k to 2k - 1 whose records are similar.

    While at least k records remain: make a group of the record farthest from the mean of all records and the k - 1
    nearest to it. Then, while it has fewer than 2k - 1 records, let e be the remaining record nearest to any
    record of the group, d_in that distance, and d_out the distance from e to the nearest other remaining record: e
    joins if d_in < gamma d_out. At the end each of the fewer than k records that remain goes to the group with the
    nearest mean.

    Parameters
    ----------
    x : (n, p) array of numbers
        n records of p variables; standardise first.
    k : int
        The least number of records in a group, 2 or more, at most n.
    gamma : float, default 0.2
        The gain factor, 0 or more. 0 keeps groups at k; the paper suggests 0.2 for scattered
        and 1.1 for clustered data.

    Returns
    -------
    (n,) int64 array
        The group of each record, 0, 1, ...

    Raises
    ------
    ValueError
        x is not a matrix of finite numbers, k is below 2, there are fewer than k records, or gamma is negative or not
        finite.

    Notes
    -----
    Ties: of records at equal distance the lowest row number comes first, of groups the one formed first. In the paper a
    group may pass 2k - 1 records at the end; here one that reaches 2k is divided into two of k (the record farthest
    from its mean with the k - 1 nearest to it, and the others), which never raises the loss.

    References
    ----------
    A. Solanas and A. Martinez-Balleste, "V-MDAV: a multivariate microaggregation with variable group size",
    COMPSTAT 2006, 917-925; SDC handbook, section 3.4.5.1 (why variable sizes).

    Examples
    --------
    The five records on the left stay together, as in Figure 3.1 of the handbook.

    >>> vmdav([[0], [1], [2], [3], [4], [90], [91], [92], [93]], k=3, gamma=1.1).tolist()
    [1, 1, 1, 1, 1, 0, 0, 0, 0]
    """
    matrix = require_matrix(x)
    k = check_k(k, len(matrix))
    if not 0 <= gamma < np.inf:
        raise ValueError(f"gamma = {gamma}: the gain factor must be a finite number, 0 or more")
    remaining = Remaining(matrix, k)
    groups = np.full(len(matrix), -1, dtype=np.int64)
    formed = 0
    from_mean = ((matrix - matrix.mean(axis=0)) ** 2).sum(axis=1)
    for record in np.argsort(-from_mean, kind="stable").tolist():
        if remaining.count < k:
            break
        if groups[record] < 0:
            rows = [row for _, row in remaining.find_nearest(matrix[record], k, record)]
            remaining.remove(rows)
            groups[_extend_group(matrix, remaining, rows, k, gamma)] = formed
            formed += 1
    _place_remaining(matrix, groups, sorted(remaining.rows()), k)
    return groups


def _extend_group(
    matrix: NDArray[np.float64], remaining: Remaining, rows: list[int], k: int, gamma: float
) -> list[int]:
    """Return the records of a group and those that join it, taken out of the remaining."""
    near: dict[int, tuple[float, int]] = {}  # the nearest remaining record of each record of the group
    while len(rows) < 2 * k - 1 and remaining.count and gamma > 0:
        for row in rows:
            if row not in near:
                near[row] = remaining.find_nearest(matrix[row], 1)[0]
        inside, candidate = min(near.values())
        two = remaining.find_nearest(matrix[candidate], min(2, remaining.count), candidate)
        outside = max((d for d, row in two if row != candidate), default=np.inf)
        if not inside < gamma**2 * outside:  # d_in < gamma d_out, squared
            break
        # the lowest row of records with the same values leaves first: it is the candidate
        remaining.remove([candidate])
        rows = [*rows, candidate]
        near = {row: found for row, found in near.items() if found[1] != candidate}
    return rows


def _place_remaining(matrix: NDArray[np.float64], groups: NDArray[np.int64], rest: list[int], k: int) -> None:
    """Put each record that is left over into the group with the nearest mean; divide a group that reaches 2k."""
    if not rest:
        return
    grouped = np.flatnonzero(groups >= 0)
    sums = np.stack([np.bincount(groups[grouped], weights=column[grouped]) for column in matrix.T], axis=1)
    means = sums / np.bincount(groups[grouped])[:, None]
    for row in rest:
        group = int(((means - matrix[row]) ** 2).sum(axis=1).argmin())
        groups[row] = group
        members = np.flatnonzero(groups == group)
        if len(members) == 2 * k:
            centre = matrix[members].mean(axis=0)
            far = matrix[members[((matrix[members] - centre) ** 2).sum(axis=1).argmax()]]
            away = members[np.argsort(((matrix[members] - far) ** 2).sum(axis=1), kind="stable")[:k]]
            groups[away] = len(means)
            means = np.vstack([means, matrix[away].mean(axis=0)])
            members = np.setdiff1d(members, away)
        means[group] = matrix[members].mean(axis=0)
