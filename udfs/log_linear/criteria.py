"""How far a fit leads the measures of risk astray (Skinner & Shlomo 2008), and how much the counts vary beyond Poisson.

With u = pi l the expected count of a cell, x = (1 - pi) l and r = (1 - e^-x) / x:

    B1 = sum a1 (f - u) + b1 ((f - u)^2 - f) ,  a1 = (1 - pi) l e^-l ,       b1 = (1 - pi)^2 l e^-l / 2 pi
    B2 = sum a2 (f - u) + b2 ((f - u)^2 - f) ,  a2 = e^-u r - e^-l ,         b2 = (e^-u r - e^-l (1 + x / 2)) / u
    V  = sum a^2 u + 2 b^2 u^2 ,                z = B / sqrt V: about normal where the model holds

B is what the expected tau is too great by, to the second order. A cell that expects nobody and has nobody adds nothing.

With keys of many values the counts are fitted to the values' own records m, so that E (f - u)^2 is u (1 - h),
h = sum u / m, in the place of u: f (1 - h) is taken from it, and u (1 - h) stands in V. Since e^-u stays as it is and
the rest is a function of x, the means over what x may be (margins.py) are those of x e^-x, x^2 e^-x / 2, r - e^-x and
r - e^-x (1 + x / 2).
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from sdc_sql.udfs.log_linear.many_valued import ONE, multiply_ratios, unique_risks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sdc_sql.udfs.arguments import Floats
    from sdc_sql.udfs.log_linear.crossing import Crossing, Fit
    from sdc_sql.udfs.log_linear.margins import Margin

_SMALL = 0.01
_SERIES = (1 / 336, -1 / 72, 1 / 20, -1 / 8, 1 / 6)  # the series of (r - e^-x (1 + x/2)) / x^2, where its terms cancel
_STEP = 0.02  # a step of log x: means over a margin are interpolated between two of them


class Cells(NamedTuple):
    """Cells that are alike: the persons expected, the records, how many cells, the values' records by sparse key."""

    expected: Floats
    counts: Floats
    number: Floats
    records: Floats


class Criteria(NamedTuple):
    """tau and B with its z for either measure, 1 / alpha; whether either tau is told, and their standard errors."""

    tau1: float
    tau2: float
    b1: float
    z1: float
    b2: float
    z2: float
    dispersion: float
    sure1: float = 1.0
    sure2: float = 1.0
    error1: float = 0.0
    error2: float = 0.0


def _ratio(x: Floats) -> Floats:
    return np.divide(-np.expm1(-x), x, out=np.ones_like(x), where=x > 0)


def _weigh_persons(x: Floats) -> Floats:
    """Return what the coefficients are of x: of a1 and a2, of b1 and b2."""
    r, gone = _ratio(x), np.exp(-x)
    bent = np.where(x < _SMALL, np.polyval(_SERIES, x) * x**2, r - gone * (1 + x / 2))
    return np.array([x * gone, r - gone, x**2 * gone / 2, bent])


def _average_over_margins(x: Floats, cells: Cells, margins: Sequence[Margin]) -> Floats:
    """Return these means over what x may be."""
    found = np.empty((4, len(x)))
    kinds, which = np.unique(cells.records.T, axis=0, return_inverse=True)
    which = which.ravel()
    for number, kind in enumerate(kinds):
        here = np.flatnonzero(which == number)
        ratio, chance = reduce(multiply_ratios, (m.ratios(k) for m, k in zip(margins, kind, strict=True)), ONE)
        logs = np.log(np.maximum(x[here], 1e-300))
        grid = np.arange(max(logs.min(), -40.0), max(logs.max(), -40.0) + 2 * _STEP, _STEP)
        means = _weigh_persons(np.exp(grid)[:, None] * ratio) @ chance
        found[:, here] = [np.interp(logs, grid, mean, left=0.0) for mean in means]
    return found


def biases(cells: Cells, fraction: float, margins: Sequence[Margin]) -> tuple[list[float], list[float], float]:
    """Return B1 and B2, their z, and 1 / alpha."""
    pi = min(fraction, 1 - np.finfo(np.float64).eps)
    lam, f, many = cells.expected, cells.counts, cells.number
    u, x = pi * lam, (1 - pi) * lam
    off = f - u
    held = np.minimum((u / cells.records).sum(axis=0), 1.0) if margins else np.zeros_like(u)
    more = off**2 - f * (1 - held)
    kept = np.exp(-u)
    of_x = _average_over_margins(x, cells, margins) if margins else _weigh_persons(x)
    a = kept * of_x[:2]
    b = np.divide(kept * of_x[2:], u, out=np.zeros((2, len(u))), where=u > 0)
    bias = [float((a[i] * many) @ off + (b[i] * many) @ more) for i in (0, 1)]
    free = u * (1 - held)
    spread = [float((a[i] ** 2 * many) @ free + 2 * ((b[i] ** 2 * many) @ free**2)) for i in (0, 1)]
    z = [bias[i] / np.sqrt(spread[i]) if spread[i] > 0 else 0.0 for i in (0, 1)]
    square = float((u * many) @ u)
    return bias, z, max(0.0, float(many @ more) / square) if square > 0 else 0.0


def criteria(table: Crossing, fit: Fit, margins: Mapping[int, Margin] | None = None, *, taus: bool = True) -> Criteria:
    """Return how good a fit is for the measures of risk.

    Parameters
    ----------
    margins
        Those of keys of many values, by the key's place.
    taus
        Whether tau is asked for, with such keys (else it is NaN).
    """
    margins = margins or {}
    at = np.searchsorted(fit.places, table.places)
    lam, f = fit.expected, np.zeros(len(fit.places))
    f[at] = table.counts
    records = np.array([table.records(key)[table.codes(fit.places, (key,))] for key in margins])
    cells = Cells(lam, f, np.ones(len(lam)), records.reshape(len(margins), len(lam)))
    bias, z, dispersion = biases(cells, table.fraction, list(margins.values()))
    alone = table.counts == 1
    own = np.maximum(1 - 1 / table.weights[alone], 0)  # who weighs less than 1 was taken for certain
    if margins and not taus:
        return Criteria(np.nan, np.nan, bias[0], z[0], bias[1], z[1], dispersion)
    if margins:
        places = table.places[alone]
        every = np.array([table.records(key)[table.codes(places, (key,))] for key in range(len(table.sizes))])
        rows = [np.array([np.full(len(m.sizes), key + 1.0), m.sizes, m.values]) for key, m in margins.items()]
        *both, told = unique_risks(
            lam[at[alone]], own, every, np.full(every.shape, np.nan), np.concatenate(rows, axis=1),
            np.array([*margins]) + 1.0, table.fraction, 0.0,
        )  # fmt: skip
        return Criteria(
            float(both[0].sum()), float(both[1].sum()), bias[0], z[0], bias[1], z[1], dispersion, *map(float, told)
        )
    other = lam[at[alone]] * own
    return Criteria(float(np.exp(-other).sum()), float(_ratio(other).sum()), bias[0], z[0], bias[1], z[1], dispersion)
