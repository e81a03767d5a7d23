"""Cells in groups of those that agree: by packed codes, counted in a table where it is short and sorted where not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from sdc_sql.udfs.arguments import Integers, Truths

SPARSE = 4  # a table of so many places a cell is still counted in; longer ones are sorted
_WORD = 63  # bits of a number that is not negative


def partition_records(columns: Sequence[NDArray[np.integer]], radices: Sequence[int]) -> tuple[Truths, int]:
    """Return which records differ from all others, and how many different ones there are.

    Parameters
    ----------
    columns
        Codes, (n,) each; n at least 1.
    radices
        For each column a number above all of its codes.

    Examples
    --------
    >>> unique, groups = partition_records([np.array([0, 0, 1]), np.array([2, 2, 2])], [2, 3])
    >>> unique.tolist(), groups
    ([False, False, True], 2)
    """
    number = len(columns[0])
    width = number.bit_length()  # a place among the records
    packed, top = columns[0].astype(np.int64), radices[0]
    for column, radix in zip(columns[1:], radices[1:], strict=True):
        if (top * radix).bit_length() + width > _WORD and top > number:  # numbered again, at most one per record
            packed, top = number_codes(packed)
        packed *= radix
        packed += column
        top *= radix
    return find_alone(packed, top)


def find_alone(packed: Integers, top: int) -> tuple[Truths, int]:
    """Return which codes occur once, and how many different ones there are; all are below `top`.

    Examples
    --------
    >>> once, groups = find_alone(np.array([7, 7, 3]), 8)
    >>> once.tolist(), groups
    ([False, False, True], 2)
    """
    number = len(packed)
    if top <= SPARSE * number:
        counts = np.bincount(packed, minlength=top)
        return (counts == 1)[packed], int(np.count_nonzero(counts))
    width = number.bit_length()
    if top.bit_length() + width > _WORD:
        packed, top = number_codes(packed)
    ordered = packed << width
    ordered += np.arange(number)
    ordered.sort()
    starts = np.ones(number + 1, dtype=np.bool_)  # a group begins at each of these places, and one would after the last
    places = ordered & ((1 << width) - 1)
    ordered >>= width
    np.not_equal(ordered[1:], ordered[:-1], out=starts[1:-1])
    unique = np.zeros(number, dtype=np.bool_)
    unique[places[starts[1:] & starts[:-1]]] = True
    return unique, int(np.count_nonzero(starts[:-1]))


def number_codes(packed: Integers) -> tuple[Integers, int]:
    """Return codes numbered again from 0, and how many there are.

    Examples
    --------
    >>> codes, number = number_codes(np.array([70, 70, 30]))
    >>> codes.tolist(), number
    ([1, 1, 0], 2)
    """
    values, codes = np.unique(packed, return_inverse=True)
    return codes.astype(np.int64, copy=False), len(values)
