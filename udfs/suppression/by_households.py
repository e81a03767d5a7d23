"""More values suppressed until every released row is one of members of k households, not of k records alone.

k records that look alike can be one family. Local suppression leaves few rows of fewer than k households, so these
join others whole, or take from them what they can spare. The rows are those of one stratum (and of one cell of the
columns of the household), in which there are k households: with all keys suppressed they are one row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.udfs.arguments import Floats, Integers

_Row: TypeAlias = tuple[int, ...]


class ReleasedRows:
    """The released rows, and the entries that have each: what a household's records have of one row at first.

    Parameters
    ----------
    codes
        The values of each entry, (n, m), 0: NULL.
    houses, records
        Its household and how many records it is, (n,).
    weights
        What it costs to suppress a value of each column; negative: it cannot be suppressed.
    """

    def __init__(self, codes: Integers, houses: Integers, records: Integers, weights: Floats, k: int) -> None:
        self.codes, self.k = codes.tolist(), k
        self.houses, self.records, self.weights = houses.tolist(), records.tolist(), weights.tolist()
        self.lost = [0] * len(codes)
        free = [j for j, weight in enumerate(self.weights) if weight >= 0]
        sets = [sum(1 << j for place, j in enumerate(free) if chosen >> place & 1) for chosen in range(1 << len(free))]
        self.sets = sorted(sets, key=lambda s: (sum(w for j, w in enumerate(self.weights) if s >> j & 1), s))
        self.entries: dict[_Row, list[int]] = {}
        for entry, row in enumerate(map(tuple, self.codes)):
            self.entries.setdefault(row, []).append(entry)
        self.households = {row: self._count_households(row) for row in self.entries}
        # the rows by what they are without the columns, for each set of columns that was asked for
        self._alike: dict[int, dict[_Row, dict[_Row, None]]] = {}

    def _count_households(self, row: _Row) -> int:
        return len({self.houses[e] for e in self.entries[row]})

    def list_few(self) -> dict[_Row, int]:
        """Return the rows of fewer than k households, with how many these are."""
        return {row: number for row, number in self.households.items() if number < self.k}

    def list_alike(self, chosen: int, target: _Row) -> Iterable[_Row]:
        """Return the rows that are the target without some columns."""
        if chosen not in self._alike:
            found: dict[_Row, dict[_Row, None]] = {}
            self._alike[chosen] = found
            for row in self.entries:
                found.setdefault(blank_row(row, chosen), {})[row] = None
        return self._alike[chosen].get(target, ())

    def settle(self) -> None:
        """Suppress until no row is of fewer than k households.

        Raises
        ------
        ValueError
            Where there are fewer than k households in all.
        """
        total = len(set(self.houses))
        if total < self.k:
            raise ValueError(
                f"there are {total} households, fewer than k = {self.k}, on keys that cannot be suppressed or in a "
                "stratum: recode these, or leave them out"
            )
        left = self.list_few()
        while left:
            first = min(left, key=lambda row: (left[row], row))
            touched: dict[_Row, None] = {}
            for entry, chosen in self._cheapest(first, set(left)):
                touched |= dict.fromkeys(self._move(entry, chosen))
            for row in touched:
                left.pop(row, None)
                if row in self.entries:
                    self.households[row] = number = self._count_households(row)
                    if number < self.k:
                        left[row] = number
                else:
                    del self.households[row]

    def _cheapest(self, first: _Row, left: set[_Row]) -> list[tuple[int, int]]:
        """Return which entries lose what so that the first row gets k households, for as little as can be."""
        best: tuple[float, list[tuple[int, int]]] | None = None
        for chosen in self.sets:
            target = blank_row(first, chosen)
            moves = [] if target == first else [(e, chosen) for e in self.entries[first]]
            own = self._cost(moves)
            if best is not None and own >= best[0]:
                continue
            there = {self.houses[e] for row in {first, target} for e in self.entries.get(row, ())}
            taken = self._find_cheapest_entries(chosen, first, target, there, left)
            if taken is None:
                continue
            cost = own + self._cost(taken)
            if best is None or cost < best[0]:
                best = cost, [*moves, *taken]
        assert best is not None  # noqa: S101 - all of the rows together have k households
        return best[1]

    def _cost(self, moves: Iterable[tuple[int, int]]) -> float:
        return sum(self._price(entry, chosen) for entry, chosen in moves)

    def _price(self, entry: int, chosen: int) -> float:
        new = chosen & ~self.lost[entry]
        of_values = sum(w for j, w in enumerate(self.weights) if new >> j & 1 and self.codes[entry][j])
        return float(of_values * self.records[entry])

    def _find_cheapest_entries(
        self, chosen: int, first: _Row, target: _Row, there: set[int], left: set[_Row]
    ) -> list[tuple[int, int]] | None:
        """Return the cheapest entries that bring the target to k households; None where there are too few."""
        if len(there) >= self.k:
            return []
        donors = [row for row in self.list_alike(chosen, target) if row not in {first, target}]
        lent = self._find_lent_entries(chosen, donors, there, left)
        return lent if lent is not None else self._find_dissolved_rows(chosen, donors, there)

    def _find_lent_entries(
        self, chosen: int, donors: list[_Row], there: set[int], left: set[_Row]
    ) -> list[tuple[int, int]] | None:
        """Return entries of other rows that keep k households, or have fewer already."""
        have, found = set(there), []
        offers = []
        for row in donors:
            by_house: dict[int, list[tuple[int, int]]] = {}
            for entry in self.entries[row]:
                by_house.setdefault(self.houses[entry], []).append((entry, chosen))
            offers += [(self._cost(moves), row not in left, row, house, moves) for house, moves in by_house.items()]
        spare = {row: self.households[row] - self.k for row in donors}
        for _, kept, row, house, moves in sorted(offers):
            if len(have) >= self.k:
                break
            if house in have or (kept and not spare[row]):
                continue
            spare[row] -= 1
            have.add(house)
            found += moves
        return found if len(have) >= self.k else None

    def _find_dissolved_rows(self, chosen: int, donors: list[_Row], there: set[int]) -> list[tuple[int, int]] | None:
        """Return the entries of whole rows: of one that is enough, the cheapest, or else of several."""
        priced = sorted((self._cost([(e, chosen) for e in self.entries[row]]), row) for row in donors)
        alone = [[row] for _, row in priced if len(there | {self.houses[e] for e in self.entries[row]}) >= self.k]
        for rows in [*alone[:1], [row for _, row in priced]]:
            have, found = set(there), []
            for row in rows:
                if len(have) >= self.k:
                    break
                have |= {self.houses[e] for e in self.entries[row]}
                found += [(e, chosen) for e in self.entries[row]]
            if len(have) >= self.k:
                return found
        return None

    def _move(self, entry: int, chosen: int) -> tuple[_Row, _Row]:
        """Let an entry lose columns, and return the rows that it leaves and joins."""
        old = blank_row(self.codes[entry], self.lost[entry])
        self.lost[entry] |= chosen
        new = blank_row(self.codes[entry], self.lost[entry])
        self.entries[old].remove(entry)
        if new not in self.entries:
            self.entries[new] = []
            for lost, found in self._alike.items():
                found.setdefault(blank_row(new, lost), {})[new] = None
        self.entries[new].append(entry)
        if not self.entries[old]:
            del self.entries[old]
            for lost, found in self._alike.items():
                del found[blank_row(old, lost)][old]
        return old, new


def blank_row(row: Iterable[int], lost: int) -> _Row:
    """Return a row without the values that are lost, a bit for each column.

    Examples
    --------
    >>> blank_row((4, 5, 6), 0b101)
    (0, 5, 0)
    """
    return tuple(0 if lost >> j & 1 else code for j, code in enumerate(row))


def suppress_to_k_households(codes: Integers, houses: Integers, records: Integers, weights: Floats, k: int) -> Integers:
    """Return what each entry loses besides, a bit for each column.

    Examples
    --------
    Two records of one household are one row by themselves: of two rows of two households each nobody is alone.

    >>> row, house = np.array([[1, 1], [1, 1], [1, 2], [2, 1], [2, 1]]), np.array([1, 2, 3, 4, 5])
    >>> suppress_to_k_households(row, house, house * 0 + 1, np.ones(2), 2).tolist()
    [2, 2, 2, 0, 0]
    """
    rows = ReleasedRows(codes, houses, records, weights, k)
    rows.settle()
    return np.array(rows.lost, dtype=np.int64)
