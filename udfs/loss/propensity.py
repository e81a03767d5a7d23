"""The propensity score of records: a logistic regression that tells released records from original ones.

Woo, Reiter, Oganian & Karr (2009), Journal of Privacy and Confidentiality 1(1); Snoke et al. (2018), JRSS A 181(3),
theorem 1. Records that are alike are one row with two counts. Rows are put in order first, so that sums are the same
whatever order they come in; what the model sums is summed for some thousand rows at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.adapters import NUMBER, declare_function
from sdc_sql.udfs.arrow_function import NUMBERS, TABLE
from sdc_sql.udfs.loss.propensity_design import Design
from sdc_sql.udfs.loss.propensity_rows import Rows

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats

STEPS = 50
SETTLED = 1e-9  # of pMSE, what the steps to come would move
_RIDGE = 1e-12  # of the information of each parameter; rounding is some hundredth of it


class Fit:
    """The probabilities for some coefficients, the deviance (half of it), its slopes, and pMSE."""

    def __init__(self, design: Design, rows: Rows, beta: Floats) -> None:
        self.beta, self.p = beta, np.empty(len(rows.before))
        self.deviance, self.pmse = 0.0, 0.0
        of_kinds, sums = design.coefficients_of_kinds(beta), design.zeros()
        for piece in rows.pieces:
            before, after = rows.before[piece.rows], rows.after[piece.rows]
            counts = before + after
            predicted = np.clip(design.predict(piece, of_kinds), -35, 35)
            odds = np.exp(-predicted)  # of an original record
            p = 1 / (1 + odds)
            self.p[piece.rows] = p
            self.deviance += float((counts * np.log1p(odds) + before * predicted).sum())
            self.pmse += float((counts * (p - rows.share) ** 2).sum()) / rows.records
            design.add_slopes(sums, piece, after - counts * p)
        self.score = design.score(sums)


def fit_propensity(rows: Rows, *, pairs: bool) -> tuple[float, int]:
    """Return pMSE, and the number of parameters that are determined.

    Newton's steps, halved where they do not better the fit. The information, which takes longest, is kept while the
    steps made with it gain less than a tenth of the one before: of files that are hard to tell apart it hardly changes.
    Where some records can be told apart the estimates go to infinity, their probabilities to 0 and 1, each step by the
    same factor. The steps end when the fit gains little and pMSE would move by less than its billionth in all the steps
    to come, if each moved it as much less than the one before as the last did.
    """
    design = Design(rows, pairs=pairs)
    beta = np.zeros(design.number)
    beta[0] = np.log(rows.share / (1 - rows.share))
    fit = Fit(design, rows, beta)
    information = design.information(rows.counts * fit.p * (1 - fit.p))
    values = np.linalg.eigvalsh(information)
    gained_before, moved_before = np.inf, np.inf
    for _ in range(STEPS):
        change = _solve(information, fit.score)
        for _ in range(10):
            better = Fit(design, rows, fit.beta + change)
            if better.deviance <= fit.deviance * (1 + 1e-12):
                break
            change = change / 2
        else:
            break
        gained, moved = fit.deviance - better.deviance, abs(better.pmse - fit.pmse)
        fit, little = better, SETTLED * better.pmse + 1e-17
        if gained <= 1e-10 * rows.records and moved <= little and moved**2 <= little * (moved_before - moved):
            break
        if gained > 0.1 * gained_before:
            information = design.information(rows.counts * fit.p * (1 - fit.p))
        gained_before, moved_before = gained, moved
    return fit.pmse, int((values > 1e-10 * values[-1]).sum())


def _solve(information: Floats, score: Floats) -> Floats:
    """Return a step of Newton's: parameters that are not determined stay, since their slopes are 0.

    What is added to the information for their sake is little beside that of each parameter, so that it holds up no
    estimate that goes to infinity, whose information becomes small.
    """
    scale = np.sqrt(np.diag(information))
    scale[scale == 0] = 1.0
    scaled = information / scale / scale[:, None]
    scaled[np.diag_indices_from(scaled)] += _RIDGE
    step: Floats = np.linalg.solve(scaled, score / scale) / scale
    return step


def propensity(cells: Floats, numbers: Floats, before: Floats, after: Floats, pairs: float) -> Floats:
    """Return the number of records, of parameters, pMSE, its expectation, and the share of released records.

    Parameters
    ----------
    cells
        The combinations of categories: their numbers, 1, 2, ..., and of each variable those of the categories,
        shape (1 + variables, cells).
    numbers
        Of each row its cell, and of each variable the number (NaN: missing), shape (1 + variables, rows).
    before, after
        How many records of either file each row stands for.
    pairs
        1 for the products of every two variables.
    """
    rows = Rows(cells, numbers, before, after)
    pmse, rank = fit_propensity(rows, pairs=pairs > 0)
    expected = (rank - 1) * (1 - rows.share) ** 2 * rows.share / rows.records
    return np.array([rows.records, rank, pmse, expected, rows.share])


FUNCTIONS = (
    declare_function(
        "propensity", propensity, NUMBERS, by_stratum=False, cells=TABLE, numbers=TABLE, before=NUMBERS, after=NUMBERS,
        pairs=NUMBER,
    ),
)  # fmt: skip
