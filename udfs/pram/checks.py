"""What the PRAM kernels check of a transition matrix and of the table that goes with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.arguments import require_numeric

if TYPE_CHECKING:
    import numpy.typing as npt
    from sdc_sql.udfs.arguments import Floats

TOLERANCE = 1e-9
GREATEST_CONDITION = 1e12


def require_pram_matrix(p: npt.ArrayLike, name: str = "p") -> Floats:
    """Return a PRAM matrix as float64, or refuse it.

    Parameters
    ----------
    p
        (K, K): row k, column l is P(X = l | xi = k), the probability that an original k is released as l.
    name
        What messages call it.

    Returns
    -------
    numpy.ndarray
        (K, K), the values as given: rows are not rescaled.

    Raises
    ------
    ValueError
        Unless it is square and numeric, with entries in [0, 1] and rows that sum to 1 within 1e-9.

    Notes
    -----
    A Markov matrix as in Handbook on Statistical Disclosure Control, 3.4.6.1; Nayak's is its transpose.

    Examples
    --------
    >>> require_pram_matrix([[0.9, 0.1], [0, 1]])
    array([[0.9, 0.1],
           [0. , 1. ]])
    """
    matrix = require_numeric(p, name)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.size:  # noqa: PLR2004 - rows and columns
        raise ValueError(f"{name} has shape {matrix.shape}; expected (K, K), a row and a column for each category")
    inside = (matrix >= 0) & (matrix <= 1)  # NaN is outside, too
    if not inside.all():
        k, j = np.argwhere(~inside)[0]
        raise ValueError(f"{name}[{k}, {j}] is {matrix[k, j]}; expected a probability, in [0, 1]")
    sums = matrix.sum(axis=1)
    wrong = np.flatnonzero(np.abs(sums - 1) > TOLERANCE)
    if wrong.size:
        k = wrong[0]
        raise ValueError(
            f"row {k} of {name} sums to {sums[k]}; expected 1 within {TOLERANCE:g}: p[k, l] is the probability that "
            "k is released as l, so that rows sum to 1; transpose the matrix if its columns do"
        )
    return matrix


def require_counts(values: npt.ArrayLike, shape: tuple[int, ...], name: str) -> Floats:
    """Return a frequency table of exactly this shape as float64: finite, at least 0, whole or not."""
    table = require_numeric(values, name)
    if table.shape != shape:
        raise ValueError(f"{name} has shape {table.shape}; expected {shape}, a frequency for each category")
    if not (np.isfinite(table) & (table >= 0)).all():
        raise ValueError(
            f"{name} holds negative, NaN or infinite values; expected frequencies, at least 0 (for an estimate give "
            "numpy.maximum(estimate, 0), for an empty category 0)"
        )
    return table


def require_records(table: Floats, name: str) -> Floats:
    """Return the table, or refuse one without any record."""
    if not table.sum() > 0:
        raise ValueError(f"{name} sums to 0; expected at least one record: without any there is nothing to preserve")
    return table


def inverse(matrix: Floats, name: str = "p") -> Floats:
    """Return the inverse of a checked matrix, or refuse a singular one, numerically singular ones too."""
    condition = float(np.linalg.cond(matrix))
    if not condition <= GREATEST_CONDITION:
        raise ValueError(
            f"{name} has the condition number {condition:.3g}; expected at most {GREATEST_CONDITION:g}: different "
            "original tables give the same expected release, so that none can be estimated; join categories with "
            "(nearly) equal rows, or release with a larger diagonal"
        )
    found: Floats = np.linalg.inv(matrix).astype(np.float64, copy=False)
    return found
