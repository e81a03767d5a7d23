"""Resampling: each value replaced by an average of samples at its rank (Heer 1993, Domingo-Ferrer & Mateo-Sanz 1999).

Source: Handbook on Statistical Disclosure Control, chapter 3, section 3.4.2.6.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from sdc_sql.udfs.adapters import declare_function
from sdc_sql.udfs.arguments import Floats, Integers, require_two_columns, require_uniforms, require_vector
from sdc_sql.udfs.arrow_function import NUMBERS, TABLE, WHOLES
from sdc_sql.udfs.ranks import sort_places


def resample_column(values: npt.ArrayLike, uniforms: npt.ArrayLike) -> Floats:
    """Return for each value of rank j the average of the j-th ranked values of t samples of all values.

    Every sample takes n values with replacement; the masked values come back in the order of the original ones.
    Equal values are ranked at random, by the first draw, and can differ afterwards. With one sample every
    masked value is an original one; the more samples, the nearer the masked value of rank j comes to the
    expectation of the j-th of n values drawn: more samples mask less.

    Parameters
    ----------
    values
        One column, (n,); NaN where missing: it stays, and its draws are not used. Call once a stratum to draw from it
        alone.
    uniforms
        Draws in [0, 1), (n, t), a row a record and a column a sample.

    Returns
    -------
    numpy.ndarray
        The masked values, (n,), within the range of the original ones. Their mean is that of `values` in expectation,
        with variance s^2 / (n t), s^2 the variance with n in the denominator; their own variance is smaller in
        expectation.

    Raises
    ------
    ValueError
        If there is no sample (t = 0) or one value only.

    Examples
    --------
    The samples are (10, 30, 30) and (20, 10, 20); sorted, (10, 30, 30) and (10, 20, 20).

    >>> resample_column([30, 10, 20], [[0.1, 0.5], [0.9, 0.0], [0.8, 0.4]])
    array([25., 10., 25.])
    """
    column = require_vector(values)
    given = np.shape(uniforms)
    if len(given) != 2 or given[1] < 1:  # noqa: PLR2004  (records and samples)
        raise ValueError(f"uniforms has shape {given}; expected ({column.size}, t) with t samples, 1 or more")
    draws = require_uniforms(uniforms, (column.size, given[1]))
    return _average_ranks(column, draws, sort_places(column, draws[:, 0]))


def _average_ranks(column: Floats, draws: Floats, order: Integers) -> Floats:
    """Return the average of samples rank by rank; `order` are the places of the values that are there, ascending."""
    n = order.size
    require_two_columns(n, "the column")
    present, ordered = np.sort(order), column[order]
    total = np.zeros(n)
    for draw in draws.T:
        drawn = np.minimum((draw[present] * n).astype(np.int64), n - 1)  # ranks, whatever the order of the rows
        total += np.repeat(ordered, np.bincount(drawn, minlength=n))  # the sample in order
    result = column.copy()
    if n:
        result[order] = np.clip(total / draws.shape[1], ordered[0], ordered[-1])  # against rounding
    return result


def average_samples(_stratum: str | None, places: Integers | None, x: Floats | None, draws: Floats | None) -> Floats:
    """Average samples rank by rank, of values whose places are given in ascending order, from 1."""
    if places is None or x is None or draws is None:  # all values are missing
        return np.empty(0)
    return _average_ranks(require_vector(x), require_uniforms(draws, (x.size, draws.shape[1])), places - 1)


FUNCTIONS = (declare_function("resample", average_samples, NUMBERS, places=WHOLES, x=NUMBERS, draws=TABLE),)
