"""What the search set by set holds: keys by their less common values, cells in groups, and which are alone on a set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sdc_sql.udfs.suda.partitions import SPARSE, number_codes

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from sdc_sql.udfs.arguments import Integers, Truths

SHORT = 2_000_000  # places of more cells than this are kept in half the memory, which is slower


class Key:
    """A key, its most common code and 0 exchanged; and the places and codes of the cells that have another."""

    def __init__(self, column: NDArray[np.integer], *, zero_is_null: bool) -> None:
        counts = np.bincount(column)
        common = int(counts.argmax())
        self.radix = len(counts)
        self.missing = column == 0 if zero_is_null else None
        self.column = np.where(column == common, 0, np.where(column == 0, common, column)).astype(column.dtype)
        self._index()

    def _index(self) -> None:
        self.places: NDArray[np.int32 | np.int64] = np.flatnonzero(self.column).astype(
            np.int64 if len(self.column) < SHORT else np.int32, copy=False
        )
        self.codes = self.column[self.places]

    def keep(self, cells: Truths) -> None:
        """Keep some cells only."""
        self.column = self.column[cells]
        self.missing = None if self.missing is None else self.missing[cells]
        self._index()

    def drop_missing(self, cells: Integers) -> Integers:
        """Return those of some cells that have a value."""
        return cells if self.missing is None else cells[~self.missing[cells]]


class Groups:
    """The cells in groups by a set of keys: 1, 2, ... and of what size; 0 is every cell that is alone."""

    def __init__(self, keys: tuple[int, ...], of: NDArray[np.int32], sizes: Integers) -> None:
        self.keys, self.of, self.sizes = keys, of, sizes
        self.alone = len(of) - int(sizes.sum())


def divide_groups(groups: Groups, position: int, key: Key) -> Groups:
    """Return the groups divided further by one more key."""
    packed = groups.of.astype(np.int64)
    packed *= key.radix
    packed += key.column
    top = len(groups.sizes) * key.radix
    zeros = key.radix  # the codes of those that are alone
    if top > SPARSE * len(packed):
        packed[packed < zeros] = 0
        zeros = int(bool(groups.alone))
        packed, top = number_codes(packed)
    counts = np.bincount(packed, minlength=top)
    counts[:zeros] = 0
    several = counts > 1
    renumbered = np.cumsum(several, dtype=np.int32)
    renumbered[~several] = 0
    return Groups((*groups.keys, position), renumbered[packed], np.concatenate([[0], counts[several]]))


class Alone:
    """How many groups a set of keys makes, and which cells are alone: their places if few, else a bit for each."""

    def __init__(self, groups: int, places: Integers, cells: int) -> None:
        self.groups, self.cells, self.number = groups, cells, len(places)
        self.few = 32 * len(places) < cells  # four bytes for each are less than a bit for every cell
        self.kept: NDArray[Any] = places.astype(np.int32) if self.few else np.packbits(_mark_places(places, cells))
        self.nbytes = self.kept.nbytes + 500  # Python needs 500 for the object

    def list_flags(self) -> Truths:
        """Return of each cell whether it is alone."""
        if self.few:
            return _mark_places(self.kept, self.cells)
        return np.unpackbits(self.kept, count=self.cells).view(np.bool_)

    def find_alone(self, cells: Integers, scratch: Truths) -> Truths:
        """Return of some cells whether they are alone; `scratch` is false of every cell, and is so again."""
        found: Truths
        if self.few:
            scratch[self.kept] = True
            found = scratch[cells]
            scratch[self.kept] = False
        else:
            found = (self.kept[cells >> 3] >> (7 - (cells & 7)).astype(np.uint8) & 1).view(np.bool_)
        return found

    def add(self, groups: int, places: Integers) -> Alone:
        """Return the same with more cells that are alone."""
        before = self.kept if self.few else np.flatnonzero(self.list_flags())
        return Alone(groups, np.concatenate([before, places]), self.cells)

    def select(self, left: Truths) -> Alone:
        """Return the same of some cells only."""
        return Alone(self.groups, np.flatnonzero(self.list_flags()[left]), int(np.count_nonzero(left)))


def _mark_places(places: NDArray[np.integer], cells: int) -> Truths:
    every = np.zeros(cells, dtype=np.bool_)
    every[places] = True
    return every
