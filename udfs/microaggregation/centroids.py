"""What a group releases in place of its records: a mean, a median, the most frequent category."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from sdc_sql.udfs.microaggregation.checks import require_groups, require_matrix

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def aggregate(x: ArrayLike, groups: ArrayLike, centroid: Literal["mean", "median"] = "mean") -> NDArray[np.float64]:
    """Replace the values of each record by those of its group.

    Parameters
    ----------
    x : (n, p) array of numbers, in the units to be released (not standardised)
    groups : (n,) or (n, p) array of integers
        A partition of the records, or one for each variable (`individual_ranking`).
    centroid : {'mean', 'median'}
        Means keep the mean of each variable; medians resist outliers within a group and do not.

    Returns
    -------
    (n, p) float array

    Raises
    ------
    ValueError
        x is not a matrix of finite numbers, the groups do not fit it, or the centroid is neither.

    References
    ----------
    SDC handbook, sections 3.4.2.3 and 3.4.5.

    Examples
    --------
    >>> aggregate([[1.0], [2.0], [6.0], [10.0], [20.0]], [0, 0, 0, 1, 1]).ravel().tolist()
    [3.0, 3.0, 3.0, 15.0, 15.0]
    >>> aggregate([[1.0], [2.0], [6.0], [10.0], [20.0]], [0, 0, 0, 1, 1], centroid="median").ravel().tolist()
    [2.0, 2.0, 2.0, 15.0, 15.0]
    """
    matrix = require_matrix(x)
    partitions = require_groups(groups, matrix.shape)
    if centroid not in {"mean", "median"}:
        raise ValueError(f"centroid = {centroid!r}: expected 'mean' or 'median'")
    centre = _means if centroid == "mean" else _medians
    out = np.empty_like(matrix)
    for j in range(matrix.shape[1]):
        out[:, j] = centre(matrix[:, j], partitions[:, j % partitions.shape[1]])
    return out


def aggregate_categorical(
    codes: ArrayLike, groups: ArrayLike, scale: Literal["ordinal", "nominal"]
) -> NDArray[np.int64]:
    """Replace the categories of each record by one of its group.

    Parameters
    ----------
    codes : (n,) or (n, p) array of integers
        Categories by number; of an ordinal variable in their order.
    groups : (n,) or (n, p) array of integers
    scale : {'ordinal', 'nominal'}
        Ordinal: the median category, of the two in the middle the lower. Nominal: the most frequent, of several the
        lowest code (plurality rule).

    Returns
    -------
    int64 array, the shape of `codes`

    Raises
    ------
    ValueError
        The codes or groups are not integers, their shapes do not fit, or the scale is neither.

    References
    ----------
    SDC handbook, section 3.4.5.5; V. Torra, "Microaggregation for categorical variables: a median based approach",
    Privacy in Statistical Databases 2004, 162-174.

    Examples
    --------
    >>> aggregate_categorical([1, 1, 4, 5, 3, 3, 1], [0, 0, 0, 0, 1, 1, 1], scale="ordinal").tolist()
    [1, 1, 1, 1, 3, 3, 3]
    >>> aggregate_categorical([7, 7, 4, 4, 9], [0, 0, 0, 0, 0], scale="nominal").tolist()
    [4, 4, 4, 4, 4]
    """
    array = np.asarray(codes)
    if array.dtype.kind not in "iu" or array.ndim not in {1, 2} or 0 in array.shape:
        raise ValueError(f"codes must be integers, (n,) or (n, p), not empty; got {array.dtype} of shape {array.shape}")
    if np.ma.is_masked(codes):
        raise ValueError("codes is a masked array with missing values: give them a code of their own")
    if scale not in {"ordinal", "nominal"}:
        raise ValueError(f"scale = {scale!r}: expected 'ordinal' (median category) or 'nominal' (most frequent)")
    matrix = array.astype(np.int64).reshape(len(array), -1)
    partitions = require_groups(groups, matrix.shape)
    choose = _find_lower_medians if scale == "ordinal" else _find_modes
    out = np.empty_like(matrix)
    for j in range(matrix.shape[1]):
        out[:, j] = choose(matrix[:, j], partitions[:, j % partitions.shape[1]])
    return out.reshape(array.shape)


def _find_run_starts(*keys: NDArray[np.generic]) -> NDArray[np.int64]:
    """Return where the runs of equal keys begin."""
    new = np.ones(len(keys[0]), dtype=bool)
    new[1:] = np.logical_or.reduce([key[1:] != key[:-1] for key in keys])
    return np.flatnonzero(new)


def _means(v: NDArray[np.float64], groups: NDArray[np.int64]) -> NDArray[np.float64]:
    number = groups if groups.min() >= 0 and groups.max() < 2 * len(v) else np.unique(groups, return_inverse=True)[1]
    sizes = np.maximum(np.bincount(number), 1)  # a number may have no group
    mean = np.bincount(number, weights=v) / sizes
    mean += np.bincount(number, weights=v - mean[number]) / sizes  # the part that the first sum rounded off is added
    return mean[number]


def _medians(v: NDArray[np.float64], groups: NDArray[np.int64]) -> NDArray[np.float64]:
    order = np.lexsort((v, groups))
    begin = _find_run_starts(groups[order])
    size = np.diff(begin, append=len(v))
    low, high = v[order[begin + (size - 1) // 2]], v[order[begin + size // 2]]
    out = np.empty_like(v)
    out[order] = np.repeat(low + (high - low) / 2, size)
    return out


def _find_lower_medians(codes: NDArray[np.int64], groups: NDArray[np.int64]) -> NDArray[np.int64]:
    order = np.lexsort((codes, groups))
    begin = _find_run_starts(groups[order])
    size = np.diff(begin, append=len(codes))
    out = np.empty_like(codes)
    out[order] = np.repeat(codes[order[begin + (size - 1) // 2]], size)
    return out


def _find_modes(codes: NDArray[np.int64], groups: NDArray[np.int64]) -> NDArray[np.int64]:
    order = np.lexsort((codes, groups))
    begin = _find_run_starts(groups[order], codes[order])  # each category of a group is one run
    count = np.diff(begin, append=len(codes))
    code, group = codes[order[begin]], groups[order[begin]]
    best = np.lexsort((code, -count, group))
    first = best[_find_run_starts(group[best])]
    out = np.empty_like(codes)
    out[order] = np.repeat(code[first], np.diff(_find_run_starts(groups[order]), append=len(codes)))
    return out
