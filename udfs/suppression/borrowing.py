"""The records that a greedy search leaves over, fewer than k: they join a group, or borrow what others can spare."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Integers
    from sdc_sql.udfs.suppression.released_groups import Groups


class _Way(NamedTuple):
    """A way to release cells left over as a row, with records of others (cell, its row now, number)."""

    cost: float  # the cost for a record left over
    row: Any
    left_out: int
    joining: list[int]
    moves: list[tuple[int, Any, int]]


def borrow_records(groups: Groups, left: Integers, k: int) -> None:
    """Settle the cells left over, each in the cheapest of the ways that are looked at."""
    remaining = {int(cell): int(groups.cells.counts[cell]) for cell in left}
    while remaining:
        way = _cheapest(groups, remaining, k)
        for cell, old, n in way.moves:
            groups.move(cell, old, way.row, way.left_out, n)
        for cell in way.joining:
            groups.add(cell, way.row, way.left_out, remaining.pop(cell))


def _cheapest(groups: Groups, remaining: dict[int, int], k: int) -> _Way:
    """Return the cheapest way for the first cell."""
    cells, first = groups.cells, min(remaining)
    best: _Way | None = None
    for cost, left_out in zip(cells.costs, cells.sets, strict=True):
        if best is not None and cost >= best.cost:
            break
        if not cells.every & ~left_out & ~int(cells.known[first]):  # a key that is missing is not kept
            way = _way(groups, remaining, first, left_out, k)
            if way is not None and (best is None or way.cost < best.cost):
                best = way
    if best is None:
        raise ValueError(
            f"the {cells.counts.sum()} records that may be suppressed are too few for k = {k}: "
            "nothing can be released alike"
        )
    return best


def _way(groups: Groups, remaining: dict[int, int], first: int, left_out: int, k: int) -> _Way | None:
    """Return how the first cell is released without a set of keys; None where too few others can be."""
    cells = groups.cells
    packed = cells.released(left_out)
    row = packed[first].item()
    alike = np.flatnonzero(packed == row).tolist()
    costs = {cell: cells.cost(left_out & int(cells.known[cell])) for cell in alike}
    joining = [cell for cell in alike if cell in remaining]
    records = sum(remaining[cell] for cell in joining)
    need = k - records - groups.sizes.get(row, 0)
    others = [
        (cell, old) for cell in alike if cell not in remaining for old in groups.released.get(cell, ()) if old != row
    ]
    losses = {(cell, old): costs[cell] - groups.cost(cell, old) for cell, old in others}
    moves = _find_lent_records(groups, losses, need, k)
    if moves is None:
        moves = _find_dissolved_groups(groups, losses, need)
    if moves is None:
        return None
    total = sum(costs[cell] * remaining[cell] for cell in joining)
    total += sum(losses[cell, old] * n for cell, old, n in moves)
    return _Way(total / records, row, left_out, joining, moves)


def _find_lent_records(
    groups: Groups, losses: dict[tuple[int, Any], float], need: int, k: int
) -> list[tuple[int, Any, int]] | None:
    """Return the cheapest records that groups can spare, as many as are needed."""
    moves = []
    spare = {old: groups.sizes[old] - k for _, old in losses}
    for cell, old in sorted(losses, key=lambda name: (losses[name], name[0])):
        lent = min(groups.released[cell][old], need, spare[old])
        if lent > 0:
            moves.append((cell, old, lent))
            spare[old] -= lent
            need -= lent
    return None if need > 0 else moves


def _find_dissolved_groups(
    groups: Groups, losses: dict[tuple[int, Any], float], need: int
) -> list[tuple[int, Any, int]] | None:
    """Return whole groups, all of whose records can be released so, the cheapest first."""
    ways = []
    for old in {old for _, old in losses}:
        members = groups.members[old]
        if all((cell, old) in losses for cell in members):
            loss = sum(losses[cell, old] * n for cell, n in members.items())
            ways.append((loss / sum(members.values()), min(members), old))
    moves: list[tuple[int, Any, int]] = []
    for _, _, old in sorted(ways, key=lambda way: way[:2]):
        if need <= 0:
            break
        moves += [(cell, old, n) for cell, n in sorted(groups.members[old].items())]
        need -= sum(groups.members[old].values())
    return None if need > 0 else moves
