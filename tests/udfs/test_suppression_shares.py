"""Suppressions within limits, against all answers of small tables."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from sdc_sql.udfs.suppression.cells import Cells
from sdc_sql.udfs.suppression.shares import bound_cost, count_allowed_losses, count_lost_values, search_within_shares
from sdc_sql.udfs.suppression.strong import suppress_strongly


def small(rng):
    """Return a table of at most four cells, with a limit on its first key."""
    keys = int(rng.integers(2, 4))
    codes = np.unique(rng.integers(1, 4, (4, keys)), axis=0)
    counts = rng.integers(1, 3, len(codes))
    shares = np.full(keys, np.nan)
    shares[0] = rng.choice([0.1, 0.3, 0.5])
    return codes, counts, shares


def optimum(codes, counts, k, limits):
    """Return what the fewest suppressions within the limits cost, cells whole; None where there are none."""
    cells = Cells(codes, counts, [1.0] * codes.shape[1])
    good = [
        [s for s in cells.sets if cells.sums(s, np.array([c]), counts.astype(float), k)[0] >= k]
        for c in range(len(codes))
    ]
    answers = (np.array(answer) for answer in product(*good))
    lost = [count_lost_values(answer, cells) for answer in answers]
    return min((n.sum() for n in lost if (n <= limits).all()), default=None)


@pytest.mark.slow
def test_the_optimum_lies_between_the_bound_and_the_answer():
    rng, found, exact = np.random.default_rng(3), 0, 0
    for _ in range(60):
        codes, counts, shares = small(rng)

        def priced(factors, codes=codes, counts=counts):
            return Cells(codes, counts, factors.tolist())

        k = int(rng.integers(2, 4))
        limits, _ = count_allowed_losses(priced(np.ones(codes.shape[1])), shares)
        if counts.sum() < k:
            continue
        best = optimum(codes, counts, k, limits)
        assert best is None or bound_cost(priced, k, shares) <= best + 1e-9
        try:
            answer, cost = search_within_shares(suppress_strongly, priced, k, shares)
        except ValueError:
            continue
        assert (count_lost_values(answer, priced(np.ones(codes.shape[1]))) <= limits).all()
        assert cost >= best
        found, exact = found + 1, exact + (cost == best)
    assert found > 20
    assert exact >= 0.9 * found


def test_without_an_answer_it_is_said_how_near_it_came():
    codes, counts = np.array([[1, 1], [2, 2]]), np.array([1, 1])
    with pytest.raises(ValueError, match="nearest answer found suppresses 1: raise it"):
        search_within_shares(suppress_strongly, lambda f: Cells(codes, counts, f.tolist()), 2, np.array([0.0, np.nan]))


def test_the_limit_of_a_key_makes_another_one_go():
    """Of three alike, three others, and one who shares a value with each: he loses the cheaper key, if he may."""
    codes, counts = np.array([[1, 1], [1, 2], [2, 2]]), np.array([3, 1, 3])

    def priced(factors):
        return Cells(codes, counts, (np.array([1.0, 1.5]) * factors).tolist())

    for share, lost, cost in ((np.nan, 1, 1), (1 / 7, 1, 1), (0.14, 2, 1.5), (0.0, 2, 1.5)):
        shares = np.array([share, np.nan])
        answer, found = search_within_shares(suppress_strongly, priced, 2, shares)
        assert (answer.tolist(), found) == ([0, lost, 0], cost), share
        assert 1 <= bound_cost(priced, 2, shares) <= cost + 1e-9
    assert bound_cost(priced, 2, np.array([0.0, np.nan])) > 1.4
    limits, values = count_allowed_losses(priced(np.ones(2)), np.array([0.5, np.nan]))
    assert (limits.tolist(), values.tolist()) == ([3, np.inf], [7, 7])
    with pytest.raises(ValueError, match=r"of the key f at most 0 .* the nearest answer found suppresses 0.1429:"):
        search_within_shares(suppress_strongly, priced, 2, np.array([0.0, 0.0]), ["f", "g"])


def test_one_of_two_loses_the_dearer_key_where_the_cheaper_may_be_lost_once():
    """2.5 by hand; by the multiplier, too: both lose the cheaper for 1 and its price 1/2, less 1/2 for the limit."""
    codes, counts = np.array([[1, 1], [1, 2], [2, 1], [2, 2]]), np.array([3, 1, 1, 3])

    def priced(factors):
        return Cells(codes, counts, (np.array([1.5, 1.0]) * factors).tolist())

    for share, cost, least in ((1 / 4, 2, 2), (1 / 8, 2.5, 2.1), (0.12, 3, 2.7)):
        shares = np.array([np.nan, share])
        answer, found = search_within_shares(suppress_strongly, priced, 2, shares)
        lost = count_lost_values(answer, priced(np.ones(2)))
        assert (found, lost.tolist()) == (cost, [2 * (cost - 2), 2 - 2 * (cost - 2)])
        assert answer[[0, 3]].tolist() == [0, 0]
        assert least <= bound_cost(priced, 2, shares) <= cost + 1e-9  # nearer than without a limit
