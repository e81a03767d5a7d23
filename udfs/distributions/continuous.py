"""Continuous families: fitted by maximum likelihood, many samples at a time, with distribution and quantile functions.

A family fits samples of shape (b, n) and returns its parameters, each of shape (b, 1); NaN where it has no fit. The
values that would be those of one or two persons (the ends of the uniform and of the beta distribution, the least value
of the Pareto distribution) are moved outwards to round numbers, and the others fitted given these.
Source: Johnson, Kotz & Balakrishnan (1994, 1995), Continuous Univariate Distributions, volumes 1 and 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sdc_sql.udfs.distributions.special import (
    beta_cdf,
    beta_quantile,
    gamma_cdf,
    gamma_quantile,
    normal_cdf,
    psi,
    psi_1,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from sdc_sql.udfs.arguments import Floats

    Parameters = tuple[Floats, ...]

MOST_SHAPE = 1e4  # gamma and beta distributions of a greater shape are normal ones
_ROUNDS, _NEAR = 200, 1e-11
_FAR = 1.0 - 2.0**-53


@dataclass(frozen=True)
class Family:
    """A family of distributions: its name, the names of its parameters, and what it does.

    ``least``: the values it is for are greater than this; None, where its origin is free.
    """

    name: str
    parameters: tuple[str, ...]
    fit: Callable[[Floats], Parameters]
    cdf: Callable[..., Floats]
    quantile: Callable[..., Floats]
    least: float | None = None


def normal_quantile(u: Floats) -> Floats:
    """Return the standard normal quantile of u in (0, 1), by Newton's steps in the logarithm of the nearer tail.

    Examples
    --------
    >>> normal_quantile(np.array([0.5, 0.975, 2.0**-53])).round(9).tolist()
    [0.0, 1.959963985, -8.209536152]
    """
    tail = np.minimum(u, 1 - u)
    root = np.sqrt(-2 * np.log(tail))
    z = -(root - (2.30753 + 0.27061 * root) / (1 + root * (0.99229 + 0.04481 * root)))  # Abramowitz & Stegun, 26.2.22
    for _ in range(4):
        below = normal_cdf(z)
        density = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
        z = z - below * np.log(below / tail) / density
    return np.asarray(np.where(u < 0.5, z, -z))  # noqa: PLR2004


def round_ends(low: Floats, high: Floats, fineness: float = 100.0) -> tuple[Floats, Floats]:
    """Return ends beyond the least and the greatest value, on a grid of a power of ten below their distance.

    Examples
    --------
    >>> [float(end.round(9)) for end in round_ends(np.array(0.137), np.array(7.0))]
    [0.13, 7.01]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        step = 10.0 ** np.floor(np.log10(high - low)) / fineness
        return np.asarray((np.ceil(low / step) - 1) * step), np.asarray((np.floor(high / step) + 1) * step)


def _standard(x: Floats) -> tuple[Floats, Floats, Floats]:
    """Return means, standard deviations, and the values in these units."""
    mean = x.mean(axis=1, keepdims=True)
    deviation = x.std(axis=1, keepdims=True)
    return mean, deviation, (x - mean) / deviation


def _fit_normal(x: Floats) -> Parameters:
    mean, deviation, _ = _standard(x)
    return mean, deviation


def _fit_laplace(x: Floats) -> Parameters:
    middle = np.median(x, axis=1, keepdims=True)
    return middle, np.abs(x - middle).mean(axis=1, keepdims=True)


def _fit_logistic(x: Floats) -> Parameters:
    """Return location and scale, by Fisher's scoring: the information is 1/3 and (3 + pi^2) / 9 over s^2."""
    mean, deviation, z = _standard(x)
    m, s = np.zeros_like(mean), np.full_like(mean, np.sqrt(3) / np.pi)
    for _ in range(_ROUNDS):
        w = (z - m) / s
        slope = np.tanh(w / 2)
        to_m = 3 * s * slope.mean(axis=1, keepdims=True)
        to_s = 9 * s / (3 + np.pi**2) * ((w * slope).mean(axis=1, keepdims=True) - 1)
        m, s = m + to_m, np.maximum(s + to_s, s / 2)
        if max(np.abs(to_m).max(), np.abs(to_s).max()) < _NEAR:
            break
    return mean + deviation * m, deviation * s


