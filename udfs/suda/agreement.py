"""Which cells agree on a set of keys: packed codes, one bit mask for a set, one sort."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from sdc_sql.udfs.arguments import Integers

    Sets = NDArray[np.uint64]

_WORD = 64  # bits of a word
_ALL = 2**64 - 1


def bit(position: int) -> np.uint64:
    """Return the set of one key."""
    return np.uint64(1 << position)


def sizes(sets: Sets) -> NDArray[np.uint8]:
    """Return how many keys each set has.

    Examples
    --------
    >>> sizes(np.array([0, 5, 2**62 - 1], dtype=np.uint64)).tolist()
    [0, 2, 62]
    """
    result = np.zeros(len(sets), dtype=np.uint8)
    rest = sets.copy()
    while len(at := np.flatnonzero(rest)):
        rest[at] &= rest[at] - np.uint64(1)  # the lowest bit goes
        result[at] += 1
    return result


class Agreement:
    """The codes of the cells, (n,) for each key, packed into as few words as hold them."""

    def __init__(self, columns: Sequence[NDArray[np.integer]]) -> None:
        self.columns, self.keys, self.number = columns, len(columns), len(columns[0])
        self.words: list[Sets] = []
        self.fields: list[tuple[int, int]] = []  # the word of each key, and its bits in it
        free = 0
        for column in columns:
            width = int(column.max()).bit_length()
            if width > free or not self.words:
                self.words.append(np.zeros(self.number, dtype=np.uint64))
                free = _WORD
            free -= width
            self.words[-1] |= column.astype(np.uint64) << np.uint64(free)
            self.fields.append((len(self.words) - 1, ((1 << width) - 1) << free))
        self.width = self.number.bit_length()
        self.at = np.argsort(self.words[0])  # near in this order is near in many keys
        self.rank = np.empty(self.number, dtype=np.uint64)
        self.rank[self.at] = np.arange(self.number, dtype=np.uint64)
        self.state = 1  # the state of the multipliers: Knuth's 64-bit linear congruences

    def find_agreeing(self, keys: int) -> tuple[Integers, Integers]:
        """Return for each cell two others that seem to agree with it on a set of keys, -1 where there is none.

        Where there is none the cell is alone. By a hash that is another at each call: two that do not agree may seem
        to, and the caller has to look.
        """
        hashed = self._hashed(keys)
        hashed &= np.uint64(_ALL ^ ((1 << self.width) - 1))
        hashed |= self.rank
        hashed.sort()
        cells = self.at[(hashed & np.uint64((1 << self.width) - 1)).astype(np.int64)]
        hashed >>= np.uint64(self.width)
        same = np.flatnonzero(hashed[1:] == hashed[:-1])
        before, after = np.full(self.number, -1), np.full(self.number, -1)
        before[cells[same + 1]] = cells[same]
        after[cells[same]] = cells[same + 1]
        return before, after

    def _hashed(self, keys: int) -> Sets:
        masks = [0] * len(self.words)
        for p, (word, field) in enumerate(self.fields):
            if keys >> p & 1:
                masks[word] |= field
        result = np.zeros(self.number, dtype=np.uint64)
        for word_of_cells, mask in zip(self.words, masks, strict=True):
            if mask:
                mixed = word_of_cells & np.uint64(mask)
                mixed ^= mixed >> np.uint64(32)  # high bits reach low ones: a product spreads bits upward only
                mixed *= self._multiplier()
                result += mixed
        result ^= result >> np.uint64(32)
        result *= self._multiplier()
        return result

    def _multiplier(self) -> np.uint64:
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) & _ALL
        return np.uint64((self.state ^ self.state >> 32) | 1)

    def differences(self, cells: Integers, others: Integers) -> Sets:
        """Return for each pair of cells the set of keys in which they differ."""
        result = np.zeros(len(cells), dtype=np.uint64)
        for p, column in enumerate(self.columns):
            result |= (column[cells] != column[others]).astype(np.uint64) << np.uint64(p)
        return result
