"""Records settled in groups by a greedy search with some disorder: a trial of the search for something better."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats
    from sdc_sql.udfs.suppression.released_groups import Groups

_TIE = 1e-9


@dataclass
class Trial:
    """Records that look for groups, those that stayed or new ones of at least k.

    `left` gives the records of each cell, `home` the row that a cell's records were lent from: there they may return.
    """

    groups: Groups
    k: int
    left: dict[int, int]
    home: dict[int, Any]
    noise: Floats  # numbers in [0, 1)
    sparing: bool  # whether a new group takes no more than k records
    placed: list[tuple[int, Any, int, int]] = field(default_factory=list)
    cost: float = 0.0
    looked: int = 0

    def settle(self, limit: float, dearest: float, disorder: float) -> bool:
        """Settle the records; return whether all are, at a cost within the limit.

        Parameters
        ----------
        limit
            What it may cost.
        dearest
            The cost of the dearest sets of keys that are looked at.
        disorder
            What a group may come earlier or later by, in units of cost.
        """
        candidates = self._candidates(dearest, disorder)
        for row, members in candidates:
            lacking = self.groups.count_lacking(row, self.k)
            is_open = lacking == 0
            # who can stay at home need not join
            joining = [(c, s) for c, s in members if c in self.left and not (c in self.home and is_open)]
            if not joining or (not is_open and sum(self.left[c] for c, _ in joining) < lacking):
                continue
            self._join(row, joining, self.k if self.sparing and not is_open else None)
            if self.cost > limit + _TIE:
                return False
        for row, members in candidates if self.sparing and self.left else []:
            if not self.groups.count_lacking(row, self.k):
                self._join(row, [(c, s) for c, s in members if c in self.left and c not in self.home], None)
        self._send_home()
        for cell in [c for c in self.left if c in self.home]:
            self._place(cell, self.home[cell], 0, self.left.pop(cell))
        return not self.left and self.cost <= limit + _TIE

    def _candidates(self, dearest: float, disorder: float) -> list[tuple[Any, list[tuple[int, int]]]]:
        """Return the rows that enough of the records can be released as, each with its cells and what these lose."""
        cells = self.groups.cells
        ids = np.array(sorted(self.left), dtype=np.int64)
        sets = np.array(cells.sets[: bisect_right(cells.costs, dearest)], dtype=np.int64)
        # a missing key is not suppressed: each cell is looked at once for a row
        usable = np.flatnonzero((sets & ~cells.known[ids][:, np.newaxis]) == 0)
        rows = cells.release_without_each(ids, len(sets)).ravel()[usable]
        self.looked = len(rows)
        values, first, group = np.unique(rows, return_index=True, return_inverse=True)
        numbers = np.array([self.left[cell] for cell in ids.tolist()], dtype=np.float64)
        lacking = np.array([self.groups.count_lacking(row, self.k) for row in values.tolist()])
        enough = np.bincount(group, weights=numbers[usable // len(sets)], minlength=len(values)) >= lacking
        costs = np.array(cells.costs[: len(sets)])[usable[first] % len(sets)]
        order = costs + np.resize(self.noise, len(values)) * disorder
        here = np.flatnonzero(enough[group])
        here = here[np.lexsort((group[here], order[group[here]]))]
        starts = np.flatnonzero(np.diff(group[here], prepend=-1))
        members = list(
            zip(ids[usable[here] // len(sets)].tolist(), sets[usable[here] % len(sets)].tolist(), strict=True)
        )
        ends = [*starts[1:].tolist(), len(here)]
        names = values[group[here[starts]]].tolist()
        return [(row, members[a:b]) for row, a, b in zip(names, starts.tolist(), ends, strict=True)]

    def _join(self, row: Any, joining: list[tuple[int, int]], most: int | None) -> None:  # noqa: ANN401 - a packed row
        """Place all records of the cells, or no more than so many."""
        if most is not None:  # not always the same ones
            turn = int(self.noise[len(self.placed) % len(self.noise)] * len(joining))
            joining = joining[turn:] + joining[:turn]
        for cell, left_out in joining:
            number = self.left[cell] if most is None else min(most, self.left[cell])
            if number:
                self._place(cell, row, left_out, number)
                self.left[cell] -= number
                most = None if most is None else most - number
                if not self.left[cell]:
                    del self.left[cell]

    def _place(self, cell: int, row: Any, left_out: int, records: int) -> None:  # noqa: ANN401 - a packed row
        self.groups.add(cell, row, left_out, records)
        self.placed.append((cell, row, left_out, records))
        self.cost += self.groups.cost(cell, row) * records

    def _send_home(self) -> None:
        """Send home the lent records that their group can spare."""
        for cell, row, left_out, records in self.placed[:]:
            if cell in self.home:
                back = min(records, self.groups.sizes[row] - self.k)
                if back > 0:
                    self._place(cell, row, left_out, -back)
                    self._place(cell, self.home[cell], 0, back)

    def undo(self) -> None:
        """Take out again what was placed."""
        for cell, row, left_out, records in self.placed:
            self.groups.add(cell, row, left_out, -records)
