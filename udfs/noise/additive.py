r"""Additive noise: uncorrelated, correlated, and correlated with a linear transformation.

Source: Hundepool et al., Handbook on Statistical Disclosure Control, chapter 3, sections 3.4.4.1 to 3.4.4.3;
Kim (1986), A method for limiting disclosure in microdata based on random noise and transformation, ASA
Section on Survey Research Methods, 303-308. Section 3.4.4.4 is in `nonlinear`, noise on outliers alone in `outliers`.

What holds for each: `x` is (n,) or (n, p), a row a record, NaN where missing; NaN stays NaN and takes no part in a
moment (covariances come from the records that miss nothing). `normals`, of the same shape, are standard normal and
keyed to the records, so that a record's noise follows it whatever the order of the rows; only the moments are sums in
row order. Moments have n - 1 in the denominator and are those of the rows given: to keep those of every stratum, call
once a stratum. A constant column has no variance and gets no noise. `lower`, `upper` and `rounded` (one for all
columns or one for each) keep the range by reflection and whole numbers by rounding, see `noise.bounds`;
what is said of means and variances below holds without them.

================== ============== =================== =============================
function           means          variances           covariances; correlations
================== ============== =================== =============================
uncorrelated       in expectation (1 + alpha) times   kept; divided by 1 + alpha
correlated         in expectation (1 + alpha) times   (1 + alpha) times; kept
linear_transformed exactly        kept                kept; kept
nonlinear          nearly         nearly              kept between normal scores
outliers_only      in expectation at most as above    at most as above; nearly kept
================== ============== =================== =============================

Variances, covariances and correlations are meant in expectation over the draws.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from sdc_sql.udfs.arguments import Floats, columns, normals_like, number
from sdc_sql.udfs.noise.bounds import Bound, fitted
from sdc_sql.udfs.noise.moments import covariance_root, deviations, means

if TYPE_CHECKING:
    from sdc_sql.udfs.noise.pooled_moments import Moments


def uncorrelated(
    x: npt.ArrayLike, normals: npt.ArrayLike, alpha: float, *,
    lower: Bound = None, upper: Bound = None, rounded: bool | npt.ArrayLike = False, moments: Moments | None = None,
) -> Floats:  # fmt: skip
    r"""Return x plus white noise of variance alpha times that of each variable (3.4.4.1).

    :math:`z_j = x_j + \varepsilon_j`, :math:`\varepsilon_j \sim N(0, \alpha \sigma_j^2)`, independent by variable.

    Parameters
    ----------
    x
        The values, (n,) or (n, p).
    normals
        Standard normal draws of the same shape.
    alpha
        Variance of the noise over that of the variable, >= 0; 0 changes nothing.
    lower, upper, rounded
        The range to keep, and whether to give whole numbers.
    moments
        Those of the whole table, where the rows are a part of it; without them those of the rows.

    Returns
    -------
    numpy.ndarray
        The masked values, of the shape of `x`. In expectation the means and covariances are those of `x`, the
        variances 1 + alpha times, the correlations 1 / (1 + alpha) times as large.

    Raises
    ------
    ValueError
        If shapes differ, if alpha is negative, or if a column has a single value (its variance is unknown).

    Examples
    --------
    The standard deviation is 2, so that of the noise is 0.2.

    >>> uncorrelated([1.0, 3.0, 5.0], [1.0, 0.0, -2.0], 0.01)
    array([1.2, 3. , 4.6])
    """
    matrix = columns(x)
    draws = normals_like(normals, matrix)
    root = np.sqrt(number(alpha, "alpha", least=0))
    masked = matrix + draws * (root * (deviations(matrix) if moments is None else moments.deviations()))
    return fitted(masked, matrix, lower, upper, rounded).reshape(np.shape(x))


def correlated(
    x: npt.ArrayLike, normals: npt.ArrayLike, alpha: float, *,
    lower: Bound = None, upper: Bound = None, rounded: bool | npt.ArrayLike = False, moments: Moments | None = None,
) -> Floats:  # fmt: skip
    r"""Return x plus noise whose covariance matrix is alpha times that of the variables (3.4.4.2).

    :math:`\Sigma_z = \Sigma + \alpha \Sigma = (1 + \alpha) \Sigma` (3.4). A singular :math:`\Sigma` is allowed:
    a linear identity between variables (a total and its parts) holds for the noise, and so for the masked values.

    Parameters
    ----------
    x, normals, alpha, lower, upper, rounded, moments
        As of :func:`uncorrelated`.

    Returns
    -------
    numpy.ndarray
        The masked values, of the shape of `x`. In expectation the means are those of `x` and the covariance matrix is
        1 + alpha times its own, so that correlations are kept.

    Raises
    ------
    ValueError
        As :func:`uncorrelated`, and if fewer than two records miss nothing.

    Examples
    --------
    The second column is twice the first, and stays so.

    >>> correlated([[1.0, 2.0], [3.0, 6.0], [5.0, 10.0]], [[1.0, 1.0], [0.0, 0.0], [-2.0, -2.0]], 0.01).round(4)
    array([[1.2828, 2.5657],
           [3.    , 6.    ],
           [4.4343, 8.8686]])
    """
    matrix = columns(x)
    draws = normals_like(normals, matrix)
    root = np.sqrt(number(alpha, "alpha", least=0))
    masked = matrix + draws @ (root * (covariance_root(matrix) if moments is None else moments.covariance_root()))
    return fitted(masked, matrix, lower, upper, rounded).reshape(np.shape(x))


def linear_transformed(
    x: npt.ArrayLike, normals: npt.ArrayLike, alpha: float, *,
    lower: Bound = None, upper: Bound = None, rounded: bool | npt.ArrayLike = False, moments: Moments | None = None,
) -> Floats:  # fmt: skip
    r"""Return c (x + noise) + d with c and d such that means and covariances are kept (3.4.4.3, Kim 1986).

    :math:`G_j = c Z_j + d_j`, Z of :func:`correlated`, :math:`c = 1 / \sqrt{1 + \alpha}`, and
    :math:`d_j = \bar X_j - c \bar Z_j`, the sample's form of :math:`(1 - c) E(X_j)`: with it the means are kept
    exactly, and the covariances in expectation over the draws: the matrix with n - 1 in the denominator is
    then an unbiased estimator of that of x. Whoever learns c can undo the transformation: do not publish alpha.
    Not for discrete variables; moments of subpopulations are biased (Kim 1990) unless each is masked on its own.

    Parameters
    ----------
    x, normals, alpha, lower, upper, rounded, moments
        As of :func:`uncorrelated`. Bounds and rounding come last and move the means.

    Returns
    -------
    numpy.ndarray
        The masked values, of the shape of `x`.

    Raises
    ------
    ValueError
        As :func:`correlated`.

    Examples
    --------
    >>> linear_transformed([1.0, 3.0, 5.0], [1.0, 0.0, -2.0], 0.01).round(4)
    array([1.2753, 3.0663, 4.6584])
    """
    matrix = columns(x)
    masked = correlated(matrix, normals_like(normals, matrix), alpha, moments=moments)
    c = 1 / np.sqrt(1 + alpha)
    before, after = (means(matrix), means(masked)) if moments is None else (moments.mean, moments.noisy_means(alpha))
    result = c * (masked - after) + before  # c Z + d
    return fitted(result if alpha else matrix, matrix, lower, upper, rounded).reshape(np.shape(x))
