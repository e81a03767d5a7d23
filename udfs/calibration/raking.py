"""Factors that bring weights to known totals of several margins, the nearest to 1 within their bounds.

Raking goes margin by margin first, where each category's own equation, monotone in its term, is solved by itself:
without bounds this is iterative proportional fitting (Deming & Stephan 1940), which is done at once where the margins
are nearly independent. What is left over, and the other distances, is Newton's method.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.calibration.distances import DISTANCES, FAR, Raking
from sdc_sql.udfs.calibration.newton import Places, solve_by_newton

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers

ROUNDS, SLOW_ROUNDS, HALVINGS = 20, 500, 60
MANY = 4000  # categories, beyond which Newton's equations are too large
VANISHING = 1e-6  # a factor below this share of all totals over all weights is one of 0


def compute_factors(
    weights: Floats,
    codes: Integers,
    totals: list[Floats],
    names: list[str],
    *,
    lower: Floats,
    upper: Floats,
    distance: str = "raking",
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
    distance
        ``raking``; ``logit``, whose bounds lie around 1; or ``linear``, whose lower bound is above 0.
    tolerance
        The greatest relative difference from a total.

    Raises
    ------
    ValueError
        Where a total lies outside what the bounds allow, or the totals of several margins cannot be met together.

    Examples
    --------
    >>> codes = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> known = [np.array([6.0, 4.0]), np.array([5.0, 5.0])]
    >>> none = dict(lower=np.zeros(4), upper=np.full(4, np.inf))
    >>> compute_factors(np.ones(4), codes, known, ["a", "b"], **none).round(9).tolist()
    [3.0, 3.0, 2.0, 2.0]
    """
    _look(weights, codes, totals, names, lower, upper, distance, tolerance)
    form = DISTANCES[distance](lower, upper)
    places = Places(codes, totals)
    terms = np.zeros(places.number)
    factors = form.factors(np.zeros(weights.size))
    if isinstance(form, Raking):
        rounds = ROUNDS if places.number <= MANY else SLOW_ROUNDS
        terms, factors = _rake_margins(weights, places, totals, form, rounds, tolerance)
    if np.max(np.abs(places.find_deviations(weights * factors))) > tolerance and places.number <= MANY:
        factors = solve_by_newton(weights, places, form, terms, tolerance)
    _judge(weights, places, factors, names, lower, tolerance)
    return factors


def _look(  # noqa: PLR0917 - as they were given
    weights: Floats, codes: Integers, totals: list[Floats], names: list[str], lower: Floats, upper: Floats,
    distance: str, tolerance: float,
) -> None:  # fmt: skip
    """Refuse bounds that no factor is within, or that the distance cannot have."""
    for j, name in enumerate(names):
        least, most = (np.bincount(codes[:, j], weights=weights * b, minlength=totals[j].size) for b in (lower, upper))
        wrong = int(((least > totals[j] * (1 + tolerance)) | (most < totals[j] * (1 - tolerance))).sum())
        if wrong:
            raise ValueError(f"of the margin {name}, {wrong} totals cannot be met within the bounds: widen the bounds")
    categories = sum(t.size for t in totals)
    if distance not in DISTANCES:
        raise ValueError(f"distance is {distance!r}: it must be one of {', '.join(DISTANCES)}")
    if distance != "raking" and categories > MANY:
        raise ValueError(
            f"the margins have {categories:,} categories, and the distance {distance} takes at most {MANY:,}: "
            "give distance := 'raking', or join categories"
        )
    if distance == "logit" and not ((lower < 1) & (upper > 1) & np.isfinite(upper)).all():
        raise ValueError(
            "the distance logit needs a lower bound below 1 and an upper one above 1 for every record (most over its "
            "own weight is one): give both, or another distance"
        )
    if distance == "linear" and not (lower > 0).all():
        raise ValueError("the distance linear needs a lower bound above 0, else weights may become 0: give lower")


def _judge(  # noqa: PLR0917 - as they were given
    weights: Floats, places: Places, factors: Floats, names: list[str], lower: Floats, tolerance: float
) -> None:  # fmt: skip
    """Refuse factors that do not meet the totals, or only where weights are 0."""
    off = np.abs(places.find_deviations(weights * factors))
    if off.max() <= tolerance:
        own = places.known[: places.first[1] if len(places.first) > 1 else None].sum() / weights.sum()
        none = int(((factors < VANISHING * own) & (lower < VANISHING * own)).sum())
        if none:
            raise ValueError(
                f"the totals cannot be met together but by weights that vanish, in {none} crossings of the margins. "
                "Join categories, or leave a margin out"
            )
        return
    worst = int(np.argmax(off))
    margin = names[int(np.searchsorted(places.first, worst, side="right")) - 1]
    if places.number <= MANY and np.abs(places.find_contradiction()).max() > tolerance:
        raise ValueError(
            "the totals cannot be met together: some sums of categories of one margin are sums of categories of "
            f"others for these records, but not in the totals; one of the margin {margin} is off by {off[worst]:.2g} "
            "of itself whatever the factors. Correct the totals, leave the margin out, or join its categories"
        )
    raise ValueError(
        f"the totals cannot be met together: a total of the margin {margin} is still off by {off[worst]:.2g} of "
        "itself. Widen the bounds, leave the margin out, or join its categories"
    )


def _rake_margins(  # noqa: PLR0917 - the state of an iteration
    weights: Floats, places: Places, totals: list[Floats], form: Raking, rounds: int, tolerance: float
) -> tuple[Floats, Floats]:
    """Return the terms of all categories and the factors after some rounds over the margins, or when they do."""
    terms = np.zeros(places.number)
    ends = [*places.first[1:], places.number]
    factors = form.factors(np.zeros(weights.size))
    for _ in range(rounds):
        for j, known in enumerate(totals):
            own = slice(places.first[j], ends[j])
            terms[own] = 0
            others = places.sum_by_cell(terms)
            terms[own] = _solve_margin(weights, places.places[:, j] - places.first[j], known, others, form)
        factors = form.factors(places.sum_by_cell(terms))
        if np.max(np.abs(places.find_deviations(weights * factors))) <= tolerance:
            break
    return terms, factors


def _solve_margin(weights: Floats, code: Integers, known: Floats, others: Floats, form: Raking) -> Floats:
    """Return the terms of one margin that meet its totals, the other margins' terms as they are."""
    if not ((form.lower > 0).any() or np.isfinite(form.upper).any()):
        found: Floats = np.log(known) - np.log(
            np.bincount(code, weights=weights * np.exp(others), minlength=known.size)
        )
        return found
    low, high = np.full(known.size, -FAR), np.full(known.size, FAR)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        below = np.bincount(code, weights=weights * form.factors(others + middle[code]), minlength=known.size) < known
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    halved: Floats = (low + high) / 2
    return halved
