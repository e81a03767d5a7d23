"""Products of power series whose coefficients are probabilities, in logarithms, so that nothing underflows.

A series is its first coefficients, of s^0 .. s^most, along the last axis; log 0 is -inf.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats


def binomial(trials: Floats, log_p: Floats, log_rest: Floats, most: int) -> Floats:
    """Return the logarithms of the first coefficients of (1 - p + p s)^trials.

    Parameters
    ----------
    trials
        (m,), whole and at least 0; 0 gives the series 1.
    log_p, log_rest
        log p and log (1 - p), (m,): both, as the lesser of p and 1 - p cannot be had from the other exactly.
    most
        The highest power.

    Returns
    -------
    numpy.ndarray
        (m, most + 1): log P(A = a) of a binomial A, a = 0 .. most.

    Examples
    --------
    >>> np.exp(binomial(np.array([2.0]), np.log([0.5]), np.log([0.5]), 3))
    array([[0.25, 0.5 , 0.25, 0.  ]])
    """
    a = np.arange(most + 1, dtype=np.float64)
    left = trials[:, np.newaxis] - a
    with np.errstate(divide="ignore", invalid="ignore"):  # 0 * log 0 is NaN, and not taken
        ratios = np.where(left[:, :-1] > 0, np.log(left[:, :-1]) - np.log(a[1:]), -np.inf)
        succeeded = np.where(a > 0, a * log_p[:, np.newaxis], 0.0)
        failed = np.where(left > 0, left * log_rest[:, np.newaxis], 0.0)
    choose = np.concatenate([np.zeros((trials.size, 1)), np.cumsum(ratios, axis=1)], axis=1)
    found: Floats = choose + succeeded + failed
    return found


def multiply_series(first: Floats, second: Floats) -> Floats:
    """Return the products of two arrays of series of one shape, cut off where they are.

    Parameters
    ----------
    first, second
        Logarithms of the coefficients, (..., most + 1).

    Returns
    -------
    numpy.ndarray
        Of that shape.

    Examples
    --------
    (1 + s)^2 = 1 + 2 s + s^2.

    >>> np.exp(multiply_series(np.zeros(2), np.zeros(2)))
    array([1., 2.])
    """
    found = np.empty_like(first)
    for a in range(first.shape[-1]):
        found[..., a] = np.logaddexp.reduce(first[..., : a + 1] + second[..., a::-1], axis=-1)
    return found


def multiply_others(series: Floats) -> Floats:
    """Return, for each series, the product of all the others, in O(m) products.

    A series cannot be divided out of the product of all (its first coefficient may be 0), so the others are those
    before it times those after it.

    Parameters
    ----------
    series
        (m, most + 1), logarithms.

    Returns
    -------
    numpy.ndarray
        (m, most + 1); a single series has 1 = s^0 for the others.

    Examples
    --------
    >>> np.exp(multiply_others(np.log([[1.0, 2.0], [1.0, 3.0], [1.0, 5.0]]))).round(12)
    array([[1., 8.],
           [1., 7.],
           [1., 5.]])
    """
    both = np.stack([series, series[::-1]])  # the products from the left and from the right, in one pass
    passed = np.full_like(both, -np.inf)
    passed[:, 0, 0] = 0.0
    for j in range(1, series.shape[0]):
        passed[:, j] = multiply_series(passed[:, j - 1], both[:, j - 1])
    return multiply_series(passed[0], passed[1, ::-1])
