"""Functions of mathematical physics over arrays: psi and its derivative, incomplete gamma and beta, and their inverses.

Abramowitz & Stegun (1972), chapters 6 and 26; the continued fractions are evaluated by Lentz's method.
"""

from __future__ import annotations

from math import erfc, lgamma
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from sdc_sql.udfs.arguments import Floats, Truths

_EPSILON, _TINY, _ROUNDS = 1e-15, 1e-300, 20_000
_SHIFT = 8
_erfc, _lgamma = np.frompyfunc(erfc, 1, 1), np.frompyfunc(lgamma, 1, 1)


def log_gamma(x: Floats) -> Floats:
    """Return log gamma of positive numbers."""
    return np.asarray(_lgamma(x), dtype=np.float64)


def psi(x: Floats) -> Floats:
    """Return the derivative of log gamma (6.3.18, eight further on).

    Examples
    --------
    >>> float(psi(np.array(1.0)).round(12))
    -0.577215664902
    """
    x = np.asarray(x, dtype=np.float64)
    passed = sum((1 / (x + i) for i in range(_SHIFT)), np.zeros_like(x))
    y = x + _SHIFT
    series = np.polyval([-691 / 32760, 1 / 132, -1 / 240, 1 / 252, -1 / 120, 1 / 12, 0], 1 / y**2)
    return np.asarray(np.log(y) - 0.5 / y - series - passed)


def psi_1(x: Floats) -> Floats:
    """Return the second derivative of log gamma (6.4.12).

    Examples
    --------
    >>> float((psi_1(np.array(1.0)) - np.pi**2 / 6).round(12))
    0.0
    """
    x = np.asarray(x, dtype=np.float64)
    passed = sum((1 / (x + i) ** 2 for i in range(_SHIFT)), np.zeros_like(x))
    y = x + _SHIFT
    series = np.polyval([5 / 66, -1 / 30, 1 / 42, -1 / 30, 1 / 6], 1 / y**2) / y**3
    return np.asarray(1 / y + 0.5 / y**2 + series + passed)


def normal_cdf(z: Floats) -> Floats:
    """Return the standard normal distribution function.

    Examples
    --------
    >>> normal_cdf(np.array([0.0, 1.959963984540054])).round(12).tolist()
    [0.5, 0.975]
    """
    return np.asarray(_erfc(-np.asarray(z) / np.sqrt(2)) / 2, dtype=np.float64)


def gamma_cdf(x: Floats, a: Floats) -> Floats:
    """Return P(a, x), the distribution function of the gamma distribution of scale 1 (6.5.29, 6.5.31).

    Examples
    --------
    >>> float(gamma_cdf(np.array(2.0), np.array(1.0)).round(12)), float((1 - np.exp(-2)).round(12))
    (0.864664716763, 0.864664716763)
    """
    x, a = (np.array(v, dtype=np.float64) for v in np.broadcast_arrays(x, a))
    found = np.zeros(x.shape)
    found[x == np.inf] = 1
    inside = (x > 0) & (x < np.inf)
    low = inside & (x < a + 1)
    high = inside & ~low
    for where, part in ((low, _gamma_series), (high, _gamma_fraction)):
        if where.any():
            at, of = x[where], a[where]
            front = np.exp(of * np.log(at) - at - log_gamma(of))
            found[where] = part(at, of, front)
    return np.clip(found, 0, 1)


def _gamma_series(x: Floats, a: Floats, front: Floats) -> Floats:
    term, total, n = 1 / a, 1 / a, a.copy()
    for _ in range(_ROUNDS):
        n += 1
        term = term * (x / n)
        total = total + term
        if (term <= total * _EPSILON).all():
            break
    return np.asarray(total * front)


def _gamma_fraction(x: Floats, a: Floats, front: Floats) -> Floats:
    b = x + 1 - a
    c, d = np.full(x.shape, 1 / _TINY), 1 / b
    h = d
    for i in range(1, _ROUNDS):
        an = -i * (i - a)
        b = b + 2
        d, c = 1 / _avoid_zero(an * d + b), _avoid_zero(b + an / c)
        h = h * d * c
        if (np.abs(d * c - 1) <= _EPSILON).all():
            break
    return np.asarray(1 - front * h)


