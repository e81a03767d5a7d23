"""What every kernel checks of the columns, draws and parameters given to it.

A missing value is NaN throughout: it stays NaN and takes no part in any moment, rank or sum. A column is a
vector of shape (n,), several columns are a matrix of shape (n, p); a row is a record. A message says what was
given, what was expected and what to do.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Singles = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]
Truths = npt.NDArray[np.bool_]

GREATEST = 1e150


def require_vector(values: npt.ArrayLike, name: str = "values") -> Floats:
    """Return one column as float64 of shape (n,), missing values as NaN."""
    column = _make_finite(values, name)
    if column.ndim != 1:
        raise ValueError(f"{name} has shape {column.shape}; expected one column of shape (n,): mask columns one by one")
    return column


def require_columns(values: npt.ArrayLike, name: str = "x") -> Floats:
    """Return columns as float64 of shape (n, p); a single column (n,) becomes (n, 1)."""
    matrix = _make_finite(values, name)
    if matrix.ndim not in {1, 2}:
        raise ValueError(f"{name} has shape {matrix.shape}; expected (n,) or (n, p), one row per record")
    return matrix[:, np.newaxis] if matrix.ndim == 1 else matrix


def require_normals(draws: npt.ArrayLike, matrix: Floats, name: str = "normals") -> Floats:
    """Return standard normal draws of the shape of `matrix`; (n,) is enough for one column."""
    found = np.asarray(draws, dtype=np.float64)
    if found.shape == matrix.shape[:1] and matrix.shape[1] == 1:
        found = found[:, np.newaxis]
    if found.shape != matrix.shape:
        raise ValueError(f"{name} has shape {found.shape}; expected {matrix.shape}, one draw for each value")
    if not np.isfinite(found).all():
        raise ValueError(f"{name} holds NaN or infinite draws; give finite ones for missing values too")
    return found


def require_uniforms(draws: npt.ArrayLike, shape: tuple[int, ...], name: str = "uniforms") -> Floats:
    """Return uniform draws of exactly this shape, each in [0, 1)."""
    found = np.asarray(draws, dtype=np.float64)
    if found.shape != shape:
        raise ValueError(f"{name} has shape {found.shape}; expected {shape}, one row per record")
    if not ((found >= 0) & (found < 1)).all():
        raise ValueError(f"{name} holds draws outside [0, 1); give keyed uniforms, for missing values too")
    return found


def require_parameter(value: float, name: str, *, above: float | None = None, least: float | None = None,
           below: float | None = None, most: float | None = None) -> float:  # fmt: skip
    """Return a finite parameter within its range: above < value < below, least <= value <= most."""
    wanted = [
        *([f"above {above:g}"] if above is not None else []),
        *([f"at least {least:g}"] if least is not None else []),
        *([f"below {below:g}"] if below is not None else []),
        *([f"at most {most:g}"] if most is not None else []),
    ]
    inside = (
        np.isfinite(value)
        and (above is None or value > above)
        and (least is None or value >= least)
        and (below is None or value < below)
        and (most is None or value <= most)
    )
    if not inside:
        raise ValueError(f"{name} is {value}; expected a number {' and '.join(wanted) or 'that is finite'}")
    return float(value)


def require_two_columns(found: int, what: str) -> None:
    """Refuse a column with a single value, which could only be released as it is; none at all is nothing to mask."""
    if found == 1:
        raise ValueError(f"{what} has 1 value; expected 2 or more, as a single one would stay as it is: join strata")


def require_numeric(values: npt.ArrayLike, name: str) -> Floats:
    """Return numbers as float64; refuse a masked array, which as a plain one would show what lies under the mask."""
    given = np.asarray(values)
    if given.dtype.kind not in "iuf":
        raise ValueError(f"{name} has type {given.dtype}; expected integers or floats: cast it, NULL to NaN")
    if np.ma.is_masked(values):
        raise ValueError(f"{name} is a masked array with missing values; expected NaN for them: fill it with NaN")
    return given.astype(np.float64)


def _make_finite(values: npt.ArrayLike, name: str) -> Floats:
    """Return numbers whose squares are finite, or NaN."""
    found = require_numeric(values, name)
    if found.size and (np.fmax.reduce(found, None) > GREATEST or np.fmin.reduce(found, None) < -GREATEST):
        raise ValueError(
            f"{name} holds infinite values or values beyond {GREATEST:g}, whose squares are infinite; "
            "expected finite ones, or NaN for missing: replace or rescale them"
        )
    return found
