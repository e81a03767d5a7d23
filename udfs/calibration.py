"""Raking: weights brought to known totals of several margins, each by a factor within bounds.

Of all factors g within their bounds that meet the totals, those nearest to 1 in the distance of raking are
g = min(U, max(L, exp(a_i + b_j + ...))), a term for each category of each margin (Deville & Särndal 1992, cases 2
and 7). The terms maximise a concave function; it is climbed margin by margin, where each category's own equation,
monotone in its term, is solved by bisection. Without bounds this is iterative proportional fitting (Deming & Stephan
1940).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.adapters import TEXT, declared
from sdc_sql.udfs.arrow_function import NUMBERS, TABLE

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers

ROUNDS, HALVINGS, FAR = 500, 60, 700.0  # exp(700) is finite


def raked(
    weights: Floats,
    codes: Integers,
    totals: list[Floats],
    names: list[str],
    *,
    lower: Floats,
    upper: Floats,
    tolerance: float = 1e-9,
) -> Floats:
    """Return the factor of each cell by which the weighted totals of all margins are met.

    Parameters
    ----------
    weights
        The sum of the weights of each cell, (c,), positive.
    codes
        The category of each cell on each margin, (c, m), from 0.
    totals
        Of each margin the totals of its categories, positive.
    names
        Of the margins, for messages.
    lower, upper
        The bounds of each cell's factor, (c,): 0 <= lower <= upper, infinity where there is none.
    tolerance
        The greatest relative difference from a total.

    Raises
    ------
    ValueError
        Where a total lies outside what the bounds allow, or the totals of several margins cannot be met together.

    Examples
    --------
    >>> codes = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> none = dict(lower=np.zeros(4), upper=np.full(4, np.inf))
    >>> raked(np.ones(4), codes, [np.array([6.0, 4.0]), np.array([5.0, 5.0])], ["a", "b"], **none).round(9).tolist()
    [3.0, 3.0, 2.0, 2.0]
    """
    for j, name in enumerate(names):
        least, most = (np.bincount(codes[:, j], weights=weights * b, minlength=totals[j].size) for b in (lower, upper))
        wrong = int(((least > totals[j] * (1 + tolerance)) | (most < totals[j] * (1 - tolerance))).sum())
        if wrong:
            raise ValueError(f"of the margin {name}, {wrong} totals cannot be met within the bounds: widen the bounds")
    terms = [np.zeros(t.size) for t in totals]
    bounded = bool((lower > 0).any() or np.isfinite(upper).any())
    off = [np.inf]
    for _ in range(ROUNDS):
        for j, known in enumerate(totals):
            others = sum(terms[i][codes[:, i]] for i in range(len(totals)) if i != j) + np.zeros(weights.size)
            terms[j] = _solved(weights, codes[:, j], known, others, lower, upper, bounded=bounded)
        factors = _factors(terms, codes, lower, upper)
        off = [float(_off(weights * factors, codes[:, j], known)) for j, known in enumerate(totals)]
        if max(off) <= tolerance:
            return factors
    worst = int(np.argmax(off))
    raise ValueError(
        f"the totals cannot be met together: after {ROUNDS} rounds a total of the margin {names[worst]} is still "
        f"off by {off[worst]:.2g} of itself. Widen the bounds, leave the margin out, or join its categories"
    )


def _factors(terms: list[Floats], codes: Integers, lower: Floats, upper: Floats) -> Floats:
    total = sum(term[codes[:, j]] for j, term in enumerate(terms))
    found: Floats = np.clip(np.exp(np.clip(total, -FAR, FAR)), lower, upper)
    return found


def _off(weights: Floats, code: Integers, known: Floats) -> float:
    found = np.bincount(code, weights=weights, minlength=known.size)
    return float(np.max(np.abs(found - known) / known))


def _solved(  # noqa: PLR0917 - one equation
    weights: Floats, code: Integers, known: Floats, others: Floats, lower: Floats, upper: Floats,
    *, bounded: bool,
) -> Floats:  # fmt: skip
    """Return the terms of one margin that meet its totals, the other margins' terms as they are."""
    if not bounded:
        found: Floats = np.log(known) - np.log(
            np.bincount(code, weights=weights * np.exp(others), minlength=known.size)
        )
        return found
    low, high = np.full(known.size, -FAR), np.full(known.size, FAR)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        factors = np.clip(np.exp(np.clip(others + middle[code], -FAR, FAR)), lower, upper)
        below = np.bincount(code, weights=weights * factors, minlength=known.size) < known
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    halved: Floats = (low + high) / 2
    return halved


def calibrated(  # noqa: PLR0917 - as the macro has them
    weights: Floats, codes: Floats, totals: Floats, names: str, lower: Floats, upper: Floats
) -> Floats:
    """Rake as DuckDB asks: ``totals`` has rows (margin, category, total), ``names`` stand a line each."""
    named = names.split("\n")
    known = [totals[totals[:, 0] == j] for j in range(len(named))]
    ordered = [rows[np.argsort(rows[:, 1]), 2] for rows in known]
    return raked(
        weights, codes.astype(np.int64), ordered, named,
        lower=lower, upper=upper,
    )  # fmt: skip


FUNCTIONS = (
    declared(
        "calibrate", calibrated, NUMBERS, weights=NUMBERS, codes=TABLE, totals=TABLE, names=TEXT, lower=NUMBERS,
        upper=NUMBERS, by_stratum=False,
    ),
)  # fmt: skip
