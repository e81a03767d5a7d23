"""Groups made anew, a neighbourhood at a time, where that costs less.

The groups of records that agree on some keys are taken apart, and their records settled again: group by group, in the
order of cost with a little disorder, joining groups that stayed where that is cheaper, and with records lent by groups
that can spare them. What costs less is kept; equal cost too, so that the search moves on.

The disorder is that of one fixed sequence of numbers: the same table has the same answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sdc_sql.udfs.suppression.settling import Trial

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats
    from sdc_sql.udfs.suppression.released_groups import Groups

_MOST = 2000  # neighbourhoods
_SIZES = (30, 60, 120)  # records of a neighbourhood
_DISORDER = (0.5, 0.99, 1.5)  # the disorder of a move, in units of the cheapest key
_ONE_TURN = 2000  # a turn costs so much beside its records x sets of keys


class Sequence:
    """Numbers in [0, 1) by counting, mixed (splitmix64): they depend on no library's version.

    Examples
    --------
    >>> Sequence().draw(2).round(3).tolist()
    [0.883, 0.432]
    """

    def __init__(self) -> None:
        self.count = 0

    def draw(self, number: int) -> Floats:
        """Return the next numbers."""
        z = np.arange(self.count + 1, self.count + number + 1, dtype=np.uint64) * np.uint64(0x9E37_79B9_7F4A_7C15)
        self.count += number
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58_476D_1CE4_E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D0_49BB_1331_11EB)
        return np.asarray(((z ^ (z >> np.uint64(31))) >> np.uint64(11)).astype(np.float64) / 2.0**53)

    def draw_below(self, number: int) -> int:
        """Return a whole number below another."""
        return int(self.draw(1)[0] * number)


def improve_groups(groups: Groups, k: int, effort: int) -> None:
    """Make groups anew until so many records x sets of keys have been looked at."""
    cells, sequence = groups.cells, Sequence()
    unsafe = np.flatnonzero((cells.totals < k) & (cells.counts > 0))
    looked, turns = 0, 0
    while len(unsafe) and looked < effort and turns < _MOST:
        seed = int(unsafe[sequence.draw_below(len(unsafe))])
        rows, lent = _neighbourhood(groups, seed, k, sequence)
        looked += _resettle_groups(groups, rows, lent, k, sequence) + cells.number // 8 + _ONE_TURN
        turns += 1


def _neighbourhood(
    groups: Groups, seed: int, k: int, sequence: Sequence
) -> tuple[list[Any], list[tuple[int, Any, int]]]:
    """Return the rows whose groups are taken apart, and the records that others can lend (cell, row, number)."""
    cells = groups.cells
    packed = cells.released(cells.sets[1 + sequence.draw_below(len(cells.sets) - 1)])
    most = _SIZES[sequence.draw_below(len(_SIZES))] + 6 * k
    alike = np.flatnonzero(packed == packed[seed])
    alike = alike[np.argsort(sequence.draw(len(alike)), kind="stable")]
    rows: dict[Any, None] = {}
    lent: list[tuple[int, Any, int]] = []
    records = lending = 0
    for cell in dict.fromkeys((seed, *alike.tolist())):  # each once: what is lent twice would be missing
        for row, number in groups.released.get(cell, {}).items():
            if row in rows:
                continue
            if groups.left_out[cell, row]:
                if not rows or records + groups.sizes[row] <= most:
                    rows[row] = None
                    records += groups.sizes[row]
            elif lending < k and len(groups.released[cell]) == 1:
                spare = min(groups.sizes[row] - k, number, k - 1)
                if spare > 0:
                    lent.append((cell, row, spare))
                    lending += spare
        if records >= most:
            break
    return list(rows), lent if sequence.draw_below(2) else []


def _resettle_groups(
    groups: Groups, rows: list[Any], lent: list[tuple[int, Any, int]], k: int, sequence: Sequence
) -> int:
    """Take groups apart and settle their records again, or leave all as it was; return how much was looked at."""
    if not rows:
        return 0
    lent = [(cell, row, n) for cell, row, n in lent if row not in rows]
    costs = [(groups.cost(cell, row), n) for row in rows for cell, n in groups.members[row].items()]
    before, dearest = sum(cost * n for cost, n in costs), max(cost for cost, _ in costs)
    taken = groups.take(rows)
    for cell, row, n in lent:
        groups.add(cell, row, 0, -n)
        taken.append((cell, row, 0, n))
    left: dict[int, int] = {}
    for cell, _, _, n in taken:
        left[cell] = left.get(cell, 0) + n
    home = {cell: row for cell, row, _ in lent}
    trial = Trial(groups, k, left, home, sequence.draw(1021), sparing=sequence.draw_below(3) == 0)
    unit = min(groups.cells.weights)
    disorder = unit * _DISORDER[sequence.draw_below(len(_DISORDER))]
    if not trial.settle(before, dearest + 1.5 * unit, disorder):
        trial.undo()
        for cell, row, left_out, n in taken:
            groups.add(cell, row, left_out, n)
    return trial.looked