def beta_cdf(x: Floats, a: Floats, b: Floats) -> Floats:
    """Return I_x(a, b), the distribution function of the beta distribution (26.5.8).

    Examples
    --------
    >>> float(beta_cdf(np.array(0.5), np.array(2.0), np.array(2.0)).round(12))
    0.5
    """
    x, a, b = (np.array(v, dtype=np.float64) for v in np.broadcast_arrays(x, a, b))
    found = np.where(x >= 1, 1.0, 0.0)
    inside = (x > 0) & (x < 1)
    near = inside & (x < (a + 1) / (a + b + 2))
    for where, turned in ((near, False), (inside & ~near, True)):
        if where.any():
            at, p, q = (1 - x[where], b[where], a[where]) if turned else (x[where], a[where], b[where])
            front = np.exp(log_gamma(p + q) - log_gamma(p) - log_gamma(q) + p * np.log(at) + q * np.log1p(-at))
            part = front * _beta_fraction(at, p, q) / p
            found[where] = 1 - part if turned else part
    return np.clip(found, 0, 1)


def _beta_fraction(x: Floats, a: Floats, b: Floats) -> Floats:
    c, d = np.ones(x.shape), 1 / _avoid_zero(1 - (a + b) * x / (a + 1))
    h = d
    for m in range(1, _ROUNDS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d, c = 1 / _avoid_zero(1 + even * d), _avoid_zero(1 + even / c)
        h = h * d * c
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d, c = 1 / _avoid_zero(1 + odd * d), _avoid_zero(1 + odd / c)
        h = h * d * c
        if (np.abs(d * c - 1) <= _EPSILON).all():
            break
    return np.asarray(h)


def gamma_quantile(u: Floats, a: Floats) -> Floats:
    """Return x with P(a, x) = u, for u in (0, 1).

    Examples
    --------
    >>> float(gamma_quantile(np.array([0.864664716763387]), np.array([1.0]))[0].round(9))
    2.0
    """
    u, a = (np.array(v, dtype=np.float64) for v in np.broadcast_arrays(u, a))
    least = (np.log(u) + log_gamma(a + 1)) / a  # P(a, x) is at most x^a / gamma(a + 1)
    most = np.log(a + 9 * np.sqrt(a) + 50)

    def cdf(y: Floats, where: Truths) -> Floats:
        return gamma_cdf(np.exp(y), a[where])

    def density(y: Floats, where: Truths) -> Floats:
        return np.asarray(np.exp(a[where] * y - np.exp(y) - log_gamma(a[where])))

    middle = np.clip(np.log(a), least, most)
    return np.asarray(np.exp(_invert_cdf(u, (np.minimum(least, most) - 1e-9, most), middle, cdf, density)))


def beta_quantile(u: Floats, a: Floats, b: Floats) -> Floats:
    """Return x with I_x(a, b) = u, for u in (0, 1).

    Examples
    --------
    >>> float(beta_quantile(np.array([0.5]), np.array([3.0]), np.array([3.0]))[0].round(9))
    0.5
    """
    u, a, b = (np.array(v, dtype=np.float64) for v in np.broadcast_arrays(u, a, b))

    def cdf(y: Floats, where: Truths) -> Floats:
        return beta_cdf(1 / (1 + np.exp(-y)), a[where], b[where])

    def density(y: Floats, where: Truths) -> Floats:
        p, q = a[where], b[where]
        logs = -p * np.log1p(np.exp(-y)) - q * np.log1p(np.exp(y))
        return np.asarray(np.exp(logs + log_gamma(p + q) - log_gamma(p) - log_gamma(q)))

    ends = np.full(u.shape, 700.0)
    y = _invert_cdf(u, (-ends, ends / 18), np.log(a / b), cdf, density)
    return np.asarray(1 / (1 + np.exp(-y)))


def _invert_cdf(
    u: Floats, ends: tuple[Floats, Floats], start: Floats,
    cdf: Callable[[Floats, Truths], Floats], density: Callable[[Floats, Truths], Floats],
) -> Floats:  # fmt: skip
    """Return where a distribution function is u: Newton's steps, and halves of the bracket where these leave it."""
    shape = u.shape
    x, low, high = start.copy(), ends[0].copy(), ends[1].copy()
    left = np.ones(shape, dtype=bool)
    for _ in range(200):
        at = x[left]
        apart = cdf(at, left) - u[left]
        below, above = np.where(apart <= 0, at, low[left]), np.where(apart > 0, at, high[left])
        low[left], high[left] = below, above
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            step = at - apart / density(at, left)
        within = ((step > below) & (step < above)) | (apart == 0)
        new = np.where(within, step, (below + above) / 2)
        x[left] = new
        settled = np.abs(new - at) <= 1e-13 * np.maximum(np.abs(new), 1)
        left[left] = ~settled
        if not left.any():
            break
    return x


def _avoid_zero(x: Floats) -> Floats:
    return np.where(np.abs(x) < _TINY, _TINY, x)
