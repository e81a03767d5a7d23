"""The rows of a logistic regression in the order in which they are summed: those of a kind behind one another.

A kind is a cell of the categories, with which numbers are missing: its rows differ in numbers alone, so that sums of
rows are those of a run. The order depends on the rows and not on that in which they come, and so do the sums.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sdc_sql.udfs.arguments import Floats, Integers, Truths

ROWS = 20_000  # so many are computed at a time: what they take stays in the processor's cache
_MANY = 1 << 62
_ODD = np.uint64(0x9E37_79B9_7F4A_7C15)
_SHORT = 6  # rows of a kind, below which counting is faster than summing runs


class Piece(NamedTuple):
    """Some rows, the kinds that they are of, where the run of each begins and how long it is."""

    rows: slice
    kinds: slice
    starts: Integers
    lengths: Integers

    @property
    def number(self) -> int:
        """How many rows there are."""
        return int(self.rows.stop - self.rows.start)

    def spread(self, of_kinds: Floats) -> Floats:
        """Return of each row what its kind has."""
        part = of_kinds[self.kinds]
        return part if len(part) == self.number else np.repeat(part, self.lengths)

    def sum(self, values: Floats) -> Floats:
        """Return the sums of the rows of each kind."""
        if len(self.starts) == len(values):
            return values
        if len(self.starts) * _SHORT > len(values):
            return np.bincount(np.repeat(np.arange(len(self.starts)), self.lengths), values).astype(np.float64)
        return np.asarray(np.add.reduceat(values, self.starts), dtype=np.float64)


class Rows:
    """Rows in order, of each variable the slot of each kind and how many slots it has, and the numbers standardised."""

    def __init__(self, cells: Floats, rows: Floats, before: Floats, after: Floats) -> None:
        codes = [c.astype(np.int64) - 1 for c in cells[1:]]
        placed = np.empty(cells.shape[1], dtype=np.int64)
        ranked = np.argsort(compose(codes, [int(c.max()) + 1 for c in codes], cells.shape[1]), kind="stable")
        placed[cells[0].astype(np.int64)[ranked] - 1] = np.arange(len(ranked))
        of = placed[rows[0].astype(np.int64) - 1]
        missing = [np.isnan(column) for column in rows[1:]]
        lacking = [m.astype(np.int64) for m in missing if m.any()]
        kind = compose([of, *lacking], [len(ranked), *([2] * len(lacking))], len(of))
        order = _order(kind, np.array([np.where(m, 0.0, c) for m, c in zip(missing, rows[1:], strict=True)]))
        kind, self.before, self.after = kind[order], before[order], after[order]
        self.counts = self.before + self.after
        self.records = float(self.counts.sum())
        self.share = float(self.after.sum()) / self.records
        first = np.flatnonzero(np.concatenate([[True], kind[1:] != kind[:-1]]))
        cell = ranked[of[order[first]]]
        self.kinds = len(first)
        self.slots = [c[cell] for c in codes] + [m[order[first]].astype(np.int64) for m in missing]
        self.sizes = [int(s.max()) + 1 for s in self.slots]
        self.categories = len(codes)
        self.counts_of_kinds = np.add.reduceat(self.counts, first)
        self.numbers = [_standardise(c[order], m[order], self.counts) for m, c in zip(missing, rows[1:], strict=True)]
        self._first = first
        self.pieces = [*self.cut(ROWS)]

    def cut(self, number: int) -> Iterator[Piece]:
        """Return pieces of so many rows."""
        rows = len(self.before)
        for start in range(0, rows, number):
            stop = min(start + number, rows)
            low = int(np.searchsorted(self._first, start, "right")) - 1
            high = int(np.searchsorted(self._first, stop))
            starts = np.maximum(self._first[low:high], start) - start
            yield Piece(slice(start, stop), slice(low, high), starts, np.diff(starts, append=stop - start))


def compose(slots: Sequence[Integers], sizes: Sequence[int], length: int) -> Integers:
    """Return a number of each combination of slots, ordered as they are."""
    kind, kinds = np.zeros(length if not slots else 0, dtype=np.int64), 1
    for slot, size in zip(slots, sizes, strict=True):
        if kinds * size > _MANY:
            kind = np.unique(kind, return_inverse=True)[1]
            kinds = int(kind.max()) + 1
        kind, kinds = (kind * size + slot if kinds > 1 else slot), kinds * size
    return kind


def _order(kind: Integers, numbers: Floats) -> Integers:
    """Return an order by kinds, and of one kind by numbers: by what their bits are mixed to, which is sorted faster."""
    small = kind.astype(np.uint16) if kind.max() < 1 << 16 else kind
    if not len(numbers):
        return np.argsort(small, kind="stable")
    mixed = kind.astype(np.uint64) * _ODD
    for column in numbers:
        mixed = (mixed ^ (column + 0.0).view(np.uint64)) * _ODD  # 0.0: -0.0 is equal to it
        mixed ^= mixed >> np.uint64(29)
    order = np.argsort(mixed)
    mixed = mixed[order]
    if (mixed[1:] == mixed[:-1]).any():
        return np.lexsort([*numbers[::-1], kind])
    return order[np.argsort(small[order], kind="stable")]


def _standardise(values: Floats, missing: Truths, counts: Floats) -> Floats:
    """Return a number less its mean, over its deviation; 1 where it is missing."""
    weights = np.where(missing, 0.0, counts)
    known = np.where(missing, 0.0, values)
    total = max(weights.sum(), 1.0)
    known -= (weights * known).sum() / total
    known /= np.sqrt((weights * known**2).sum() / total) or 1.0
    known[missing] = 1.0
    return known