def _fit_gumbel(x: Floats) -> Parameters:
    """Return mode and scale: scale = mean - the mean weighted by exp(-x / scale), of which one side rises."""
    mean, deviation, z = _standard(x)
    s = np.full_like(mean, np.sqrt(6) / np.pi)
    lowest = z.min(axis=1, keepdims=True)
    for _ in range(_ROUNDS):
        w = np.exp(-(z - lowest) / s)
        total = w.sum(axis=1, keepdims=True)
        weighted = (z * w).sum(axis=1, keepdims=True) / total
        spread = ((z - weighted) ** 2 * w).sum(axis=1, keepdims=True) / total
        step = (s + weighted) / (1 + spread / s**2)
        s = np.maximum(s - step, s / 2)
        if np.abs(step).max() < _NEAR:
            break
    mode = lowest - s * np.log(np.exp(-(z - lowest) / s).mean(axis=1, keepdims=True))
    return mean + deviation * mode, deviation * s


def _fit_least_gumbel(x: Floats) -> Parameters:
    mode, scale = _fit_gumbel(-x)
    return -mode, scale


def _fit_exponential(x: Floats) -> Parameters:
    return (x.mean(axis=1, keepdims=True),)


def _fit_gamma(x: Floats) -> Parameters:
    """Return shape and scale: log a - psi(a) = log mean - mean log (Minka 2002: Newton's steps in 1 / a)."""
    mean = x.mean(axis=1, keepdims=True)
    apart = np.log(mean) - np.log(x).mean(axis=1, keepdims=True)
    a = (3 - apart + np.sqrt((apart - 3) ** 2 + 24 * apart)) / (12 * apart)
    for _ in range(_ROUNDS):
        inverse = 1 / a + (np.log(a) - psi(a) - apart) / (a**2 * (1 / a - psi_1(a)))
        new = np.where(inverse > 0, 1 / inverse, a * 2)
        moved = np.abs(new / a - 1).max()
        a = new
        if moved < _NEAR:
            break
    a = np.where(a <= MOST_SHAPE, a, np.nan)
    return a, mean / a


def _fit_uniform(x: Floats) -> Parameters:
    return round_ends(x.min(axis=1, keepdims=True), x.max(axis=1, keepdims=True))


def _fit_beta(x: Floats) -> Parameters:
    """Return both shapes, and the ends: psi(a) - psi(a + b) = mean log x, and the same of b and 1 - x.

    The ends are 0 and 1 where all values lie between, else round numbers beyond them.
    """
    shares = (x.min(axis=1, keepdims=True) > 0) & (x.max(axis=1, keepdims=True) < 1)
    low, high = (np.where(shares, known, end) for known, end in zip((0.0, 1.0), _fit_uniform(x), strict=True))
    y = (x - low) / (high - low)
    up, down = np.log(y).mean(axis=1, keepdims=True), np.log1p(-y).mean(axis=1, keepdims=True)
    mean, variance = y.mean(axis=1, keepdims=True), y.var(axis=1, keepdims=True)
    size = np.clip(mean * (1 - mean) / variance - 1, 0.05, MOST_SHAPE)
    a, b = mean * size, (1 - mean) * size
    to_a = to_b = np.ones_like(a)
    for _ in range(_ROUNDS):
        f, g = psi(a) - psi(a + b) - up, psi(b) - psi(a + b) - down
        of_a, of_b, of_both = psi_1(a), psi_1(b), psi_1(a + b)
        determinant = of_a * of_b - of_both * (of_a + of_b)
        to_a, to_b = (
            ((of_b - of_both) * f + of_both * g) / determinant,
            ((of_a - of_both) * g + of_both * f) / determinant,
        )
        a, b = (np.clip(v - step, v / 3, v * 3) for v, step in ((a, to_a), (b, to_b)))
        if max(np.abs(to_a / a).max(), np.abs(to_b / b).max()) < _NEAR:
            break
    whole = (a + b <= MOST_SHAPE) & (np.abs(to_a / a) < 1e-6) & (np.abs(to_b / b) < 1e-6)  # noqa: PLR2004
    return np.where(whole, a, np.nan), np.where(whole, b, np.nan), low, high


def _fit_pareto(x: Floats) -> Parameters:
    """Return the exponent and the least value; that is the next lower number of three digits."""
    lowest = x.min(axis=1, keepdims=True)
    step = 10.0 ** (np.floor(np.log10(lowest)) - 2)
    least = (np.ceil(lowest / step) - 1) * step
    return 1 / np.log(x / least).mean(axis=1, keepdims=True), least


def _fit_to_logarithms(fit: Callable[[Floats], Parameters]) -> Callable[[Floats], Parameters]:
    return lambda x: fit(np.log(x))


def _fit_weibull(x: Floats) -> Parameters:
    """Return shape and scale: the logarithm has the extreme value distribution of least values."""
    mode, scale = _fit_least_gumbel(np.log(x))
    return 1 / scale, np.exp(mode)


def _fit_loglogistic(x: Floats) -> Parameters:
    location, scale = _fit_logistic(np.log(x))
    return 1 / scale, np.exp(location)


