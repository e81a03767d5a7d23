"""What must hold of records that are released alike, besides that they are k: of a sensitive variable, or outside.

Values of a sensitive variable stand in the lowest bits of a cell's word, so that they go with their cells wherever
these are put together. Persons outside the file (a population, or the sum of weights) are cells of their own, rolled up
beside it.

Most conditions hold of what is put together where they hold of its parts. Only those that fail for every part where
they fail for the whole say which records are lost before all keys are settled: few values, few persons outside.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from sdc_sql.udfs.arguments import Floats, Integers, Truths

_EQUAL = 1e-12  # figures that differ by less are the same
DIVERSITIES = ("distinct", "entropy", "recursive")
DISTANCES = ("equal", "ordered")


@dataclass(frozen=True)
class Sensitive:
    """A sensitive variable and what is asked of it in each cell.

    Parameters
    ----------
    codes
        The number of its value, from 0 in their order, one for each cell of keys and value, (n,).
    l, diversity, c
        l-diversity: Machanavajjhala et al. (2007), definitions 4.1 and 4.2; c of the recursive one. l None: not asked.
    t, distance
        t-closeness: Li et al. (2007), section 4. t None: not asked.
    """

    codes: NDArray[np.integer]
    l: float | None = None  # noqa: E741 - its name in the field
    diversity: str = "distinct"
    c: float = 2.0
    t: float | None = None
    distance: str = "equal"

    def __post_init__(self) -> None:
        """Check what is asked."""
        for name, value, known in (("diversity", self.diversity, DIVERSITIES), ("distance", self.distance, DISTANCES)):
            if value not in known:
                raise ValueError(f"{name} is {value!r}: it must be one of {', '.join(known)}")
        if self.l is not None and not self.l >= 1:
            raise ValueError(f"l is {self.l}: it must be a number of at least 1")
        if self.diversity == "recursive" and self.l is not None and self.l != int(self.l):
            raise ValueError(f"l is {self.l}: for recursive diversity it must be a whole number")
        if not 0 < self.c < np.inf:
            raise ValueError(f"c is {self.c}: it must be positive and finite")
        if self.t is not None and not 0 <= self.t <= 1:
            raise ValueError(f"t is {self.t}: it must be a distance, from 0 to 1")


@dataclass(frozen=True)
class Outside:
    """Persons outside the file: of each cell that is released there must be so many.

    Parameters
    ----------
    codes
        For each key the row of its value in the hierarchy, (n,), one for each cell outside.
    amounts
        How many persons each is, (n,); not negative.
    least
        The least sum for a cell.
    """

    codes: Sequence[NDArray[np.integer]]
    amounts: Floats
    least: float

    def scale(self) -> tuple[Integers, int]:
        """Return the amounts and the least sum as whole numbers, which add up to below 2^61, in units of a power of 2.

        Examples
        --------
        >>> amounts, least = Outside([np.array([0, 1])], np.array([1.5, 3.0]), 2.0).scale()
        >>> (amounts / amounts[0]).tolist(), round(least / int(amounts[0]), 9)
        ([1.0, 2.0], 1.333333333)
        """
        unit = 60 - int(np.ceil(np.log2(max(float(np.sum(self.amounts)), 1.0))))
        whole = np.rint(np.ldexp(np.asarray(self.amounts, dtype=np.float64), unit)).astype(np.int64)
        return whole, int(np.ceil(np.ldexp(self.least * (1 - _EQUAL), unit)))


@dataclass(frozen=True)
class Groups:
    """Cells by the groups that they are released in: their values and records, (n,), and where a group begins."""

    values: Integers
    counts: Integers
    starts: Integers

    @classmethod
    def make(cls, words: Integers, values: Integers, counts: Integers) -> Groups:
        """Return the groups of equal words; the same value of one group is put together."""
        if np.any(words[1:] < words[:-1]) or np.any((words[1:] == words[:-1]) & (values[1:] <= values[:-1])):
            order = np.lexsort((values, words))
            words, values, counts = words[order], values[order], counts[order]
            new = np.ones(len(words), dtype=np.bool_)
            new[1:] = (words[1:] != words[:-1]) | (values[1:] != values[:-1])
            first = np.flatnonzero(new)
            words, values, counts = words[first], values[first], np.add.reduceat(counts, first)
        begins = np.ones(len(words), dtype=np.bool_)
        begins[1:] = words[1:] != words[:-1]
        return cls(values, counts, np.flatnonzero(begins))

    @property
    def sizes(self) -> Integers:
        """The records of each group."""
        return np.add.reduceat(self.counts, self.starts)

    @property
    def distinct(self) -> Integers:
        """The values of each group."""
        return np.diff(self.starts, append=len(self.counts))

    def find_few(self, asked: Sensitive) -> Truths:
        """Return which groups have fewer values than l, which no l-diverse group has; nor has a part of theirs."""
        return np.asarray(self.distinct < np.ceil((asked.l or 0) * (1 - _EQUAL)))

    def find_failing(self, asked: Sensitive, whole: Integers) -> Truths:
        """Return which groups are not as is asked; whole: the records of each value in the file."""
        failing = self.find_few(asked)
        if asked.l is not None and asked.diversity == "entropy":
            failing |= self.entropy < asked.l * (1 - _EQUAL)
        if asked.l is not None and asked.diversity == "recursive":
            failing |= ~self._recursive(int(asked.l), asked.c)
        if asked.t is not None:
            distance = (
                self.measure_equal_distance(whole)
                if asked.distance == "equal"
                else self.measure_ordered_distance(whole)
            )
            failing |= distance > asked.t + _EQUAL
        return failing

    @property
    def entropy(self) -> Floats:
        """The exponential of the entropy of each group."""
        sizes = self.sizes
        sums = np.add.reduceat(self.counts * np.log(self.counts), self.starts)
        return np.asarray(np.exp(np.log(sizes) - sums / sizes))

    def _recursive(self, l: int, c: float) -> Truths:  # noqa: E741
        group = np.repeat(np.arange(len(self.starts)), self.distinct)
        down = self.counts[np.lexsort((-self.counts, group))]
        rank = np.arange(len(down)) - self.starts[group]
        tail = self.sizes - np.add.reduceat(np.where(rank < l - 1, down, 0), self.starts)
        return np.asarray(down[self.starts] < c * tail * (1 - _EQUAL))

    def measure_equal_distance(self, whole: Integers) -> Floats:
        """Return how far the distribution of each group is from the file's, sum of max(p - q, 0)."""
        share = self.counts / np.repeat(self.sizes, self.distinct) - whole[self.values] / whole.sum()
        return np.asarray(np.add.reduceat(np.maximum(share, 0), self.starts))

    def measure_ordered_distance(self, whole: Integers) -> Floats:
        """Return the same by the order of the values: the sum of |P - Q| over m - 1 places.

        P stays as it is between two values of a group while Q grows, and passes it once: see t_closeness.sql.
        """
        m = len(whole)
        q = np.cumsum(whole) / whole.sum()
        sums = np.r_[0.0, np.cumsum(q)]
        upto = np.cumsum(self.counts)
        before = np.repeat(upto[self.starts] - self.counts[self.starts], self.distinct)
        p = (upto - before) / np.repeat(self.sizes, self.distinct)
        a = self.values
        b = np.append(self.values[1:], m)
        b[np.append(self.starts[1:], len(a)) - 1] = m
        y = np.clip(np.searchsorted(q, p, side="right"), a, b)
        between = (2 * y - a - b) * p + sums[a] + sums[b] - 2 * sums[y]
        return np.asarray((np.add.reduceat(between, self.starts) + sums[a[self.starts]]) / max(m - 1, 1))
