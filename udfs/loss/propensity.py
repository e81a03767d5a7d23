"""The propensity score of records: a logistic regression that tells released records from original ones.

Woo, Reiter, Oganian & Karr (2009), Journal of Privacy and Confidentiality 1(1); Snoke et al. (2018), JRSS A 181(3),
theorem 1. Records of one kind are one row with two counts. Rows are put in order first, so that sums are the same
whatever order they come in; what the model sums is summed for some thousand rows at a time.
"""

from __future__ import annotations

from functools import reduce
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from sdc_sql.udfs.adapters import NUMBER, declare_function
from sdc_sql.udfs.arrow_function import NUMBERS, TABLE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sdc_sql.udfs.arguments import Floats, Integers, Truths

ROWS = 20_000  # so many are computed at a time
MOST = 1_000  # parameters
_MANY = 1 << 62
STEPS = 50


class Piece(NamedTuple):
    """Some rows: those alike in all slots are of one kind, and differ in numbers alone."""

    rows: slice
    of: Integers  # the kind of each row
    slots: list[Integers]  # of each term the slot of each kind


class Design:
    """The terms of the model: an intercept, those of each variable, and the products of every two variables'.

    Of each variable a record has one slot with a value: of a category its indicator and 1; of a number the number,
    standardised, or the indicator that it is missing. So a term has one slot and value too, and the design, mostly 0,
    is never made as a whole: its sums are counts of slots. The most frequent category has a slot without a parameter.
    The value of a term is a product of numbers, which several terms share (sex x income and age x income the same):
    rows are summed by kinds, once for each such product, and the kinds by the slots of each term.
    """

    def __init__(self, columns: Floats, categories: int, counts: Floats, *, pairs: bool) -> None:
        made = [_fill_category(c, counts) if j < categories else _fill_number(c, counts) for j, c in enumerate(columns)]
        self._slots, self._values, kept = zip(*made, strict=True)
        self._sizes = [len(k) for k in kept]
        self._terms: list[tuple[int, ...]] = [(), *((i,) for i in range(len(columns)))]
        self._terms += combinations(range(len(columns)), 2) if pairs else []
        masks = [
            reduce(np.logical_and.outer, [kept[i] for i in term], np.array([True])).ravel() for term in self._terms
        ]
        self.number = sum(int(mask.sum()) for mask in masks)
        if self.number > MOST:
            raise ValueError(
                f"the model of the propensity score has {self.number:,} parameters, and {MOST:,} is the most: name "
                "fewer columns or recode them, say which are continuous, or set pairs to false"
            )
        # the place of the parameter of each slot of each term; slots without one share the last
        places = np.cumsum(np.concatenate(masks)) - 1
        places[~np.concatenate(masks)] = self.number
        self._places = np.split(places, np.cumsum([len(mask) for mask in masks])[:-1])
        # of each term the product of numbers that is its value, and the products that there are
        numbers = [tuple(i for i in term if self._values[i] is not None) for term in self._terms]
        self._products = list(dict.fromkeys(numbers))
        self._product_of = [self._products.index(of) for of in numbers]
        # a product of matrices costs the square of the parameters, counting slots that of the terms
        self._counted = self.number > 6 * len(self._terms)
        self.pieces = [self._cut(rows) for rows in _pieces(len(counts))]

    def _cut(self, rows: slice) -> Piece:
        """Return what the sums need of some rows."""
        kind, kinds = np.zeros(rows.stop - rows.start, dtype=np.int64), 1
        for slots, size in zip(self._slots, self._sizes, strict=True):
            if kinds * size > _MANY:
                kind = np.unique(kind, return_inverse=True)[1]
                kinds = int(kind.max()) + 1
            kind, kinds = kind * size + slots[rows], kinds * size
        _, first, of = np.unique(kind, return_index=True, return_inverse=True)
        found = []
        for term in self._terms:
            slot = np.zeros(len(first), dtype=np.int64)
            for i in term:
                slot = slot * self._sizes[i] + self._slots[i][rows][first]
            found.append(slot)
        return Piece(rows, of.astype(np.int32), found)

    def _multiply(self, piece: Piece) -> list[Floats | None]:
        """Return each product of numbers of some rows; None where all are 1."""
        found: list[Floats | None] = []
        for product in self._products:
            value = None
            for i in product:
                value = _times(value, self._values[i], piece.rows)
            found.append(value)
        return found

    def predictor(self, piece: Piece, beta: Floats) -> Floats:
        """Return the sum of the terms times their coefficients."""
        padded = np.append(beta, 0.0)
        of_kinds = np.zeros((len(self._products), len(piece.slots[0])))
        for places, slot, product in zip(self._places, piece.slots, self._product_of, strict=True):
            of_kinds[product] += padded[places][slot]
        total = np.zeros(len(piece.of))
        for part, value in zip(of_kinds, self._multiply(piece), strict=True):
            total += part[piece.of] if value is None else part[piece.of] * value
        return total

    def score(self, piece: Piece, weights: Floats) -> Floats:
        """Return the sums of the terms, weighted."""
        sums = [_sum_kinds(piece, weights, value) for value in self._multiply(piece)]
        total = np.zeros(self.number + 1)
        for places, slot, product in zip(self._places, piece.slots, self._product_of, strict=True):
            # the last place, which several have, is not used
            total[places] = np.bincount(slot, sums[product], minlength=len(places))
        return total[:-1]

    def information(self, piece: Piece, weights: Floats) -> Floats:
        """Return the sums of the products of two terms, weighted."""
        values = self._multiply(piece)
        if not self._counted:
            x = np.zeros((len(weights), self.number + 1))
            rows = np.arange(len(weights))
            for places, slot, product in zip(self._places, piece.slots, self._product_of, strict=True):
                value = values[product]
                x[rows, places[slot][piece.of]] = 1.0 if value is None else value
            x = x[:, :-1]
            return (x * weights[:, None]).T @ x
        sums: dict[tuple[int, int], Floats] = {}
        for i, value in enumerate(values):
            own = weights if value is None else weights * value
            for j, other in enumerate(values[i:], i):
                sums[i, j] = sums[j, i] = _sum_kinds(piece, own, other)
        total = np.zeros((self.number + 1, self.number + 1))
        for i, slot in enumerate(piece.slots):
            places = self._places[i]
            for others, other_slot, product in zip(
                self._places[i:], piece.slots[i:], self._product_of[i:], strict=True
            ):
                both = sums[self._product_of[i], product]
                if others is places:  # a record has one slot of a term
                    total[places, places] = np.bincount(slot, both, minlength=len(places))
                    continue
                cells = np.bincount(slot * len(others) + other_slot, both, minlength=len(places) * len(others))
                total[places[:, None], others] = cells.reshape(len(places), len(others))
        total = total[:-1, :-1]
        return total + np.triu(total, 1).T


