"""The best log-linear model of a contingency table with two-way interactions, and how well it describes another.

Karr & Sanil, (3). The whole table is fitted by iterative proportional fitting, so that it is to have some million cells
at most. Of up to four variables all models are tried; of more, the search adds the interaction that betters the
criterion most until none does, then drops in the same way, in turn until neither betters it. A model that is tried
begins with the factors of the one it is made of: they are a product of the same form, so that the fit is the same.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.adapters import TEXT, declare_function
from sdc_sql.udfs.arrow_function import NUMBERS, TABLE

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats

CELLS = 2_000_000
ROUNDS = 200
ALL = 6  # interactions: of four variables every model is tried
NEARLY, EXACTLY = 1e-6, 1e-9  # how near the margins of a fit are: of a model that is tried, of one that is taken
Pairs = list[tuple[int, int]]
Factors = dict[tuple[int, ...], "Floats"]


def margin(table: Floats, kept: tuple[int, ...]) -> Floats:
    """Return the sums over all but one or two axes, which keep their places.

    As products with ones: numpy's own sum over several axes takes ten times as long where the last ones are short.
    """
    first, last = kept[0], kept[-1]
    after = math.prod(table.shape[last + 1 :])
    before = math.prod(table.shape[:first])
    sums = np.ones(before) @ (table.reshape(-1, after) @ np.ones(after)).reshape(before, -1)
    if last > first:
        sums = sums.reshape(table.shape[first], -1, table.shape[last]).sum(axis=1)
    return sums.reshape([k if j in kept else 1 for j, k in enumerate(table.shape)])


def fit_pairs(table: Floats, pairs: Pairs) -> Floats:
    """Return the expected counts of the model with these interactions and all main effects."""
    return _fit_model(table, pairs, {}, EXACTLY)[0]


def _fit_model(table: Floats, pairs: Pairs, known: Factors, near: float) -> tuple[Floats, Factors]:
    """Return the expected counts of a model, and the factor of each margin, whose product they are.

    Parameters
    ----------
    known
        Factors of a model with other interactions: the fit begins with those of this model's margins.
    near
        How near its margins are to those of the table, as a share of its records.
    """
    every, records = range(table.ndim), table.sum()
    alone = [(i,) for i in every if not any(i in pair for pair in pairs)]
    margins = [*alone, *pairs]
    wanted = [margin(table, kept) for kept in margins]
    factors = {kept: known.get(kept, np.ones_like(total)) for kept, total in zip(margins, wanted, strict=True)}
    fit = np.full(table.shape, records / table.size)
    for factor in factors.values():
        fit *= factor
    for _ in range(ROUNDS):
        far = 0.0
        for kept, total in zip(margins, wanted, strict=True):
            has = margin(fit, kept)
            far = max(far, float(np.max(np.abs(has - total))))
            change = np.divide(total, has, out=np.zeros_like(total), where=has > 0)
            factors[kept] = factors[kept] * change
            fit *= change
        if far <= near * records:
            break
    return fit, factors


def log_likelihood(table: Floats, probabilities: Floats) -> float:
    """Return the sum of n ln p over the cells that hold records."""
    held = table > 0
    return float(table[held] @ np.log(probabilities[held]))


def choose_best_model(table: Floats, criterion: str | None) -> tuple[Pairs, Floats, int, float]:
    """Return the interactions of the best model, its expected counts, its parameters, and the criterion."""
    records, sizes = table.sum(), table.shape
    price = {"bic": np.log(records), "aic": 2.0}.get(str(criterion))
    if price is None:
        raise ValueError(f"criterion is {criterion!r}: it must be 'bic' or 'aic'")

    def try_pairs(pairs: Pairs, known: Factors, near: float = NEARLY) -> tuple[float, Pairs, Floats, int, Factors]:
        fit, factors = _fit_model(table, pairs, known, near)
        number = sum(k - 1 for k in sizes) + sum((sizes[i] - 1) * (sizes[j] - 1) for i, j in pairs)
        return -2 * log_likelihood(table, fit / records) + price * number, pairs, fit, number, factors

    every = list(combinations(range(table.ndim), 2))
    if len(every) <= ALL:
        subsets = (list(pairs) for number in range(len(every) + 1) for pairs in combinations(every, number))
        value, pairs, fit, number, _ = min((try_pairs(pairs, {}, EXACTLY) for pairs in subsets), key=lambda t: t[0])
        return pairs, fit, number, value
    found, adding, settled = try_pairs([], {}), True, False
    while True:
        changed = [pair for pair in every if (pair in found[1]) != adding]
        others = ([p for p in every if (p in found[1]) != (p == pair)] for pair in changed)
        candidate = min((try_pairs(pairs, found[4]) for pairs in others), key=lambda t: t[0], default=found)
        if candidate[0] < found[0] - 1e-9 * abs(found[0]):
            found, settled = try_pairs(candidate[1], candidate[4], EXACTLY), False
        elif settled:  # neither adding nor dropping betters it
            break
        else:
            adding, settled = not adding, True
    value, pairs, fit, number, _ = found
    return pairs, fit, number, value


def model_utility(codes: Floats, before: Floats, after: Floats, criterion: str | None) -> list[Floats]:
    """Return parameters, criterion, both log-likelihoods and the records outside; then the pairs' first and second.

    Parameters
    ----------
    codes
        Of each variable the numbers of its categories, from 1, in the cells that hold records; shape (p, cells).
    before, after
        The records of either file in these cells.
    criterion
        'bic' or 'aic'.
    """
    if len(codes) < 2:  # noqa: PLR2004 - an interaction has two
        raise ValueError("there is one variable: name at least two, for there to be an interaction")
    places = tuple(code.astype(np.int64) - 1 for code in codes)
    shape = tuple(int(place.max()) + 1 for place in places)
    if np.prod([float(k) for k in shape]) > CELLS:
        raise ValueError(f"the table of these variables has more than {CELLS:,} cells: name fewer, or recode them")
    old, new = np.zeros(shape), np.zeros(shape)
    old[places], new[places] = before, after
    # categories that the original lacks are none of its model's
    known = np.ix_(
        *(np.flatnonzero(old.sum(axis=tuple(j for j in range(old.ndim) if j != i))) for i in range(old.ndim))
    )
    pairs, fit, number, value = choose_best_model(old[known], criterion)
    probabilities = np.zeros(shape)
    probabilities[known] = fit / old.sum()
    outside = probabilities < 1e-12 / old.sum()
    probabilities[outside] = 0.5 / old.sum()
    figures = [
        number,
        value,
        log_likelihood(old, probabilities),
        log_likelihood(new, probabilities),
        new[outside].sum(),
    ]
    return [np.array(figures), np.array([i + 1.0 for i, _ in pairs]), np.array([j + 1.0 for _, j in pairs])]


FUNCTIONS = (
    declare_function(
        "model_utility", model_utility, TABLE, by_stratum=False, codes=TABLE, before=NUMBERS, after=NUMBERS,
        criterion=TEXT,
    ),
)  # fmt: skip
