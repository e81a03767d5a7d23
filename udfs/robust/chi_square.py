"""The distribution of chi squared, of a whole number of degrees of freedom."""

from __future__ import annotations

from math import erf, exp, lgamma, log, sqrt


def chi_square_cdf(x: float, degrees: int) -> float:
    """Return the probability that it is at most x, by P(a + 1, y) = P(a, y) - y^a e^-y / gamma(a + 1).

    Abramowitz & Stegun (1972), 6.5.21, with a = degrees / 2 and y = x / 2.

    Examples
    --------
    >>> round(chi_square_cdf(5.991464547107979, 2), 12), round(chi_square_cdf(3.841458820694124, 1), 12)
    (0.95, 0.95)
    """
    if x <= 0:
        return 0.0
    y, a = x / 2, 0.5 if degrees % 2 else 1.0
    found = erf(sqrt(y)) if degrees % 2 else 1 - exp(-y)
    while a < degrees / 2:
        found -= exp(a * log(y) - y - lgamma(a + 1))
        a += 1
    return min(max(found, 0.0), 1.0)


def chi_square_quantile(probability: float, degrees: int) -> float:
    """Return below what it is with a probability, by bisection.

    Examples
    --------
    >>> round(chi_square_quantile(0.975, 3), 9)
    9.348403604
    """
    low, high = 0.0, 1.0
    while chi_square_cdf(high, degrees) < probability:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if chi_square_cdf(middle, degrees) < probability else (low, middle)
    return (low + high) / 2
