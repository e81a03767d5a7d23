r"""Newton's method for the terms of calibration, whatever the margins have in common.

The terms maximise the concave :math:`\lambda^T t - \sum w H(x^T \lambda)` (:mod:`distances`). Its second derivative is
singular wherever sums of categories are sums of categories of other margins: always for two margins, and more so where
a margin is nested in another or the crossing falls apart. A ridge of rounding's size solves for what is determined,
as a generalised inverse does; the rest of the terms changes no factor. Margin by margin, as iterative proportional
fitting goes, a sparse crossing (age by year of birth, a chain) takes thousands of rounds; Newton's method takes ten.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers
    from sdc_sql.udfs.calibration.distances import Distance

STEPS, HALVINGS, STILL = 200, 60, 60
RIDGE, STIFFER, STIFFEST = 1e-13, 100.0, 1.0
FINE = 1e-13  # a step that comes from within the tolerance to here is worth while, another one is not
REDUNDANT = 1e-10  # an eigenvalue of the counts below this, of a matrix whose diagonal is 1, is none


class Places:
    """The categories of all margins, one after the other: sums over them, and sums of their terms."""

    def __init__(self, codes: Integers, totals: list[Floats]) -> None:
        sizes = [t.size for t in totals]
        self.first = np.cumsum([0, *sizes])[:-1]
        self.number = int(sum(sizes))
        self.known = np.concatenate(totals)
        self.places = codes + self.first

    def sum_by_cell(self, terms: Floats) -> Floats:
        """Return the sum of the terms of each cell."""
        found: Floats = terms[self.places].sum(axis=1)
        return found

    def sums(self, weights: Floats) -> Floats:
        """Return the sum of the weights of each category."""
        columns = self.places.T
        return np.bincount(columns.ravel(), np.tile(weights, len(columns)), self.number).astype(np.float64)

    def products(self, weights: Floats) -> Floats:
        """Return the sum of the weights of each pair of categories, (k, k)."""
        found = np.zeros((self.number, self.number))
        ends = [*self.first[1:], self.number]
        for i, first in enumerate(self.first):
            for j, other in enumerate(self.first):
                rows, columns = ends[i] - first, ends[j] - other
                at = (self.places[:, i] - first) * columns + self.places[:, j] - other
                sums = np.bincount(at, weights, rows * columns)
                found[first : ends[i], other : ends[j]] = sums.reshape(rows, columns)
        return found

    def find_deviations(self, weights: Floats) -> Floats:
        """Return how far the sums are from the totals, as shares of these."""
        found: Floats = (self.sums(weights) - self.known) / self.known
        return found

    def find_contradiction(self) -> Floats:
        """Return the part of the totals that no weights can meet, whatever their signs, as a share of each total."""
        counts = self.products(np.ones(len(self.places)))
        scale = 1 / np.sqrt(np.diag(counts))
        values, vectors = np.linalg.eigh(counts * scale * scale[:, np.newaxis])
        free = vectors[:, values < REDUNDANT]
        found: Floats = free @ (free.T @ (self.known * scale)) / scale / self.known
        return found


def solve_by_newton(weights: Floats, places: Places, distance: Distance, terms: Floats, tolerance: float) -> Floats:
    """Return the factors of the cells at the best terms found from those given: whether they do is for the caller.

    Parameters
    ----------
    weights
        The sum of the weights of each cell, (c,).
    places
        The categories of the cells, and their totals.
    distance
        With the bounds of each cell's factor.
    terms
        Where to begin, one of each category, (k,).
    tolerance
        The greatest relative difference from a total.
    """
    at = _At(weights, places, distance, terms)
    best, since, ridge = at, 0, RIDGE
    for _ in range(STEPS):
        if at.worst <= FINE or since > STILL:
            break
        slopes = weights * distance.slopes(places.sum_by_cell(at.terms))
        step = _compute_step(places.products(slopes), places.sums(weights), at.gradient, ridge)
        after = _climb_step(at, step)
        if after is None:
            if best.worst <= tolerance or ridge >= STIFFEST:
                break
            ridge *= STIFFER
            continue
        ridge = max(RIDGE, ridge / STIFFER)
        if best.worst <= tolerance and after.worst >= best.worst:
            break
        at = after
        best, since = (at, 0) if at.worst < best.worst else (best, since + 1)
    return best.factors


class _At:
    """What is known at some terms: the factors, what is maximised and its gradient."""

    def __init__(self, weights: Floats, places: Places, distance: Distance, terms: Floats) -> None:
        self.weights, self.places, self.distance, self.terms = weights, places, distance, terms
        u = places.sum_by_cell(terms)
        self.factors = distance.factors(u)
        self.value = float(terms @ places.known - weights @ distance.integral(u))
        self.gradient = places.known - places.sums(weights * self.factors)
        self.worst = float(np.max(np.abs(self.gradient) / places.known))

    def move(self, step: Floats) -> _At:
        return _At(self.weights, self.places, self.distance, self.terms + step)


def _compute_step(hessian: Floats, sums: Floats, gradient: Floats, ridge: float) -> Floats:
    """Return Newton's step. A category whose factors are all at a bound has no slope: a small one in its place."""
    scale = 1 / np.sqrt(np.maximum(np.diag(hessian), 1e-12 * sums))
    scaled = hessian * scale * scale[:, np.newaxis] + ridge * np.eye(gradient.size)
    found: Floats = scale * np.linalg.solve(scaled, scale * gradient)
    return found


def _climb_step(at: _At, step: Floats) -> _At | None:
    """Return where the step, or a half of it and so on, leads higher; None where none does."""
    rise = float(step @ at.gradient)
    share = 1.0
    for _ in range(HALVINGS):
        after = at.move(share * step)
        # near the top the rise is lost in rounding, and what tells is the distance from the totals
        if after.value >= at.value + 1e-4 * share * rise or after.worst <= at.worst / 2:
            return after
        share /= 2
    return None
