r"""PRAM for the user of the release: the original table estimated, how exactly, and what PRAM costs.

Records are changed independently, k to l with probability p[k, l], so that with W the inverse of P and T the original
table, of counts of records (not of weights):

- :math:`E(T_X) = P^t T` and :math:`Cov(T_X) = \sum_k T_k (diag(p_k) - p_k p_k^t) = diag(P^t T) - P^t diag(T) P`;
- :math:`\hat T = W^t T_X` is unbiased, and :math:`Cov(\hat T) = W^t diag(P^t T) W - diag(T)`.

Means and covariances are those over the randomness of PRAM, given the original file. W has negative entries (unless
P only renames), so :math:`\hat T` can have negative ones too, where few or no records were: that is the price of being
unbiased, and to replace them by 0 biases every sum over them. Rows of W sum to 1: :math:`\hat T` has the release's sum.

Source: Hundepool et al., Handbook on Statistical Disclosure Control, 3.4.6.1, Correcting analyses; Gouweleeuw et al.
(1998), Journal of Official Statistics 14, 463-478. For a table of two variables see
:mod:`sdc_sql.udfs.pram.two_way`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.pram.checks import inverse, require_counts, require_pram_matrix

if TYPE_CHECKING:
    import numpy.typing as npt
    from sdc_sql.udfs.arguments import Floats

ROUNDING = 1e-12


def estimate(p: npt.ArrayLike, released: npt.ArrayLike) -> tuple[Floats, Floats]:
    r"""Return the unbiased estimate of the original table, and its estimated covariance matrix.

    :math:`\hat T = (P^{-1})^t T_X`.

    Parameters
    ----------
    p
        (K, K), p[k, l] = P(X = l | xi = k).
    released
        The table of the released variable, (K,), at least 0.

    Returns
    -------
    tuple of numpy.ndarray
        The estimate, (K,), whose entries may be negative; and the covariance matrix, (K, K), as of :func:`covariance`
        with the estimate for T, its negative entries taken as 0 there. Without any the covariance matrix is unbiased.

    Raises
    ------
    ValueError
        If p is no PRAM matrix or is singular (condition number above 1e12), or the table does not fit.

    Examples
    --------
    The handbook's 110 men and 90 women, as released in expectation.

    >>> table, covariance = estimate([[0.9, 0.1], [0.1, 0.9]], [108, 92])
    >>> table.round(9)
    array([110.,  90.])
    >>> covariance.round(4)
    array([[ 28.125, -28.125],
           [-28.125,  28.125]])
    """
    matrix = require_pram_matrix(p)
    table = inverse(matrix).T @ require_counts(released, matrix.shape[:1], "released")
    return table, covariance(matrix, np.maximum(table, 0))


def covariance(p: npt.ArrayLike, table: npt.ArrayLike) -> Floats:
    """Return the covariance matrix of the estimate of an original table, W^t diag(P^t T) W - diag(T).

    Parameters
    ----------
    p
        (K, K), p[k, l] = P(X = l | xi = k).
    table
        The original table T, (K,), at least 0.

    Returns
    -------
    numpy.ndarray
        (K, K), symmetric, rows summing to 0, as PRAM keeps the number of records.

    Raises
    ------
    ValueError
        As :func:`estimate`.

    Examples
    --------
    200 records, each a binomial trial with the variance 0.09, over (2 * 0.9 - 1)^2.

    >>> covariance([[0.9, 0.1], [0.1, 0.9]], [110, 90]).round(4)
    array([[ 28.125, -28.125],
           [-28.125,  28.125]])
    """
    matrix = require_pram_matrix(p)
    t = require_counts(table, matrix.shape[:1], "table")
    w = inverse(matrix)
    found = (w.T * (t @ matrix)) @ w - np.diag(t)
    symmetric: Floats = (found + found.T) / 2
    return symmetric


def variance_inflation(p: npt.ArrayLike, table: npt.ArrayLike) -> Floats:
    r"""Return by what factor PRAM multiplies the variance of each estimated frequency.

    :math:`1 + Var(\hat T_k) / (T_k (1 - T_k / n))`: the variance of :math:`\hat T_k` over PRAM and sampling together,
    over that of the original frequency in a multinomial sample of n records in which T is expected. (The variance
    over PRAM is linear in T, so that its expectation over samples is its value at T.)

    Parameters
    ----------
    p
        (K, K), p[k, l] = P(X = l | xi = k).
    table
        The original or expected frequencies T, (K,), at least 0; n is their sum.

    Returns
    -------
    numpy.ndarray
        (K,), each at least 1. Where sampling has no variance (the category has none or all of the records) it is
        infinite if PRAM adds some, and 1 if PRAM adds none; there is no NaN.

    Raises
    ------
    ValueError
        As :func:`estimate`.

    Examples
    --------
    A sample with as much information as one of 200 / 1.568 = 128 records without PRAM.

    >>> variance_inflation([[0.9, 0.1], [0.1, 0.9]], [110, 90]).round(4)
    array([1.5682, 1.5682])
    """
    matrix = require_pram_matrix(p)
    t = require_counts(table, matrix.shape[:1], "table")
    w = inverse(matrix)
    n = t.sum()
    added = (t @ matrix) @ (w * w) - t
    # a difference of numbers of the order of n: what is left of 0 by rounding is none
    added = np.where(added > ROUNDING * n, added, 0.0)
    sampled = t * (n - t) / n if n else t
    without = np.where(added > 0, np.inf, 0.0)
    found: Floats = 1 + np.divide(added, sampled, out=without, where=sampled > 0)
    return found
