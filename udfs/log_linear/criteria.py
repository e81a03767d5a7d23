"""How far a fit leads the measures of risk astray (Skinner & Shlomo 2008), and how much the counts vary beyond Poisson.

With u = pi l the expected count of a cell, x = (1 - pi) l and r = (1 - e^-x) / x:

    B1 = sum a1 (f - u) + b1 ((f - u)^2 - f) ,  a1 = (1 - pi) l e^-l ,       b1 = (1 - pi)^2 l e^-l / 2 pi
    B2 = sum a2 (f - u) + b2 ((f - u)^2 - f) ,  a2 = e^-u r - e^-l ,         b2 = (e^-u r - e^-l (1 + x / 2)) / u
    V  = sum a^2 u + 2 b^2 u^2 ,                z = B / sqrt V: about normal where the model holds

B is what the expected tau is too great by, to the second order. A cell that expects nobody and has nobody adds nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats
    from sdc_sql.udfs.log_linear.crossing import Crossing, Fit

_SMALL = 0.01
_SERIES = (1 / 336, -1 / 72, 1 / 20, -1 / 8, 1 / 6)  # of (r - e^-x (1 + x/2)) / x^2, where its terms cancel


class Criteria(NamedTuple):
    """tau and B with its z for either measure, and 1 / alpha."""

    tau1: float
    tau2: float
    b1: float
    z1: float
    b2: float
    z2: float
    dispersion: float


def _ratio(x: Floats) -> Floats:
    return np.divide(-np.expm1(-x), x, out=np.ones_like(x), where=x > 0)


def criteria(table: Crossing, fit: Fit) -> Criteria:
    """Return how good a fit is for the measures of risk."""
    pi, lam = table.fraction, fit.expected
    if pi >= 1:
        pi = 1 - np.finfo(np.float64).eps
    at = np.searchsorted(fit.places, table.places)
    f = np.zeros(len(lam))
    f[at] = table.counts
    u, x = pi * lam, (1 - pi) * lam
    off = f - u
    more = off**2 - f
    r, gone, kept = _ratio(x), np.exp(-lam), np.exp(-u)
    bent = np.where(x < _SMALL, np.polyval(_SERIES, x) * x**2, r - np.exp(-x) * (1 + x / 2))
    a = ((1 - pi) * lam * gone, kept * (r - np.exp(-x)))
    b = ((1 - pi) ** 2 * lam * gone / (2 * pi), np.divide(kept * bent, u, out=np.zeros_like(u), where=u > 0))
    bias = [float(a[i] @ off + b[i] @ more) for i in (0, 1)]
    spread = [float(a[i] ** 2 @ u + 2 * (b[i] ** 2 @ u**2)) for i in (0, 1)]
    z = [bias[i] / np.sqrt(spread[i]) if spread[i] > 0 else 0.0 for i in (0, 1)]
    alone = table.counts == 1
    other = lam[at[alone]] * np.maximum(1 - 1 / table.weights[alone], 0)  # who weighs less than 1 was taken for certain
    square = float(u @ u)
    dispersion = max(0.0, float(more.sum()) / square) if square > 0 else 0.0
    return Criteria(float(np.exp(-other).sum()), float(_ratio(other).sum()), bias[0], z[0], bias[1], z[1], dispersion)
