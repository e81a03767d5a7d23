"""The logistic regression of a binary attribute that may have been flipped.

Lambert (1993), JOS 9, 313-331, section 6. By Fisher's scoring, each step halved until the likelihood rises.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.adapters import NUMBER, declare_function
from sdc_sql.udfs.arrow_function import NUMBERS, TABLE

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats

STEPS = 200
FARTHEST = 30.0  # where a standardised predictor goes beyond it, the fit tells the values apart, and has no maximum


def fit_flipped_regression(columns: Floats, flipped: Floats, counts: Floats, q: float) -> list[Floats]:
    """Return the coefficients, the intercept first, and their standard errors.

    Parameters
    ----------
    columns
        The predictors, of shape (p, rows).
    flipped
        The released values, 0 or 1.
    counts
        How many records each row stands for.
    q
        The probability that a released value is the true one, in (0.5, 1].
    """
    order = np.lexsort((counts, flipped, *columns))  # the sums are the same whatever order rows come in
    x, y, n = columns[:, order], flipped[order], counts[order]
    total = n.sum()
    mean = x @ n / total
    spread = np.sqrt(np.square(x - mean[:, None]) @ n / total)
    if not (spread > 0).all():
        raise ValueError("a predictor is constant: leave it out")
    design = np.vstack([np.ones(len(n)), (x - mean[:, None]) / spread[:, None]])
    if np.linalg.cond(design * n @ design.T) > 1e12:  # noqa: PLR2004 - singular but for rounding
        raise ValueError("a predictor follows from the others: leave it out")
    beta = np.zeros(len(design))
    best, score, information = _likelihood(beta, design, y, n, q)
    for _ in range(STEPS):
        step = np.linalg.lstsq(information, score, rcond=None)[0]
        for _ in range(40):
            if (found := _likelihood(beta + step, design, y, n, q))[0] >= best:
                break
            step /= 2
        else:
            break  # no step is better than none
        beta, (best, score, information) = beta + step, found
        if abs(beta).max() > FARTHEST:
            raise ValueError(
                "the likelihood has no maximum: the predictors tell the values apart, or one value is rarer than flips "
                "alone would make it; take fewer predictors, or a larger q"
            )
        if abs(step).max() < 1e-12:  # noqa: PLR2004 - of a standardised predictor
            break
    # back from standardised predictors
    back = np.eye(len(beta))
    back[0, 1:] = -mean / spread
    back[np.arange(1, len(beta)), np.arange(1, len(beta))] = 1 / spread
    return [back @ beta, np.sqrt(np.diag(back @ np.linalg.pinv(information) @ back.T))]


def _likelihood(beta: Floats, design: Floats, y: Floats, n: Floats, q: float) -> tuple[float, Floats, Floats]:
    """Return the log-likelihood, its gradient, and the expected information."""
    p = 1 / (1 + np.exp(-np.clip(beta @ design, -700, 700)))
    one = np.clip((1 - q) + (2 * q - 1) * p, 1e-300, 1 - 1e-16)  # the probability of a released 1
    slope = (2 * q - 1) * p * (1 - p)
    likelihood = float(n @ np.where(y > 0, np.log(one), np.log1p(-one)))
    weight = slope / (one * (1 - one))
    return likelihood, design @ (n * weight * (y - one)), design * (n * weight * slope) @ design.T


FUNCTIONS = (
    declare_function(
        "flipped", fit_flipped_regression, TABLE, by_stratum=False, columns=TABLE, flipped=NUMBERS, counts=NUMBERS,
        q=NUMBER,
    ),
)  # fmt: skip
