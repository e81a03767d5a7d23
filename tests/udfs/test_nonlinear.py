"""Noise on normal scores keeps distributions, the values of discrete variables, and the correlations of the scores."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sdc_sql.udfs.noise.nonlinear import add_nonlinear_noise, list_normal_scores, normal_distribution

SIGMAS = 4.5


def draws(n, p, seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)), rng.random((n, p))


def ranks_scores(column):
    found = np.empty(len(column))
    found[np.argsort(column, kind="stable")] = list_normal_scores(len(column))
    return found


@pytest.mark.parametrize("n", [2, 3, 10, 101])
def test_normal_scores_are_the_quantiles(n):
    quantiles = [NormalDist().inv_cdf((r - 0.5) / n) for r in range(1, n + 1)]
    np.testing.assert_allclose(list_normal_scores(n), quantiles, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(normal_distribution(np.array(quantiles)), (np.arange(n) + 0.5) / n, rtol=1e-12)


@pytest.mark.parametrize("discrete", [False, True])
@pytest.mark.parametrize("alpha", [0.1, 1.0])
def test_distributions_are_kept(discrete, alpha):
    n = 20_000
    normals, uniforms = draws(n, 2, 1)
    rng = np.random.default_rng(2)
    x = np.column_stack([rng.lognormal(size=n), rng.lognormal(size=n)])
    masked = add_nonlinear_noise(x, normals, alpha, uniforms, discrete=discrete)
    for j in range(2):
        points = np.quantile(x[:, j], np.linspace(0.05, 0.95, 19))
        shares = np.searchsorted(np.sort(x[:, j]), points, side="right") / n
        found = np.searchsorted(np.sort(masked[:, j]), points, side="right") / n
        # a sum of n independent truths has at most variance n / 4; the grid of scores is 1 / n wide
        assert (np.abs(found - shares) < SIGMAS / np.sqrt(4 * n) + 1 / n).all()
        assert masked[:, j].min() >= x[:, j].min()
        assert masked[:, j].max() <= x[:, j].max()


def test_categories_keep_their_shares():
    n = 20_000
    normals, uniforms = draws(n, 1, 3)
    x = np.random.default_rng(4).choice([0.0, 1.0, 2.0, 7.0], p=[0.5, 0.3, 0.15, 0.05], size=(n, 1))
    masked = add_nonlinear_noise(x, normals, 0.5, uniforms, discrete=True)
    values, before = np.unique(x, return_counts=True)
    kept, after = np.unique(masked, return_counts=True)
    np.testing.assert_array_equal(values, kept)
    assert (np.abs(after - before) < SIGMAS * np.sqrt(n / 4) + 2).all()


def test_correlations_of_the_scores_are_kept():
    n, rho, alpha = 40_000, 0.6, 0.5
    normals, uniforms = draws(n, 2, 5)
    base = np.random.default_rng(6).normal(size=(n, 2)) @ np.array([[1, rho], [0, math.sqrt(1 - rho**2)]])
    x = np.exp(base)
    masked = add_nonlinear_noise(x, normals, alpha, uniforms)
    before = np.corrcoef(ranks_scores(x[:, 0]), ranks_scores(x[:, 1]))[0, 1]
    after = np.corrcoef(ranks_scores(masked[:, 0]), ranks_scores(masked[:, 1]))[0, 1]
    # given the scores, c^2 times the covariance with the noise has variance (2 a + a^2) (1 + rho^2) / (n (1 + a)^2)
    standard_error = math.sqrt((2 * alpha + alpha**2) * (1 + rho**2) / n) / (1 + alpha)
    assert abs(after - before) < SIGMAS * standard_error
    # and a variable keeps 1 / sqrt(1 + a) of its correlation with itself
    own = np.corrcoef(ranks_scores(x[:, 0]), ranks_scores(masked[:, 0]))[0, 1]
    assert abs(own - 1 / math.sqrt(1 + alpha)) < SIGMAS / math.sqrt(n)


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 40), alpha=st.floats(0, 3), discrete=st.booleans())
@settings(deadline=None, max_examples=60)
def test_results_follow_their_records_and_stay_among_the_values(seed, n, alpha, discrete):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 6, size=(n, 2)).astype(float)
    normals, uniforms = draws(n, 2, seed)
    order = rng.permutation(n)
    masked = add_nonlinear_noise(x, normals, alpha, uniforms, discrete=discrete)
    again = add_nonlinear_noise(x[order], normals[order], alpha, uniforms[order], discrete=discrete)
    if discrete:
        assert all(set(masked[:, j]) <= set(x[:, j]) for j in range(2))
    np.testing.assert_allclose(again, masked[order], rtol=1e-6, atol=1e-6)


def test_missing_values_constants_and_no_noise():
    normals, uniforms = draws(20, 2, 7)
    x = np.column_stack([np.full(20, 3.3), np.arange(20.0)])
    x[4, 1] = np.nan
    masked = add_nonlinear_noise(x, normals, 0.5, uniforms)
    np.testing.assert_array_equal(masked[:, 0], x[:, 0])
    assert np.isnan(masked[4, 1])
    assert np.isfinite(np.delete(masked[:, 1], 4)).all()
    np.testing.assert_array_equal(add_nonlinear_noise(x, normals, 0, uniforms), x)
    np.testing.assert_array_equal(
        add_nonlinear_noise(np.full(3, np.nan), np.zeros(3), 1, np.zeros(3)), np.full(3, np.nan)
    )
    assert add_nonlinear_noise([], [], 1, []).shape == (0,)


def test_whether_a_column_is_discrete_may_differ_between_columns():
    normals, uniforms = draws(50, 2, 8)
    x = np.column_stack([np.arange(50) % 3, np.arange(50) ** 2]).astype(float)
    masked = add_nonlinear_noise(x, normals, 0.5, uniforms, discrete=[True, False])
    assert set(masked[:, 0]) <= {0.0, 1.0, 2.0}
    assert not set(masked[:, 1]) <= set(x[:, 1])


@pytest.mark.parametrize(
    ("arguments", "discrete", "message"),
    [
        (([1.0, 2.0], [0.0, 0.0], 1, [0.5]), False, r"uniforms has shape \(1,\); expected \(2,\)"),
        (([1.0, 2.0], [0.0, 0.0], 1, [0.5, 1.0]), False, r"uniforms holds draws outside \[0, 1\)"),
        (([1.0, 2.0], [0.0, 0.0], -1, [0.5, 0.5]), False, "alpha is -1"),
        (([1.0], [0.0], 1, [0.5]), False, "column 0 has 1 value; expected 2 or more"),
        (([1.0, 2.0], [0.0, 0.0], 1, [0.5, 0.5]), [True, False], "discrete has 2 entries"),
    ],
)
def test_what_cannot_be_masked_is_refused(arguments, discrete, message):
    with pytest.raises(ValueError, match=message):
        add_nonlinear_noise(*arguments, discrete=discrete)
