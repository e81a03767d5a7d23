"""The propensity score of records: a logistic regression that tells released records from original ones.

Woo, Reiter, Oganian & Karr (2009), Journal of Privacy and Confidentiality 1(1); Snoke et al. (2018), JRSS A 181(3),
theorem 1. Records of one kind are one row with two counts. Rows are put in order first, so that sums are the same
whatever order they come in; the terms of the model are made for some thousand rows at a time.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.adapters import NUMBER, declared
from sdc_sql.udfs.arrow_function import NUMBERS, TABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sdc_sql.udfs.arguments import Floats

ROWS = 20_000  # at a time
MOST = 1_000  # parameters
STEPS = 50


class Terms:
    """The terms of the model: an intercept, those of each variable, and the products of every two variables'."""

    def __init__(self, columns: Floats, categories: int, counts: Floats, *, pairs: bool) -> None:
        self._of = [self._indicators(c, counts) if j < categories else self._standardised(c, counts)
                    for j, c in enumerate(columns)]  # fmt: skip
        sizes = [size for size, _ in self._of]
        self._pairs = list(combinations(range(len(columns)), 2)) if pairs else []
        self.number = 1 + sum(sizes) + sum(sizes[i] * sizes[j] for i, j in self._pairs)
        if self.number > MOST:
            raise ValueError(
                f"the model of the propensity score has {self.number:,} parameters, and {MOST:,} is the most: name "
                "fewer columns or recode them, say which are continuous, or set pairs to false"
            )

    @staticmethod
    def _indicators(codes: Floats, counts: Floats) -> tuple[int, Callable[[slice], Floats]]:
        numbers = np.unique(codes)
        totals = np.array([counts[codes == number].sum() for number in numbers])
        kept = np.delete(numbers, np.argmax(totals))
        return len(kept), lambda rows: (codes[rows, None] == kept).astype(np.float64)

    @staticmethod
    def _standardised(values: Floats, counts: Floats) -> tuple[int, Callable[[slice], Floats]]:
        missing = np.isnan(values)
        weights = np.where(missing, 0.0, counts)
        known = np.where(missing, 0.0, values)
        mean = weights @ known / max(weights.sum(), 1.0)
        spread = np.sqrt(weights @ (known - mean) ** 2 / max(weights.sum(), 1.0)) or 1.0
        z = np.where(missing, 0.0, (known - mean) / spread)
        if not missing.any():
            return 1, lambda rows: z[rows, None]
        return 2, lambda rows: np.column_stack([z[rows], missing[rows]])

    def of(self, rows: slice, number: int) -> Floats:
        """Return the terms of some rows, of which there are so many."""
        mains = [make(rows) for _, make in self._of]
        products = [(mains[i][:, :, None] * mains[j][:, None, :]).reshape(number, -1) for i, j in self._pairs]
        return np.hstack([np.ones((number, 1)), *mains, *products])


def _pieces(number: int) -> Iterator[tuple[slice, int]]:
    for first in range(0, number, ROWS):
        last = min(first + ROWS, number)
        yield slice(first, last), last - first


class Fit:
    """The probabilities for some coefficients, the deviance (half of it), and its slopes; on demand the information."""

    def __init__(self, terms: Terms, beta: Floats, before: Floats, after: Floats, *, informed: bool) -> None:
        self.beta, self.p = beta, np.empty(len(before))
        self.deviance, self.score = 0.0, np.zeros(terms.number)
        self.information = np.zeros((terms.number, terms.number)) if informed else None
        for rows, n in _pieces(len(before)):
            x, counts = terms.of(rows, n), (before + after)[rows]
            p = 1 / (1 + np.exp(-np.clip(x @ beta, -35, 35)))
            self.p[rows] = p
            self.deviance -= float(after[rows] @ np.log(p) + before[rows] @ np.log1p(-p))
            self.score += x.T @ (after[rows] - counts * p)
            if self.information is not None:
                self.information += (x * (counts * p * (1 - p))[:, None]).T @ x


def fitted(terms: Terms, before: Floats, after: Floats) -> tuple[Floats, int]:
    """Return the probability of being a released record, and the number of parameters that are determined.

    Newton's steps, halved where they do not better the fit. The information, which takes longest, is kept while the
    steps made with it gain less than a tenth of the one before: of files that are hard to tell apart it hardly changes.
    Where they can be told apart the estimates go to infinity, the probabilities to 0 and 1, and the steps end when the
    fit no longer improves.
    """
    records = float((before + after).sum())
    share = after.sum() / records
    beta = np.zeros(terms.number)
    beta[0] = np.log(share / (1 - share))
    fit = Fit(terms, beta, before, after, informed=True)
    rank, last, inverse = 0, np.inf, np.empty((0, 0))
    for _ in range(STEPS):
        if fit.information is not None:
            values, vectors = np.linalg.eigh(fit.information)
            kept = values > 1e-10 * values[-1]
            rank = rank or int(kept.sum())
            inverse = (vectors[:, kept] / values[kept]) @ vectors[:, kept].T
        change = inverse @ fit.score
        decrement = float(fit.score @ change)  # twice what the step is to gain
        for _ in range(10):
            better = Fit(terms, fit.beta + change, before, after, informed=False)
            if better.deviance <= fit.deviance * (1 + 1e-12):
                break
            change = change / 2
        else:
            break
        gained = fit.deviance - better.deviance
        fit = better
        if decrement <= 1e-18 * records:
            break
        if gained > 0.1 * last:
            fit = Fit(terms, fit.beta, before, after, informed=True)
        last = gained
    return fit.p, rank


def propensity(columns: Floats, categories: float, before: Floats, after: Floats, pairs: float) -> Floats:
    """Return the number of records, of parameters, pMSE, its expectation, and the share of released records.

    Parameters
    ----------
    columns
        Of each variable the numbers of its categories, or its numbers (NaN: missing), shape (p, rows).
    categories
        How many variables have categories, the first ones.
    before, after
        How many records of either file each row stands for.
    pairs
        1 for the products of every two variables.
    """
    order = np.lexsort(columns[::-1])
    columns, before, after = columns[:, order], before[order], after[order]
    counts = before + after
    terms = Terms(columns, int(categories), counts, pairs=pairs > 0)
    p, rank = fitted(terms, before, after)
    records = counts.sum()
    share = after.sum() / records
    expected = (rank - 1) * (1 - share) ** 2 * share / records
    return np.array([records, rank, counts @ (p - share) ** 2 / records, expected, share])


FUNCTIONS = (
    declared(
        "propensity", propensity, NUMBERS, by_stratum=False, columns=TABLE, categories=NUMBER, before=NUMBERS,
        after=NUMBERS, pairs=NUMBER,
    ),
)  # fmt: skip
