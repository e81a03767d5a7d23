"""Ranks of a column, equal values in the order of random draws."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.adapters import WHOLE, declare_function
from sdc_sql.udfs.arrow_function import NUMBERS

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers

# A whole number from here on may share its DOUBLE with another one.
NOT_EXACT = 2.0**53


def sort_places(column: Floats, breakers: Floats) -> Integers:
    """Return the places of the values from lowest to highest, equal ones by their `breakers`; missing ones left out.

    Examples
    --------
    >>> sort_places(np.array([5.0, np.nan, 2.0, 5.0]), np.array([0.9, 0.0, 0.3, 0.1]))
    array([2, 3, 0])
    """
    present = np.flatnonzero(~np.isnan(column))
    values = column[present]
    order = np.argsort(values)
    ordered = values[order]
    if (ordered[1:] == ordered[:-1]).any():  # the slower sort only where there are ties
        order = np.lexsort((breakers[present], values))
    return np.asarray(present[order], dtype=np.int64)


def compute_mid_ranks(column: Floats) -> Floats:
    """Return the ranks of the values from 1, of equal ones their mean.

    Examples
    --------
    >>> compute_mid_ranks(np.array([7.0, 3.0, 3.0])).tolist()
    [3.0, 1.5, 1.5]
    """
    _, code, times = np.unique(column, return_inverse=True, return_counts=True)
    ranks: Floats = (np.cumsum(times) - (times - 1) / 2)[code]
    return ranks


def sort_columns(_stratum: str | None, x: Floats | None, breakers: Floats | None) -> Integers | None:
    """Return the places, from 1, of numbers from lowest to highest, equal ones by their breakers; none is missing.

    None where that does not say the order: no numbers are given, two share value and breaker, or a value is so great
    that what it was rounded from may have been another one.
    """
    if x is None or breakers is None or (x.size and max(x.max(), -x.min()) >= NOT_EXACT):
        return None
    order = np.argsort(x)
    values = x[order]
    tied = values[1:] == values[:-1]
    if tied.any():
        order = np.lexsort((breakers, x))
        drawn = breakers[order]
        if (tied & (drawn[1:] == drawn[:-1])).any():
            return None
    return order + 1


FUNCTIONS = (declare_function("ascending", sort_columns, WHOLE, x=NUMBERS, breakers=NUMBERS),)
