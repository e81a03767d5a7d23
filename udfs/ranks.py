"""Ranks of a column, equal values in the order of random draws."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.adapters import WHOLE, declare_function
from sdc_sql.udfs.arrow_function import NUMBERS
from sdc_sql.udfs.sorting import sort_with_places

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

    Of draws in [0, 1) the first bits, and before them a value's number, make one number, by which equal values are
    sorted in half of the time that both need. The number is the value itself, above the least one, where all are whole
    and leave enough bits, and else its place among the different ones. Other breakers, as normal draws, are sorted as
    they are.
    """
    by_draws = len(values) > 0 and breakers.min() >= 0 and breakers.max() < 1
    if by_draws and _are_near_and_whole(values):
        order, alike = _sort_numbered((values - values.min()).astype(np.int64), breakers)
        if not alike:
            return order, False
    else:
        order = np.argsort(values)
        ordered = values[order]
        numbers = np.zeros(len(order), dtype=np.int64)
        np.cumsum(ordered[1:] != ordered[:-1], out=numbers[1:])
        if not len(order) or numbers[-1] == len(order) - 1:
            return order, False
        if by_draws:
            places, alike = _sort_numbered(numbers, breakers[order])
            if not alike:
                return order[places], False
    order = np.lexsort((breakers, values))
    ordered, drawn = values[order], breakers[order]
    return order, bool(((ordered[1:] == ordered[:-1]) & (drawn[1:] == drawn[:-1])).any())


def _are_near_and_whole(values: Floats) -> bool:
    """Return whether all values are whole, and so near one another that few draws begin alike in the bits they leave.

    A quarter of them at most, where all values are equal.
    """
    least, most = float(values.min()), float(values.max())
    if least <= -NOT_EXACT or most >= NOT_EXACT:
        return False
    spare = min(61 - 2 * len(values).bit_length(), 53)  # (below 2^53 a difference of whole numbers is exact)
    return spare > 0 and most - least < 2.0**spare and bool((values == np.floor(values)).all())


def _sort_numbered(numbers: Integers, draws: Floats) -> tuple[Integers, bool]:
    """Return the places of numbers in ascending order, equal ones by draws in [0, 1), and whether two share both.

    Of those whose draws begin alike the whole draws tell the order.
    """
    bits = max(63 - int(numbers.max()).bit_length() - len(numbers).bit_length(), 0)
    order, keys = sort_with_places(numbers << bits | (draws * 2.0**bits).astype(np.int64))
    begun = np.flatnonzero(keys[1:] == keys[:-1])
    if not len(begun):
        return order, False
    several = np.union1d(begun, begun + 1)
    order[several] = order[several][np.lexsort((draws[order[several]], keys[several]))]
    return order, bool((draws[order[begun]] == draws[order[begun + 1]]).any())


FUNCTIONS = (declare_function("ascending", sort_columns, WHOLE, x=NUMBERS, breakers=NUMBERS),)
