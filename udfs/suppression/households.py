"""Columns of the household suppressed for whole households, until no cell of households holds fewer than k records.

All members of a household lose such a column, or none does: what one shows, the others have. So the cells here are
those of the columns of the household, a cell holds whole households, and a released one at least k records. What is
left to be done is done within them, by the columns of persons.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers

Row: TypeAlias = tuple[int, ...]
_Move: TypeAlias = tuple[int, int, int, int]  # the place of a row, what it loses now, and then, and how many households


class Households:
    """Rows of alike households: their values by number (0: NULL), members, how many, and what they lose, a bit each.

    Parameters
    ----------
    codes
        The values of each row, (n, m).
    members
        Of each household of the row, or of the part of a household whose members have these values, (n,).
    numbers
        The households of each row, (n,).
    labels
        A number of the household of rows that are parts of one whose members differ; -1 of all others, (n,).
    weights
        What it costs to suppress a value of each column; negative: it cannot be suppressed.
    unit
        What is counted up to k: ``"record"``, or ``"household"``, of whose parts the first one counts.
    """

    def __init__(  # noqa: PLR0917 - the columns of one table
        self, codes: Integers, members: Integers, numbers: Integers, labels: Integers, weights: Floats, k: int,
        *, unit: str = "record",
    ) -> None:  # fmt: skip
        self.codes, self.members, self.labels, self.k = codes, members, labels, k
        self.unit, self.sizes = unit, members
        if unit == "household":
            first = np.unique(labels, return_index=True)[1]
            self.sizes = np.where((labels < 0) | np.isin(np.arange(len(labels)), first), 1, 0)
        self.weights = weights
        free = [j for j in range(codes.shape[1]) if weights[j] >= 0]
        sets = [sum(1 << j for place, j in enumerate(free) if chosen >> place & 1) for chosen in range(1 << len(free))]
        self.sets = sorted(sets, key=lambda s: (self.cost(s), s.bit_count(), s))
        # how many households each row has, by what it loses
        self.lost: list[dict[int, int]] = [{0: int(n)} for n in numbers]
        self.moved = np.zeros(len(codes), dtype=np.int64)  # households of a row that lose something
        self.numbers = numbers.astype(np.int64)

    def cost(self, lost: int) -> float:
        """Return what it costs to suppress a set of columns in one record."""
        return float(sum(w for j, w in enumerate(self.weights) if lost >> j & 1))

    def row(self, place: int, lost: int) -> tuple[int, ...]:
        """Return the values that are released of a row that loses a set of columns."""
        return tuple(0 if lost >> j & 1 else int(code) for j, code in enumerate(self.codes[place]))

    def released(self) -> dict[tuple[int, ...], int]:
        """Return the records, or households, of each released row of values."""
        found: dict[tuple[int, ...], int] = {}
        for place, ways in enumerate(self.lost):
            for lost, number in ways.items():
                row = self.row(place, lost)
                found[row] = found.get(row, 0) + number * int(self.sizes[place])
        return found

    def move(self, place: int, old: int, new: int, number: int) -> None:
        """Let so many households of a row lose another set of columns."""
        ways = self.lost[place]
        ways[old] -= number
        if not ways[old]:
            del ways[old]
        ways[new] = ways.get(new, 0) + number

    def join_parts(self) -> None:
        """Suppress what members of a household differ in, where one of them is in a cell of fewer than k records."""
        parts: dict[int, list[int]] = {}
        for place in np.flatnonzero(self.labels >= 0).tolist():
            parts.setdefault(int(self.labels[place]), []).append(place)
        differing = {
            label: sum(
                1 << j
                for j in range(self.codes.shape[1])
                if self.weights[j] >= 0 and any(self.codes[a, j] != self.codes[b, j] for a, b in pairwise(places))
            )
            for label, places in parts.items()
        }
        waiting = set(parts)
        while waiting:
            sizes = self.released()
            rare = [g for g in sorted(waiting) if any(sizes[self.row(p, 0)] < self.k for p in parts[g])]
            if not rare:
                return
            for label in rare:
                for place in parts[label]:
                    self.move(place, 0, differing[label], self.lost[place][0])
                waiting.discard(label)

    def settle(self) -> None:
        """Suppress in the cells of fewer than k records what brings them to k, the cheapest sets of columns first."""
        for chosen in self.sets[1:]:
            sizes = self.released()
            left = self._list_left_rows(sizes)
            if not left:
                return
            groups: dict[tuple[int, ...], list[tuple[list[tuple[int, int]], int]]] = {}
            for rows in left.values():
                place, lost = rows[0]
                row = self.row(place, lost | chosen)
                records = sum(self.lost[p][w] * int(self.sizes[p]) for p, w in rows)
                groups.setdefault(row, []).append((rows, records))
            for row, cells in groups.items():
                own = sum(records for _, records in cells)
                # a cell that is such a row already is among them
                there = sizes.get(row, 0)
                there = there if there >= self.k else 0
                if own + there >= self.k:
                    for rows, _ in cells:
                        for place, lost in rows:
                            self.move(place, lost, lost | chosen, self.lost[place][lost])

    def _list_left_rows(self, sizes: dict[tuple[int, ...], int]) -> dict[tuple[int, ...], list[tuple[int, int]]]:
        """Return the released rows of fewer than k records, each with the rows of households and what these lose."""
        rare = {row for row, size in sizes.items() if size < self.k}
        found: dict[tuple[int, ...], list[tuple[int, int]]] = {}
        if not rare:
            return found
        for place, ways in enumerate(self.lost):
            for lost in ways:
                row = self.row(place, lost)
                if row in rare:
                    found.setdefault(row, []).append((place, lost))
        return found

    def borrow(self) -> None:
        """Let households of other cells join those that are left, as few records as can be; or a whole cell."""
        while left := self._list_left_rows(sizes := self.released()):
            first = min(left, key=lambda row: (sizes[row], row))
            way = self._cheapest(first, left, sizes)
            if way is None:
                raise ValueError(
                    f"{sizes[first]} {self.unit}s are fewer than k = {self.k} on columns of the household that cannot "
                    "be suppressed (what can be counted is known): recode these, or leave them out of the keys"
                )
            for place, old, new, number in way:
                self.move(place, old, new, number)

    def _cheapest(
        self, first: Row, left: dict[Row, list[tuple[int, int]]], sizes: dict[Row, int]
    ) -> list[_Move] | None:
        """Return the cheapest of the ways to release the first row with others: what each loses now, and then."""
        best: tuple[float, list[_Move]] | None = None
        for chosen in self.sets[1:]:
            target = tuple(0 if chosen >> j & 1 else code for j, code in enumerate(first))
            moves = [(p, w, w | chosen, self.lost[p][w]) for p, w in left[first]]
            cost = self._costs(moves)
            if best is not None and cost >= best[0]:
                continue
            need = self.k - sizes[first] - (sizes.get(target, 0) if target != first else 0)
            if need > 0:
                donors = self._donors(chosen, first, target)
                taken = self._find_lent_households(donors, left, sizes, need) or self._find_dissolved_row(donors, need)
                if taken is None:
                    continue
                moves, cost = [*moves, *taken], cost + self._costs(taken)
            if best is None or cost < best[0]:
                best = cost, moves
        return None if best is None else best[1]

    def _costs(self, moves: list[_Move]) -> float:
        return sum(self.cost(new & ~old) * number * int(self.members[place]) for place, old, new, number in moves)

    def _donors(self, chosen: int, first: Row, target: Row) -> list[tuple[_Move, Row]]:
        """Return which households of other released rows would be released as the target, and their rows."""
        return [
            ((place, lost, lost | chosen, number), row)
            for place, ways in enumerate(self.lost)
            if self.labels[place] < 0
            for lost, number in ways.items()
            if self.row(place, lost | chosen) == target and (row := self.row(place, lost)) not in {first, target}
        ]

    def _find_lent_households(
        self, donors: list[tuple[_Move, Row]], left: dict[Row, Any], sizes: dict[Row, int], need: int
    ) -> list[_Move] | None:
        """Return the cheapest households that their rows can spare, those that are left themselves first."""
        spare = {row: size - self.k for row, size in sizes.items()}
        taken: list[_Move] = []
        for (place, old, new, number), row in sorted(
            donors, key=lambda d: (self.cost(d[0][2] & ~d[0][1]), d[1] not in left, d[0])
        ):
            size = int(self.sizes[place])
            most = number if row in left else min(number, spare[row] // size)
            some = min(most, -(-need // size))
            if need > 0 and some > 0:
                taken.append((place, old, new, some))
                spare[row] -= some * size
                need -= some * size
        return taken if need <= 0 else None

    def _find_dissolved_row(self, donors: list[tuple[_Move, Row]], need: int) -> list[_Move] | None:
        """Return the cheapest whole row that brings as many records as are needed."""
        whole: dict[Row, list[_Move]] = {}
        for move, row in donors:
            whole.setdefault(row, []).append(move)
        enough = [
            moves for moves in whole.values() if sum(number * int(self.sizes[p]) for p, _, _, number in moves) >= need
        ]
        return min(enough, key=lambda moves: (self._costs(moves), moves), default=None)

    def rows(self) -> Integers:
        """Return a row for each part of a row that loses something: its place, what, and how many households."""
        found = [(p, w, n) for p, ways in enumerate(self.lost) for w, n in sorted(ways.items())]
        return np.array(found, dtype=np.int64).reshape(-1, 3)


def suppress_whole_households(  # noqa: PLR0917 - the columns of one table
    codes: Integers, members: Integers, numbers: Integers, labels: Integers, weights: Floats, k: int,
    *, unit: str = "record",
) -> Integers:  # fmt: skip
    """Return what households lose: the place of their row, a bit for each column, and how many of the row do.

    Examples
    --------
    Of two households of two in the north and one in the south, with k = 3, all lose the region.

    >>> two = np.array([2, 2])
    >>> suppress_whole_households(np.array([[1], [2]]), two, two // 2, two * 0 - 1, [1.0], 3).tolist()
    [[0, 1, 1], [1, 1, 1]]
    """
    found = Households(codes, members, numbers, labels, np.asarray(weights, dtype=np.float64), k, unit=unit)
    total = int((found.sizes * numbers).sum())
    if total < k:
        raise ValueError(f"there are {total} {unit}s, fewer than k = {k}: nothing can be released alike")
    found.join_parts()
    found.settle()
    found.borrow()
    return found.rows()
