"""Resampling gives averages of order statistics, in the order of the original values."""

from __future__ import annotations

from math import comb, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sdc_sql.udfs.resampling import resample_column


def literal(x, draws):
    """Resample word for word, for distinct values."""
    x, n = np.asarray(x, dtype=float), len(x)
    ordered = np.sort(x)
    samples = [sorted(ordered[int(u * n)] for u in column) for column in draws.T]
    averages = [sum(sample[j] for sample in samples) / len(samples) for j in range(n)]
    return np.array(averages)[np.argsort(np.argsort(x))]


@given(n=st.integers(2, 40), t=st.integers(1, 5), seed=st.integers(0, 2**32 - 1))
@settings(deadline=None)
def test_the_steps_of_the_handbook_taken_literally(n, t, seed):
    rng = np.random.default_rng(seed)
    x, draws, order = rng.normal(size=n), rng.random((n, t)), rng.permutation(n)
    found = resample_column(x, draws)
    np.testing.assert_allclose(found, literal(x, draws), rtol=1e-12)
    np.testing.assert_array_equal(resample_column(x[order], draws[order]), found[order])
    assert found.min() >= x.min()
    assert found.max() <= x.max()


def test_each_rank_has_the_expectation_of_an_order_statistic():
    x, t = np.array([1.0, 2.0, 4.0, 8.0, 16.0]), 20_000
    n = len(x)
    found = resample_column(x, np.random.default_rng(1).random((n, t)))
    for j in range(1, n + 1):
        # the j-th of n drawn is at most x_k if j or more of the n are: binomial with k / n
        below = [sum(comb(n, i) * k**i * (n - k) ** (n - i) for i in range(j, n + 1)) / n**n for k in range(n + 1)]
        chances = np.diff(below)
        mean = chances @ x
        assert abs(found[j - 1] - mean) < 4.5 * sqrt((chances @ x**2 - mean**2) / t)


@pytest.mark.parametrize("t", [1, 4])
def test_the_mean_is_unbiased_and_the_order_kept(t):
    n = 20_000
    rng = np.random.default_rng(2)
    x = rng.lognormal(size=n)
    found = resample_column(x, rng.random((n, t)))
    assert abs(found.mean() - x.mean()) < 4.5 * x.std() / sqrt(n * t)  # n t independent draws
    assert (np.diff(found[np.argsort(x)]) >= 0).all()
    if t == 1:
        assert set(found) <= set(x)


def test_equal_values_follow_their_records():
    rng = np.random.default_rng(3)
    x, draws, order = rng.integers(0, 4, size=50), rng.random((50, 3)), rng.permutation(50)
    np.testing.assert_array_equal(resample_column(x[order], draws[order]), resample_column(x, draws)[order])


def test_missing_values_stay_and_are_not_drawn():
    rng = np.random.default_rng(4)
    x, draws = rng.normal(size=30), rng.random((30, 2))
    x[::4] = np.nan
    kept = ~np.isnan(x)
    found = resample_column(x, draws)
    assert np.isnan(found[~kept]).all()
    np.testing.assert_array_equal(found[kept], resample_column(x[kept], draws[kept]))
    np.testing.assert_array_equal(resample_column([np.nan] * 2, np.zeros((2, 1))), [np.nan] * 2)
    assert resample_column([], np.empty((0, 1))).shape == (0,)


def test_a_constant_column_stays():
    np.testing.assert_array_equal(resample_column([3.5] * 4, np.random.default_rng(5).random((4, 4))), [3.5] * 4)


@pytest.mark.parametrize(
    ("values", "draws", "message"),
    [
        ([1.0], [[0.5]], "1 value; expected 2 or more"),
        ([1.0, 2.0], [0.5, 0.5], r"uniforms has shape \(2,\); expected \(2, t\)"),
        ([1.0, 2.0], np.empty((2, 0)), r"uniforms has shape \(2, 0\); expected \(2, t\)"),
        ([1.0, 2.0], [[0.5]], r"uniforms has shape \(1, 1\); expected \(2, 1\)"),
        ([1.0, 2.0], [[0.5], [-0.1]], r"outside \[0, 1\)"),
    ],
)
def test_what_cannot_be_resampled_is_refused(values, draws, message):
    with pytest.raises(ValueError, match=message):
        resample_column(values, draws)
