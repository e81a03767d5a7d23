r"""Donors by regressions on the columns before: of classes, of normal scores, of predicted means.

Normal scores: :math:`z = \Phi^{-1}((r - 1/2) / n)` of a number's rank r is :math:`x' b + s e`, and the donor stands at
the rank of the score that is drawn (Nowok, Raab & Dibben 2016, normrank). Predictive mean matching: the donor is one
of the k records whose predicted means are nearest (Little 1988). Missing numbers are drawn before, by a logistic
regression.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.distributions.continuous import normal_quantile
from sdc_sql.udfs.distributions.special import normal_cdf
from sdc_sql.udfs.ranks import compute_mid_ranks
from sdc_sql.udfs.synthesis.columns import Design
from sdc_sql.udfs.synthesis.donors import Groups

if TYPE_CHECKING:
    from collections.abc import Callable

    from sdc_sql.udfs.arguments import Floats, Integers, Truths
    from sdc_sql.udfs.synthesis.columns import Before, Drawn
    from sdc_sql.udfs.synthesis.donors import Uniforms
    from sdc_sql.udfs.synthesis.model import Find

    Place = Callable[[Floats, Floats], Integers]  # of what explains, and of uniform numbers, the donors

RIDGE = 1e-6  # of a record's information: classes that are told apart exactly have bounded coefficients
PARAMETERS = 600
STEPS = 60
NEAR = 1e-9
POINTS = 128


def fit_class(before: Before, values: Floats, classes: int, may: Truths | None) -> Find:
    """Return what finds donors of a class drawn by a multinomial regression; missing is a class.

    Raises
    ------
    ValueError
        Where there are more classes than `classes` (0: any number), or too many parameters.
    """
    there, group = np.unique(np.where(np.isnan(values), -np.inf, values), return_inverse=True)
    if classes and len(there) > classes:
        raise ValueError(
            f"it has {len(there)} values, and a logistic regression tells {classes} apart: use multinomial"
        )
    design = Design.find(before)
    beta = fit_classes(design.read(before.codes, before.values), group, len(there))
    groups = Groups(group, may)

    def find(drawn: Drawn, uniforms: Uniforms) -> Integers:
        return groups.draw(
            draw_classes(beta, design.read(drawn.codes, drawn.values), uniforms.draw(2)), uniforms.draw(0)
        )

    return find


def fit_classes(x: Floats, group: Integers, classes: int) -> Floats:
    """Return the coefficients of a multinomial regression by Newton's steps, (columns, classes), 0 of the first.

    Examples
    --------
    >>> x, y = np.ones((4, 1)), np.array([0, 1, 1, 1])
    >>> fit_classes(x, y, 2).round(4).tolist()  # log 3
    [[0.0, 1.0986]]
    """
    n, p = x.shape
    free = classes - 1
    if free * p > PARAMETERS:
        raise ValueError(
            f"the regression of {classes} classes on {p - 1} columns and indicators has {free * p:,} parameters, and "
            f"{PARAMETERS:,} is the most: use trees, or recode"
        )
    beta = np.zeros((p, free))
    y = (group[:, np.newaxis] == np.arange(1, classes)) * 1.0
    penalty = np.full(p, RIDGE)
    penalty[0] = 0
    best = _compute_likelihood(x, beta, group)
    for _ in range(STEPS):
        shares = _compute_shares(x, beta)
        gradient = x.T @ (y - shares[:, 1:]) - penalty[:, np.newaxis] * beta
        information = np.zeros((free, p, free, p))
        for a in range(free):
            for b in range(a, free):
                weight = shares[:, a + 1] * ((a == b) - shares[:, b + 1])
                information[a, :, b] = information[b, :, a] = (x * weight[:, np.newaxis]).T @ x
        matrix = information.reshape(free * p, free * p) + np.diag(np.tile(penalty, free) + NEAR * n)
        step = np.linalg.solve(matrix, gradient.T.ravel()).reshape(free, p).T
        size = 1.0
        for _ in range(20):
            moved = beta + size * step
            likelihood = _compute_likelihood(x, moved, group) - (penalty[:, np.newaxis] * np.square(moved)).sum() / 2
            if likelihood >= best:
                break
            size /= 2
        beta = moved
        if likelihood - best <= NEAR * (1 + abs(best)):
            break
        best = likelihood
    return np.concatenate([np.zeros((p, 1)), beta], axis=1)


def _compute_shares(x: Floats, beta: Floats) -> Floats:
    scores = np.c_[np.zeros(len(x)), x @ beta]
    scores -= scores.max(1, keepdims=True)
    shares = np.exp(scores)
    found: Floats = shares / shares.sum(1, keepdims=True)
    return found


def _compute_likelihood(x: Floats, beta: Floats, group: Integers) -> float:
    return float(np.log(np.maximum(_compute_shares(x, beta)[np.arange(len(x)), group], 1e-300)).sum())


def draw_classes(beta: Floats, x: Floats, uniforms: Floats) -> Integers:
    """Return a class for each record."""
    up_to = np.cumsum(_compute_shares(x, beta[:, 1:]), 1)
    found: Integers = np.minimum((uniforms[:, np.newaxis] >= up_to).sum(1), beta.shape[1] - 1)
    return found


def fit_scores(before: Before, values: Floats) -> Find:
    """Return what finds donors at the ranks of normal scores that are drawn."""
    return _fit_there(before, values, _fit_scores)


def fit_means(before: Before, values: Floats, k: int) -> Find:
    """Return what finds donors among the k whose predicted means are nearest."""
    return _fit_there(before, values, partial(_fit_near, k=k))


def _fit_there(before: Before, values: Floats, fit: Callable[[Floats, Floats], Place]) -> Find:
    """Return what finds donors: of whom a number is missing or there, as drawn, and of those there the ones drawn."""
    design, there = Design.find(before), ~np.isnan(values)
    lacking, places = np.flatnonzero(~there), np.flatnonzero(there)
    x = design.read(before.codes, before.values)
    beta = fit_classes(x, there.astype(np.int64), 2) if len(lacking) and len(places) else None
    draw = fit(x[there], values[there]) if len(places) else None

    def find(drawn: Drawn, uniforms: Uniforms) -> Integers:
        new, uniform = design.read(drawn.codes, drawn.values), uniforms.draw(0)
        if draw is None:
            return (uniform * len(lacking)).astype(np.int64)
        if beta is None:
            return draw(new, uniform)
        number_there = draw_classes(beta, new, uniforms.draw(3)) == 1
        found = np.empty(len(new), dtype=np.int64)
        found[~number_there] = lacking[(uniform[~number_there] * len(lacking)).astype(np.int64)]
        found[number_there] = places[draw(new[number_there], uniform[number_there])]
        return found

    return find


def _fit_line(x: Floats, y: Floats) -> Floats:
    products = x.T @ x
    return np.asarray(np.linalg.solve(products + np.eye(len(products)) * NEAR * len(x), x.T @ y))


def _fit_scores(x: Floats, y: Floats) -> Place:
    n = len(y)
    scores = normal_quantile((compute_mid_ranks(y) - 0.5) / n)
    beta, order = _fit_line(x, scores), np.argsort(y, kind="stable")
    own = x @ beta
    deviation = np.sqrt(np.square(scores - own).sum() / max(n - x.shape[1], 1))

    def place(new: Floats, uniforms: Floats) -> Integers:
        drawn = new @ beta + deviation * normal_quantile(np.clip(uniforms, 2.0**-53, 1 - 2.0**-53))
        rank = np.clip((_compute_mixture(own, deviation, drawn) * n).astype(np.int64), 0, n - 1)
        found: Integers = order[rank]
        return found

    return place


def _compute_mixture(means: Floats, deviation: float, z: Floats) -> Floats:
    """Return the distribution function at z of scores with these means, as the model has it; Phi where it is right."""
    counts, ends = np.histogram(means, bins=POINTS)
    middles = (ends[1:] + ends[:-1]) / 2
    low, high = means.min() - 6 * deviation, means.max() + 6 * deviation
    at = np.linspace(low, high, POINTS)
    there = counts > 0
    scaled = (at[:, np.newaxis] - middles[there]) / max(deviation, NEAR)
    shares = normal_cdf(scaled.ravel()).reshape(scaled.shape) @ counts[there] / len(means)
    found: Floats = np.interp(z, at, shares)
    return found


def _fit_near(x: Floats, y: Floats, *, k: int) -> Place:
    beta = _fit_line(x, y)
    own = x @ beta
    order = np.argsort(own, kind="stable")
    ordered, nearest = own[order], min(k, len(own))
    slack = NEAR * y.std()

    def place(new: Floats, uniforms: Floats) -> Integers:
        asked = new @ beta
        low, high = np.zeros(len(asked), dtype=np.int64), np.full(len(asked), len(own) - nearest)
        while (low < high).any():  # the first of the k nearest, by halving
            middle = (low + high) // 2
            going = low < high
            right = asked - ordered[middle] > ordered[np.minimum(middle + nearest, len(own) - 1)] - asked
            low = np.where(going & right, middle + 1, low)
            high = np.where(going & ~right, middle, high)
        # all that are as near as the farthest of the k may give
        farthest = np.maximum(np.abs(asked - ordered[low]), np.abs(asked - ordered[low + nearest - 1]))
        farthest = farthest * (1 + NEAR) + slack
        first = np.searchsorted(ordered, asked - farthest, side="left")
        last = np.searchsorted(ordered, asked + farthest, side="right")
        found: Integers = order[np.minimum(first + (uniforms * (last - first)).astype(np.int64), len(order) - 1)]
        return found

    return place
