"""Noise for outlying records only."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from sdc_sql.udfs.arguments import Floats, Truths, columns, normals_like, number
from sdc_sql.udfs.noise.bounds import Bound, fitted
from sdc_sql.udfs.noise.moments import covariance_root

# For normal values s.d. = 1.4826 x median of |x - median|, and = sqrt(pi / 2) x mean of |x - mean|.
MEDIAN_TO_SD = 1.482602218505602
MEAN_TO_SD = 1.2533141373155003


def is_outlier(x: npt.ArrayLike, threshold: float) -> Truths:
    """Return which records have a variable further than `threshold` robust standard deviations from its median.

    The robust standard deviation is 1.4826 times the median absolute deviation (from the median); where that is 0,
    as half the values are the same, 1.2533 times the mean absolute deviation. Each variable is judged separately,
    over its values: a record that is unusual only in a combination of variables is not found.

    Parameters
    ----------
    x
        The values, (n,) or (n, p), NaN where missing; a missing value is no outlier.
    threshold
        In robust standard deviations, >= 0; 3 is usual.

    Returns
    -------
    numpy.ndarray
        Truth values, (n,).

    Examples
    --------
    >>> is_outlier([1.0, 2.0, 3.0, 4.0, 50.0], 3)
    array([False, False, False, False,  True])
    """
    matrix = columns(x)
    limit = number(threshold, "threshold", least=0)
    far = np.zeros(len(matrix), dtype=np.bool_)
    for column in matrix.T:
        present = column[~np.isnan(column)]
        if present.size:
            centre = np.median(present)
            distances = np.abs(present - centre)
            scale = MEDIAN_TO_SD * np.median(distances) or MEAN_TO_SD * np.mean(distances)
            far |= np.abs(column - centre) > limit * scale  # NaN compares false
    return far


def outliers_only(
    x: npt.ArrayLike, normals: npt.ArrayLike, alpha: float, threshold: float, *,
    lower: Bound = None, upper: Bound = None, rounded: bool | npt.ArrayLike = False,
) -> Floats:  # fmt: skip
    """Return x with noise, correlated as of section 3.4.4.2, on all variables of the outlying records only.

    The others are released as they are: a choice for tables where only the extreme records are at risk. The
    covariance matrix is that of all records, outliers included, so that the noise is as wide as theirs.

    Parameters
    ----------
    x
        The values, (n,) or (n, p), a row a record, NaN where missing.
    normals
        Standard normal draws of the same shape.
    alpha
        Covariance of the noise over that of the variables, >= 0.
    threshold
        Which records: see :func:`is_outlier`.
    lower, upper, rounded
        The range to keep, and whether to give whole numbers (here of the changed records only).

    Returns
    -------
    numpy.ndarray
        The masked values, of the shape of `x`. In expectation the means are kept and a covariance grows by alpha times
        the share of outlying records.

    Raises
    ------
    ValueError
        As of correlated noise, and if `threshold` is negative.

    Examples
    --------
    >>> outliers_only([1.0, 2.0, 3.0, 4.0, 50.0], [1.0, 1.0, 1.0, 1.0, 1.0], 0.01, 3).round(2)
    array([ 1.  ,  2.  ,  3.  ,  4.  , 52.13])
    """
    matrix = columns(x)
    draws = normals_like(normals, matrix)
    root = np.sqrt(number(alpha, "alpha", least=0))
    far = is_outlier(matrix, threshold)
    masked = matrix + draws @ (root * covariance_root(matrix))
    result = np.where(far[:, np.newaxis], fitted(masked, matrix, lower, upper, rounded), matrix)
    return result.reshape(np.shape(x))
