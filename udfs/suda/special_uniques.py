"""Minimal sample uniques by partitions: on each set of keys only the records that are not yet unique.

A cell (equal records) is unique on a set of keys if no other cell agrees with it there; it is then unique on every
larger set too. So on a set S only those cells are examined that are unique on no S without one of its keys:

    a cell among them that is unique on S is so for the first time; if it is one record, S is minimal for it
    no other cell agrees with any of them on S, as it differs on S without some key: the others can be left out
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray
    from sdc_sql.udfs.arguments import Integers, Truths

    Bits = NDArray[np.uint8]

SPARSE = 4  # a table of so many places a cell is still counted in; longer ones are sorted
_WORD = 63  # bits of a number that is not negative


def special_uniques(
    codes: Sequence[NDArray[np.integer]], single: Truths, most: int, *, zero_is_null: bool = False
) -> Iterator[tuple[int, Integers]]:
    """Yield each set of keys that is minimal for some record, with the cells for which it is.

    Parameters
    ----------
    codes
        For each key its categories by number from 0, (n,), one for each cell; no two cells are equal in every key.
    single
        Which cells are one record, (n,); a cell of several records is sample unique on no set.
    most
        The largest size of a set.
    zero_is_null
        Code 0 of every key is a missing value, and no unique uses one; such a cell still counts as different.

    Yields
    ------
    The set, as a number whose bit p says whether key p is in it, and the places of the cells in `codes`; sizes upward.

    Notes
    -----
    A set that divides the cells no further than without one of its keys is left out with all its supersets: in each of
    them that key adds nothing. So is one on which every single record is already unique. One bit per cell is kept for
    each set of a size; other sizes are discarded.

    References
    ----------
    Elliot, Manning & Ford (2002), A computational algorithm for handling the special uniques problem.

    Examples
    --------
    Ages 30, 30, 41 and sexes f, m, f; the first of the cells is two records.

    >>> found = special_uniques([np.array([0, 0, 1]), np.array([0, 1, 0])], np.array([False, True, True]), 2)
    >>> [(keys, cells.tolist()) for keys, cells in found]
    [(1, [2]), (2, [1])]
    """
    search = _Search([np.asarray(c) for c in codes], np.asarray(single, dtype=np.bool_), zero_is_null=zero_is_null)
    for size in range(1, most + 1):
        if not search.level:
            return
        yield from search.sets_of(size, last=size == most)


class _Search:
    """The cells that are not yet unique on every set of a size, and for each set which of them are not."""

    def __init__(self, columns: list[NDArray[np.integer]], single: Truths, *, zero_is_null: bool) -> None:
        self.columns, self.single, self.zero_is_null = columns, single, zero_is_null
        self.radices = [int(c.max(initial=0)) + 1 for c in columns]
        self.number = len(single)
        self.origin = np.arange(self.number)
        # of each set that can still be extended: its groups, and a bit for each cell, 1 while it is not unique
        self.level: dict[int, tuple[int, Bits]] = {0: (1, np.packbits(np.ones(self.number, dtype=np.bool_)))}

    def sets_of(self, size: int, *, last: bool) -> Iterator[tuple[int, Integers]]:
        """Yield the sets of one size and the cells for which they are minimal; the last ones are not kept."""
        larger: dict[int, tuple[int, Bits]] = {}
        for positions in itertools.combinations(range(len(self.columns)), size):
            keys = sum(1 << p for p in positions)
            smaller = [self.level[keys ^ (1 << p)] for p in positions if keys ^ (1 << p) in self.level]
            if len(smaller) < size:
                continue
            cells = _common([bits for _, bits in smaller], len(self.single))
            found = self.single[cells]
            if not found.any():
                continue
            chosen = [self.columns[p] if len(cells) == len(self.single) else self.columns[p][cells] for p in positions]
            unique, groups = partitioned(chosen, [self.radices[p] for p in positions])
            found &= unique
            for column in chosen if self.zero_is_null else []:
                found &= column > 0
            if found.any():
                yield keys, self.origin[cells[found]]
            groups += self.number - len(cells)  # each of those left out is unique
            if not last and all(groups != g for g, _ in smaller):
                left = np.zeros(len(self.single), dtype=np.bool_)
                left[cells[~unique]] = True
                larger[keys] = (groups, np.packbits(left))
        self.level = larger
        self._drop_unique()

    def _drop_unique(self) -> None:
        """Drop the cells that are unique on every set of this size, once they are half of all."""
        number = len(self.single)
        some = np.zeros(-(-number // 8), dtype=np.uint8)
        for _, bits in self.level.values():
            some |= bits
        left = _truths(some, number)
        if 2 * np.count_nonzero(left) < number:
            self.level = {k: (groups, np.packbits(_truths(b, number)[left])) for k, (groups, b) in self.level.items()}
            self.columns = [c[left] for c in self.columns]
            self.single, self.origin = self.single[left], self.origin[left]


def _truths(bits: Bits, number: int) -> Truths:
    return np.unpackbits(bits, count=number).view(np.bool_)


def _common(bits: list[Bits], number: int) -> Integers:
    """Return the places where every one of the sets has a 1."""
    common = bits[0].copy()
    for other in bits[1:]:
        common &= other
    return np.flatnonzero(_truths(common, number))


def partitioned(columns: Sequence[NDArray[np.integer]], radices: Sequence[int]) -> tuple[Truths, int]:
    """Return which records differ from all others, and how many different ones there are.

    Parameters
    ----------
    columns
        Codes, (n,) each; n at least 1.
    radices
        For each column a number above all of its codes.

    Examples
    --------
    >>> unique, groups = partitioned([np.array([0, 0, 1]), np.array([2, 2, 2])], [2, 3])
    >>> unique.tolist(), groups
    ([False, False, True], 2)
    """
    number = len(columns[0])
    width = number.bit_length()  # a place among the records
    packed, top = columns[0].astype(np.int64), radices[0]
    for column, radix in zip(columns[1:], radices[1:], strict=True):
        if (top * radix).bit_length() + width > _WORD and top > number:  # numbered again, at most one per record
            packed, top = _numbered(packed)
        packed *= radix
        packed += column
        top *= radix
    if top <= SPARSE * number:
        counts = np.bincount(packed, minlength=top)
        return (counts == 1)[packed], int(np.count_nonzero(counts))
    if top.bit_length() + width > _WORD:
        packed, top = _numbered(packed)
    packed <<= width
    packed += np.arange(number)
    packed.sort()
    starts = np.ones(number + 1, dtype=np.bool_)  # where a group begins, and where one would after the last
    places = packed & ((1 << width) - 1)
    packed >>= width
    np.not_equal(packed[1:], packed[:-1], out=starts[1:-1])
    unique = np.zeros(number, dtype=np.bool_)
    unique[places[starts[1:] & starts[:-1]]] = True
    return unique, int(np.count_nonzero(starts[:-1]))


def _numbered(packed: Integers) -> tuple[Integers, int]:
    """Return codes numbered again from 0, and how many there are."""
    values, codes = np.unique(packed, return_inverse=True)
    return codes.astype(np.int64, copy=False), len(values)
