"""How often each cell of a giver shows each value of a variable: the counts from which its figures follow in SQL.

Most values of a number stand in one record. In a cell they are alike for every figure but one: the greatest of them may
be what the cell gives for its commonest value. So they are counted together, the greatest by itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from sdc_sql.udfs.derivation import cut_into_runs
from sdc_sql.udfs.derivation_cells import TABLE, code_cells, count_codes, shorten_codes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray
    from sdc_sql.udfs.derivation_cells import Codes, Flags, Numbers

_SHORT = 1 << 31
_SIZES = 64  # values of a cell with up to so many records each are counted together, or fewer where cells are many
_OTHERS = -1  # in the place of several values of a cell with as many records each, but for the greatest of them


@dataclass(frozen=True)
class Variable:
    """A variable some of whose values are hidden.

    Parameters
    ----------
    known
        The codes of the values that an intruder knows, in their order; -1: none.
    truth
        The codes of the original values.
    hidden
        The records whose value is hidden.
    among
        Whether the hidden values stand among the known ones (coarsened values).
    """

    known: Numbers
    truth: Numbers
    hidden: NDArray[np.intp]
    among: bool
    flags: Flags = field(init=False, repr=False)
    places: NDArray[np.int32] = field(init=False, repr=False)
    repeated: Codes = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Mark the known values that are hidden, and number those of several records (`places`: -1 those of one)."""
        flags = np.zeros(len(self.known), dtype=np.bool_)
        flags[self.hidden] = self.among
        records = np.bincount(self.known + 1, minlength=1)[1:]
        repeated = np.flatnonzero(records > 1)
        places = np.full(len(records), -1, dtype=np.int32)
        places[repeated] = np.arange(len(repeated))
        for name, value in (("flags", flags), ("places", places), ("repeated", repeated)):
            object.__setattr__(self, name, value)


class Counts(NamedTuple):
    """Values by cell: the records that have one, how many values a row stands for, and how many records hide them."""

    cells: Codes
    values: Codes
    records: Codes
    several: Codes
    hidden: Codes

    def pick(self, rows: Flags) -> Counts:
        """Return some of the rows."""
        return Counts(*(column[rows] for column in self))


class _Alike(NamedTuple):
    """Values with as many records each of a cell: the greatest, how many they are, and what it and all of them hide."""

    cells: Codes
    records: Codes
    greatest: Codes
    several: Codes
    hides: Codes
    hidden: Codes


def count_cells(columns: Sequence[Numbers], kinds: Sequence[int], variable: Variable) -> tuple[Counts, Counts]:
    """Return the known values of each cell of a giver, and its hidden ones.

    Where cells are many those of one record are left out, unless another record hides a value there: they say nothing.

    Parameters
    ----------
    columns
        The codes of the giver's columns, from 0, below their ``kinds``; -1 where a value is missing. Without any, all
        records are one cell.
    kinds
        How many codes each column has.
    variable
        The variable.

    Examples
    --------
    Two cells, of which the second shows 1 twice, and 2 and another value (-1) once; the first hides a 1.

    >>> variable = Variable(np.array([0, -1, 1, 1, 0, 2]), np.array([0, 1, 1, 1, 0, 2]), np.array([1]), among=False)
    >>> known, hidden = count_cells([np.array([0, 0, 1, 1, 1, 1])], [2], variable)
    >>> sorted(zip(*(column.tolist() for column in known[:4])))
    [(0, 0, 1, 1), (1, -1, 1, 1), (1, 1, 2, 1), (1, 2, 1, 1)]
    >>> [column.tolist() for column in (hidden.cells, hidden.values, hidden.hidden)]
    [[0], [1], [1]]
    """
    records = variable.hidden[: 0 if variable.among else None]
    cells = code_cells([column[records] for column in columns], kinds, len(records))
    there = cells >= 0
    hidden = _sort_counts(cells[there], variable.truth[records][there], np.ones(int(there.sum()), dtype=np.bool_))
    runs = _read_runs(columns, kinds, variable)
    room = min(TABLE, 4 * len(variable.known))  # a table of more places than that is looked through for longer
    if math.prod(kinds) <= room:
        known = _pool_alike(_count_by_place(runs, math.prod(kinds), variable, room), math.prod(kinds), room)
    else:
        known = _sort_counts(*(np.concatenate(column) for column in zip(*runs, strict=True)))
        starts = _find_starts(known.cells)
        named, rows = known.cells[starts], np.diff(np.r_[starts, len(known.cells)])
        kept = np.add.reduceat(known.records, starts) > 1 if len(starts) else starts > 0
        kept |= np.isin(named, hidden.cells)  # a record by itself says nothing, but of a hidden one
        named, numbers = named[kept], np.repeat(np.arange(int(kept.sum())), rows[kept])
        known = known.pick(np.repeat(kept, rows))._replace(cells=numbers)
        known = _pool_alike(known, len(named), room)
        known = known._replace(cells=named[known.cells])
    return known, known.pick(known.hidden > 0) if variable.among else hidden


def count_labels(old: Numbers, released: Numbers) -> tuple[Codes, Codes]:
    """Return each original value with each of the values that are released for it, where neither is missing.

    Examples
    --------
    >>> [codes.tolist() for codes in count_labels(np.array([0, 0, 1, 2, -1]), np.array([3, 3, 3, -1, 0]))]
    [[0, 1], [3, 3]]
    """
    kinds = int(released.max(initial=0)) + 1
    pairs, _ = count_codes(code_cells([old, released], [1, kinds]))
    return pairs // kinds, pairs % kinds


