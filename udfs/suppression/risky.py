"""The cheapest suppressions so that no record, or no household, is riskier than is allowed.

A record's risk E(1/F | f) falls as f and F grow, and both grow as it keeps fewer keys, or others do. So what it keeps
is decided by the original records, NULL agreeing with every value: in the released file its risk is that or less.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.posterior import posterior_risk
from sdc_sql.udfs.suppression.frequencies import Frequencies

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers, Truths
    from sdc_sql.udfs.suppression.cells import Cells

_DIGITS = 1e-9  # risks above by less are counted as above: sums differ in the last digits


def suppress_to_bearable(
    cells: Cells, amounts: Floats, most: float, may: int, members: tuple[Integers, Integers, Integers] | None = None
) -> Integers:
    """Return the keys that records lose, a bit each: those of each cell, or of the members of a household in a cell.

    Parameters
    ----------
    amounts
        The sum of the weights of each cell, (n,).
    most
        The greatest risk of a record or, with `members`, of a household, in (0, 1).
    may
        The keys that may be lost, a bit each.
    members
        Cells, numbers of households, and how many of their members these cells hold; without, each record is alone.

    Examples
    --------
    One of (a, b), (a, c), (a, c), each of weight 5, has the risk 0.40, the others 0.23.

    >>> from sdc_sql.udfs.suppression.cells import Cells
    >>> suppress_to_bearable(Cells(np.array([[1, 1], [1, 2]]), np.array([1, 2]), [1, 1]), np.array([5.0, 10]), 0.25,
    ...     3).tolist()
    [2, 0]
    """
    alone = members is None
    own = np.arange(cells.number)
    cell, household, number = (own, own, np.ones_like(own)) if members is None else members
    now, least = (_compute_losses(cells, amounts, left_out) for left_out in (0, may))
    shares = _allow_losses(now[cell], household, number, most)
    lost = np.zeros(len(cell), dtype=np.int64)
    risky = np.isfinite(shares)
    beyond = np.flatnonzero(risky)[~_is_within_risk(least[cell[risky]], household[risky], number[risky], most)]
    if len(beyond):
        records = int((cells.counts[beyond] if alone else number[beyond]).sum())
        whose = "the risk" if alone else "the risk of the household"
        rest = "all keys are" if may == cells.every else "the variable is"
        raise ValueError(
            f"{whose} of {records} records is above {most:g} even where {rest} suppressed: allow a greater one"
        )
    left = np.flatnonzero(now[cell] > shares)
    for left_out in cells.sets[1:]:
        here = left[cells.find_keeping(left_out, cell[left])] if not left_out & ~may else left[:0]
        if not len(here):
            continue
        good = here[_compute_losses(cells, amounts, left_out)[cell[here]] <= shares[here]]
        lost[good] = left_out
        left = left[np.isin(left, good, invert=True)]
        if not len(left):
            break
    # where a member cannot come down to its share, all of its household lose what they may
    whole = np.isin(household, household[left])
    lost[whole] = may & cells.known[cell[whole]]
    return lost


def _compute_losses(cells: Cells, amounts: Floats, left_out: int) -> Floats:
    """Return -ln(1 - risk) of each cell without some keys, a little more where it was rounded."""
    kept = cells.every & ~left_out
    f = Frequencies(cells, cells.counts.astype(np.float64), wildcard=True).count_frequencies(kept)
    population = Frequencies(cells, amounts, wildcard=True).count_frequencies(kept)
    risk = posterior_risk(f, population)
    risk = np.where(population > f, np.minimum(risk * (1 + _DIGITS), 1.0), risk)
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log1p(-risk))


def _budget(household: Integers, number: Integers, most: float) -> Floats:
    """Return what the losses of a household may sum to, by its number: -ln(1 - risk)."""
    size = np.bincount(household, weights=number)
    return np.asarray(-np.log1p(-most) * np.where(size > 1, 1 - _DIGITS, 1.0))


def _is_within_risk(losses: Floats, household: Integers, number: Integers, most: float) -> Truths:
    """Return for each row whether its household is not riskier than is allowed."""
    totals = np.bincount(household, weights=losses * number)
    return np.asarray((totals <= _budget(household, number, most))[household])


def _allow_losses(losses: Floats, household: Integers, number: Integers, most: float) -> Floats:
    """Return up to which loss each member of a risky household may go, infinite where none is to change.

    One level for the household: those above come down to it, and all together are then just what is allowed.

    Examples
    --------
    >>> most = -np.expm1(-0.7)
    >>> _allow_losses(np.array([0.1, 0.5, 0.9, 0.2]), np.array([0, 0, 0, 1]), np.array([1, 1, 1, 1]),
    ...     most).round(4).tolist()
    [0.3, 0.3, 0.3, inf]
    """
    shares = np.full(len(losses), np.inf)
    risky = np.flatnonzero(~_is_within_risk(losses, household, number, most))
    if not len(risky):
        return shares
    rows = risky[np.lexsort((losses[risky], household[risky]))]
    _, house = np.unique(household[rows], return_inverse=True)
    budget = _budget(house, number[rows], most)
    capped = np.minimum(losses[rows], budget[house]) * number[rows]  # more than all that is allowed is no matter
    first = np.flatnonzero(np.diff(house, prepend=-1))[house]
    before, ahead = (np.cumsum(of) - of for of in (capped, number[rows]))
    rest = np.bincount(house, weights=number[rows])[house] - (ahead - ahead[first])
    level = np.full(len(budget), -np.inf)
    np.maximum.at(level, house, (budget[house] - (before - before[first])) / rest)
    shares[rows] = level[house]
    return shares