def _sum_kinds(piece: Piece, weights: Floats, value: Floats | None) -> Floats:
    """Return the sums of the rows of each kind."""
    sums = np.bincount(piece.of, weights if value is None else weights * value, minlength=len(piece.slots[0]))
    return np.asarray(sums, dtype=np.float64)


def _fill_category(codes: Floats, counts: Floats) -> tuple[Integers, Floats | None, Truths]:
    """Return the slots of a variable with categories, the values (None: all 1), and which slots have a parameter."""
    _, slots = np.unique(codes, return_inverse=True)
    totals = np.bincount(slots, counts)
    return slots.astype(np.int64), None, np.arange(len(totals)) != np.argmax(totals)


def _fill_number(values: Floats, counts: Floats) -> tuple[Integers, Floats | None, Truths]:
    missing = np.isnan(values)
    weights = np.where(missing, 0.0, counts)
    known = np.where(missing, 0.0, values)
    mean = weights @ known / max(weights.sum(), 1.0)
    spread = np.sqrt(weights @ (known - mean) ** 2 / max(weights.sum(), 1.0)) or 1.0
    slots = missing.astype(np.int64)
    return slots, np.where(missing, 1.0, (known - mean) / spread), np.ones(1 + int(missing.any()), dtype=bool)


def _times(value: Floats | None, other: Floats | None, rows: slice) -> Floats | None:
    if other is None:
        return value
    return other[rows] if value is None else value * other[rows]


