"""Cells as whole numbers: of one or two columns, counted, and looked up among others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from sdc_sql.udfs.sorting import WORD

if TYPE_CHECKING:
    from collections.abc import Sequence

Codes = NDArray[np.int64]
Numbers = NDArray[np.int16] | NDArray[np.int32] | NDArray[np.int64]
Flags = NDArray[np.bool_]

TABLE = 4_000_000  # cells that are counted, or looked up, by their places
_MANY = 50_000  # cells that are looked up in such a table, or by hashes, sooner than by halving
_BITS = 18  # of a hash
_ODD = 0x9E3779B97F4A7C15  # the multiplier of multiplicative hashing (Knuth 1998, 6.4)


def code_cells(columns: Sequence[Numbers], kinds: Sequence[int], records: int = 0) -> Codes:
    """Return the codes of the cells of one or two columns, -1 where one is missing; without any, so many times 0."""
    if not columns:
        return np.zeros(records, dtype=np.int64)
    one = columns[0].astype(np.int64)
    if len(columns) > 1:
        missing = (one < 0) | (columns[1] < 0)
        one *= kinds[1]
        one += columns[1]
        one[missing] = -1
    return one


def shorten_codes(cells: Codes, kinds: int) -> tuple[Codes, Codes | None]:
    """Return cells to which so many kinds of values are to be joined in one number, and what they stand for.

    None, where they stand for themselves: they are numbered anew where such a number would be too long.
    """
    if int(cells.max(initial=0)) < (1 << WORD) // kinds:
        return cells, None
    named, numbers = np.unique(cells, return_inverse=True)
    return numbers, named


def count_codes(cells: Codes) -> tuple[Codes, Codes]:
    """Return the different codes in order, and how many records have each; of -1 nothing is told."""
    cells = cells[np.flatnonzero(cells >= 0)]
    if int(cells.max(initial=0)) < min(TABLE, 4 * len(cells)):
        counts = np.bincount(cells, minlength=1)
        found = np.flatnonzero(counts)
        return found, counts[found]
    found, counts = np.unique(cells, return_counts=True)
    return found, counts


def find_places(cells: Codes, wanted: Codes) -> tuple[Codes, Flags]:
    """Return the places of cells among the wanted ones, in order, and whether they are there."""
    if not len(wanted) or not len(cells):
        return np.zeros(len(cells), dtype=np.int64), np.zeros(len(cells), dtype=np.bool_)
    if len(cells) > _MANY and (top := max(int(cells.max()), int(wanted[-1]))) < TABLE and int(cells.min()) >= 0:
        table = np.full(top + 1, -1, dtype=np.int32)
        table[wanted] = np.arange(len(wanted))
        found = table[cells]
        return np.maximum(found, 0).astype(np.int64), found >= 0
    if len(cells) > _MANY:  # by hashes: in half of the time
        found = pc.index_in(pa.array(cells), value_set=pa.array(wanted)).fill_null(-1).to_numpy().astype(np.int64)
        return np.maximum(found, 0), found >= 0
    place = np.minimum(np.searchsorted(wanted, cells), len(wanted) - 1)
    return place, wanted[place] == cells


def find_likely_cells(cells: Codes, wanted: Codes) -> Flags:
    """Return which cells may be wanted ones: all that are, and a few others."""
    found: Flags = flag_codes(wanted)[hash_codes(cells)]
    return found


def flag_codes(wanted: Codes) -> Flags:
    """Return by their hashes whether some codes may be wanted ones."""
    flags = np.zeros(1 << _BITS, dtype=np.bool_)
    flags[hash_codes(wanted)] = True
    return flags


def hash_codes(codes: Codes) -> Codes:
    """Return multiplicative hashes of codes, of few bits."""
    return ((codes.view(np.uint64) * np.uint64(_ODD)) >> np.uint64(64 - _BITS)).astype(np.int64)
