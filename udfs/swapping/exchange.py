"""Who exchanges with whom: partners drawn, and what the draws leave by a maximum matching.

A unit (a household, a record) is in need at a level of areas, or in none. Level by level from the widest, units in
need are given partners who live in another area of that level: first drawn ones, evenly among those who may be, then
as many as there can be. Who cannot leave the area at all is given one in another area of a narrower level. In the end
more pairs are made, of all units, until there are as many as asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.adapters import WHOLE, declare_function
from sdc_sql.udfs.arrow_function import TABLE, WHOLE_TABLE, WHOLES
from sdc_sql.udfs.swapping.kinds import Kinds
from sdc_sql.udfs.swapping.matching import Matching

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.udfs.arguments import Floats, Integers

TRIES = 16
WINDOWS = (1, 8, None)  # partners a seeker, those of the least draws first; None: all of them
WORD = (1 << 64) - 1


def exchange_units(draws: Floats, alike: Integers, apart: Integers, need: Integers, asked: int) -> Integers:
    """Return for each of n units the one that it exchanges with, or -1.

    Parameters
    ----------
    draws
        Uniform draws, (n, 3): by the first units in need have their turn; by the second a unit that need not exchange
        is taken or not, the least first; by the third each chooses.
    alike
        Codes, (n, lists): partners have the same one in some list, in the first for which a partner is found.
    apart
        Codes, (n, levels, columns): partners differ in each column, at the widest level of their needs, or at the
        last one. Who differs at a level differs at those after it.
    need
        The level from 1 at which a unit must find a partner; 0: it need not.
    asked
        How many pairs there shall be at least, as far as there can be.

    Returns
    -------
    numpy.ndarray
        The places of the partners. Of the units in need at level 1 as few as can be are without one who differs
        there; then of those at level 2, beside the partners of these; and so on.

    Notes
    -----
    The answer goes with the units, in whatever order they are given.

    Examples
    --------
    Three units in need and a safe one (the last) live in area 1, one in need in area 0: two find a partner, whoever
    is drawn, and both are in need.

    >>> draws = np.random.default_rng(0).random((5, 3))
    >>> area = np.array([1, 1, 1, 0, 1]).reshape(5, 1, 1)
    >>> found = exchange_units(draws, np.zeros((5, 1), dtype=int), area, np.array([1, 1, 1, 1, 0]), 1)
    >>> int((found >= 0).sum()), int(found[4])
    (2, -1)
    """
    order = np.lexsort((draws[:, 0], draws[:, 1]))
    found = np.array(_Exchange(draws[order], alike[order], apart[order], need[order]).pairs(asked), dtype=np.int64)
    result = np.full(len(order), -1, dtype=np.int64)
    result[order] = np.where(found < 0, -1, order[found])
    return result


class _Exchange:
    """The units in the order of their second draw, and their partners so far."""

    def __init__(self, draws: Floats, alike: Integers, apart: Integers, need: Integers) -> None:
        self.levels = apart.shape[1]
        self.kinds = Kinds(alike, apart, np.where(need > 0, need, self.levels))
        self.match = Matching(self.kinds)
        self.mate = self.match.mate
        self.alike = alike.T.tolist()
        self.need: list[int] = need.tolist()
        self.turn = np.argsort(draws[:, 0], kind="stable").tolist()
        self.choice: list[int] = (draws[:, 2] * 2.0**53).astype(np.int64).tolist()

    def pairs(self, asked: int) -> list[int]:
        """Return the partner of each unit, or -1."""
        for level in range(1, self.levels + 1):
            self._provide([unit for unit in self.turn if self.need[unit] == level], level)
        for level in range(2, self.levels + 1):  # who stays in the wider area
            self._provide([u for u in self.turn if 0 < self.need[u] < level and self.mate[u] < 0], level)
        self._fill(asked)
        return self.mate

    def _provide(self, seekers: list[int], level: int) -> None:
        """Find partners for units in need: safe ones, each other, those in need of less; then as many as can be."""
        if not seekers:
            return
        self.match.ask(seekers, level)
        safe = [unit for unit, need in enumerate(self.need) if need == 0]
        others = [unit for unit, need in enumerate(self.need) if need > 0]
        for candidates in (safe, seekers, others):
            for alike in self.alike:
                self._draw(seekers, candidates, alike)
        self.match.cover(seekers)
        for unit in seekers:
            if self.mate[unit] < 0:
                self.match.resign(unit, self.levels)

    def _fill(self, asked: int) -> None:
        """Make more pairs, until there are as many as asked."""
        made = sum(mate >= 0 for mate in self.mate) // 2
        free = [unit for unit, mate in enumerate(self.mate) if mate < 0]
        first = free[: max(asked - made, 0)]
        for seekers, candidates in ((first, free[len(first) :]), (free, free)):
            for alike in self.alike:
                made += self._draw(seekers, candidates, alike, asked - made)
        self.match.cover(free, asked - made)

    def _draw(self, seekers: list[int], candidates: Iterable[int], alike: list[int], most: int | None = None) -> int:
        """Pair seekers in turn with candidates that are drawn, at most so many; return how many pairs there are."""
        left = [unit for unit in seekers if self.mate[unit] < 0]
        count: dict[int, int] = {}
        for unit in left:
            count[alike[unit]] = count.get(alike[unit], 0) + 1
        listed: dict[int, list[int]] = {code: [] for code in count}
        for unit in sorted(candidates):
            if self.mate[unit] < 0 and alike[unit] in listed:
                listed[alike[unit]].append(unit)
        made = 0
        for window in WINDOWS:
            pools = {c: units if window is None else units[: window * count[c]] for c, units in listed.items()}
            for unit in left:
                if most is not None and made >= most:
                    return made
                made += self.mate[unit] < 0 and self._choose_partner(unit, pools[alike[unit]])
        return made

    def _choose_partner(self, unit: int, pool: list[int]) -> bool:
        """Pair a unit with one of a pool, each as likely as any other that it may exchange with; or give up."""
        tries = TRIES
        while tries and pool:
            # the draws that one draw is spread into: the upper half of a linear congruential generator's state
            self.choice[unit] = (self.choice[unit] * 6364136223846793005 + 1442695040888963407) & WORD
            at = (self.choice[unit] >> 32) * len(pool) >> 32
            other = pool[at]
            if self.mate[other] >= 0:
                pool[at] = pool[-1]
                pool.pop()
                continue
            tries -= 1
            if other != unit and self.kinds.is_allowed(unit, other):
                self.mate[unit], self.mate[other] = other, unit
                return True
        return False


def exchange(draws: Floats | None, alike: Integers, apart: Integers, need: Integers, sizes: Integers) -> Integers:
    """Return the place of each unit's partner, from 1, or 0.

    `apart` has a column more than there are codes; `sizes` are the number of levels and the pairs that are asked for.
    """
    if draws is None:
        return np.empty(0, dtype=np.int64)
    levels, asked = sizes.tolist()
    return exchange_units(draws, alike, apart[:, :-1].reshape(len(apart), levels, -1), need, asked) + 1


FUNCTIONS = (
    declare_function("exchange", exchange, WHOLE, by_stratum=False, draws=TABLE, alike=WHOLE_TABLE, apart=WHOLE_TABLE,
             need=WHOLES, sizes=WHOLES),
)  # fmt: skip
