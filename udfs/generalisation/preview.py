"""The cells of many generalisations, each rolled up from one that is finer, never from the records."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.adapters import declared
from sdc_sql.udfs.arrow_function import NUMBERS, TABLE
from sdc_sql.udfs.generalisation.cells import Ladder, Packing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sdc_sql.udfs.arguments import Floats, Integers

MOST = 20_000_000  # rows that are handed back


class _Cells:
    """Cells in ascending order: the packed keys of each, its records, and the sum of their weights where there are."""

    def __init__(self, words: Integers, counts: Integers, weights: Floats | None, *, in_order: bool) -> None:
        if not in_order:
            order = np.argsort(words, kind="stable")
            words, counts = words[order], counts[order]
            weights = None if weights is None else weights[order]
        starts = np.flatnonzero(np.r_[True, words[1:] != words[:-1]])
        self.words, self.counts = words[starts], np.add.reduceat(counts, starts)
        self.weights = None if weights is None else np.add.reduceat(weights, starts)

    def frequencies(self) -> tuple[Integers, Floats, Integers]:
        """Return the frequencies that occur, the sums of weights with each, and in how many cells."""
        if self.weights is not None:
            return self.counts, self.weights, np.ones(len(self.counts), dtype=np.int64)
        found, cells = np.unique(self.counts, return_counts=True)
        return found, found.astype(np.float64), cells


class _Rollup:
    """Candidates in the order in which they share the most: the first key's levels, then the second's."""

    def __init__(self, ladders: list[Ladder], records: int) -> None:
        # no level of the key that is packed last needs sorting
        self.order = sorted(range(len(ladders)), key=lambda key: (ladders[key].height, key))
        self.packing = Packing([ladders[key] for key in self.order], records)

    def start(self, places: list[Integers], counts: Integers, weights: Floats | None) -> _Cells:
        words = np.zeros(len(counts), dtype=np.int64)
        for key, shift in zip(self.order, self.packing.shifts, strict=True):
            words += places[key] << shift
        return _Cells(words, counts, weights, in_order=False)

    def of(
        self, cells: _Cells, candidates: Integers, numbers: Integers, depth: int = 0
    ) -> Iterator[tuple[int, _Cells]]:
        """Yield the cells of each candidate, by its number, from those in which the keys from `depth` on are at 0."""
        if depth == len(self.order):
            yield int(numbers[0]), cells
            return
        levels = candidates[:, self.order[depth]]
        for level in range(int(levels.max()) + 1):
            if level:
                cells = self._raised(cells, depth, level - 1)
            here = levels == level
            if here.any():
                yield from self.of(cells, candidates[here], numbers[here], depth + 1)

    def _raised(self, cells: _Cells, depth: int, level: int) -> _Cells:
        words = cells.words + self.packing.steps[depth][level][self.packing.field(cells.words, depth)]
        return _Cells(words, cells.counts, cells.weights, in_order=self.packing.shifts[depth] == 0)


def roll_up(cells: Floats, positions: Floats, hierarchies: Floats, candidates: Floats) -> list[Floats]:
    """Return what frequencies the cells have at each candidate: columns for candidate, f, sum of weights, and cells.

    Parameters
    ----------
    cells
        For each cell its records, the sum of their weights (NaN: there are none), and the row of the value of each
        column in its hierarchy, (n, 2 + columns).
    positions
        The column of each key, counted from 0.
    hierarchies
        Rows of (key, value's row, level, label's number), each counted from 0.
    candidates
        The level of each key, (candidates, keys), no candidate twice.

    Returns
    -------
    list
        The candidate's number from 0; a frequency; the sum of weights (without weights the frequency); in how many
        cells. With weights each cell has a row of its own.

    Raises
    ------
    ValueError
        Where a hierarchy is none, the keys take more than 63 bits, or there are more rows than can be handed back.

    Examples
    --------
    Four values of one key, put together two by two and all:

    >>> key = np.array([[0, 0, 0], [1, 0, 0], [2, 1, 0], [3, 1, 0]])
    >>> levels = np.array([[0, row, level, key[row, level]] for row in range(4) for level in range(3)])
    >>> cells = np.array([[1, np.nan, 0], [1, np.nan, 1], [1, np.nan, 2], [3, np.nan, 3]])
    >>> roll_up(cells, np.zeros(1), levels, np.array([[0.0], [1]]))[1:]
    [array([1., 3., 2., 4.]), array([1., 3., 2., 4.]), array([3., 1., 1., 1.])]
    """
    ladders = [_ladder(hierarchies[hierarchies[:, 0] == key, 1:].astype(np.int64)) for key in range(len(positions))]
    codes = cells[:, 2:].astype(np.int64).T[positions.astype(np.int64)]
    places = [ladder.place[column] for ladder, column in zip(ladders, codes, strict=True)]
    counts, weights = cells[:, 0].astype(np.int64), None if np.isnan(cells[0, 1]) else cells[:, 1]
    rollup = _Rollup(ladders, int(counts.sum()))
    start = rollup.start(places, counts, weights)
    found: list[Floats] = []
    rows = 0
    for number, at in rollup.of(start, candidates.astype(np.int64), np.arange(len(candidates))):
        frequencies, sums, times = at.frequencies()
        rows += len(frequencies)
        if rows > MOST:
            raise ValueError(
                f"the {len(candidates):,} recodings have more than {MOST:,} cells together: preview fewer at a time, "
                "or give one weight for all records"
            )
        found.append(np.stack([np.full(len(frequencies), number), frequencies, sums, times]))
    return list(np.concatenate(found, axis=1))


def _ladder(rows: Integers) -> Ladder:
    labels = np.zeros((int(rows[:, 0].max()) + 1, int(rows[:, 1].max()) + 1), dtype=np.int64)
    labels[rows[:, 0], rows[:, 1]] = rows[:, 2]
    return Ladder.of(labels)


FUNCTIONS = (
    declared(
        "roll_up", roll_up, TABLE, by_stratum=False,
        cells=TABLE, positions=NUMBERS, hierarchies=TABLE, candidates=TABLE,
    ),
)  # fmt: skip
