r"""Noise on normal scores: distributions kept, discrete variables too (Sullivan 1989)."""

from __future__ import annotations

from math import erfc, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from sdc_sql.udfs.arguments import (
    Floats,
    Integers,
    require_columns,
    require_normals,
    require_parameter,
    require_two_columns,
    require_uniforms,
)
from sdc_sql.udfs.noise.moments import covariance_root
from sdc_sql.udfs.ranks import sort_places

if TYPE_CHECKING:
    from collections.abc import Iterable


def add_nonlinear_noise(
    x: npt.ArrayLike, normals: npt.ArrayLike, alpha: float, uniforms: npt.ArrayLike, *,
    discrete: bool | Iterable[bool] = False,
) -> Floats:  # fmt: skip
    r"""Return x with noise added on the scale of its normal scores, and brought back (3.4.4.4, Sullivan 1989).

    The handbook's steps, with the details that it leaves open:

    1. and 2., empirical distribution function, smoothed: the value of rank r of n has :math:`F = (r - 1/2) / n`; equal
       values are ranked at random, by `uniforms`, which spreads a discrete variable's step evenly over its height;
    3. normal scores :math:`q = \Phi^{-1}(F)`;
    4. correlated noise, :math:`z = (q + \varepsilon) / \sqrt{1 + \alpha}`, the covariance of :math:`\varepsilon` alpha
       times that of the scores. The division is the adjustment (which the handbook does not specify; it is that of
       3.4.4.3): z keeps the variances and covariances of the scores in expectation;
    5. :math:`u = \Phi(z)`;
    6. back through the inverse of F. For a continuous variable F is linear between neighbouring values, and
       constant beyond the extremes, so that new values appear, in the range of the old; for a `discrete` one it is a
       step function, and every masked value is one of the original values.

    Parameters
    ----------
    x
        The values, (n,) or (n, p), a row a record, NaN where missing. An ordinal variable may come as its codes.
    normals
        Standard normal draws of the same shape.
    alpha
        Variance of the noise over that of the scores, >= 0; 0 changes nothing.
    uniforms
        Draws in [0, 1) of the same shape, which rank equal values.
    discrete
        Whether masked values must be among the original ones: one for all columns or one for each.

    Returns
    -------
    numpy.ndarray
        The masked values, of the shape of `x`. Distributions are kept up to sampling (the share of values below a point
        has a standard error of at most 1 / sqrt(4 n)), correlations of the scores in expectation.

    Raises
    ------
    ValueError
        If shapes differ, alpha is negative, a column has a single value, or fewer than two records miss nothing.

    Examples
    --------
    >>> add_nonlinear_noise([1, 1, 2, 5], [0.1, -0.3, 0.9, 0.0], 0.5, [0.3, 0.1, 0.5, 0.7], discrete=True)
    array([1., 1., 5., 5.])
    """
    matrix = require_columns(x)
    draws = require_normals(normals, matrix)
    breakers = require_uniforms(uniforms, np.shape(x)).reshape(matrix.shape)
    a = require_parameter(alpha, "alpha", least=0)
    steps = _list_discrete(discrete, matrix.shape[1])
    scores = np.full_like(matrix, np.nan)
    ordered: list[Integers] = []
    tables: dict[int, Floats] = {}
    for j, (column, breaker) in enumerate(zip(matrix.T, breakers.T, strict=True)):
        order = sort_places(column, breaker)
        require_two_columns(order.size, f"column {j}")
        if order.size not in tables:
            tables[order.size] = list_normal_scores(order.size)
        scores[order, j] = tables[order.size]
        ordered.append(order)
    if a == 0:
        return matrix.reshape(np.shape(x)).copy()
    noisy = (scores + draws @ (sqrt(a) * covariance_root(scores))) / sqrt(1 + a)
    result = np.full_like(matrix, np.nan)
    for j, order in enumerate(ordered):
        if order.size:
            result[order, j] = _inverse(matrix[order, j], normal_distribution(noisy[order, j]), step=steps[j])
    return result.reshape(np.shape(x))


def list_normal_scores(n: int) -> Floats:
    """Return the normal quantiles at (r - 1/2) / n for r = 1 .. n.

    Examples
    --------
    >>> list_normal_scores(3).round(4)
    array([-0.9674,  0.    ,  0.9674])
    """
    lower = np.fromiter(map(NormalDist().inv_cdf, ((np.arange(1, n // 2 + 1) - 0.5) / n).tolist()), dtype=np.float64)
    return np.concatenate([lower, np.zeros(n % 2), -lower[::-1]])


def normal_distribution(z: Floats) -> Floats:
    """Return P(Z <= z) of the standard normal distribution, for a vector.

    Examples
    --------
    >>> normal_distribution(np.array([-1.96, 0.0])).round(4)
    array([0.025, 0.5  ])
    """
    return np.fromiter(map(erfc, (-z / sqrt(2)).tolist()), dtype=np.float64, count=z.size) / 2


def _inverse(ordered: Floats, u: Floats, *, step: bool) -> Floats:
    """Return the quantiles at u of values in ascending order: of the step function, or linear between (r - 1/2) / n."""
    n = ordered.size
    if step:
        return np.asarray(ordered[np.clip((u * n).astype(np.int64), 0, n - 1)])
    place = np.clip(u * n - 0.5, 0, n - 1)
    below = np.minimum(place.astype(np.int64), n - 2)
    left, right, share = ordered[below], ordered[below + 1], place - below
    return np.asarray(np.where(left == right, left, left * (1 - share) + right * share), dtype=np.float64)


def _list_discrete(discrete: bool | Iterable[bool], p: int) -> list[bool]:
    found = [discrete] * p if isinstance(discrete, bool | np.bool_) else [bool(d) for d in discrete]
    if len(found) != p:
        raise ValueError(f"discrete has {len(found)} entries; expected one truth value, or one for each of {p} columns")
    return found
