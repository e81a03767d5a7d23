"""Masked values kept inside a range and, where asked, on whole numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats


Bound = float | npt.ArrayLike | None


def reflect_at_bounds(masked: Floats, lower: Floats, upper: Floats) -> Floats:
    """Return values reflected at the bounds, as often as it takes, into [lower, upper].

    A value d beyond a bound is moved to d inside it. That moves values near a bound inwards: with normal noise of
    standard deviation s, one that lies at the bound moves by s sqrt(2 / pi) = 0.8 s on average, one that lies
    3 s away by less than 0.001 s. Clipping would instead pile values on the bound; a new draw would make the
    result depend on how many draws it took.

    Parameters
    ----------
    masked
        Shape (n, p), NaN where missing.
    lower, upper
        Shape (p,), -inf and inf for no bound; lower < upper.
    """
    low, high = np.isfinite(lower), np.isfinite(upper)
    result = masked.copy()
    for j in range(masked.shape[1]):
        column = result[:, j]
        if low[j] and high[j]:
            width = upper[j] - lower[j]
            folded = np.mod(column - lower[j], 2 * width)
            inside = lower[j] + np.minimum(folded, 2 * width - folded)
            outside = (column < lower[j]) | (column > upper[j])  # a value inside stays to the bit
            result[:, j] = np.where(outside, np.clip(inside, lower[j], upper[j]), column)
        elif low[j]:
            result[:, j] = np.where(column < lower[j], 2 * lower[j] - column, column)
        elif high[j]:
            result[:, j] = np.where(column > upper[j], 2 * upper[j] - column, column)
    return result


def fit_to_bounds(
    masked: Floats, original: Floats, lower: Bound, upper: Bound, rounded: bool | npt.ArrayLike
) -> Floats:
    """Return masked values reflected into the bounds, then rounded to whole numbers where asked.

    Parameters
    ----------
    masked, original
        Shape (n, p): after and before the noise.
    lower, upper
        One number for all columns, one for each (-inf or inf for none), or None.
    rounded
        True for whole numbers, one for all columns or one for each. A number is rounded to the nearest whole
        number in the range, which adds at most 1/12 to the variance where the noise is wide.

    Raises
    ------
    ValueError
        If there is not one bound per column, if a range is empty or holds no whole number where one is asked for,
        or if an original value lies outside.
    """
    p = masked.shape[1]
    low, high = _require_bounds(lower, -np.inf, p, "lower"), _require_bounds(upper, np.inf, p, "upper")
    whole = _require_bounds(rounded, 0.0, p, "rounded") != 0
    for j in range(p):
        if not low[j] < high[j]:
            raise ValueError(f"lower is {low[j]:g} and upper {high[j]:g} for column {j}; expected lower < upper")
        beyond = int(((original[:, j] < low[j]) | (original[:, j] > high[j])).sum())
        if beyond:
            raise ValueError(
                f"{beyond} values of column {j} lie outside [{low[j]:g}, {high[j]:g}]; expected none: "
                "widen the bounds or clean the column"
            )
        if whole[j] and np.ceil(low[j]) > np.floor(high[j]):
            raise ValueError(f"no whole number lies in [{low[j]:g}, {high[j]:g}], column {j}; widen the bounds")
    result = reflect_at_bounds(masked, low, high)
    for j in np.flatnonzero(whole).tolist():
        result[:, j] = np.clip(np.rint(result[:, j]), np.ceil(low[j]), np.floor(high[j])) + 0.0  # not -0.0
    return result


def _require_bounds(given: Bound, absent: float, p: int, name: str) -> Floats:
    """Return one number per column."""
    found = np.asarray(absent if given is None else given, dtype=np.float64)
    if found.ndim > 0 and found.shape != (p,):
        raise ValueError(f"{name} has shape {found.shape}; expected one number, or one for each of {p} columns")
    if np.isnan(found).any():
        raise ValueError(f"{name} holds NaN; expected numbers, or -inf and inf for no bound")
    return np.broadcast_to(found, (p,))
