"""The table of cells, packed: a cell is one number, and to leave keys out of it is to AND it with a mask.

A key takes as many bits as its greatest code needs; code 0 is NULL. So a record that is released without some of its
keys is the packed cell with those bits zero, and two records are released alike where these numbers are equal: a value
that was missing before and one that is suppressed are the same.
"""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, Any

import numpy as np
from sdc_sql.udfs.sorting import WORD, group_values

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from sdc_sql.udfs.arguments import Floats, Integers, Truths

MOST_KEYS = 16
_MIXER = 0x9E37_79B9_7F4A_7C15
_MANY = 8  # where more than one cell in so many is wanted, the buckets whose sum is too small are left out first
_DOUBLE = 53  # bits of each half of two numbers, where one is too short


class Cells:
    """The cells of a crossing of keys, and the sets of keys that may be suppressed, in order of their cost.

    Parameters
    ----------
    codes
        A category by number from 1 for each cell and key, 0 where it is NULL, (n, m); no two rows are equal.
    counts
        The records of each cell, (n,).
    weights
        What it costs to suppress a value of each key, positive, (m,).
    others
        Records of each cell besides, that are released as they are, (n,).
    kept
        Keys that are never suppressed, a bit each: no set has one of them.
    """

    def __init__(
        self, codes: Integers, counts: Integers, weights: Sequence[float], others: Integers | None = None,
        kept: int = 0,
    ) -> None:  # fmt: skip
        self.number, self.keys = codes.shape
        if self.keys > MOST_KEYS:
            raise ValueError(f"there are {self.keys} keys, and at most {MOST_KEYS} can be searched: leave some out")
        self.counts, self.weights = counts, [float(w) for w in weights]
        self.others = np.zeros_like(counts) if others is None else others
        self.totals = self.counts + self.others
        self.bits = [max(1, int(top).bit_length()) for top in codes.max(axis=0, initial=0)]
        self.packed, self.words = self._pack_cells(codes)
        self.known = np.zeros(self.number, dtype=np.int64)  # a bit for each key that is not NULL
        for key in range(self.keys):
            self.known |= (codes[:, key] > 0).astype(np.int64) << key
        self.every, self.kept = (1 << self.keys) - 1, kept
        # sets that leave out the keys of most categories come first among equally dear ones
        categories = [np.count_nonzero(np.bincount(codes[:, key])) for key in range(self.keys)]
        finest = sorted(range(self.keys), key=lambda key: (-categories[key], key))
        ranks = {key: rank for rank, key in enumerate(finest)}
        described = (
            (self.cost(left_out), sorted(ranks[k] for k in range(self.keys) if left_out >> k & 1), left_out)
            for left_out in range(1 << self.keys)
            if not left_out & kept
        )
        ordered = sorted(described, key=lambda d: (d[0], len(d[1]), d[1]))
        self.sets = [left_out for _, _, left_out in ordered]
        self.costs = [cost for cost, _, _ in ordered]
        self.places = {left_out: place for place, left_out in enumerate(self.sets)}
        self.masks = self._masks()

    def _pack_cells(self, codes: Integers) -> tuple[NDArray[Any], list[tuple[int, int]]]:
        """Return the cells as one number each, and each key's word and first bit in it."""
        width = WORD if sum(self.bits) <= WORD else _DOUBLE
        words, places = [0], []
        for bits in self.bits:
            if words[-1] + bits > width:
                words.append(0)
            places.append((len(words) - 1, words[-1]))
            words[-1] += bits
        if len(words) > 2:  # noqa: PLR2004
            raise ValueError(f"the categories of the keys take {sum(self.bits)} bits, and at most 106: recode them")
        packed = np.zeros((len(words), len(codes)), dtype=np.int64)
        for key, (word, first) in enumerate(places):
            packed[word] |= codes[:, key].astype(np.int64) << first
        return packed[0] if len(words) == 1 else packed, places

    def _masks(self) -> Integers:
        """Return the bits that are kept when a set of keys is left out, of each word and set in their order."""
        masks = np.zeros((2, len(self.sets)), dtype=np.int64)
        sets = np.array(self.sets, dtype=np.int64)
        for key, (word, first) in enumerate(self.words):
            masks[word] |= np.where(sets >> key & 1, 0, ((1 << self.bits[key]) - 1) << first)
        return masks

    def part(self, here: Integers) -> Cells:
        """Return some of the cells, as cells of their own."""
        codes = np.stack([self.column(key)[0][here] for key in range(self.keys)], axis=1)
        return Cells(codes, self.counts[here], self.weights, self.others[here], self.kept)

    def column(self, key: int) -> tuple[Integers, int]:
        """Return the categories of a key, 0 where it is NULL, and how many numbers they may be."""
        word, first = self.words[key]
        packed = self.packed if self.packed.ndim == 1 else self.packed[word]
        codes = packed >> first & ((1 << self.bits[key]) - 1)
        return codes, int(codes.max(initial=0)) + 1

    def cost(self, left_out: int) -> float:
        """Return what it costs to suppress a set of keys, a bit each."""
        return fsum(w for key, w in enumerate(self.weights) if left_out >> key & 1)

    def released(self, left_out: int, cells: Any = slice(None)) -> NDArray[Any]:  # noqa: ANN401 - an index
        """Return the cells without a set of keys, a number each: two words as one of complex numbers, exactly."""
        kept = self.masks[:, self.places[left_out]]
        if self.packed.ndim == 1:
            return np.asarray(self.packed[cells] & kept[0])
        return np.asarray((self.packed[0][cells] & kept[0]) + 1j * (self.packed[1][cells] & kept[1]))

    def release_without_each(self, cells: Integers, sets: int) -> NDArray[Any]:
        """Return the cells without each of the first sets of keys, (cells, sets)."""
        kept = self.masks[:, np.newaxis, :sets]
        if self.packed.ndim == 1:
            return np.asarray(self.packed[cells, np.newaxis] & kept[0])
        return np.asarray(
            (self.packed[0][cells, np.newaxis] & kept[0]) + 1j * (self.packed[1][cells, np.newaxis] & kept[1])
        )

    def sums(self, left_out: int, wanted: Integers, amounts: Floats, least: float) -> Floats:
        """Return for the wanted cells the amounts of all cells that agree with them on the keys that are kept.

        Sums below `least` may be returned as 0: they are told by the sums of buckets, which are never less.
        """
        packed = self.released(left_out)
        chosen: Any = np.arange(self.number)
        if packed.dtype.kind == "i":
            few = self.number.bit_length() + 1  # two to four buckets a cell
            buckets = (packed.view(np.uint64) * np.uint64(_MIXER) >> np.uint64(64 - few)).view(np.int64)
            here = buckets[wanted]
            if len(wanted) > self.number // _MANY:  # of few cells all buckets are looked into
                full = np.bincount(buckets, weights=amounts, minlength=1 << few) >= least * (1 - 1e-9)
                here = here[full[here]]
            if not len(here):
                return np.zeros(len(wanted))
            needed = np.zeros(1 << few, dtype=np.bool_)
            needed[here] = True
            chosen = np.flatnonzero(needed[buckets])
        values, groups = group_values(packed[chosen])
        totals = np.bincount(groups, weights=amounts[chosen], minlength=len(values))
        place = np.full(self.number, -1, dtype=np.int64)
        place[chosen] = groups
        found = place[wanted]
        return np.where(found >= 0, totals[found], 0.0)

    def count_standing(self, rows: NDArray[Any]) -> Integers:
        """Return how many of the records that stay as they are are released as each row."""
        here = np.flatnonzero(self.others)
        if not len(here):
            return np.zeros(len(rows), dtype=np.int64)
        own, order = group_values(self.released(0, here))
        numbers = np.zeros(len(own), dtype=np.int64)
        numbers[order] = self.others[here]
        places = np.minimum(np.searchsorted(own, rows), len(own) - 1)
        return np.where(own[places] == rows, numbers[places], 0)

    def find_keeping(self, left_out: int, cells: Integers) -> Truths:
        """Return for which of the cells a set of keys is what they would lose: none of it is NULL in them."""
        return np.asarray((left_out & ~self.known[cells]) == 0)

    def find_keeping_known(self, left_out: int, cells: Integers) -> Truths:
        """Return which of the cells would keep no key that is NULL in them: what is missing is not kept."""
        return np.asarray((self.every & ~left_out & ~self.known[cells]) == 0)
