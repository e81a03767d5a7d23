"""Probabilistic record linkage: what agrees in the pairs of two files, the weights, and each record's best candidates.

Fellegi & Sunter (1969), A theory for record linkage, JASA 64(328), 1183-1210; Jaro (1989), JASA 84(406), 414-420.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.adapters import NUMBER, declare_function
from sdc_sql.udfs.arrow_function import NUMBERS, TABLE
from sdc_sql.udfs.linkage.agreement import agreements, intervals, list_kinds, number_kinds
from sdc_sql.udfs.linkage.latent import estimate_latent, shares
from sdc_sql.udfs.linkage.latent import weights as pattern_weights

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers, Truths

APART = "no record of the released table is in the block of its original: recode the blocks alike, or leave them out"


def _best(found: Integers, weight: Floats) -> tuple[Integers, Integers, Integers]:
    """Return of each pattern its place by weight, and of each record a candidate's best, and how many have it.

    Patterns of one weight have one place. Without a candidate the place is -1.
    """
    places = np.unique(-weight.round(9), return_inverse=True)[1]
    best, candidates = np.full(found.shape[1], -1), np.zeros(found.shape[1], dtype=np.int64)
    for place in range(places.max(), -1, -1):  # the patterns go from the worst to the best
        of = found[places == place].sum(axis=0)
        best[of > 0], candidates[of > 0] = place, of[of > 0]
    return places, best, candidates


def probabilistic_linkage(
    columns: Floats,
    categories: float,
    tolerances: Floats,
    blocks: Floats,
    first: Floats,
    persons: Floats,
    times: Floats,
) -> list[Floats]:
    """Return the estimates, the patterns of agreement, and what each released record is linked with.

    Parameters
    ----------
    columns
        Of each variable the numbers of its categories, or its numbers, in this order; NaN: missing, agrees with
        none (a category of its own where no released record lacks what its original has). Shape (variables, rows),
        the rows of both files.
    categories
        How many variables have categories, the first ones.
    tolerances
        Of each variable after these the largest difference that agrees.
    blocks
        The number of each row's block; NaN: in none.
    first
        1 for the rows of the original, 0 for those of the released table.
    persons
        The number of each row's person, unique within a file, but for rows that no released one belongs to.
    times
        How many records each row of the original stands for.

    Returns
    -------
    list of arrays
        p and the steps; m; u; m and u of the true pairs and all others; of each pattern, by its number, the pairs, the
        true pairs and the weight; of each row (NaN of the original) the best weight, the candidates that have it, 1
        where the true one is among these, and the probability of a correct link with the m and u of the true pairs.
    """
    if not (np.isfinite(tolerances).all() and (tolerances >= 0).all()):
        raise ValueError(
            "tolerance must be the largest difference of two numbers that agree, at least 0: give one number, or one "
            "for each of the continuous columns"
        )
    split = int(categories)
    every = np.vstack([columns, blocks])
    missing = np.isnan(every)
    codes = np.where(missing, -1, every).astype(np.int64) + 1  # categories and blocks have numbers; 0: missing
    for j in range(split, len(columns)):
        codes[j] = np.unique(columns[j], return_inverse=True)[1]
    old, new = np.flatnonzero(first == 1), np.flatnonzero(first == 0)
    partner, paired = _partners(persons, old, new)
    suppressed = np.asarray((missing[:, new] & ~missing[:, partner] & paired).any(axis=1))
    suppressed[split:] = True  # a number that is missing is within no tolerance, and a block that is missing is none
    codes[missing & suppressed[:, None]] = -1
    offered, _, weights = list_kinds(number_kinds(codes[:, old] + 1), times[old])
    asked, kind, counts = list_kinds(number_kinds(codes[:, new] + 1))
    sides = new[asked], old[offered]
    equal = [(c[sides[0]], c[sides[1]]) for c in codes]
    near = [intervals(c[sides[0]], c[sides[1]], t) for c, t in zip(columns[split:], tolerances, strict=True)]
    found = agreements(equal[:split], near, equal[-1], weights)
    pairs = np.array([int(of.astype(np.int64) @ counts) for of in found], dtype=np.float64)
    own = _find_own_patterns(columns, codes, tolerances, partner, paired, new)
    known = own >= 0
    if not known.any():
        raise ValueError(APART)
    true = np.bincount(own[known], minlength=len(pairs)).astype(np.float64)
    model, informed = estimate_latent(pairs, min(len(new) / pairs.sum(), 0.5)), shares(pairs, true)
    chances, figures = [], []
    for of in (model, informed):
        weight = pattern_weights(of.m, of.u)
        places, best, candidates = _best(found, weight)
        correct = known & (places[own] == best[kind])
        by_place = np.full(places.max() + 2, np.nan)
        by_place[places] = weight  # -1, no candidate, is the last: NaN
        chances.append(correct / np.maximum(candidates[kind], 1))
        figures.append((weight, by_place[best[kind]], candidates[kind], correct))
    weight, *of_records = figures[0]
    return [
        np.array([model.p, model.steps]), model.m, model.u, informed.m, informed.u, pairs, true, weight,
        *(_place_values(values, new, len(first)) for values in (*of_records, chances[1])),
    ]  # fmt: skip


def _place_values(values: Floats | Integers | Truths, of: Integers, number: int) -> Floats:
    found = np.full(number, np.nan)
    found[of] = values
    return found


def _partners(persons: Floats, old: Integers, new: Integers) -> tuple[Integers, Truths]:
    """Return of each released row that of the original of the same person, and whether there is one."""
    numbers = persons.astype(np.int64)
    row = np.full(int(numbers.max(initial=0)) + 1, -1)
    row[numbers[old]] = old
    partner = row[numbers[new]]
    return partner, np.asarray(partner >= 0)


def _find_own_patterns(
    columns: Floats, codes: Integers, tolerances: Floats, partner: Integers, paired: Truths, new: Integers
) -> Integers:
    """Return of each released record the pattern in which it agrees with its own original; -1: not in its block."""
    agree = (codes[:, new] == codes[:, partner]) & (codes[:, new] >= 0)
    for j, tolerance in enumerate(tolerances, len(columns) - len(tolerances)):
        x, y = columns[j, new], columns[j, partner]
        agree[j] = np.abs(x - y) <= tolerance + 1e-12 * (np.abs(x) + tolerance)
    numbers = (1 << np.arange(len(columns))) @ agree[:-1]
    return np.where(agree[-1] & paired, numbers, -1)


FUNCTIONS = (
    declare_function(
        "probabilistic_linkage", probabilistic_linkage, TABLE, by_stratum=False, columns=TABLE, categories=NUMBER,
        tolerances=NUMBERS, blocks=NUMBERS, first=NUMBERS, persons=NUMBERS, times=NUMBERS,
    ),
)  # fmt: skip
