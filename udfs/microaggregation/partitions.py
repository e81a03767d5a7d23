"""Partitions made along an axis, for each variable by itself, or by MDAV within blocks; and standardised values.

A partition is found on standardised values; what its groups release is in `centroids`. The caller leaves out what is
missing: no kernel accepts NaN.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from sdc_sql.udfs.microaggregation.checks import check_k, require_matrix
from sdc_sql.udfs.microaggregation.lockstep import group_blocks_by_mdav
from sdc_sql.udfs.microaggregation.mdav import mdav
from sdc_sql.udfs.microaggregation.univariate import optimal_univariate

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Sizes = Literal["optimal", "fixed"]
LARGE = 16_000  # records of a block from which on it is faster to skip what cannot be the result


def standardise_columns(x: ArrayLike) -> NDArray[np.float64]:
    """Standardise every variable to mean 0 and variance 1, so that all weigh the same in a distance.

    Parameters
    ----------
    x : (n, p) array of numbers

    Returns
    -------
    (n, p) float array
        (x - mean) / sd, with the sd over n; a variable that does not vary becomes 0.

    Raises
    ------
    ValueError
        x is not a matrix of finite numbers.

    References
    ----------
    SDC handbook, section 3.4.5: 11 records of 2 variables have SST = 22, hence the sd over n.

    Examples
    --------
    >>> standardise_columns([[1.0, 5.0], [3.0, 5.0]]).tolist()
    [[-1.0, 0.0], [1.0, 0.0]]
    """
    matrix = require_matrix(x)
    constant = matrix.min(axis=0) == matrix.max(axis=0)
    centred = matrix - matrix.mean(axis=0)
    centred[:, constant] = 0.0
    size = np.abs(centred).max(axis=0)  # scaled first: squares of tiny values would vanish
    centred /= np.where(size > 0, size, 1.0)
    centred -= centred.mean(axis=0)
    sd = np.sqrt((centred**2).mean(axis=0))
    return np.where(constant, 0.0, centred / np.where(sd > 0, sd, 1.0))


def partition_by_blocks(x: ArrayLike, k: int, blocks: int) -> NDArray[np.int64]:
    """Partition records by MDAV within blocks: those that follow one another on the first principal component.

    For a million records and more. The fewer the blocks, the smaller the loss and the longer the time; how much is
    lost depends on the data: measure it (`sdc_sse_sst`).

    Parameters
    ----------
    x : (n, p) array of numbers, standardised
    k : int
        The least number of records in a group.
    blocks : int
        1 (plain MDAV) to n // k; block sizes differ by one record at most.

    Returns
    -------
    (n,) int64 array
        The group of each record, 0, 1, ...; k to 2k - 1 records each.

    Raises
    ------
    ValueError
        x is not a matrix of finite numbers, k is below 2, there are fewer than k records, or a block would have.

    Examples
    --------
    >>> partition_by_blocks([[0], [1], [2], [10], [11], [12], [13]], k=3, blocks=2).tolist()
    [0, 0, 0, 0, 1, 1, 1]
    """
    matrix = require_matrix(x)
    k = check_k(k, len(matrix))
    if not 1 <= blocks <= len(matrix) // k:
        raise ValueError(
            f"blocks = {blocks}: with {len(matrix)} records and k = {k} expected 1 to {len(matrix) // k}, "
            "so that each block has k records"
        )
    parts = np.array_split(np.argsort(_principal_component(matrix), kind="stable"), blocks)
    groups = np.empty(len(matrix), dtype=np.int64)
    formed = 0
    for size in sorted({len(part) for part in parts}, reverse=True):  # there are one or two sizes
        rows = np.sort(np.stack([part for part in parts if len(part) == size]), axis=1)
        inside = (
            np.stack([mdav(matrix[r], k) for r in rows]) if size >= LARGE else group_blocks_by_mdav(matrix[rows], k)
        )
        each = int(inside.max()) + 1
        groups[rows] = inside + formed + each * np.arange(len(rows))[:, np.newaxis]
        formed += each * len(rows)
    return groups


def individual_ranking(x: ArrayLike, k: int, sizes: Sizes = "optimal") -> NDArray[np.int64]:
    """Partition the records for each variable by itself: little information is lost, and little protection gained.

    Parameters
    ----------
    x : (n, p) array of numbers
    k : int
    sizes : {'optimal', 'fixed'}
        Optimal: k to 2k - 1 records, least loss (`optimal_univariate`). Fixed: k records in the order of the values,
        the last group up to 2k - 1.

    Returns
    -------
    (n, p) int64 array
        Of each record its group in each variable; `aggregate` takes it as it is.

    Raises
    ------
    ValueError
        x is not a matrix of finite numbers, k is below 2, there are fewer than k records, or the sizes are neither.

    Notes
    -----
    A record shares each value with k - 1 others, but not all values with anyone: an intruder who knows several
    variables of a target usually finds it. The result is not k-anonymous.

    References
    ----------
    SDC handbook, section 3.4.5.2 (Defays and Nanopoulos, 1993; its disclosure risk: Domingo-Ferrer et al., 2002).

    Examples
    --------
    >>> individual_ranking([[1, 9], [2, 1], [8, 2], [9, 8]], k=2).tolist()
    [[0, 1], [0, 0], [1, 0], [1, 1]]
    """
    matrix = require_matrix(x)
    return np.stack([_partition_axis(column, k, sizes) for column in matrix.T], axis=1)


def projection(
    x: ArrayLike,
    k: int,
    method: Literal["principal_component", "sum_of_z"] = "principal_component",
    sizes: Sizes = "fixed",
) -> NDArray[np.int64]:
    """Partition records by their order on one axis.

    Parameters
    ----------
    x : (n, p) array of numbers, standardised
    k : int
    method : {'principal_component', 'sum_of_z'}
        The first principal component of x, or the sum of its standardised variables.
    sizes : {'fixed', 'optimal'}
        Groups of k (the last up to 2k - 1), or those of k to 2k - 1 that lose least *on the axis*.

    Returns
    -------
    (n,) int64 array
        The group of each record, 0, 1, ... along the axis.

    Raises
    ------
    ValueError
        x is not a matrix of finite numbers, k is below 2, there are fewer than k records, or the method or the
        sizes are neither.

    References
    ----------
    SDC handbook, section 3.4.5.2 (Defays and Nanopoulos, 1993).

    Examples
    --------
    >>> projection([[0, 0], [5, 5], [1, 1], [6, 6]], k=2).tolist()
    [0, 1, 0, 1]
    """
    matrix = require_matrix(x)
    if method == "principal_component":
        return _partition_axis(_principal_component(matrix), k, sizes)
    if method == "sum_of_z":
        return _partition_axis(standardise_columns(matrix).sum(axis=1), k, sizes)
    raise ValueError(f"method = {method!r}: expected 'principal_component' or 'sum_of_z'")


def _partition_axis(column: NDArray[np.float64], k: int, sizes: Sizes) -> NDArray[np.int64]:
    """Return the groups of records along one axis."""
    k = check_k(k, len(column))
    if sizes == "optimal":
        return optimal_univariate(column, k)
    if sizes != "fixed":
        raise ValueError(f"sizes = {sizes!r}: expected 'optimal' or 'fixed'")
    groups = np.empty(len(column), dtype=np.int64)
    groups[np.argsort(column, kind="stable")] = np.minimum(np.arange(len(column)) // k, len(column) // k - 1)
    return groups


def _principal_component(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the scores (n,) on the first principal component; its largest loading is positive."""
    centred = matrix - matrix.mean(axis=0)
    size = float(np.abs(centred).max()) or 1.0
    centred /= size
    loadings = np.linalg.eigh(centred.T @ centred)[1][:, -1]
    scores: NDArray[np.float64] = centred @ (loadings * np.sign(loadings[np.abs(loadings).argmax()]))
    return scores
