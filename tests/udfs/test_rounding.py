"""Rounding goes to the nearest multiple; random rounding is unbiased, and leaves multiples alone."""

from __future__ import annotations

from fractions import Fraction
from math import floor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sdc_sql.udfs.rounding import random_round, round_to_base

values = st.lists(st.integers(-(10**6), 10**6).map(lambda k: k / 8), min_size=1, max_size=30)
bases = st.one_of(st.integers(1, 1000).map(float), st.sampled_from([0.5, 0.25, 0.125, 2.5]))


@given(values, bases)
@settings(deadline=None)
def test_the_nearest_multiple_and_halfway_up(x, base):
    b = Fraction(base)
    expected = [float(floor(Fraction(v) / b + Fraction(1, 2)) * b) for v in x]
    np.testing.assert_array_equal(round_to_base(x, base), expected)


def test_decimal_bases_round_as_decimals_are_read():
    np.testing.assert_array_equal(round_to_base([0.15, 0.25, 0.3, 1.7, 0.44999], 0.1), [0.2, 0.3, 0.3, 1.7, 0.4])
    assert round_to_base(0.49999999999999994, 1) == 0  # adding 1/2 first would make it 1
    assert not np.signbit(round_to_base([-0.2], 1))[0]


@given(values, bases, st.integers(0, 2**32 - 1))
@settings(deadline=None)
def test_random_rounding_takes_one_of_the_two_neighbours(x, base, seed):
    draws = np.random.default_rng(seed).random(len(x))
    found = random_round(x, base, draws)
    for value, masked, u in zip(x, found.tolist(), draws.tolist(), strict=True):
        below = floor(Fraction(value) / Fraction(base))
        rest = Fraction(value) / Fraction(base) - below
        if abs(float(rest) - u) > 1e-9:
            assert masked == float((below + (u < rest)) * Fraction(base))
        if rest == 0:
            assert masked == value
    order = np.random.default_rng(seed).permutation(len(x))
    np.testing.assert_array_equal(random_round(np.array(x)[order], base, draws[order]), found[order])


@pytest.mark.parametrize("base", [3.0, 5.0, 0.1])
def test_sums_of_random_rounding_are_unbiased(base):
    n = 100_000
    rng = np.random.default_rng(1)
    x = rng.exponential(4 * base, size=n)
    found = random_round(x, base, rng.random(n))
    rest = x - np.floor(x / base) * base
    assert abs(found.sum() - x.sum()) < 4.5 * np.sqrt((rest * (base - rest)).sum())
    # one value rounded n times: a binomial share
    share = (random_round(np.full(n, 1.4 * base), base, rng.random(n)) > 1.5 * base).mean()
    assert abs(share - 0.4) < 4.5 * np.sqrt(0.4 * 0.6 / n)


def test_missing_values_and_shapes_are_kept():
    x = np.array([[1.0, np.nan], [7.0, 9.0]])
    np.testing.assert_array_equal(round_to_base(x, 5), [[0, np.nan], [5, 10]])
    np.testing.assert_array_equal(random_round(x, 5, np.full((2, 2), 0.3)), [[0, np.nan], [10, 10]])
    assert round_to_base([], 5).shape == (0,)


@pytest.mark.parametrize("base", [0, -5, np.nan, np.inf])
def test_a_base_that_is_not_positive_is_refused(base):
    with pytest.raises(ValueError, match=r"base is .*; expected a number above 0"):
        round_to_base([1.0], base)


def test_what_cannot_be_rounded_is_refused():
    with pytest.raises(ValueError, match=r"uniforms has shape \(2,\); expected \(1,\)"):
        random_round([1.0], 5, [0.1, 0.2])
    with pytest.raises(ValueError, match=r"outside \[0, 1\)"):
        random_round([1.0], 5, [1.0])
    with pytest.raises(ValueError, match="infinite"):
        round_to_base([np.inf], 5)
    with pytest.raises(ValueError, match="x has type <U1"):
        round_to_base(["a"], 5)
