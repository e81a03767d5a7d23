"""What microaggregation accepts beside what every kernel checks: no missing values, a group size, group numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.arguments import require_columns

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

SMALLEST_K = 2


def require_matrix(x: ArrayLike) -> NDArray[np.float64]:
    """Return x as an (n, p) float array without missing values.

    Raises
    ------
    ValueError
        Not numbers, not two-dimensional, no rows, no columns, NaN, infinite, or beyond 1e150.
    """
    if np.ndim(x) != 2:  # noqa: PLR2004
        hint = " (one variable: x[:, None])" if np.ndim(x) == 1 else ""
        raise ValueError(f"x has {np.ndim(x)} dimensions, expected 2: (records, variables){hint}")
    matrix = np.ascontiguousarray(require_columns(x))
    if 0 in matrix.shape:
        raise ValueError(f"x has shape {matrix.shape}: at least one record and one variable are needed")
    missing = np.isnan(matrix)
    if missing.any():
        row, column = np.argwhere(missing)[0]
        raise ValueError(
            f"x holds NaN (row {row}, column {column}, and {missing.sum() - 1} more); "
            "expected none: leave out or impute what is missing first"
        )
    return matrix


def require_column(values: ArrayLike) -> NDArray[np.float64]:
    """Return values as an (n,) float array without missing values.

    Raises
    ------
    ValueError
        Not numbers, not one-dimensional, empty, NaN, infinite, or beyond 1e150.
    """
    if np.ndim(values) != 1:
        raise ValueError(f"values has {np.ndim(values)} dimensions, expected 1: (records,)")
    return require_matrix(np.asanyarray(values)[:, None])[:, 0]


def check_k(k: int, n: int) -> int:
    """Return k, the least number of records in a group, if n records can be grouped by it.

    Raises
    ------
    ValueError
        k is not a whole number, is below 2, or exceeds n.
    """
    if isinstance(k, bool) or not isinstance(k, int | np.integer):
        raise ValueError(  # noqa: TRY004 - bad input is one kind of error here
            f"k = {k!r} is not a whole number: give the least number of records in a group, 2 or more"
        )
    if k < SMALLEST_K:
        raise ValueError(f"k = {k}: a group of one record protects nobody, k must be 2 or more")
    if n < k:
        raise ValueError(
            f"{n} records cannot form a group of k = {k}: lower k, or join strata so that each has k records"
        )
    return int(k)


def require_groups(groups: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Return group numbers as an (n, q) int array: q = 1 for one partition, or q = p for one a variable.

    Parameters
    ----------
    groups : (n,) or (n, p) array of integers
    shape : (n, p)
        Of the data.

    Raises
    ------
    ValueError
        Not integers, or the shape does not fit the data's.
    """
    array = np.asarray(groups)
    if array.dtype.kind not in "iu":
        raise ValueError(f"groups must be integers, got {array.dtype}")
    if array.shape not in {shape[:1], shape}:
        raise ValueError(f"groups has shape {array.shape}, expected {shape[:1]} or {shape} like the data")
    return array.astype(np.int64).reshape(shape[0], -1)
