r"""Coefficients of correlated noise in independent normal draws, in figures that can be published and repeated.

:math:`e_j = \sum_k a_{jk} z_k` with :math:`A A^T` near :math:`\alpha \Sigma`: the Cholesky root, column by column. A
column's standard deviation :math:`\sqrt\alpha \sigma_j` is rounded up to three significant digits, and the entries
of the root of the correlation matrix to three decimals (that of the column's own draw up, so that no column's noise is
determined by that of the others unless its values are). A column that is a linear function of those before it (a
total of its parts) gets that function of their noise: a linear identity between columns holds for the noise too.

Every sum runs over a few numbers in their order, in plain floating point, so that the figures are the same on every
processor.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# A share of a variance below this, left over by the columns before, is taken for rounding.
SINGULAR = 1e-10
DECIMALS, DIGITS = 3, 9


def noise_root(covariances: Sequence[Sequence[float]], sizes: Sequence[float]) -> list[list[float]]:
    """Return the coefficients, a list for each column: of the draws of the columns up to it, then zeros.

    Parameters
    ----------
    covariances
        The covariance matrix of the columns, (p, p).
    sizes
        The standard deviation of each column's noise, rounded up already (``sdc__rounded_up``).

    Examples
    --------
    >>> noise_root([[4.0, 2.0], [2.0, 2.0]], [0.2, 0.142])
    [[0.2, 0.0], [0.10039399999999998, 0.10053599999999999]]

    The second column is twice the first, and its noise twice that of the first.

    >>> noise_root([[4.0, 8.0], [8.0, 16.0]], [0.2, 0.4])
    [[0.2, 0.0], [0.4, 0.0]]
    """
    p = len(covariances)
    sds = [math.sqrt(covariances[j][j]) for j in range(p)]
    exact: list[
        list[float]
    ] = []  # the root of the covariance matrix itself, rows of columns that are no function of others
    applied: list[list[float]] = []
    free: list[int] = []
    for j in range(p):
        row = _solve_triangular(exact, [covariances[j][i] for i in free])
        rest = covariances[j][j] - _sum(r * r for r in row)
        if rest <= SINGULAR * covariances[j][j]:
            weights = _weights(exact, row)
            applied.append([_sum(w * applied[i][k] for w, i in zip(weights, free, strict=True)) for k in range(p)])
            continue
        shares = [round(r / sds[j], DECIMALS) for r in row]
        own = math.ceil(math.sqrt(rest) / sds[j] * 10**DECIMALS - 1e-9) / 10**DECIMALS
        entries = [0.0] * p
        for share, i in zip(shares, free, strict=True):
            entries[i] = sizes[j] * share
        entries[j] = sizes[j] * own
        applied.append(entries)
        exact.append([*row, math.sqrt(rest)])
        free.append(j)
    return applied


def _solve_triangular(root: list[list[float]], products: list[float]) -> list[float]:
    """Return r with L r = products, for the lower triangular L given by its rows."""
    found: list[float] = []
    for row, product in zip(root, products, strict=True):
        found.append((product - _sum(a * r for a, r in zip(row, found, strict=False))) / row[-1])
    return found


def _weights(root: list[list[float]], row: list[float]) -> list[float]:
    """Return w with L^T w = row, to nine significant digits: the column as a function of those before it."""
    found = [0.0] * len(row)
    for i in reversed(range(len(row))):
        later = _sum(root[k][i] * found[k] for k in range(i + 1, len(row)))
        found[i] = (row[i] - later) / root[i][i]
    return [float(f"{w:.{DIGITS}g}") for w in found]


def _sum(values: Iterable[float]) -> float:
    """Return a sum in the order of its terms (that of Python 3.12 and later compensates)."""
    total = 0.0
    for value in values:
        total += value
    return total
