"""Units that may stand in for one another in a swap: alike in the same lists, of the same areas and level."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Integers


class Kinds:
    """The kinds of units, by the numbers ``place * levels + level - 1``, and which of them may exchange.

    Two may, where they have the same code in some list of `alike` and differ in every code of `apart` at the wider one
    of their levels.

    Examples
    --------
    Three households of one size: two in region 0 (districts 0 and 1), one in region 1 (district 2).

    >>> areas = np.array([[[0], [0]], [[0], [1]], [[1], [2]]])
    >>> kinds = Kinds(np.zeros((3, 1), dtype=int), areas, np.array([1, 2, 2]))
    >>> kinds.is_allowed(0, 1), kinds.is_allowed(0, 2), kinds.fitting(kinds.of[0])
    (False, True, [4, 5])
    """

    def __init__(self, alike: Integers, apart: Integers, level: Integers) -> None:
        self.levels = apart.shape[1]
        place, first = _number_rows(np.hstack([alike, apart.reshape(len(apart), apart.shape[1] * apart.shape[2])]))
        self._alike, self._apart = alike[first], apart[first]
        self._groups: dict[tuple[int, int], list[int]] = {}
        for at, codes in enumerate(self._alike.tolist()):
            for number, code in enumerate(codes):
                self._groups.setdefault((number, code), []).append(at)
        self._codes = [[tuple(codes) for codes in levels] for levels in self._apart.tolist()]
        self.of: list[int] = (place * self.levels + level - 1).tolist()
        self.fitting = lru_cache(maxsize=1024)(self._list_fitting)

    def move(self, unit: int, level: int) -> None:
        """Let a unit be apart from its partner at another level."""
        self.of[unit] += level - 1 - self.of[unit] % self.levels

    def is_allowed(self, unit: int, other: int) -> bool:
        """Return whether two units of a list in which they are alike differ in the codes of their level."""
        one, another = divmod(self.of[unit], self.levels), divmod(self.of[other], self.levels)
        level = min(one[1], another[1])
        return not any(a == b for a, b in zip(self._codes[one[0]][level], self._codes[another[0]][level], strict=True))

    def _list_fitting(self, kind: int) -> list[int]:
        """Return the kinds with which a kind may exchange."""
        place, level = divmod(kind, self.levels)
        near = {at for key in enumerate(self._alike[place].tolist()) for at in self._groups[key]}
        places = np.array(sorted(near), dtype=np.int64)
        found = []
        for other in range(self.levels):
            wide = min(level, other)
            differ = (self._apart[places, wide] != self._apart[place, wide]).all(axis=1)
            found.append(places[differ] * self.levels + other)
        kinds: list[int] = np.sort(np.concatenate(found)).tolist()
        return kinds


def _number_rows(rows: Integers) -> tuple[Integers, Integers]:
    """Return the number of each row, equal ones the same, in the order in which they first appear, and where."""
    code = np.zeros(len(rows), dtype=np.int64)
    for column in rows.T:
        values = np.unique(column, return_inverse=True)[1]
        code = np.unique(code * (values.max(initial=0) + 1) + values, return_inverse=True)[1]
    _, first, inverse = np.unique(code, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse], np.sort(first)
