"""How many persons of the population share a value of a key, of whose values the sample has few records each.

f records of a value with F persons are binomial (F, pi). The distribution g of F over the values is fitted to how many
values have one record, two, three, ... (zero-truncated: of values without a record nothing is known):

    max  sum_j s_j log(sum_F C(F, j) pi^j (1 - pi)^(F - j) g(F)) - S log(sum_F (1 - (1 - pi)^F) g(F))
         - rho / 2 |D log g|^2

with D the differences of log g in log F, of the first, second and third order: what the counts do not tell is drawn on
as equal shares of the scale, as a power law (Zipf, Pareto), or as a lognormal distribution. rho has the weights of its
marginal likelihood (Laplace), the orders are averaged. The spread of a figure is that of g given the counts, by the
curvature, and that between the orders and rho: where they disagree, the counts do not tell.

The sample uniques' risk is integrated over what g says of M = F - f, given f. With p the share of the other keys' cell
within the value,

    Pr(F_k = 1 | f_k = 1) = E (1 - p)^M ,   E(1 / F_k | f_k = 1) = E (1 - (1 - p)^(M + 1)) / ((M + 1) p)

which are exp(-lambda) and (1 - exp(-lambda)) / lambda, lambda = M p, where p is small.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from sdc_sql.udfs.arguments import Floats

ORDERS = (1, 2, 3)
STIFF = 10.0 ** np.arange(-2, 6)  # rho
WHOLE, STEPS = 12, 6.0  # the persons that are tried one by one; then so many to a factor of e
RIDGE = 1e-6
ROUNDS, NEAR = 60, 1e-6
SLIGHT = 1e-7  # the probability of a number of persons that is left out
FINE = 0.05  # two figures this near in log p are taken for one where their spread is looked for

_SHIFT = 8
_STIRLING = (1 / 1260, -1 / 360, 1 / 12)


def log_gamma(z: Floats) -> Floats:
    """Return log gamma of positive numbers, by Stirling's series eight further on.

    Examples
    --------
    >>> [round(float(v), 8) for v in log_gamma(np.array([5.0, 0.5]))]
    [3.17805383, 0.57236494]
    """
    z = np.asarray(z, dtype=np.float64)
    passed = np.zeros_like(z)
    for i in range(_SHIFT):
        passed += np.log(z + i)
    y = z + _SHIFT
    series = np.polyval(_STIRLING, 1 / y**2) / y
    return np.asarray((y - 0.5) * np.log(y) - y + 0.5 * np.log(2 * np.pi) + series - passed)


class Component(NamedTuple):
    """One fit: its weight, the posterior of F by the records of a value, and the covariance of log g."""

    weight: float
    posterior: Floats
    covariance: Floats


@dataclass(frozen=True)
class Margin:
    """A key's values: how many have one record, two, ...; the fraction that is sampled."""

    sizes: Floats
    values: Floats
    fraction: float

    @cached_property
    def persons(self) -> Floats:
        """Return the numbers of persons that a value may have."""
        top = (self.sizes[-1] + 6 * np.sqrt(self.sizes[-1])) / self.fraction
        beyond = np.arange(np.log(WHOLE + 1), np.log(max(top, WHOLE + 2.0)) + 1 / STEPS, 1 / STEPS)
        return np.concatenate([np.arange(1.0, WHOLE + 1), np.exp(beyond)])

    @cached_property
    def components(self) -> list[Component]:
        """Return the fits, the orders with equal weights."""
        found = []
        for order in ORDERS:
            fits = self._fit_each(order)
            likely = np.exp(np.array([fit[0] for fit in fits]) - max(fit[0] for fit in fits))
            shares = likely / likely.sum() / len(ORDERS)
            found += [Component(float(w), *fit[1:]) for w, fit in zip(shares, fits, strict=True) if w > SLIGHT]
        return found

    @cached_property
    def posterior(self) -> Floats:
        """Return the probability of F (columns) given the records of the value (rows), over all fits."""
        return np.asarray(sum(c.weight * c.posterior for c in self.components))

    def ratios(self, size: float) -> tuple[Floats, Floats]:
        """Return what the persons beyond the sample may be of those that the records stand for, and how likely."""
        chance = self.posterior[np.searchsorted(self.sizes, size)]
        kept = chance > SLIGHT
        ratio = np.maximum(self.persons[kept] - size, 0) / (size * (1 / self.fraction - 1))
        return ratio, chance[kept] / chance[kept].sum()

    @property
    def doubt(self) -> float:
        """Return by how much the ratio of a value seen once is in doubt: two standard errors of 2 s_2 / s_1.

        The curvature of the likelihood does not show it where hardly a value is seen twice.
        """
        ones, twos = (float(self.values[self.sizes == size].sum()) for size in (1, 2))
        return 4 * np.sqrt(twos + 1) / ones if ones else 0.0

    def _fit_each(self, order: int) -> list[tuple[float, Floats, Floats]]:
        """Return for each rho its log marginal likelihood, the posterior, and the covariance of log g."""
        f, logs = self.persons, np.log(self.persons)
        edges = np.concatenate([[logs[0] - 0.35], (logs[1:] + logs[:-1]) / 2, [logs[-1] + (logs[-1] - logs[-2]) / 2]])
        wide = np.diff(edges)
        chance = _compute_binomial(self.sizes, f, self.fraction)
        seen = -np.expm1(f * np.log1p(-self.fraction))
        rough = _differences(logs, order)
        total, s = self.values.sum(), self.values
        found = []
        at = -logs

        def fit_at(log_g: Floats) -> tuple[float, Floats, Floats]:
            w = wide * np.exp(log_g - log_g.max())
            joint = chance * w
            each, drawn = joint.sum(axis=1), float(seen @ w)
            likelihood = float(s @ np.log(np.maximum(each, 1e-300))) - total * np.log(drawn)
            return likelihood, joint / np.maximum(each, 1e-300)[:, None], seen * w / drawn

        for rho in STIFF:
            penalty = rho * rough + RIDGE * np.eye(len(f))
            likelihood, posterior, prior = fit_at(at)
            now = likelihood - at @ penalty @ at / 2
            for _ in range(ROUNDS):
                score = posterior - prior
                curvature = (score * s[:, None]).T @ score + penalty
                step = np.linalg.solve(curvature, s @ posterior - total * prior - penalty @ at)
                step *= min(1.0, 5.0 / max(float(np.abs(step).max()), 1e-12))
                share, before = 1.0, now
                while share > NEAR:
                    tried = at + share * step
                    likelihood, *both = fit_at(tried)
                    then = likelihood - tried @ penalty @ tried / 2
                    if then >= now:
                        at, now, (posterior, prior) = tried, float(then), both
                        break
                    share /= 2
                if now - before < NEAR:
                    break
            score = posterior - prior
            curvature = (score * s[:, None]).T @ score + penalty
            marginal = now + (len(f) - order) / 2 * np.log(rho) - np.linalg.slogdet(curvature)[1] / 2
            found.append((float(marginal), posterior, np.linalg.inv(curvature)))
        return found


