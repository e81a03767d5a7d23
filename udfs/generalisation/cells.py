"""Cells packed in one 64-bit integer each, which a generalisation changes by a table look-up of a bit field.

The leaves of each hierarchy are numbered so that values that are put together stand side by side, on every level. Two
things follow for cells in ascending order: leaving out the last keys is a shift that keeps the order, and so is a
generalisation of the last key; only one of another key needs the cells sorted again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from sdc_sql.udfs.arguments import Floats, Integers

WORD = 63  # bits of a number that is not negative


@dataclass(frozen=True)
class Ladder:
    """A key's hierarchy with its values numbered in order.

    Parameters
    ----------
    height
        The highest level.
    place
        The number at level 0 of each value as the caller counts it, (values,).
    up
        For each level but the highest the number that each number becomes on the next level.
    share
        For each level and number the part of the other values that are put together with a value: (m - 1) / (M - 1)
        for m of the M values of the hierarchy. 0 for a value alone, 1 for all of them.
    """

    height: int
    place: Integers
    up: list[Integers]
    share: list[Floats]

    @classmethod
    def make(cls, codes: NDArray[np.integer]) -> Ladder:
        """Return the ladder of a hierarchy, (values, levels), by the number of each value's label at each level.

        Examples
        --------
        >>> ladder = Ladder.make(np.array([[0, 0, 0], [1, 1, 0], [2, 0, 0]]))
        >>> ladder.place.tolist(), [u.tolist() for u in ladder.up], ladder.share[1].tolist()
        ([0, 2, 1], [[0, 0, 1], [0, 0]], [0.5, 0.0])
        """
        order = np.lexsort(codes.T)  # the highest level first
        ordered = codes[order]
        changes = np.zeros(ordered.shape, dtype=np.int64)
        changes[1:] = ordered[1:] != ordered[:-1]
        numbers = changes.cumsum(axis=0)
        nested = bool(np.all(changes[:, :-1] >= changes[:, 1:])) and int(numbers[-1, 0]) + 1 == len(order)
        if not nested or any(
            len(np.unique(labels)) <= last for labels, last in zip(ordered.T, numbers[-1], strict=True)
        ):
            raise ValueError(
                "a level of a hierarchy is no coarsening of the one below it, or a value stands twice: values with one "
                "label at a level must have one label at each level above"
            )
        place = np.empty(len(order), dtype=np.int64)
        place[order] = numbers[:, 0]
        starts = [np.flatnonzero(np.r_[1, change[1:]]) for change in changes.T]
        up = [numbers[start, level + 1] for level, start in enumerate(starts[:-1])]
        others = max(len(order) - 1, 1)
        share = [(np.bincount(column) - 1) / others for column in numbers.T]
        return cls(codes.shape[1] - 1, place, up, share)


@dataclass(frozen=True)
class Cells:
    """Cells in ascending order with the number of records in each, (n,) and (n,)."""

    words: Integers
    counts: Integers


class Packing:
    """Where each key stands in the word: the first one highest.

    Parameters
    ----------
    ladders
        The keys in the order in which they are packed.
    records
        How many records there are; their number takes part in the sorting.
    """

    def __init__(self, ladders: Sequence[Ladder], records: int) -> None:
        widths = [(len(ladder.place) - 1).bit_length() for ladder in ladders]
        if sum(widths) > WORD:
            raise ValueError(
                f"the keys take {sum(widths)} bits together and {WORD} are the most: leave out keys, or recode "
                "those of most values first"
            )
        self.shifts = [sum(widths[i + 1 :]) for i in range(len(widths))]
        self.masks = [(1 << width) - 1 for width in widths]
        width = records.bit_length()
        self.with_counts = width if sum(widths) + width <= WORD else 0
        self.steps = [
            [(up - np.arange(len(up))) << shift for up in ladder.up]
            for ladder, shift in zip(ladders, self.shifts, strict=True)
        ]

    def cells(self, places: Sequence[Integers], counts: Integers) -> Cells:
        """Return the cells of the keys' numbers at level 0, (n,) each, with their records; equal ones put together."""
        return self._sort_cells(self.words(places), counts)

    def words(self, places: Sequence[Integers]) -> Integers:
        """Return the keys' numbers, (n,) each, in one word for each cell."""
        words = np.zeros(len(places[0]), dtype=np.int64)
        for place, shift in zip(places, self.shifts, strict=True):
            words += place << shift
        return words

    def raise_level(self, cells: Cells, key: int, level: int) -> Cells:
        """Return the cells with a key generalised from a level to the next."""
        words = cells.words + self.steps[key][level][self.field(cells.words, key)]
        return _merge_cells(words, cells.counts) if self.shifts[key] == 0 else self._sort_cells(words, cells.counts)

    def take_first(self, cells: Cells, key: int) -> Cells:
        """Return the cells of the keys up to one, which then stands lowest."""
        shift = self.shifts[key]
        return _merge_cells(cells.words >> shift, cells.counts) if shift else cells

    def field(self, words: Integers, key: int, last: int | None = None) -> Integers:
        """Return the numbers of a key, in words whose last key is another than the last of all."""
        return (words >> (self.shifts[key] - (0 if last is None else self.shifts[last]))) & self.masks[key]

    def _sort_cells(self, words: Integers, counts: Integers) -> Cells:
        """Return cells in any order in ascending order. The number of records is sorted along, where there is room."""
        if not self.with_counts:
            order = np.argsort(words, kind="stable")
            return _merge_cells(words[order], counts[order])
        both = words << self.with_counts
        both |= counts
        both.sort()
        return _merge_cells(both >> self.with_counts, both & ((1 << self.with_counts) - 1))


def _merge_cells(words: Integers, counts: Integers) -> Cells:
    """Return cells that are in ascending order with equal ones put together."""
    begins = np.empty(len(words), dtype=np.bool_)
    begins[:1] = True
    np.not_equal(words[1:], words[:-1], out=begins[1:])
    starts = np.flatnonzero(begins)
    if len(starts) == len(words):
        return Cells(words, counts)
    return Cells(words[starts], np.add.reduceat(counts, starts))
