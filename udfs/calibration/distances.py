r"""The distances from 1 in which factors are the nearest: each by the function F of which factors are values.

Of all factors g that meet the totals, those with the least sum of :math:`w\,G(g)` are :math:`g = F(u)`,
:math:`u = x^T \lambda`, where F is the inverse of the derivative of G, with F(0) = 1 and F'(0) = 1 (Deville & Särndal
1992, section 2 and Table 1). What is maximised over the terms is :math:`\lambda^T t - \sum w H(u)`, H' = F.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats

FAR = 700.0  # exp(700) is finite


class Distance(Protocol):
    """F, its integral H and its derivative, at the sums of terms u of each cell, (c,)."""

    def factors(self, u: Floats) -> Floats:
        """Return F(u)."""
        ...

    def integral(self, u: Floats) -> Floats:
        """Return H(u), up to a constant."""
        ...

    def slopes(self, u: Floats) -> Floats:
        """Return F'(u), 0 where the factor is at a bound."""
        ...


@dataclass(frozen=True)
class Raking:
    """F(u) = min(U, max(L, exp(u))): case 2 of Deville & Särndal, cut at the bounds as their case 7 is."""

    lower: Floats
    upper: Floats

    def factors(self, u: Floats) -> Floats:
        """Return F(u)."""
        found: Floats = np.clip(np.exp(np.clip(u, -FAR, FAR)), self.lower, self.upper)
        return found

    def integral(self, u: Floats) -> Floats:
        """Return H(u): that of exp between the bounds, straight lines beyond them."""
        with np.errstate(divide="ignore"):
            low, high = np.log(self.lower), np.log(self.upper)
        found: Floats = self.factors(u) + _integrate_beyond(u, low, high, self.lower, self.upper)
        return found

    def slopes(self, u: Floats) -> Floats:
        """Return F'(u)."""
        found = self.factors(u)
        return np.where((found > self.lower) & (found < self.upper), found, 0.0)


@dataclass(frozen=True)
class Linear:
    """F(u) = min(U, max(L, 1 + u)): case 7 of Deville & Särndal, the truncated linear distance; case 1 within it."""

    lower: Floats
    upper: Floats

    def factors(self, u: Floats) -> Floats:
        """Return F(u)."""
        found: Floats = np.clip(1 + u, self.lower, self.upper)
        return found

    def integral(self, u: Floats) -> Floats:
        """Return H(u): a parabola between the bounds, straight lines beyond them."""
        low, high = self.lower - 1, self.upper - 1
        between = np.clip(u, low, high)
        found: Floats = between + between**2 / 2 + _integrate_beyond(u, low, high, self.lower, self.upper)
        return found

    def slopes(self, u: Floats) -> Floats:
        """Return F'(u)."""
        found = self.factors(u)
        return np.where((found > self.lower) & (found < self.upper), 1.0, 0.0)


@dataclass(frozen=True)
class Logit:
    """F(u) = (L (U - 1) + U (1 - L) e^(Au)) / (U - 1 + (1 - L) e^(Au)), A = (U - L) / ((1 - L)(U - 1)): case 6."""

    lower: Floats
    upper: Floats

    @property
    def _steepness(self) -> Floats:
        found: Floats = (self.upper - self.lower) / ((1 - self.lower) * (self.upper - 1))
        return found

    def factors(self, u: Floats) -> Floats:
        """Return F(u)."""
        at = np.log((1 - self.lower) / (self.upper - 1)) + self._steepness * u
        share = 1 / (1 + np.exp(np.clip(-at, -FAR, FAR)))
        found: Floats = self.lower + (self.upper - self.lower) * share
        return found

    def integral(self, u: Floats) -> Floats:
        """Return H(u)."""
        a = self._steepness
        log = np.logaddexp(np.log(self.upper - 1), np.log(1 - self.lower) + a * u)
        found: Floats = self.lower * u + (self.upper - self.lower) / a * log
        return found

    def slopes(self, u: Floats) -> Floats:
        """Return F'(u)."""
        found = self.factors(u)
        slopes: Floats = self._steepness * (self.upper - found) * (found - self.lower) / (self.upper - self.lower)
        return slopes


def _integrate_beyond(u: Floats, low: Floats, high: Floats, lower: Floats, upper: Floats) -> Floats:
    """Return what a factor at its bound adds to the integral; there is none beyond an infinite bound."""
    finite = np.isfinite(high)
    above = np.where(finite, upper, 0.0) * np.maximum(u - np.where(finite, high, np.inf), 0.0)
    below = lower * np.minimum(u - low, 0.0)
    found: Floats = np.where(lower > 0, below, 0.0) + np.where(finite, above, 0.0)
    return found


DISTANCES: dict[str, type[Raking | Linear | Logit]] = {"raking": Raking, "logit": Logit, "linear": Linear}
