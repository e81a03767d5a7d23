"""Uniform draws of records: of those of the key, and of one digest of them all."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers

Words = npt.NDArray[np.uint64]
WORDS = 4
STEP = 0x9E3779B97F4A7C15


def order_words(words: Floats) -> Integers:
    """Return the places of records in the order of their uniform numbers, (4, n).

    Examples
    --------
    >>> order_words(np.array([[0.5, 0.1, 0.5], [0.2, 0.3, 0.1]])).tolist()
    [1, 2, 0]
    """
    order = np.argsort(words[0], kind="stable")
    if (words[0][order][1:] == words[0][order][:-1]).any():
        order = np.lexsort(words[::-1])
    return order.astype(np.int64)


@dataclass(frozen=True)
class Draws:
    """Draws of records, of which any change of one record changes all.

    What the key tells of a record, (4, n), is moved by those of a digest of all digests, and mixed anew for
    each draw (Steele, Lea & Flood 2014, Fast splittable pseudorandom number generators, OOPSLA).
    """

    words: Words

    @classmethod
    def read(cls, words: Floats) -> Draws:
        """Return the draws of records, of four uniform numbers each, (4, n), multiples of 2^-52; the records in order.

        Examples
        --------
        >>> one = np.zeros((4, 1))
        >>> Draws.read(one).draw(0).round(3) == Draws.read(np.c_[one, one + 0.5]).draw(0).round(3)[:1]
        array([False])
        """
        whole = np.frombuffer(sha256(np.ascontiguousarray(words).data).digest(), dtype=">u8").astype(np.uint64)
        return cls((words * 2.0**52).astype(np.uint64) ^ whole[:, np.newaxis])

    def choose(self, places: Integers | slice) -> Draws:
        """Return the draws of some records."""
        return Draws(self.words[:, places])

    def draw(self, j: int) -> Floats:
        """Return draw j of each record, in [0, 1)."""
        z = self.words[j % 4] + np.uint64((j // 4 + 1) * STEP % 2**64)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        found: Floats = ((z ^ (z >> np.uint64(31))) >> np.uint64(12)).astype(np.float64) / 2**52
        return found