def _logistic(z: Floats) -> Floats:
    return np.asarray(0.5 + np.tanh(z / 2) / 2)


def _laplace(z: Floats) -> Floats:
    tail = np.exp(-np.abs(z)) / 2
    return np.asarray(np.where(z < 0, tail, 1 - tail))


def _laplace_quantile(u: Floats) -> Floats:
    tail = np.minimum(u, 1 - u)
    return np.asarray(np.where(u < 0.5, 1, -1) * np.log(2 * tail))  # noqa: PLR2004


def _lines() -> tuple[Family, ...]:
    two, mode = ("location", "scale"), ("mode", "scale")
    lower = ("shape", "scale")
    everything: tuple[tuple[Any, ...], ...] = (
        ("normal", ("mean", "deviation"), _fit_normal, lambda x, m, s: normal_cdf((x - m) / s),
         lambda u, m, s: m + s * normal_quantile(u)),
        ("logistic", two, _fit_logistic, lambda x, m, s: _logistic((x - m) / s),
         lambda u, m, s: m + s * (np.log(u) - np.log1p(-u))),
        ("laplace", two, _fit_laplace, lambda x, m, s: _laplace((x - m) / s),
         lambda u, m, s: m + s * _laplace_quantile(u)),
        ("extreme value", mode, _fit_gumbel, lambda x, m, s: np.exp(-np.exp(-(x - m) / s)),
         lambda u, m, s: m - s * np.log(-np.log(u))),
        ("extreme value of minima", mode, _fit_least_gumbel, lambda x, m, s: -np.expm1(-np.exp((x - m) / s)),
         lambda u, m, s: m + s * np.log(-np.log1p(-u))),
        ("uniform", ("low", "high"), _fit_uniform, lambda x, a, b: np.clip((x - a) / (b - a), 0, 1),
         lambda u, a, b: a + (b - a) * u),
        ("beta", ("a", "b", "low", "high"), _fit_beta, lambda x, a, b, c, d: beta_cdf((x - c) / (d - c), a, b),
         lambda u, a, b, c, d: c + (d - c) * beta_quantile(u, a, b)),
        ("exponential", ("mean",), _fit_exponential, lambda x, m: -np.expm1(-x / m),
         lambda u, m: -m * np.log1p(-u), 0.0),
        ("gamma", lower, _fit_gamma, lambda x, a, s: gamma_cdf(x / s, a),
         lambda u, a, s: s * gamma_quantile(u, a), 0.0),
        ("weibull", lower, _fit_weibull, lambda x, a, s: -np.expm1(-((x / s) ** a)),
         lambda u, a, s: s * (-np.log1p(-u)) ** (1 / a), 0.0),
        ("lognormal", ("mean of log", "deviation of log"), _fit_to_logarithms(_fit_normal),
         lambda x, m, s: normal_cdf((np.log(x) - m) / s), lambda u, m, s: np.exp(m + s * normal_quantile(u)), 0.0),
        ("loglogistic", lower, _fit_loglogistic, lambda x, a, s: _logistic(a * np.log(x / s)),
         lambda u, a, s: s * (u / (1 - u)) ** (1 / a), 0.0),
        ("pareto", ("exponent", "least"), _fit_pareto, lambda x, a, s: -np.expm1(-a * np.log(x / s)),
         lambda u, a, s: s * np.exp(-np.log1p(-u) / a), 0.0),
    )  # fmt: skip
    return tuple(Family(*line) for line in everything)


CONTINUOUS = {family.name: family for family in _lines()}


def fit_continuous(family: Family, x: Floats) -> Parameters:
    """Return the parameters of samples, (b, n), each of shape (b, 1): NaN where the family has none.

    Examples
    --------
    >>> found = fit_continuous(CONTINUOUS["exponential"], np.array([[1.0, 2.0, 6.0]]))
    >>> [float(p[0, 0]) for p in found]
    [3.0]
    """
    b = len(x)
    if family.least is not None and (x <= family.least).any():
        return tuple(np.full((b, 1), np.nan) for _ in family.parameters)
    with np.errstate(all="ignore"):
        found = family.fit(x)
        whole = np.logical_and.reduce([np.isfinite(p) for p in found])
        return tuple(np.where(whole, p, np.nan) for p in found)


def continuous_cdf(family: Family, x: Floats, parameters: Parameters) -> Floats:
    """Return the distribution function at values, (b, n)."""
    with np.errstate(all="ignore"):
        return np.asarray(family.cdf(x, *parameters))


def continuous_quantile(family: Family, u: Floats, parameters: Parameters) -> Floats:
    """Return the quantiles of u in (0, 1)."""
    with np.errstate(all="ignore"):
        return np.asarray(family.quantile(np.clip(u, 2.0**-53, _FAR), *parameters))
