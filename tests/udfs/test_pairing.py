"""Pairs of near ranks: who can be paired, with which chances, and how far apart."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sdc_sql.udfs.swapping import pairing
from sdc_sql.udfs.swapping.pairing import pair_places


def outcomes(free, paired, reach, chance):
    """Return the chance of every pairing, from the definition: the first free place takes any in reach."""
    if not free:
        return Counter({tuple(sorted(paired)): chance})
    first, *rest = free
    near = [place for place in rest if place - first <= reach]
    if not near:
        return outcomes(rest, [*paired, (first, first)], reach, chance)
    found = Counter()
    for place in near:
        left = [other for other in rest if other != place]
        found.update(outcomes(left, [*paired, (first, place)], reach, chance / len(near)))
    return found


@pytest.mark.one_in(3)
@pytest.mark.whole
@pytest.mark.parametrize(("n", "reach", "grid"), [(4, 2, 2), (5, 2, 2), (6, 2, 2), (5, 3, 6), (6, 3, 6), (4, 4, 6)])
def test_every_pairing_has_its_chance(n, reach, grid):
    # draws in the middle of `grid` equal parts choose evenly among any divisor of `grid` places
    middles = (np.arange(grid) + 0.5) / grid
    expected = outcomes(list(range(n)), [], reach, Fraction(1))
    found = Counter()
    for draws in product(middles, repeat=n):
        pairs = pair_places(np.array(draws), reach).tolist()
        found[tuple(sorted((i, j) for i, j in enumerate(pairs) if i <= j))] += Fraction(1, grid**n)
    assert found == expected


@pytest.mark.slow
@given(draws=st.lists(st.floats(0, 1, exclude_max=True), max_size=80), reach=st.integers(1, 90))
@settings(deadline=None, max_examples=300)
def test_all_are_paired_within_reach_but_one_of_an_odd_number(draws, reach):
    n = len(draws)
    found = pair_places(np.array(draws), reach)
    places = np.arange(n)
    np.testing.assert_array_equal(found[found], places)  # no place in two pairs
    assert (np.abs(found - places) <= reach).all()
    alone = np.flatnonzero(found == places)
    assert alone.size == n % 2
    assert (alone >= n - reach).all()


def test_distances_have_the_density_of_theory():
    n, reach = 200_000, 2_000
    found = pair_places(np.random.default_rng(1).random(n), reach)
    distances = np.abs(found - np.arange(n))[: n - 2 * reach] / reach
    mean = 2 - 1 / log(2)
    variance = 2 - 4 / log(2) + 2 / log(2) ** 2 - mean**2
    # n / 2 pairs; the places are whole (1 / reach), and the first `reach` begin with all others free
    bound = 5 * sqrt(variance / (n / 2)) + 1 / reach + reach / n
    assert abs(distances.mean() - mean) < bound
    for t in (0.25, 0.5, 0.75):  # distribution function 2^t - 1
        share = (distances <= t).mean()
        assert abs(share - (2**t - 1)) < 5 * sqrt(0.25 / (n / 2)) + 1 / reach + reach / n


@pytest.mark.slow
@given(
    draws=st.lists(st.one_of(st.floats(0, 1, exclude_max=True), st.sampled_from([0.0, 0.5])), min_size=1, max_size=300),
    reach=st.integers(1, 310),
    few=st.integers(16, 60),
)
@settings(deadline=None, max_examples=300)
def test_turns_done_together_give_the_pairs_of_turns_done_one_by_one(draws, reach, few):
    with pytest.MonkeyPatch.context() as patch:
        one_by_one = pair_places(np.array(draws), reach)
        patch.setattr(pairing, "FEW", few)
        np.testing.assert_array_equal(pair_places(np.array(draws), reach), one_by_one)


@pytest.mark.parametrize("share", [20, 2, 1])
def test_long_lists_are_paired_as_from_the_definition(share):
    # the definition once more, with lists for positions: no remainder, no batch
    n = 90_000
    draws, reach = np.random.default_rng(share).random(n), n // share
    free = list(range(reach))
    position = list(range(n))
    expected = np.arange(n)
    taken = set()

    def take_out(entry):
        last = free.pop()
        if entry < len(free):
            free[entry], position[last] = last, entry

    for place, draw in enumerate(draws.tolist()):
        if place + reach < n:
            position[place + reach] = len(free)
            free.append(place + reach)
        if place in taken:
            continue
        take_out(position[place])
        if free:
            entry = int(draw * len(free))
            partner = free[entry]
            take_out(entry)
            taken.add(partner)
            expected[place], expected[partner] = partner, place
    np.testing.assert_array_equal(pair_places(draws, reach), expected)