def _read_runs(
    columns: Sequence[Numbers], kinds: Sequence[int], variable: Variable
) -> Iterator[tuple[Codes, Numbers, Flags]]:
    """Return the cells of the known values, these, and whether they are hidden, some records at a time."""
    for run in cut_into_runs(max(len(variable.known), 1)):
        values = variable.known[run]
        cells = code_cells([column[run] for column in columns], kinds, len(values))
        there = np.flatnonzero((cells >= 0) & (values >= 0))  # (by flags of which half are set: four times as long)
        yield cells[there], values[there], variable.flags[run][there]


def _count_by_place(
    runs: Iterator[tuple[Codes, Numbers, Flags]], kinds: int, variable: Variable, room: int
) -> Counts:  # fmt: skip
    """Return the counts by a table of all cells, where values that one record has in the file take no place."""
    width = max(len(variable.repeated), 1)
    fits = kinds * width <= room
    counts, hidden = np.zeros((2, kinds * width if fits else 0), dtype=np.int64)
    ones, hidden_ones = np.zeros((2, kinds), dtype=np.int64)
    greatest = np.full(kinds, _OTHERS, dtype=np.int64)
    kept: list[tuple[Codes, Numbers, Flags]] = []
    for cells, values, flags in runs:
        places = variable.places[values]
        one, more = np.flatnonzero(places < 0), np.flatnonzero(places >= 0)
        if len(one):
            of = cells[one]
            np.add.at(ones, of, 1)
            np.add.at(hidden_ones, of[np.flatnonzero(flags[one])], 1)
            np.maximum.at(greatest, of, values[one].astype(np.int64))
        if fits:
            keys = cells[more] * width + places[more]
            np.add.at(counts, keys, 1)
            np.add.at(hidden, keys[np.flatnonzero(flags[more])], 1)
        else:
            kept.append((cells[more], values[more], flags[more]))
    if kept:
        several = _sort_counts(*(np.concatenate(column) for column in zip(*kept, strict=True)))
    else:
        found = np.flatnonzero(counts)
        repeated = variable.repeated[found % width] if len(found) else found
        several = Counts(found // width, repeated, counts[found], np.ones_like(found), hidden[found])
    hides = np.zeros(len(variable.places) + 1, dtype=np.int64)
    hides[variable.known[variable.flags]] = 1
    alike = _Alike(np.arange(kinds), np.ones(kinds, np.int64), greatest, ones, hides[greatest], hidden_ones)
    return _join_alike(several, alike)


def _pool_alike(counts: Counts, kinds: int, room: int) -> Counts:
    """Return the counts, values of a cell with the same few records each together; the greatest of them by itself."""
    sizes = max(min(_SIZES, room // max(kinds, 1)), 1)
    few = counts.records <= sizes
    pooled = counts.pick(few)
    keys = pooled.cells * sizes + pooled.records - 1
    several, hidden, hides = np.zeros((3, kinds * sizes), dtype=np.int64)
    greatest = np.full(kinds * sizes, _OTHERS, dtype=np.int64)
    np.add.at(several, keys, pooled.several)
    np.add.at(hidden, keys, pooled.hidden)
    np.maximum.at(greatest, keys, pooled.values)
    its = pooled.values == greatest[keys]
    hides[keys[its]] = pooled.hidden[its]
    cells, records = np.divmod(np.arange(kinds * sizes), sizes)
    return _join_alike(counts.pick(~few), _Alike(cells, records + 1, greatest, several, hides, hidden))


def _join_alike(counts: Counts, alike: _Alike) -> Counts:
    """Return the counts with those of several values of a cell: a row of the greatest, and one of the others."""
    one, more = alike.several > 0, alike.several > 1
    others = np.full(int(more.sum()), _OTHERS, dtype=np.int64)
    both = (
        (alike.cells[one], alike.cells[more]), (alike.greatest[one], others), (alike.records[one], alike.records[more]),
        (np.ones(int(one.sum()), dtype=np.int64), alike.several[more] - 1),
        (alike.hides[one], (alike.hidden - alike.hides)[more]),
    )  # fmt: skip
    return Counts(*(np.concatenate([column, *parts]) for column, parts in zip(counts, both, strict=True)))


def _find_starts(ordered: Codes) -> Codes:
    return np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if len(ordered) else np.zeros(0, dtype=np.int64)


def _sort_counts(cells: Codes, values: Numbers, flags: Flags) -> Counts:
    """Return how often each cell has each value, in order, and how often it is hidden, by sorting the records."""
    kinds = int(values.max(initial=0)) + 1
    cells, named = shorten_codes(cells, 2 * kinds)
    short = int(cells.max(initial=0)) < _SHORT // (2 * kinds)  # these are sorted sooner
    keys = cells.astype(np.int32 if short else np.int64) * kinds + values.astype(np.int32 if short else np.int64)
    keys = keys * 2 + flags
    keys.sort()
    pairs = keys >> 1
    starts = _find_starts(pairs)
    records = np.diff(np.r_[starts, len(pairs)])
    hidden = np.add.reduceat(keys & 1, starts, dtype=np.int64) if len(pairs) else records
    of, found = (column.astype(np.int64) for column in np.divmod(pairs[starts], kinds))
    return Counts(of if named is None else named[of], found, records, np.ones_like(records), hidden)
