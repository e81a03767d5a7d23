"""The cells of many generalisations, each rolled up from one that is finer, never from the records."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.adapters import declare_function
from sdc_sql.udfs.arrow_function import NUMBERS, TABLE
from sdc_sql.udfs.generalisation.cells import WORD, Ladder, Packing
from sdc_sql.udfs.posterior import posterior_risk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sdc_sql.udfs.arguments import Floats, Integers

MOST = 20_000_000  # rows that are handed back
_FEW = 1024  # frequencies below it are counted, those above it sorted
_NEAR = 4096  # candidates that are looked through for a finer one
_DIGITS = 1e-12  # a share of a cell's records that is nearer to 0 is rounding


class _Cells:
    """Cells in ascending order, each of the cells at level 0 that became one.

    Parameters
    ----------
    words
        The packed keys, ascending or (``in_order`` False) not; equal ones are put together.
    sums
        What is added: the records, the square roots of the records at level 0, the weights where there are any.
    spread
        Of how many combinations of values the cell is, alike in cells of equal words.
    """

    def __init__(self, words: Integers, sums: list[Floats], spread: Floats, *, in_order: bool) -> None:
        if not in_order:
            words, order = _sort_words(words)
            spread, sums = spread[order], [column[order] for column in sums]
        starts = np.flatnonzero(np.r_[True, words[1:] != words[:-1]])
        if len(starts) < len(words):
            words, spread, sums = words[starts], spread[starts], [np.add.reduceat(c, starts) for c in sums]
        self.words, self.sums, self.spread = words, sums, spread

    def frequencies(self) -> tuple[Floats, Floats]:
        """Return the frequencies that occur, and in how many cells."""
        counts = self.sums[0]
        few = np.bincount(counts[counts < _FEW].astype(np.int64), minlength=_FEW)
        small = np.flatnonzero(few)
        large, cells = np.unique(counts[counts >= _FEW], return_counts=True)
        return np.r_[small, large], np.r_[few[small], cells].astype(np.float64)

    def measure_loss(self) -> float:
        """Return n times the squared Hellinger distance from the cells at level 0, the records of each spread evenly.

        1 - sum sqrt(p q) = sum over the cells of (f' - sqrt(f' / m) sum sqrt(f)) / n, m the combinations of a cell.
        """
        counts, roots = self.sums[:2]
        apart = counts - np.sqrt(counts / self.spread) * roots
        return float(apart[apart > _DIGITS * counts].sum())

    def expect_reidentifications(self) -> tuple[float, float, float]:
        """Return the expected re-identifications, and of the cell whose weights are least beside its records both."""
        if len(self.sums) < 3:  # noqa: PLR2004 - the weights are the third
            return np.nan, np.nan, np.nan
        counts, _, weights = self.sums
        least = int(np.argmin(weights / counts))
        return float((counts * posterior_risk(counts, weights)).sum()), float(counts[least]), float(weights[least])


def _sort_words(words: Integers) -> tuple[Integers, Integers]:
    """Return words in ascending order and their places before; of equal words the first comes first."""
    places = (len(words) - 1).bit_length()
    if int(words.max()).bit_length() + places > WORD:
        order = np.argsort(words, kind="stable")
        return words[order], order
    both = (words << places) | np.arange(len(words))  # sorted along: a sort of numbers is the fastest
    both.sort()
    return both >> places, both & ((1 << places) - 1)


class _Rollup:
    """The cells of candidates, each from a finer one."""

    def __init__(self, ladders: list[Ladder], missing: list[list[int]], records: int) -> None:
        # the key that is raised most often is packed last: no level of it needs sorting
        self.order = sorted(range(len(ladders)), key=lambda key: (ladders[key].height, key))
        self.packing = Packing([ladders[key] for key in self.order], records)
        self.ladders = [ladders[key] for key in self.order]
        self.missing = [missing[key] for key in self.order]

    def start(self, places: list[Integers], sums: list[Floats]) -> _Cells:
        words = self.packing.words([places[key] for key in self.order])
        return _Cells(words, sums, np.ones(len(words)), in_order=False)

    def roll_up(self, start: _Cells, candidates: Integers) -> Iterator[tuple[int, _Cells]]:
        """Yield the cells of each candidate, by its number: from those of a finer candidate, or from the start."""
        labels = [np.log([len(share) for share in ladder.share]) for ladder in self.ladders]
        candidates = candidates[:, self.order]
        sizes = np.sum([known[levels] for known, levels in zip(labels, candidates.T, strict=True)], axis=0)
        children = _trees(candidates, sizes)
        # depth first: the cells of no more candidates are kept than stand above one another
        waiting = [(-1, np.zeros(len(self.order), dtype=np.int64), start, iter(children[-1]))]
        while waiting:
            _, levels, cells, rest = waiting[-1]
            number = next(rest, None)
            if number is None:
                waiting.pop()
                continue
            found = self._raise_levels(cells, levels, candidates[number])
            yield number, found
            waiting.append((number, candidates[number], found, iter(children.get(number, ()))))

    def count_suppressed(self, cells: _Cells, levels: Integers) -> float:
        """Return the records whose keys are all missing."""
        gone = [self.missing[depth][levels[key]] for depth, key in enumerate(self.order)]
        if min(gone) < 0:
            return 0.0
        word = sum(number << shift for number, shift in zip(gone, self.packing.shifts, strict=True))
        return float(cells.sums[0][cells.words == word].sum())

    def _raise_levels(self, cells: _Cells, levels: Integers, to: Integers) -> _Cells:
        raised = np.flatnonzero(to > levels)
        words, spread = cells.words, cells.spread
        for depth in map(int, raised):
            ladder = self.ladders[depth]
            number = np.arange(len(ladder.share[levels[depth]]))
            for up in ladder.up[levels[depth] : to[depth]]:
                number = up[number]
            others = max(len(ladder.place) - 1, 1)
            sizes = [ladder.share[level[depth]] * others + 1 for level in (levels, to)]
            field = self.packing.field(cells.words, depth)
            words = words + ((number - np.arange(len(number))) << self.packing.shifts[depth])[field]
            spread = spread * (sizes[1][number] / sizes[0])[field]
        return _Cells(words, cells.sums, spread, in_order=bool((raised == len(self.order) - 1).all()))


def _trees(candidates: Integers, sizes: Floats) -> dict[int, list[int]]:
    """Return which candidates are counted from the cells of which other; those of -1 from the cells at level 0.

    Parameters
    ----------
    candidates
        The levels of each, (n, keys).
    sizes
        What orders them by their cells, (n,): a candidate is counted from the least of those finer than it, where that
        is among the `_NEAR` next ones.
    """
    order = np.argsort(sizes, kind="stable")
    children: dict[int, list[int]] = {-1: []}
    ordered = candidates[order]
    for place, number in enumerate(order):
        finer = (ordered[place + 1 : place + 1 + _NEAR] <= ordered[place]).all(axis=1)
        at = int(np.argmax(finer)) if len(finer) else 0
        parent = int(order[place + 1 + at]) if len(finer) and finer[at] else -1
        children.setdefault(parent, []).append(int(number))
    return children


def roll_up(cells: Floats, positions: Floats, hierarchies: Floats, candidates: Floats) -> list[Floats]:
    """Return what the cells become at each candidate.

    Parameters
    ----------
    cells
        For each cell its records, the sum of their weights (NaN: there are none), and the row of the value of each
        column in its hierarchy, (n, 2 + columns).
    positions
        The column of each key, counted from 0.
    hierarchies
        Rows of (key, value's row, level, label's number, 1 where the label is missing), each counted from 0.
    candidates
        The level of each key, (candidates, keys), no candidate twice.

    Returns
    -------
    list
        Of the frequencies at each candidate: its number from 0, a frequency, in how many cells. Then of the candidates
        themselves: the number, n times the squared Hellinger distance, the records whose keys are all missing; with
        weights the expected re-identifications, and the records and weights of the cell that has the least weight for
        each record (without them NaN).

    Raises
    ------
    ValueError
        Where a hierarchy is none, the keys take more than 63 bits, or there are more rows than can be handed back.

    Examples
    --------
    Four values of one key, put together two by two and all:

    >>> key = np.array([[0, 0, 0], [1, 0, 0], [2, 1, 0], [3, 1, 0]])
    >>> levels = np.array([[0, row, level, key[row, level], 0] for row in range(4) for level in range(3)])
    >>> cells = np.array([[1, np.nan, 0], [1, np.nan, 1], [1, np.nan, 2], [3, np.nan, 3]])
    >>> found = roll_up(cells, np.zeros(1), levels, np.array([[0.0], [1]]))
    >>> found[1:3], found[4].round(3)
    ([array([1., 3., 2., 4.]), array([3., 1., 1., 1.])], array([0.   , 0.136]))
    """
    steps = [hierarchies[hierarchies[:, 0] == key, 1:].astype(np.int64) for key in range(len(positions))]
    ladders = [_ladder(rows) for rows in steps]
    missing = [_list_missing_labels(ladder, rows) for ladder, rows in zip(ladders, steps, strict=True)]
    codes = cells[:, 2:].astype(np.int64).T[positions.astype(np.int64)]
    places = [ladder.place[column] for ladder, column in zip(ladders, codes, strict=True)]
    counts, weights = cells[:, 0].copy(), cells[:, 1].copy()
    rollup = _Rollup(ladders, missing, int(counts.sum()))
    start = rollup.start(places, [counts, np.sqrt(counts), *([] if np.isnan(weights[0]) else [weights])])
    found: list[Floats] = []
    figures = []
    rows = 0
    levels = candidates.astype(np.int64)
    for number, at in rollup.roll_up(start, levels):
        frequencies, times = at.frequencies()
        rows += len(frequencies)
        if rows > MOST:
            raise ValueError(
                f"the {len(candidates):,} recodings have more than {MOST:,} frequencies together: "
                "preview fewer at a time"
            )
        found.append(np.stack([np.full(len(frequencies), number), frequencies, times]))
        figures.append(
            (number, at.measure_loss(), rollup.count_suppressed(at, levels[number]), *at.expect_reidentifications())
        )
    return [*np.concatenate(found, axis=1), *np.array(figures).T]


def _ladder(rows: Integers) -> Ladder:
    labels = np.zeros((int(rows[:, 0].max()) + 1, int(rows[:, 1].max()) + 1), dtype=np.int64)
    labels[rows[:, 0], rows[:, 1]] = rows[:, 2]
    return Ladder.make(labels)


def _list_missing_labels(ladder: Ladder, rows: Integers) -> list[int]:
    """Return the number of the missing label at each level, -1 where there is none."""
    found = []
    for level in range(ladder.height + 1):
        number = -1
        for row in rows[(rows[:, 1] == level) & (rows[:, 3] == 1), 0][:1]:
            number = int(ladder.place[row])
            for up in ladder.up[:level]:
                number = int(up[number])
        found.append(number)
    return found


FUNCTIONS = (
    declare_function(
        "roll_up", roll_up, TABLE, by_stratum=False,
        cells=TABLE, positions=NUMBERS, hierarchies=TABLE, candidates=TABLE,
    ),
)  # fmt: skip
