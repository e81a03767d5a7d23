r"""Hybrid data by Muralidhar & Sarathy: of each value a share alpha, of its expectation the rest, and noise.

:math:`x' = \hat x + (x - \hat x) A + e` with the least squares :math:`\hat x` on the given columns, A diagonal and
:math:`cov(e) = S - A S A`, S that of the residuals (SDC handbook, section 3.4.7.7, its three equations put in one
another). The noise is orthogonal to the columns and to those given in the records themselves, so that means and
covariances stay exactly.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from sdc_sql.udfs.adapters import TEXT, declare_function
from sdc_sql.udfs.arguments import Floats, require_columns, require_normals
from sdc_sql.udfs.arrow_function import DIGESTS, NUMBERS, TABLE
from sdc_sql.udfs.digests import Bytes, draw_normals
from sdc_sql.udfs.regression import factor_residuals, multiply_columns, read_column_lists, regression, remove_basis

GRID = 34  # released numbers are multiples of 2^-34 of the power of two by their deviation
ROUNDING = 1e-12  # a variance above its negative is none


def hybrid(
    y: npt.ArrayLike, x: npt.ArrayLike, alpha: npt.ArrayLike, normals: npt.ArrayLike, names: list[str]
) -> Floats:
    """Return hybrid columns, (n, p).

    Parameters
    ----------
    y, x
        The confidential columns, (n, p), and those given, (n, m); m may be 0. No value is missing.
    alpha
        The share of the own value of each column, (p,), at least 0 and less than 1.
    normals
        Standard normal draws, (n, p).
    names
        Of the columns, for messages.

    Raises
    ------
    ValueError
        As of the regression; with fewer than 2 p + m + 1 records; where S - A S A has a negative variance.

    Examples
    --------
    >>> y = np.array([[1.0], [2.0], [4.0], [3.0], [5.0]])
    >>> new = hybrid(y, np.empty((5, 0)), [0.6], np.array([0.3, -1.2, 0.4, 2.0, -0.1]), ["age"])
    >>> float(new.mean().round(9)), float(new.var().round(9)), float(np.cov(new.T, y.T, ddof=0)[0, 1].round(9))
    (3.0, 2.0, 1.2)
    """
    of = require_columns(y)
    (n, p), share = of.shape, np.asarray(alpha, dtype=np.float64)
    found = regression(of, x, names, "given")
    least = 2 * p + found.basis.shape[1]
    if n < least:
        raise ValueError(
            f"{n} records, {p} columns and {least - 2 * p - 1} given variables; expected at least {least} "
            "records: name fewer variables, or join strata"
        )
    noise = compute_noise_root(found.root, share, names)
    own = multiply_columns(
        found.residuals, np.linalg.inv(found.root).T
    )  # orthonormal: L L' are the products of the residuals
    basis = np.concatenate([found.basis.T, own.T]).T
    new = remove_basis(require_normals(normals, of), basis)
    drawn = multiply_columns(new, np.linalg.inv(factor_residuals(new, names)).T @ noise.T)
    return round_to_grid(found.fitted + found.residuals * share + remove_basis(drawn, basis), of.std(axis=0))


def compute_noise_root(root: Floats, alpha: Floats, names: list[str]) -> Floats:
    """Return a root of S - A S A, S = L L', (p, p); refuse alphas for which it has a negative variance.

    Examples
    --------
    >>> root = np.linalg.cholesky(np.array([[1.0, 0.5], [0.5, 1.0]]))
    >>> noise = compute_noise_root(root, np.array([0.5, 0.25]), ["a", "b"])
    >>> (noise @ noise.T).round(12).tolist()
    [[0.75, 0.4375], [0.4375, 0.9375]]
    """
    sizes = np.sqrt(np.square(root).sum(axis=1))
    unit = root / sizes[:, np.newaxis]
    products = unit @ unit.T
    values, vectors = _variances(products, alpha)
    if values.min() < -ROUNDING:
        most = 1 / np.linalg.norm(np.linalg.solve(unit, alpha[:, np.newaxis] * unit), 2)
        # in six decimals the ratios are not quite the exact ones: the first of these that leaves a noise is taken
        tried = (np.floor(alpha * most * (1 - i / 1000) * 1e6) / 1e6 for i in range(1001))
        some = next(shares for shares in tried if _variances(products, shares)[0].min() >= -ROUNDING)
        largest = ", ".join(f"{a:g} for {n}" for n, a in zip(names, some, strict=True))
        raise ValueError(
            "these alphas differ so much that the noise would have a negative variance; expected less of all: the "
            f"largest in these ratios are {largest}; or one alpha for all columns"
        )
    found: Floats = sizes[:, np.newaxis] * vectors * np.sqrt(np.maximum(values, 0))
    return found


def _variances(products: Floats, alpha: Floats) -> tuple[Floats, Floats]:
    """Return the eigenvalues and eigenvectors of S - A S A."""
    values, vectors = np.linalg.eigh(products - alpha[:, np.newaxis] * products * alpha)
    return values, vectors


def round_to_grid(values: Floats, deviations: Floats) -> Floats:
    """Return multiples of a step for each column, without the sign of 0."""
    steps = 2.0 ** (np.rint(np.log2(deviations)) - GRID)
    rounded: Floats = np.rint(values / steps) * steps + 0.0
    return rounded


def _hybrid(
    _stratum: str | None, y: Floats, x: Floats | None, alpha: Floats, digests: Bytes, names: str
) -> list[Floats]:
    return [*hybrid(*read_column_lists(y, x), alpha, draw_normals(digests, len(y)), names.split("\n")).T]


FUNCTIONS = (declare_function("hybrid", _hybrid, TABLE, y=TABLE, x=TABLE, alpha=NUMBERS, digests=DIGESTS, names=TEXT),)
