r"""Noise of some columns of a record given that of the others: the conditional normal distribution.

With :math:`\Sigma = A A^T` the covariance of the noise of all columns, :math:`e_C = B e_K + L z` with
:math:`B = \Sigma_{CK} \Sigma_{KK}^{-1}` and :math:`L L^T = \Sigma_{CC} - B \Sigma_{KC}` (Anderson, An Introduction to
Multivariate Statistical Analysis, theorem 2.5.1). Both come of the Cholesky root of the covariance with the columns K
before the columns C. A column of K that is a function of those before it adds nothing. Sums run over a few numbers in
their order, so that the figures are the same on every processor.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

NEW, KEPT = 1, 0
SINGULAR = 1e-10  # as of the root of a covariance matrix
DIGITS = 9


def give_noise(root: Sequence[Sequence[float]], places: Sequence[int]) -> list[list[float]]:
    """Return of each new column the share of its noise that is drawn, its slopes, and the coefficients of its draws.

    Parameters
    ----------
    root
        The coefficients A of the noise of all columns in independent draws, a list for each column.
    places
        Of each column 1 where it is new, 0 where it is kept, any other number where it is neither.

    Examples
    --------
    Of variances 1 and covariance 0.6 the noise of the second is 0.6 of the first, and a draw with 0.8 for deviation.

    >>> give_noise([[1.0, 0.0], [0.6, 0.8]], [0, 1])
    [[0.8, 0.6, 0.8]]
    """
    kept = [j for j, place in enumerate(places) if place == KEPT]
    new = [j for j, place in enumerate(places) if place == NEW]
    order = [*kept, *new]
    lower: list[list[float]] = []
    for a, i in enumerate(order):
        row = [0.0] * len(order)
        variance = _multiply(root[i], root[i])
        for b, j in enumerate(order[:a]):
            rest = _multiply(root[i], root[j]) - _multiply(row[:b], lower[b][:b])
            row[b] = rest / lower[b][b] if lower[b][b] > 0 else 0.0
        left = variance - _multiply(row[:a], row[:a])
        row[a] = math.sqrt(left) if left > SINGULAR * variance else 0.0
        lower.append(row)
    m = len(kept)
    found = []
    for row, j in zip(lower[m:], new, strict=True):
        slopes = [0.0] * m
        for b in reversed(range(m)):  # b L_KK = l_K, from the last column back
            rest = row[b] - _multiply(slopes[b + 1 :], [lower[c][b] for c in range(b + 1, m)])
            slopes[b] = rest / lower[b][b] if lower[b][b] > 0 else 0.0
        drawn = math.sqrt(_multiply(row[m:], row[m:]))
        size = math.sqrt(_multiply(root[j], root[j]))
        figures = [drawn / size if size > 0 else 1.0, *slopes, *row[m:]]
        found.append([float(f"{figure:.{DIGITS}g}") for figure in figures])
    return found


def _multiply(a: Sequence[float], b: Sequence[float]) -> float:
    """Return the sum of products in the order of its terms (that of Python 3.12 and later compensates)."""
    total = 0.0
    for x, y in zip(a, b, strict=True):
        total += x * y
    return total
