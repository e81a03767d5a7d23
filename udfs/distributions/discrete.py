"""Families of counts: fitted by maximum likelihood to tables of frequencies, many at a time.

A family fits frequencies of 0, 1, 2, ..., of shape (b, v), and returns its parameters, each of shape (b, 1); NaN where
it has no fit. Source: Johnson, Kemp & Kotz (2005), Univariate Discrete Distributions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.distributions.special import log_gamma

if TYPE_CHECKING:
    from collections.abc import Callable

    from sdc_sql.udfs.arguments import Floats, Integers

    Parameters = tuple[Floats, ...]

GREATEST = 2_000  # counts above it are fitted as numbers
_TRIALS = (
    4  # a binomial distribution has at most so many times the greatest count of trials, and 100; beyond it is Poisson's
)
_HALVES = 100


@dataclass(frozen=True)
class Counts:
    """A family of counts: log_probability takes counts, (v,), and parameters, (b, 1); reach is hardly passed."""

    name: str
    parameters: tuple[str, ...]
    fit: Callable[[Floats], Parameters]
    log_probability: Callable[..., Floats]
    reach: Callable[..., float]


def _compute_count_moments(frequencies: Floats) -> tuple[Floats, Floats, Floats]:
    n = frequencies.sum(axis=1, keepdims=True)
    counts = np.arange(frequencies.shape[1])
    mean = (frequencies @ counts)[:, np.newaxis] / n
    variance = (frequencies @ counts**2)[:, np.newaxis] / n - mean**2
    return n, mean, variance


def _fit_poisson(frequencies: Floats) -> Parameters:
    return (_compute_count_moments(frequencies)[1],)


def _fit_geometric(frequencies: Floats) -> Parameters:
    return (1 / (1 + _compute_count_moments(frequencies)[1]),)


def _fit_binomial(frequencies: Floats) -> Parameters:
    """Return trials and probability: of each number of trials the likelihood at its probability, mean / trials."""
    n, mean, _ = _compute_count_moments(frequencies)
    counts = np.arange(frequencies.shape[1], dtype=np.float64)
    there = frequencies > 0
    greatest = np.where(there, counts, -1).max(axis=1, keepdims=True)
    trials = np.arange(1, _TRIALS * int(greatest.max()) + 101, dtype=np.float64)
    ways = frequencies @ np.where(
        trials >= counts[:, np.newaxis], -log_gamma(np.maximum(trials - counts[:, np.newaxis], 0) + 1), 0
    )
    p = mean / trials
    logs = ways + n * (log_gamma(trials + 1) + mean * np.log(p) + (trials - mean) * np.log1p(-p))
    logs = np.where((trials >= greatest) & (p < 1), logs, -np.inf)
    best = logs.argmax(axis=1)[:, np.newaxis]
    last = best == len(trials) - 1  # the more trials the better: Poisson's
    found = np.where(last, np.nan, trials[best])
    return found, mean / found


def _fit_negative_binomial(frequencies: Floats) -> Parameters:
    """Return size and probability: sum of (records above j) / (size + j) = n log(1 + mean / size), by halving."""
    n, mean, variance = _compute_count_moments(frequencies)
    above = n - np.cumsum(frequencies, axis=1)
    j = np.arange(frequencies.shape[1])
    low, high = np.full_like(mean, -12.0), np.full_like(mean, 16.0)  # log size lies between these
    for _ in range(_HALVES):
        middle = (low + high) / 2
        size = np.exp(middle)
        rises = (above / (size + j)).sum(axis=1, keepdims=True) > n * np.log1p(mean / size)
        low, high = np.where(rises, middle, low), np.where(rises, high, middle)
        if (high - low).max() < 1e-12:  # noqa: PLR2004
            break
    size = np.where((variance > mean) & (low > -11) & (high < 15), np.exp((low + high) / 2), np.nan)  # noqa: PLR2004
    return size, size / (size + mean)


def _poisson(k: Floats, mean: Floats) -> Floats:
    return np.asarray(k * np.log(mean) - mean - log_gamma(k + 1))


def _geometric(k: Floats, p: Floats) -> Floats:
    return np.asarray(np.log(p) + k * np.log1p(-p))


def _compute_log_binomial(k: Floats, trials: Floats, p: Floats) -> Floats:
    rest = np.maximum(trials - k, 0)
    logs = log_gamma(trials + 1) - log_gamma(k + 1) - log_gamma(rest + 1) + k * np.log(p) + rest * np.log1p(-p)
    return np.asarray(np.where(k <= trials, logs, -np.inf))


def _negative_binomial(k: Floats, size: Floats, p: Floats) -> Floats:
    return np.asarray(log_gamma(k + size) - log_gamma(k + 1) - log_gamma(size) + size * np.log(p) + k * np.log1p(-p))


DISCRETE = {
    family.name: family
    for family in (
        Counts("poisson", ("mean",), _fit_poisson, _poisson, lambda m: m + 40 * m**0.5 + 40),
        Counts("geometric", ("probability",), _fit_geometric, _geometric, lambda p: 40 / -np.log1p(-p)),
        Counts("binomial", ("trials", "probability"), _fit_binomial, _compute_log_binomial, lambda trials, _p: trials),
        Counts("negative binomial", ("size", "probability"), _fit_negative_binomial, _negative_binomial,
               lambda r, p: r * (1 - p) / p + 40 * (r * (1 - p)) ** 0.5 / p + 40 / -np.log1p(-p)),
    )
}  # fmt: skip


def fit_discrete(family: Counts, frequencies: Floats) -> Parameters:
    """Return the parameters of tables of frequencies, (b, v), each of shape (b, 1): NaN where the family has none.

    Examples
    --------
    >>> [float(p[0, 0]) for p in fit_discrete(DISCRETE["poisson"], np.array([[2.0, 1.0, 1.0]]))]
    [0.75]
    """
    with np.errstate(all="ignore"):
        found = family.fit(frequencies)
        whole = np.logical_and.reduce([np.isfinite(p) for p in found])
        return tuple(np.where(whole, p, np.nan) for p in found)


def discrete_cdf(family: Counts, parameters: Parameters, size: int) -> Floats:
    """Return the distribution function at 0, 1, ..., size - 1: (b, size)."""
    with np.errstate(all="ignore"):
        return np.cumsum(np.exp(family.log_probability(np.arange(size, dtype=np.float64), *parameters)), axis=1)


def discrete_quantile(family: Counts, u: Floats, parameters: Parameters) -> Integers:
    """Return the quantiles of u in [0, 1), of one distribution."""
    reach = int(family.reach(*(float(p.ravel()[0]) for p in parameters))) + 2
    table = discrete_cdf(family, parameters, reach)[0]
    return np.minimum(np.searchsorted(table, u, side="right"), reach - 1).astype(np.int64)
