"""Products of series in logarithms, against exact fractions and plain convolution."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sdc_sql.udfs.pram.power_series import binomial, multiply_others, multiply_series


def logarithms(values) -> np.ndarray:
    with np.errstate(divide="ignore"):
        return np.log(np.asarray(values, dtype=float))


@pytest.mark.parametrize("trials", [0, 1, 2, 5, 40])
@pytest.mark.parametrize("p", [Fraction(0), Fraction(1, 8), Fraction(1, 2), Fraction(1)])
def test_binomial_coefficients(trials, p):
    found = np.exp(binomial(np.array([float(trials)]), logarithms([p]), logarithms([1 - p]), 6))
    expected = [float(comb(trials, a) * p**a * (1 - p) ** max(trials - a, 0)) for a in range(7)]
    np.testing.assert_allclose(found[0], expected, rtol=1e-13)


def test_where_probabilities_underflow():
    found = binomial(np.array([1e6]), logarithms([0.5]), logarithms([0.5]), 1)
    np.testing.assert_allclose(found[0], [-1e6 * np.log(2), np.log(1e6) - 1e6 * np.log(2)])


coefficients = st.lists(
    st.lists(st.one_of(st.just(0.0), st.floats(1e-3, 10)), min_size=4, max_size=4), min_size=1, max_size=9
)


@given(coefficients)
@settings(deadline=None)
def test_all_but_one_is_the_product_of_the_others(series):
    found = np.exp(multiply_others(logarithms(series)))
    for i in range(len(series)):
        expected = np.array([1.0, 0, 0, 0])
        for j, other in enumerate(series):
            expected = np.convolve(expected, other)[:4] if j != i else expected
        np.testing.assert_allclose(found[i], expected, rtol=1e-11)


def test_products_are_taken_one_by_one_along_the_last_axis():
    first, second = np.random.default_rng(5).uniform(size=(2, 3, 2, 6))
    found = np.exp(multiply_series(logarithms(first), logarithms(second)))
    for i in np.ndindex(3, 2):
        np.testing.assert_allclose(found[i], np.convolve(first[i], second[i])[:6], rtol=1e-13)
