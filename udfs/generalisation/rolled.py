"""The cells of a node, rolled up from node to node, and which of them cannot be released."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from sdc_sql.udfs.generalisation.cells import Ladder, Packing
from sdc_sql.udfs.generalisation.conditions import Groups

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdc_sql.udfs.arguments import Integers, Truths
    from sdc_sql.udfs.generalisation.cells import Cells
    from sdc_sql.udfs.generalisation.conditions import Outside, Sensitive

    State: TypeAlias = tuple[Cells, ...]  # the cells of the file, then those of each table outside


@dataclass(frozen=True)
class Judged:
    """Cells of the settled keys, which of them are suppressed, and whether these are as is asked when put together."""

    cells: Cells
    failing: Truths
    alike: bool


class Rolled:
    """The cells at level 0, and what becomes of them.

    Parameters
    ----------
    ladders, places
        Of each key in the order in which they are settled; places: the number of its value, one for each cell.
    counts
        The records of each cell.
    k, most
        The least number of records released alike, and the most that may be suppressed.
    sensitive, outside
        What else is asked; the codes of those outside as places in the same order.
    """

    def __init__(
        self,
        ladders: Sequence[Ladder],
        places: Sequence[Integers],
        counts: Integers,
        *,
        k: int,
        most: int,
        sensitive: Sensitive | None,
        outside: Sequence[tuple[Outside, Sequence[Integers]]],
    ) -> None:
        self.k, self.most, self.sensitive, self.last = k, most, sensitive, len(ladders) - 1
        self.ladders, self.places = list(ladders), list(places)
        if sensitive is not None:
            values = np.asarray(sensitive.codes, dtype=np.int64)
            self.whole = np.bincount(values, weights=counts).astype(np.int64)
            self.ladders.append(Ladder.make(np.arange(len(self.whole))[:, np.newaxis]))
            self.places.append(values)
        self.packings = [Packing(self.ladders, int(counts.sum()))]
        state = [self.packings[0].cells(self.places, counts)]
        self.least = []
        for asked, codes in outside:
            amounts, least = asked.scale()
            self.packings.append(Packing(ladders, int(amounts.sum())))
            state.append(self.packings[-1].cells(codes, amounts))
            self.least.append(least)
        self.start: State = tuple(state)

    def raise_level(self, state: State, depth: int, level: int) -> State:
        """Return the cells with a key generalised from a level to the next."""
        return tuple(p.raise_level(cells, depth, level) for p, cells in zip(self.packings, state, strict=True))

    def merge_by_keys(self, state: State) -> Cells:
        """Return the cells of all keys, whatever the sensitive values."""
        return self.packings[0].take_first(state[0], self.last)

    def judge_cells(self, state: State, depth: int) -> Judged:
        """Return the cells of the keys up to one, and which of them are lost whatever becomes of the other keys."""
        cells, packing = state[0], self.packings[0]
        first = packing.take_first(cells, depth)
        failing = first.counts < self.k
        for other, of, least in zip(self.packings[1:], state[1:], self.least, strict=True):
            failing |= _sum_words(first.words, other.take_first(of, depth)) < least
        if self.sensitive is None:
            return Judged(first, failing, alike=True)
        words, values = cells.words >> packing.shifts[depth], packing.field(cells.words, len(self.ladders) - 1)
        groups = Groups.make(words, values, cells.counts)
        if depth < self.last and self.most >= self.k:
            return Judged(first, failing | groups.find_few(self.sensitive), alike=True)
        # a cell that is not suppressed may have failed before, too
        failing |= groups.find_failing(self.sensitive, self.whole)
        if depth < self.last or not failing.any():
            return Judged(first, failing, alike=True)
        lost = np.repeat(failing, groups.distinct)
        together = Groups.make(np.zeros(int(lost.sum()), dtype=np.int64), groups.values[lost], groups.counts[lost])
        return Judged(first, failing, alike=not together.find_failing(self.sensitive, self.whole).any())

    def find_suppressed(self, levels: Sequence[int]) -> Truths:
        """Return which of the cells as they were given are suppressed at the levels, those of the keys in order."""
        state, places = self.start, list(self.places)
        for depth, to in enumerate(levels):
            for level in range(to):
                state = self.raise_level(state, depth, level)
                places[depth] = self.ladders[depth].up[level][places[depth]]
        judged = self.judge_cells(state, self.last)
        words = self.packings[0].words(places) >> self.packings[0].shifts[self.last]
        return np.isin(words, judged.cells.words[judged.failing])


def _sum_words(words: Integers, cells: Cells) -> Integers:
    """Return the sum of each word, 0 where it has no cell."""
    place = np.minimum(np.searchsorted(cells.words, words), len(cells.words) - 1)
    return np.where(cells.words[place] == words, cells.counts[place], 0)
