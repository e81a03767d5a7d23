"""Few suppressions so that combinations of values are compatible with enough released records, NULL agreeing with all.

A record that loses a key counts for every combination that agrees with it on its other keys: one suppressed value
makes many combinations more frequent. So those values go first that help most, in each round all that help more than
any other by which the same combinations become more frequent. In the end what was not needed is given back.

A record loses no more than it would need if no other were suppressed: a set of keys that is enough for it by itself
and the cheapest such, or a part of it.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.suppression.frequencies import Frequencies
from sdc_sql.udfs.suppression.rare import Rare
from sdc_sql.udfs.suppression.restoring import restore_values
from sdc_sql.udfs.suppression.stars import Stars

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sdc_sql.udfs.arguments import Floats, Integers, Truths
    from sdc_sql.udfs.suppression.cells import Cells

_OTHERS = 3.0  # help to others counts so much, beside what a cell itself needs no more
_FEWER = 0.7  # the cells are numbered anew when this share of them is left
_NOTHING = 1e-9


def compatible_combinations(
    cells: Cells, limits: Mapping[int, float], amounts: Floats, at_least: Floats | None = None
) -> Integers:
    """Return for each cell the keys that its records lose, a bit each.

    Parameters
    ----------
    limits
        The least frequency in each set of keys, a bit a key.
    amounts
        What the cells count: records, or the sums of their weights, (n,).
    at_least
        What cells that agree count at least, all together: their records, where weights are a little below 1.

    Examples
    --------
    Of two records (a, b) and (a, c) one loses its second key, and agrees with the other.

    >>> from sdc_sql.udfs.suppression.cells import Cells
    >>> cells = Cells(np.array([[1, 1], [1, 2]]), np.array([1, 1]), [1, 1])
    >>> compatible_combinations(cells, {0b11: 2}, np.ones(2)).tolist()
    [2, 0]
    """
    rare = Rare(Frequencies(cells, amounts, wildcard=True, at_least=at_least), limits)
    _Search(rare, cells).run()
    restore_values(rare, cells.weights)
    lost = np.zeros(cells.number, dtype=np.int64)
    lost[rare.here] = rare.lost & ~rare.missing
    return lost


class _Search:
    """The rounds."""

    def __init__(self, rare: Rare, cells: Cells) -> None:
        self.rare, self.weights = rare, np.array(cells.weights)
        self.remaining = np.zeros(len(rare.here))  # how much a cell must lose yet to be frequent enough by itself
        self.may: dict[int, Truths] = {}  # a set of keys that is enough or a part of it: the cells that may lose it
        limits = dict(zip(rare.sets.tolist(), rare.limits.tolist(), strict=True))
        left = np.arange(len(rare.here))
        for cost, level in groupby(zip(cells.costs, cells.sets, strict=True), key=lambda pair: pair[0]):
            if not len(left):
                break
            for _, left_out in level:
                found = left[rare.frequencies.find_frequent_without(limits, left_out, rare.here[left])]
                self.remaining[found] = cost
                for part in parts(left_out) if len(found) else ():
                    self.may.setdefault(part, np.zeros(len(rare.here), dtype=np.bool_))[found] = True
            left = left[self.remaining[left] == 0]

    def run(self) -> None:
        """Suppress until no combination is rare."""
        held, stars = 0, None
        while len(active := np.flatnonzero((self.rare.over < 0).any(axis=0))):
            if stars is None or len(active) < _FEWER * held:
                held, stars = len(active), Stars(self.rare, active)
            self._round(stars)

    def _round(self, stars: Stars) -> None:
        rare, held = self.rare, stars.held
        over = rare.over[:, held]
        whole = (rare.lost[held] & rare.sets[:, np.newaxis]) == 0
        lacking = (over < 0) & whole
        scores = self._scores(stars, over, whole)
        keys = scores.argmax(axis=0)
        best = scores[keys, np.arange(len(held))]
        rank = np.empty(len(held), dtype=np.int64)
        rank[np.lexsort((-np.arange(len(held)), best))] = np.arange(len(held))
        chosen = np.zeros(len(held), dtype=np.bool_)
        for key in range(len(self.weights)):
            cells = np.flatnonzero((keys == key) & (best > 0))
            chosen[cells] = stars.find_first(key, cells, rank, lacking & (keys == key))
        which, lost = np.flatnonzero(chosen), keys[chosen]
        gains = stars.gains(which, lost, rare.amounts[held], whole)
        row, place = np.nonzero(lacking & (gains > 0))
        rare.over[row, held[place]] += gains[row, place]
        self._suppress(held[which], lost)

    def _suppress(self, which: Integers, keys: Integers) -> None:
        rare = self.rare
        self.remaining[which] -= self.weights[keys]
        rare.over[:, which] = np.inf
        rare.suppress(which, 1 << keys)
        changed = np.flatnonzero(rare.lost != rare.missing)
        for cell in which[self.remaining[which] > _NOTHING].tolist():
            rows, rare.over[rows, cell] = rare.measure_without(cell, int(rare.lost[cell]), changed)

    def _scores(self, stars: Stars, over: Floats, whole: Truths) -> Floats:
        """Return what is won by each key of each cell, for what its value costs, (keys, cells); -1: it is not lost."""
        rare, held = self.rare, stars.held
        lacking = over < 0
        worth = rare.counts[held] * self.remaining[held] / np.maximum(lacking.sum(axis=0), 1)
        worth = np.where(lacking & whole, worth / np.maximum(-over, rare.amounts.min()), 0.0)
        helped = stars.sum_helped(worth, whole) * rare.amounts[held] / rare.counts[held]
        scores = np.full(helped.shape, -1.0)
        own = rare.lost[held] & ~rare.missing[held]
        open_ = lacking.any(axis=0)
        for key, weight in enumerate(self.weights.tolist()):
            may = np.zeros(len(held), dtype=np.bool_)
            for state in sorted(set(own[open_ & (own >> key & 1 == 0)].tolist())):
                if state | 1 << key in self.may:
                    may |= open_ & (own == state) & self.may[state | 1 << key][held]
            scores[key, may] = 1 + _OTHERS * helped[key, may] / weight
        return scores


def parts(keys: int) -> Iterator[int]:
    """Return each set of keys within one, but the empty one.

    Examples
    --------
    >>> list(parts(0b101))
    [5, 4, 1]
    """
    part = keys
    while part:
        yield part
        part = part - 1 & keys
