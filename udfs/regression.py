r"""The least squares of columns on others, as methods use it that draw columns anew given these.

:math:`y = x \hat B + \hat r`, x with a constant. A record's own y enters what is drawn for it by :math:`\hat B` alone,
with the weight of its leverage; that has a bound, and so has the share of a column that is explained.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sdc_sql.udfs.arguments import Floats, require_columns

LEVERAGE = 0.25  # the greatest weight of a record's own value in what is released of it
EXPLAINED = 0.99  # above it the released values would nearly be the original ones
COLLINEAR = 1e-8  # a column of length 1 of which less is left, given those before it, follows from them
WELL_APART = 1e-3  # from here on two roots of products are as exact as reflections


@dataclass(frozen=True)
class Regression:
    """What the given variables tell of the columns.

    ``basis``: an orthonormal basis of the given variables and the constant, (n, m + 1); ``fitted`` values, (n, p);
    ``residuals``, (n, p); ``root``: L, lower triangular, with L L' the products of the residuals, (p, p);
    ``explained``: the share of each column's variance, (p,).
    """

    basis: Floats
    fitted: Floats
    residuals: Floats
    root: Floats
    explained: Floats


def regression(y: npt.ArrayLike, x: npt.ArrayLike, names: list[str], given: str = "confidential") -> Regression:
    """Return the regression of the columns on the given variables.

    Parameters
    ----------
    y, x
        The columns, (n, p), and the given variables, (n, m); m may be 0. No value is missing.
    names
        Of the columns, for messages.
    given
        What the method calls the given variables, for messages.

    Raises
    ------
    ValueError
        Where a value is missing, there are too few records, columns are collinear, a record counts for more than a
        quarter of its own fitted value, or nearly all of a column is explained.

    Examples
    --------
    >>> y, x = np.array([[1.0], [2.0], [4.0], [3.0], [5.0]]), np.empty((5, 0))
    >>> found = regression(y, x, ["age"])
    >>> found.fitted.ravel().round(12).tolist(), round(float(found.root[0, 0] ** 2), 12)
    ([3.0, 3.0, 3.0, 3.0, 3.0], 10.0)
    """
    of, on = require_complete(y, x, given)
    require_enough(of, on, given)
    basis = make_basis(on, given)
    own = int((np.square(basis).sum(axis=1) > LEVERAGE * (1 + 1e-9)).sum())
    if own:
        raise ValueError(
            f"{own} records lie so far out in the {given} variables that more than a quarter of what is fitted "
            "for them is their own value; expected none: code the top and bottom of these, name fewer, or join strata"
        )
    centre = of.mean(axis=0)
    centred = of - centre
    spread = np.sqrt(np.square(centred).sum(axis=0))
    residuals = remove_basis(centred, basis)
    left = np.sqrt(np.square(residuals).sum(axis=0))
    explained = 1 - np.square(left / np.where(spread > 0, spread, np.inf))
    explained[spread == 0] = 0
    for name, share in zip(names, explained, strict=True):
        if share > EXPLAINED:
            raise ValueError(
                f"the {given} variables explain {share:.4f} of {name}, and what is released would nearly be its "
                f"own values; expected at most {EXPLAINED}: leave out the variable that gives it, or draw that too"
            )
    fitted = multiply_columns(basis, basis.T @ centred)
    fitted += centre
    return Regression(basis, fitted, residuals, factor_residuals(residuals, names), explained)


def require_complete(y: npt.ArrayLike, x: npt.ArrayLike, given: str) -> tuple[Floats, Floats]:
    """Return columns and given variables as matrices; refuse missing values."""
    of = require_columns(y)
    on = require_columns(np.asarray(x, dtype=np.float64).reshape(len(of), -1))
    missing = int((np.isnan(of).any(axis=1) | np.isnan(on).any(axis=1)).sum())
    if missing:
        raise ValueError(
            f"{missing} records have NULL or NaN in the columns or in a {given} one; expected all values: fill "
            "them in, or mask the records that are complete (where)"
        )
    return of, on


def require_enough(y: Floats, x: Floats, given: str) -> None:
    """Refuse fewer than 2 m + p + 1 records (SDC handbook, section 3.4.7.8)."""
    (n, p), m = y.shape, x.shape[1]
    least = 2 * m + p + 1
    if n < least:
        raise ValueError(
            f"{n} records, {p} columns and {m} {given} variables; expected at least 2 x {m} + {p} + 1 = {least} "
            "records: name fewer variables, or join strata"
        )


def make_basis(x: Floats, given: str = "confidential") -> Floats:
    """Return an orthonormal basis of the given variables and the constant."""
    n = len(x)
    one = np.full((n, 1), 1 / np.sqrt(n))
    if not x.shape[1]:
        return one
    centred = x - x.mean(axis=0)
    lengths = np.sqrt(np.square(centred).sum(axis=0))
    scaled = np.concatenate([one.T, (centred / np.where(lengths > 0, lengths, 1)).T]).T
    upper = triangle(scaled)
    if (lengths == 0).any() or (np.diag(upper) < COLLINEAR).any():
        raise ValueError(
            f"the {given} variables are collinear (one is constant, or a sum of others); expected none that the "
            "others determine: leave it out"
        )
    if np.diag(upper).min() < WELL_APART:
        return np.linalg.qr(scaled)[0]
    return multiply_columns(scaled, np.linalg.inv(upper))


def remove_basis(y: Floats, basis: Floats) -> Floats:
    """Return what is orthogonal to a basis: twice, so that what the first leaves by rounding goes too."""
    rest = y.copy(order="K")
    for _ in range(2):
        rest -= multiply_columns(basis, basis.T @ rest)
    return rest


def multiply_columns(matrix: Floats, coefficients: npt.NDArray[Any]) -> Floats:
    """Return the product of records and coefficients, column after column in memory, as DuckDB gives and takes them."""
    product: Floats = (coefficients.T @ matrix.T).T
    return product


def triangle(matrix: Floats) -> Floats:
    """Return R, upper triangular with no negative diagonal, with R' R the products of columns of length about 1.

    Where the columns are well apart it is that of two Cholesky decompositions, the second of the products of what the
    first makes orthogonal: as exact as Householder's reflections, in a fraction of the time (Yamamoto, Nakatsukasa,
    Yanagisawa & Fukaya 2015, Roundoff error analysis of the CholeskyQR2 algorithm, ETNA 44).

    Examples
    --------
    >>> triangle(np.array([[0.6, 1.0], [0.8, 0.0]])).round(12).tolist()
    [[1.0, 0.6], [0.0, 0.8]]
    """
    try:
        first = np.linalg.cholesky(matrix.T @ matrix).T
        if np.diag(first).min() >= WELL_APART:
            nearly = multiply_columns(matrix, np.linalg.inv(first))
            upper: Floats = np.linalg.cholesky(nearly.T @ nearly).T @ first
            return upper
    except np.linalg.LinAlgError:  # collinear, or nearly so
        pass
    reflected: Floats = np.asarray(np.linalg.qr(matrix, mode="r"), dtype=np.float64)
    return np.where(np.diag(reflected) < 0, -1.0, 1.0)[:, np.newaxis] * reflected


def factor_residuals(residuals: Floats, names: list[str]) -> Floats:
    """Return L, lower triangular, with L L' the products of the residuals."""
    lengths = np.sqrt(np.square(residuals).sum(axis=0))
    upper = triangle(residuals / np.where(lengths > 0, lengths, 1))
    for name, length, own in zip(names, lengths, np.diag(upper), strict=True):
        if length == 0 or own < COLLINEAR:
            raise ValueError(
                f"{name} is constant, or the other columns determine it; expected columns that are not collinear: draw "
                "the others anew, and compute it from them"
            )
    root: Floats = (upper * lengths).T
    return root


def read_column_lists(y: Floats, x: Floats | None) -> tuple[Floats, Floats]:
    """Return records of the lists of columns that DuckDB gives; of no given variables there is no list."""
    return y.T, np.empty((y.shape[1], 0)) if x is None else x.T
