"""Suppressions within limits: of each key no more than a share of its values.

What a key costs is raised where too much of it is suppressed, and lowered again where less is: a heuristic. What the
fewest suppressions cost is bounded from below by Lagrange's multipliers: for any prices p >= 0 of the limits,

    min { cost : within limits }  >=  min { sum_j (w_j + p_j) n_j } - sum_j p_j limit_j

and the minimum on the right is found exactly for the guarantee 'strong', which whatever meets 'identical' meets too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.suppression.strong import suppress_strongly

if TYPE_CHECKING:
    from collections.abc import Callable

    from sdc_sql.udfs.arguments import Floats, Integers
    from sdc_sql.udfs.suppression.cells import Cells

_TURNS = 16
_SLOWER = (0.9, 0.4)  # powers by which a price rises and falls
_DEAREST = 1e6  # times what it costs without limits


def search_within_shares(
    search: Callable[[Cells, int], Integers],
    priced: Callable[[Floats], Cells],
    k: int,
    shares: Floats,
    keys: list[str] | None = None,
) -> tuple[Integers, float]:
    """Return the cheapest answer found within the limits, and what it costs.

    Parameters
    ----------
    search
        What finds the suppressions.
    priced
        Gives the cells, what their keys cost multiplied by factors.
    shares
        The greatest share of each key's values; NaN: no limit.
    keys
        Their names, for messages.
    """
    limits, values = count_allowed_losses(priced(np.ones(len(shares))), shares)
    factors, best, nearest = np.ones(len(shares)), None, (np.inf, 0, 0.0)
    plain = priced(factors)
    weights, answers = np.array(plain.weights), []
    for turn in range(_TURNS):
        found = search(priced(factors), k)
        if search is suppress_strongly:  # each cell is decided by itself: of several answers each can have another
            answers.append(found)
            found = _mix_answers(answers, plain, limits)
        lost = count_lost_values(found, plain)
        over = (lost - limits) / values
        worst = int(np.argmax(over))
        if over[worst] <= 0:
            cost = float((weights * lost).sum())
            if best is None or cost < best[1]:
                best = found, cost
            if turn == 0:
                break
        elif over[worst] < nearest[0]:
            nearest = over[worst], worst, lost[worst] / values[worst]
        factors = _adjust_factors(factors, lost, limits)
    if best is None:
        _, key, share = nearest
        name = keys[key] if keys else f"number {key + 1}"
        raise ValueError(
            f"max_share was not met: of the key {name} at most {shares[key]:.4g} of the values "
            f"may be suppressed, and the nearest answer found suppresses {share:.4g}: raise it, or recode the key"
        )
    return best


def bound_cost(priced: Callable[[Floats], Cells], k: int, shares: Floats) -> float:
    """Return what any answer within the limits costs at least, for 'identical' and 'strong'."""
    factors, best = np.ones(len(shares)), 0.0
    cells = priced(factors)
    limits, _ = count_allowed_losses(cells, shares)
    weights = np.array(cells.weights)
    for _ in range(_TURNS):
        lost = count_lost_values(suppress_strongly(cells, k), cells)
        prices = np.where(np.isfinite(limits), weights * (factors - 1), 0.0)
        best = max(best, float(((weights + prices) * lost).sum() - (prices * np.where(prices > 0, limits, 0.0)).sum()))
        factors = _adjust_factors(factors, lost, limits)
        cells = priced(factors)
    return best


def _mix_answers(answers: list[Integers], cells: Cells, limits: Floats) -> Integers:
    """Return the first answer, with cells taken from the others where it loses too much, the cheapest first."""
    lost, costs = answers[0].copy(), {left_out: cells.cost(left_out) for left_out in cells.sets}
    totals = count_lost_values(lost, cells)
    for key in np.argsort(limits - totals).tolist():
        ways = sorted(
            (costs[other] - costs[now], cell, other)
            for answer in answers[1:]
            for cell in np.flatnonzero((lost >> key & 1) & ~(answer >> key & 1) & (cells.counts > 0)).tolist()
            for now, other in [(int(lost[cell]), int(answer[cell]))]
        )
        for _, cell, other in ways:
            if totals[key] <= limits[key]:
                break
            now = int(lost[cell])
            change = cells.counts[cell] * np.array([(other >> j & 1) - (now >> j & 1) for j in range(cells.keys)])
            if now >> key & 1 and not ((change > 0) & (totals + change > limits)).any():
                lost[cell] = other
                totals += change
    return lost


def count_allowed_losses(cells: Cells, shares: Floats) -> tuple[Floats, Floats]:
    """Return how many values of each key may be suppressed at most, and how many there are, at least 1."""
    values = np.array([cells.totals[cells.known >> key & 1 > 0].sum() for key in range(cells.keys)], dtype=np.float64)
    return np.where(np.isnan(shares), np.inf, np.floor(shares * values + 1e-9)), np.maximum(values, 1)


def count_lost_values(found: Integers, cells: Cells) -> Floats:
    """Return how many values of each key an answer suppresses.

    Examples
    --------
    >>> from sdc_sql.udfs.suppression.cells import Cells
    >>> cells = Cells(np.array([[1, 1], [1, 2]]), np.array([1, 3]), [1, 1])
    >>> count_lost_values(np.array([2, 0]), cells).tolist(), count_lost_values(np.array([[0, 2, 1], [1, 3, 2]]),
    ...     cells).tolist()
    ([0.0, 1.0], [2.0, 3.0])
    """
    lost, records = (np.maximum(found, 0), cells.counts) if found.ndim == 1 else (found[:, 1], found[:, 2])
    return np.array([records[lost >> key & 1 > 0].sum() for key in range(cells.keys)], dtype=np.float64)


def _adjust_factors(factors: Floats, lost: Floats, limits: Floats) -> Floats:
    """Return dearer keys where more than the limit is lost, and cheaper ones, not below 1, where less is."""
    ratio = np.where(np.isfinite(limits), (lost + 0.1) / (np.maximum(limits, 0) + 0.1), 1.0)
    power = np.where(ratio > 1, *_SLOWER)
    return np.asarray(np.clip(factors * ratio**power, 1.0, _DEAREST))
