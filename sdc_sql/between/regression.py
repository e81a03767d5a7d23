"""A regression from its sums, solved in whole numbers: what the fixed point keeps is all that is lost.

    b = (X'X)^-1 X'y,   s^2 = RSS / (n - p),   se_j = s sqrt((X'X)^-1_jj),   R^2 = 1 - RSS / (y'y - (1'y)^2 / n)
    RSS = y'y - b'X'y

Sums of products have twice the digits of their columns, and in floating point half of them are lost by the inverse:
here they are whole numbers, and the elimination is exact (Bareiss, 1968, Sylvester's identity and multistep
integer-preserving Gaussian elimination, Mathematics of Computation 22, 565-578).

Source: Karr & Sanil (2004), Data quality and data confidentiality for microdata: implications and strategies, last
section.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from sdc_sql.db.showing.results import Result
from sdc_sql.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

COLLINEAR = Fraction(1, 10**10)  # 1 - R^2 of a regressor by those before it: below, 1e-9 is not kept


@dataclass(frozen=True)
class Coefficient(Result):
    """A coefficient of the pooled regression."""

    name: str
    estimate: float
    standard_error: float
    t: float


@dataclass(frozen=True)
class Regression:
    """The regression on all parties' records together; each party has the same."""

    coefficients: tuple[Coefficient, ...]
    records: int
    degrees_of_freedom: int
    residual_deviation: float
    r_squared: float
    adjusted_r_squared: float

    def to_dict(self) -> dict[str, object]:
        """Return it as a dictionary, for JSON."""
        return {
            "coefficients": [c.to_dict() for c in self.coefficients], "records": self.records,
            "degrees_of_freedom": self.degrees_of_freedom, "residual_deviation": self.residual_deviation,
            "r_squared": self.r_squared, "adjusted_r_squared": self.adjusted_r_squared,
        }  # fmt: skip


def fit_regression(totals: Sequence[int], regressors: Sequence[str], bits: Sequence[int]) -> Regression:
    """Return the regression that has these sums.

    Parameters
    ----------
    totals
        The upper triangle, row by row, of the sums of products of the constant, the regressors and the response, in
        units.
    regressors
        The names of the regressors.
    bits
        The binary digits behind the point of each regressor and of the response.

    Raises
    ------
    ParameterError
        Where a regressor follows from others, or there are too few records: no coefficients are determined.

    Examples
    --------
    >>> fit = fit_regression([4, 6, 11, 14, 22, 37], ["x"], [0, 0])  # 1, 2, 4, 4 on 0, 1, 2, 3
    >>> [round(c.estimate, 12) for c in fit.coefficients], fit.degrees_of_freedom
    ([1.1, 1.1], 2)
    """
    width = len(regressors) + 2
    full: list[list[int]] = [[0] * width for _ in range(width)]
    entries = iter(totals)
    for i in range(width):
        for j in range(i, width):
            full[i][j] = full[j][i] = next(entries)
    names, p, n = ["(constant)", *regressors], width - 1, full[0][0]
    if n <= p:
        raise ParameterError(f"All parties together have {n} records for {p} coefficients: more are needed.")
    inverse, determinant = _invert([row[:p] for row in full[:p]], names)
    right = [full[i][p] for i in range(p)]
    solved = [Fraction(sum(a * b for a, b in zip(row, right, strict=True)), determinant) for row in inverse]
    rest = full[p][p] - sum(b * c for b, c in zip(solved, right, strict=True))
    spread = full[p][p] - Fraction(full[0][p] ** 2, n)
    if spread <= 0:
        raise ParameterError("The response has one value in all records together: there is nothing to explain.")
    free = n - p
    scale = [0, *bits[:-1]]
    digits = bits[-1]
    found = []
    for i, name in enumerate(names):
        estimate = float(solved[i] * _power(scale[i] - digits))
        error = math.sqrt(rest / free * Fraction(inverse[i][i], determinant) * _power(2 * (scale[i] - digits)))
        found.append(Coefficient(name, estimate, error, estimate / error if error else math.inf))
    return Regression(
        tuple(found), n, free, math.sqrt(rest / free * _power(-2 * digits)), float(1 - rest / spread),
        float(1 - rest / free / (spread / (n - 1))),
    )  # fmt: skip


def _power(exponent: int) -> Fraction:
    return Fraction(1 << exponent) if exponent >= 0 else Fraction(1, 1 << -exponent)


def _invert(matrix: list[list[int]], names: Sequence[str]) -> tuple[list[list[int]], int]:
    """Return the adjugate of a matrix of sums and its determinant, by elimination in whole numbers."""
    size = len(matrix)
    rows = [[*row, *(int(i == j) for j in range(size))] for i, row in enumerate(matrix)]
    before = 1
    for k in range(size):
        pivot = rows[k][k]
        if pivot <= 0 or Fraction(pivot, before * matrix[k][k]) < COLLINEAR:
            raise ParameterError(
                f"{names[k]} follows from the regressors before it in all records together, or nearly (1 - R^2 "
                "below 1e-10): no coefficients are determined. Agree on a model without it."
            )
        for i in range(size):
            if i != k:
                factor = rows[i][k]
                rows[i] = [(pivot * a - factor * b) // before for a, b in zip(rows[i], rows[k], strict=True)]
        before = pivot
    return [row[size:] for row in rows], before