def _pieces(number: int) -> Iterator[slice]:
    return (slice(first, min(first + ROWS, number)) for first in range(0, number, ROWS))


class Fit:
    """The probabilities for some coefficients, the deviance (half of it), and its slopes; on demand the information."""

    def __init__(self, design: Design, beta: Floats, before: Floats, after: Floats, *, informed: bool) -> None:
        self.beta, self.p = beta, np.empty(len(before))
        self.deviance, self.score = 0.0, np.zeros(design.number)
        self.information = np.zeros((design.number, design.number)) if informed else None
        for piece in design.pieces:
            rows = piece.rows
            counts = before[rows] + after[rows]
            p = 1 / (1 + np.exp(-np.clip(design.predictor(piece, beta), -35, 35)))
            self.p[rows] = p
            self.deviance -= float(after[rows] @ np.log(p) + before[rows] @ np.log1p(-p))
            self.score += design.score(piece, after[rows] - counts * p)
            if self.information is not None:
                self.information += design.information(piece, counts * p * (1 - p))


def fit_propensity(design: Design, before: Floats, after: Floats) -> tuple[Floats, int]:
    """Return the probability of being a released record, and the number of parameters that are determined.

    Newton's steps, halved where they do not better the fit. The information, which takes longest, is kept while the
    steps made with it gain less than a tenth of the one before: of files that are hard to tell apart it hardly changes.
    Where they can be told apart the estimates go to infinity, the probabilities to 0 and 1, and the steps end when one
    by the information of its place betters the fit by less than its hundred-billionth.
    """
    records = float((before + after).sum())
    share = after.sum() / records
    beta = np.zeros(design.number)
    beta[0] = np.log(share / (1 - share))
    fit = Fit(design, beta, before, after, informed=True)
    assert fit.information is not None  # noqa: S101 - for the type checker
    values = np.linalg.eigvalsh(fit.information)
    least = 1e-10 * values[-1]  # the least eigenvalue of what is determined
    information, last, kept = fit.information, np.inf, False
    for _ in range(STEPS):
        # parameters that are not determined stay: their slopes are 0
        change = np.linalg.solve(information + least * np.eye(len(beta)), fit.score)
        decrement = float(fit.score @ change)  # twice what the step is to gain
        for _ in range(10):
            better = Fit(design, fit.beta + change, before, after, informed=False)
            if better.deviance <= fit.deviance * (1 + 1e-12):
                break
            change = change / 2
        else:
            break
        gained = fit.deviance - better.deviance
        fit = better
        little = gained <= 1e-11 * fit.deviance
        if decrement <= 1e-18 * records or (little and not kept):
            break
        kept = gained <= 0.1 * last and not little
        if not kept:
            informed = Fit(design, fit.beta, before, after, informed=True).information
            information = information if informed is None else informed
        last = gained
    return fit.p, int((values > least).sum())


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
    design = Design(columns, int(categories), counts, pairs=pairs > 0)
    p, rank = fit_propensity(design, before, after)
    records = counts.sum()
    share = after.sum() / records
    expected = (rank - 1) * (1 - share) ** 2 * share / records
    return np.array([records, rank, counts @ (p - share) ** 2 / records, expected, share])


FUNCTIONS = (
    declare_function(
        "propensity", propensity, NUMBERS, by_stratum=False, columns=TABLE, categories=NUMBER, before=NUMBERS,
        after=NUMBERS, pairs=NUMBER,
    ),
)  # fmt: skip
