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
    order, _ = _sort_tied(values, breakers[present])
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
    order, alike = _sort_tied(x, breakers)
    return None if alike else order + 1


def _sort_tied(values: Floats, breakers: Floats) -> tuple[Integers, bool]:
    """Return the places of values in ascending order, equal ones by their breakers, and whether two share both.

    Of draws in [0, 1) the first bits, and before them a value's number among the different ones, make one number, by
    which equal values are sorted in half of the time that both need; unless two such numbers are equal. Other breakers,
    as normal draws, are sorted as they are.
    """
    order = np.argsort(values)
    ordered = values[order]
    apart = ordered[1:] != ordered[:-1]
    if apart.all():
        return order, False
    if breakers.min() >= 0 and breakers.max() < 1:
        numbers = np.zeros(len(order), dtype=np.uint64)
        np.cumsum(apart, out=numbers[1:])
        bits = min(64 - int(numbers[-1]).bit_length(), 53)  # as many as a DOUBLE below 1 has
        keys = (numbers << np.uint64(bits)) | (breakers[order] * 2.0**bits).astype(np.uint64)
        by_key = np.argsort(keys)
        keys = keys[by_key]
        if (keys[1:] != keys[:-1]).all():
            return order[by_key], False
    order = np.lexsort((breakers, values))
    ordered, drawn = values[order], breakers[order]
    return order, bool(((ordered[1:] == ordered[:-1]) & (drawn[1:] == drawn[:-1])).any())


FUNCTIONS = (declare_function("ascending", sort_columns, WHOLE, x=NUMBERS, breakers=NUMBERS),)
