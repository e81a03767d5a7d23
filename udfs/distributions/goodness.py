"""Which family fits a variable best, by Kolmogorov and Smirnov, and what is drawn from it.

The statistic is the greatest distance of the distribution function from that of the values. As the parameters are
estimated, its p-value is that of samples which are drawn from the fitted distribution and fitted anew (parametric
bootstrap: Stute, Gonzalez Manteiga & Presedo Quindimil 1993, Metrika 40, 243-256). These draws are the same for every
table and hang on no key: nothing of them is released.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sdc_sql.udfs.distributions import continuous, discrete
from sdc_sql.udfs.distributions.continuous import CONTINUOUS, Family
from sdc_sql.udfs.distributions.discrete import DISCRETE, Counts

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats

FAMILIES = (*CONTINUOUS, *DISCRETE)
SAMPLES = 199
RECORDS = 1_000  # a sample has no more: the distribution of sqrt(n) times the statistic has settled by then
LEAST, DIFFERENT = 8, 3  # values of a column, and different ones
PARTS = 65_536
_SEED = 3_407_001  # the samples for p-values are drawn from it


@dataclass(frozen=True)
class Fit:
    """A family with its parameters, how far it is from the values, and how often as far a sample of its own is.

    ``p_value`` is NaN where it was not needed: a nearer family was not rejected.
    """

    family: Family | Counts
    parameters: tuple[float, ...]
    statistic: float
    p_value: float = np.nan

    @property
    def arrays(self) -> tuple[Floats, ...]:
        """Return the parameters as those of one sample."""
        return tuple(np.full((1, 1), p) for p in self.parameters)

    def draw(self, uniforms: Floats) -> Floats:
        """Return quantiles of uniform draws, (n,)."""
        if isinstance(self.family, Counts):
            return discrete.discrete_quantile(self.family, uniforms, self.arrays).astype(np.float64)
        return _apply_in_parts(lambda u: continuous.continuous_quantile(self.family, u, self.arrays), uniforms)


def fit(name: str, ordered: Floats) -> Fit | None:
    """Return a family's fit to values in ascending order, (n,); None where it has none.

    Examples
    --------
    The example of the SDC handbook, section 3.4.7.1.

    >>> ten = np.array([186.0, 693, 830, 1177, 1219, 1428, 1902, 1903, 2496, 3406])
    >>> found = fit("extreme value", ten)
    >>> [round(p, 2) for p in found.parameters], round(found.statistic, 4)
    ([1105.78, 732.43], 0.1138)
    """
    if name in DISCRETE:
        if ordered[0] < 0 or ordered[-1] > discrete.GREATEST or (ordered != np.floor(ordered)).any():
            return None
        counts = DISCRETE[name]
        frequencies = np.bincount(ordered.astype(np.int64)).astype(np.float64)[np.newaxis]
        parameters = discrete.fit_discrete(counts, frequencies)
        if np.isnan(parameters[0]).any():
            return None
        statistic = _discrete_statistics(counts, frequencies, parameters)
        return Fit(counts, tuple(float(p[0, 0]) for p in parameters), float(statistic[0]))
    family = CONTINUOUS[name]
    parameters = continuous.fit_continuous(family, ordered[np.newaxis])
    if np.isnan(parameters[0]).any():
        return None
    distribution = _apply_in_parts(lambda x: continuous.continuous_cdf(family, x, parameters), ordered)
    return Fit(family, tuple(float(p[0, 0]) for p in parameters), float(statistics(distribution[np.newaxis])[0]))


def statistics(distribution: Floats) -> Floats:
    """Return the Kolmogorov-Smirnov statistic of samples, (b, n), by the distribution function at ascending values."""
    n = distribution.shape[1]
    ranks = np.arange(1, n + 1)
    return np.asarray(np.maximum(ranks / n - distribution, distribution - (ranks - 1) / n).max(axis=1))


def _discrete_statistics(family: Counts, frequencies: Floats, parameters: tuple[Floats, ...]) -> Floats:
    own = np.cumsum(frequencies, axis=1) / frequencies.sum(axis=1, keepdims=True)
    return np.asarray(np.abs(own - discrete.discrete_cdf(family, parameters, frequencies.shape[1])).max(axis=1))


def p_value(found: Fit, n: int, samples: int = SAMPLES) -> float:
    """Return the share of samples of the fitted distribution, and of this one, that are as far from their own fit.

    Of more than 1,000 records samples of 1,000 are drawn, and the statistics compared as Stephens (1970, Journal of the
    Royal Statistical Society B 32, 115-122) does: times sqrt(n) + 0.12 + 0.11 / sqrt(n).

    Examples
    --------
    >>> ten = np.array([186.0, 693, 830, 1177, 1219, 1428, 1902, 1903, 2496, 3406])
    >>> p_value(fit("extreme value", ten), 10) > 0.5
    True
    """
    records = min(n, RECORDS)
    raw = np.random.Philox(key=_SEED).random_raw(samples * records) >> np.uint64(11)
    uniforms: Floats = ((raw.astype(np.float64) + 0.5) * 2.0**-53).reshape(samples, records)
    if isinstance(found.family, Counts):
        drawn = discrete.discrete_quantile(found.family, uniforms.ravel(), found.arrays).reshape(samples, records)
        width = int(drawn.max()) + 1
        at = (np.arange(samples)[:, np.newaxis] * width + drawn).ravel()
        frequencies = np.bincount(at, minlength=samples * width).reshape(samples, width).astype(np.float64)
        theirs = _discrete_statistics(found.family, frequencies, discrete.fit_discrete(found.family, frequencies))
    else:
        uniforms.sort(axis=1)  # quantiles ascend with them
        values = continuous.continuous_quantile(found.family, uniforms, found.arrays)
        parameters = continuous.fit_continuous(found.family, values)
        theirs = statistics(continuous.continuous_cdf(found.family, values, parameters))
    theirs = theirs[~np.isnan(theirs)]  # samples without a fit say nothing
    as_far = int((theirs * _scale_statistic(records) >= found.statistic * _scale_statistic(n) * (1 - 1e-9)).sum())
    return (1 + as_far) / (1 + len(theirs))


def _scale_statistic(n: int) -> float:
    return float(np.sqrt(n) + 0.12 + 0.11 / np.sqrt(n))


def _bound_p_value(found: Fit, n: int) -> float:
    """Return what the p-value would be if the parameters were known, which is more (Kolmogorov's distribution)."""
    z = found.statistic * _scale_statistic(n)
    return min(float(2 * np.exp(-2 * z**2)), 1.0)


def list_fits(x: Floats, names: tuple[str, ...], significance: float, *, whole: bool) -> tuple[list[Fit], Fit | None]:
    """Return the fits of all families, the nearest first, and the nearest one that is not rejected.

    Parameters
    ----------
    x
        Values of a column, (n,), none missing.
    names
        Of the families that may be taken.
    significance
        A family is rejected whose p-value is this or less.
    whole
        Whether the column has whole numbers: families of counts are for these.

    Examples
    --------
    >>> ten = np.array([186.0, 693, 830, 1177, 1219, 1428, 1902, 1903, 2496, 3406])
    >>> _, taken = list_fits(ten, ("normal", "extreme value", "gamma"), 0.05, whole=False)
    >>> taken.family.name
    'extreme value'
    """
    ordered = np.sort(x)
    tried = (fit(name, ordered) for name in names if whole or name not in DISCRETE)
    found = sorted((f for f in tried if f is not None), key=lambda f: f.statistic)
    for place, one in enumerate(found):
        most = _bound_p_value(one, len(x))
        p = max(most, 1e-6) if most < min(significance, 1 / (1 + SAMPLES)) / 10 else p_value(one, len(x))
        found[place] = Fit(one.family, one.parameters, one.statistic, p)
        if p > significance:
            return found, found[place]
    return found, None


def _apply_in_parts(function: Any, values: Floats) -> Floats:  # noqa: ANN401 - a function of an array
    """Return a function of values, (n,), some at a time."""
    found = np.empty(values.shape)
    for first in range(0, len(values), PARTS):
        found[first : first + PARTS] = function(values[np.newaxis, first : first + PARTS])[0]
    return found
