"""Least squares: from the moments of a file, or by weights from its records."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.adapters import NUMBER, declare_function
from sdc_sql.udfs.arrow_function import NUMBERS, TABLE

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats


def regression(records: float, means: Floats, covariances: Floats, response: float) -> list[Floats]:
    """Return the coefficients of a regression, the intercept first, and their standard errors.

    Parameters
    ----------
    records
        n, more than the number of coefficients.
    means, covariances
        Of the response and the predictors, of shape (p + 1,) and (p + 1, p + 1), with the divisor n - 1.
    response
        The place of the response among them, 1 the first.
    """
    place = int(response) - 1
    others = np.delete(np.arange(len(means)), place)
    if not len(others):
        raise ValueError("there are no predictors: name at least one column")
    left = records - len(others) - 1
    if left < 1:
        raise ValueError(f"{records:.0f} records are too few for {len(others) + 1} coefficients: there must be more")
    spread = np.sqrt(np.diag(covariances))
    if not np.all(spread[others] > 0):
        raise ValueError("a predictor is constant: leave it out")
    # the correlations of the predictors show whether one follows from the others
    r = covariances[np.ix_(others, others)] / np.outer(spread[others], spread[others])
    inverse = _invert(r) / np.outer(spread[others], spread[others])
    slopes = inverse @ covariances[others, place]
    residual = max(covariances[place, place] - slopes @ covariances[others, place], 0.0) * (records - 1) / left
    errors = residual * np.diag(inverse) / (records - 1)
    at_zero = residual * (1 / records + means[others] @ inverse @ means[others] / (records - 1))
    coefficients = np.concatenate([[means[place] - slopes @ means[others]], slopes])
    return [coefficients, np.sqrt(np.concatenate([[at_zero], errors]))]


def _invert(correlations: Floats) -> Floats:
    values, vectors = np.linalg.eigh(correlations)
    if values[0] < 1e-12 * values[-1]:
        raise ValueError("a predictor follows from the others (the correlation matrix is singular): leave it out")
    inverse: Floats = (vectors / values) @ vectors.T
    return inverse


def weighted_regression(columns: Floats, weights: Floats, response: float) -> list[Floats]:
    """Return the coefficients of a regression by weights, the intercept first, and their linearised standard errors.

    Of each record the estimating function is w e x; their products, n / (n - 1) times, stand between the inverses of
    X'WX (Binder, 1983): as records drawn one by one with replacement, at rates that the weights tell.

    Parameters
    ----------
    columns
        The response and the predictors, of shape (p + 1, n), none missing.
    weights
        Positive, of shape (n,).
    response
        The place of the response among the columns, 1 the first.

    Examples
    --------
    >>> weighted_regression(np.array([[0.0, 1, 3, 4], [0, 1, 2, 3]]), np.ones(4), 1)[0].round(9).tolist()
    [-0.1, 1.4]
    """
    place, n = int(response) - 1, columns.shape[1]
    others = np.delete(np.arange(len(columns)), place)
    if not len(others):
        raise ValueError("there are no predictors: name at least one column")
    if n < len(others) + 2:
        raise ValueError(f"{n} records are too few for {len(others) + 1} coefficients: there must be more")
    share = weights / weights.sum()
    means = columns @ share
    apart = columns - means[:, np.newaxis]
    spread = np.sqrt(np.square(apart) @ share)
    if not np.all(spread[others] > 0):
        raise ValueError("a predictor is constant: leave it out")
    x = np.vstack([np.ones(n), apart[others] / spread[others, np.newaxis]])  # about the means, in deviations
    inverse = _invert((x * share) @ x.T)
    found = inverse @ ((x * share) @ apart[place])
    told = x * (share * (apart[place] - found @ x))
    covariances = inverse @ (told @ told.T) @ inverse * n / (n - 1)
    # back to the columns as they are: the intercept takes the means along
    back = np.diag(np.concatenate([[1.0], 1 / spread[others]]))
    back[0, 1:] = -means[others] / spread[others]
    coefficients = back @ found
    coefficients[0] += means[place]
    return [coefficients, np.sqrt(np.maximum(np.diag(back @ covariances @ back.T), 0.0))]


def survey_regression(columns: Floats, weights: Floats, response: float, design: Floats) -> list[Floats]:
    """Return the coefficients of a regression by weights, and their errors by the strata and clusters of a sample.

    The estimating functions w e x are summed within clusters, and vary about their mean within strata: n / (n - 1)
    times their squares (Binder, 1983). A stratum of one cluster counts with the square itself. Not a number where the
    records do not determine the coefficients.

    Parameters
    ----------
    columns
        The response and the predictors, of shape (p + 1, n), none missing.
    weights
        Positive, of shape (n,).
    response
        The place of the response among the columns, 1 the first.
    design
        Of shape (3, n): of each record the number of its stratum, that of its cluster, which lies in one stratum, and
        how many clusters the stratum has in the file, also outside of these records.

    Examples
    --------
    >>> of_records = np.array([np.zeros(4), np.arange(4.0), np.full(4, 4.0)])
    >>> survey_regression(np.array([[0.0, 1, 3, 4], [0, 1, 2, 3]]), np.ones(4), 1, of_records)[0].round(9).tolist()
    [-0.1, 1.4]
    """
    place, n = int(response) - 1, columns.shape[1]
    others = np.delete(np.arange(len(columns)), place)
    unknown = np.full(len(others) + 1, np.nan)
    if n < len(others) + 2:
        return [unknown, unknown]
    share = weights / weights.sum()
    means = columns @ share
    apart = columns - means[:, np.newaxis]
    spread = np.sqrt(np.square(apart) @ share)
    if not np.all(spread[others] > 0):
        return [unknown, unknown]
    x = np.vstack([np.ones(n), apart[others] / spread[others, np.newaxis]])
    try:
        inverse = _invert((x * share) @ x.T)
    except ValueError:
        return [unknown, unknown]
    found = inverse @ ((x * share) @ apart[place])
    told = inverse @ (x * (share * (apart[place] - found @ x)))
    covariances = _linearise(told, *design)
    back = np.diag(np.concatenate([[1.0], 1 / spread[others]]))
    back[0, 1:] = -means[others] / spread[others]
    coefficients = back @ found
    coefficients[0] += means[place]
    return [coefficients, np.sqrt(np.maximum(np.diag(back @ covariances @ back.T), 0.0))]


def _linearise(z: Floats, strata: Floats, clusters: Floats, sizes: Floats) -> Floats:
    """Return the covariances of sums of z, of shape (p, n), over clusters that are drawn within strata."""
    _, first, cluster = np.unique(clusters, return_index=True, return_inverse=True)
    sums = np.array([np.bincount(cluster, weights=values, minlength=len(first)) for values in z])
    _, lead, stratum = np.unique(strata[first], return_index=True, return_inverse=True)
    m = sizes[first][lead]  # of each stratum
    means = np.array([np.bincount(stratum, weights=row, minlength=len(lead)) for row in sums]) / m
    means[:, m < 2] = 0.0  # noqa: PLR2004 - a stratum of one cluster has no mean to vary about
    factor = np.where(m > 1, m / np.maximum(m - 1, 1), 1.0)
    apart = sums - means[:, stratum]
    absent = m - np.bincount(stratum, minlength=len(lead))
    found: Floats = (apart * factor[stratum]) @ apart.T + (means * factor * absent) @ means.T
    return found


FUNCTIONS = (
    declare_function(
        "regression", regression, TABLE, by_stratum=False, records=NUMBER, means=NUMBERS, covariances=TABLE,
        response=NUMBER,
    ),
    declare_function(
        "weighted_regression", weighted_regression, TABLE, by_stratum=False, columns=TABLE, weights=NUMBERS,
        response=NUMBER,
    ),
    declare_function(
        "survey_regression", survey_regression, TABLE, by_stratum=False, columns=TABLE, weights=NUMBERS,
        response=NUMBER, design=TABLE,
    ),
)  # fmt: skip