def _compute_binomial(sizes: Floats, persons: Floats, fraction: float) -> Floats:
    """Return the probability of f records (rows) of F persons (columns), which need not be whole."""
    f, total = sizes[:, None], persons[None, :]
    rest = np.maximum(total - f, 0)
    logs = log_gamma(total + 1) - log_gamma(f + 1) - log_gamma(rest + 1)
    logs = logs + f * np.log(fraction) + rest * np.log1p(-fraction)
    return np.where(total >= f, np.exp(logs), 0.0)


def _differences(logs: Floats, order: int) -> Floats:
    """Return the matrix of the integral of the squared derivative, of an order, of a function at these places."""
    d = np.eye(len(logs))
    for o in range(1, order + 1):
        d = o * (d[1:] - d[:-1]) / (logs[o:] - logs[:-o])[:, None]
    width = (logs[order:] - logs[:-order]) / order
    return np.asarray((d * width[:, None]).T @ d)


def unique_by_persons(p: Floats, m: Floats, own: Floats, d: float) -> tuple[Floats, Floats]:
    """Return Pr(F = 1) and E(1 / F) of sample uniques, M others of the value each in the cell with probability p.

    Parameters
    ----------
    p, m
        Of the same shape, or such as numpy makes one of.
    own
        1 - 1 / weight.
    d
        1 / alpha of the negative binomial distribution, 0 for none (log_linear_risk.sql).
    """
    p = np.minimum(p, 1.0)
    if d > 0:
        x = m * p
        t = np.log1p(d * x / (1 + d * x * np.divide(1 - own, own, out=np.zeros_like(own), where=own > 0)))
        mean = np.divide(x, own, out=np.zeros(np.broadcast(x, own).shape), where=own > 0)
        risk = -np.exp(-t) * np.expm1(-t / d) * (1 + mean * d)
        return np.exp(-(1 + 1 / d) * t), np.divide(risk, x, out=np.ones_like(risk), where=x > 0)
    none = np.log1p(-np.minimum(p, 1 - 1e-15))
    among = (m + 1) * p
    return np.exp(m * none), np.divide(-np.expm1((m + 1) * none), among, out=np.ones_like(among), where=among > 0)


def compute_margin_variance(margin: Margin, sizes: Floats, hits: Callable[[float, Floats], Floats]) -> Floats:
    """Return the variances of both figures that stem from what the counts do not tell of a margin.

    Parameters
    ----------
    sizes
        The records of the values that the sample uniques have, each once.
    hits
        The figures of the sample uniques whose value has so many records, if it had F persons: shape (2, F).
    """
    each = {float(size): hits(float(size), margin.persons) for size in sizes}
    means, variances = [], []
    for _, posterior, covariance in margin.components:
        total, slope = np.zeros(2), np.zeros((2, len(margin.persons)))
        for size, figures in each.items():
            chance = posterior[np.searchsorted(margin.sizes, size)]
            for i, figure in enumerate(figures):
                mean = float(chance @ figure)
                total[i] += mean
                slope[i] += chance * (figure - mean)
        means.append(total)
        variances.append(np.einsum("ik,kl,il->i", slope, covariance, slope))
    weights = np.array([c.weight for c in margin.components])
    weights /= weights.sum()
    middle = weights @ np.array(means)
    return np.asarray(weights @ (np.array(variances) + (np.array(means) - middle) ** 2))
