"""Additive noise keeps the moments that its theory says: exactly for draws made so, in expectation for random ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sdc_sql.udfs.noise.additive import correlated, linear_transformed, uncorrelated
from sdc_sql.udfs.noise.outliers import outliers_only

SIGMAS = 4.5  # one test in 150,000 fails by chance
ALPHA = 0.25


def skewed(n, p=3, seed=1):
    """Return n records of p correlated, skewed variables of unlike units."""
    rng = np.random.default_rng(seed)
    common = rng.normal(size=(n, 1))
    return np.exp(0.7 * common + 0.5 * rng.normal(size=(n, p))) * 10.0 ** np.arange(p)


def orthonormal(x, seed=2):
    """Return draws with exactly mean 0 and covariance matrix 1, and no covariance with x."""
    n, p = x.shape
    raw = np.random.default_rng(seed).normal(size=(n, p))
    basis, _ = np.linalg.qr(np.column_stack([np.ones(n), (x - x.mean(axis=0)) / x.std(axis=0), raw]))
    return basis[:, -p:] * np.sqrt(n - 1)


def covariance(x):
    return np.atleast_2d(np.cov(x, rowvar=False))


def test_uncorrelated_noise_adds_alpha_times_the_variances():
    x = skewed(200)
    z = uncorrelated(x, orthonormal(x), ALPHA)
    np.testing.assert_allclose(z.mean(axis=0), x.mean(axis=0), rtol=1e-12)
    expected = covariance(x) + ALPHA * np.diag(np.diag(covariance(x)))  # 3.4.4.1
    np.testing.assert_allclose(covariance(z), expected, rtol=1e-9)
    correlations = np.corrcoef(x, rowvar=False) / (1 + ALPHA)
    np.fill_diagonal(correlations, 1)
    np.testing.assert_allclose(np.corrcoef(z, rowvar=False), correlations, rtol=1e-9)


def test_correlated_noise_multiplies_the_covariances():
    x = skewed(200)
    z = correlated(x, orthonormal(x), ALPHA)
    np.testing.assert_allclose(z.mean(axis=0), x.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(covariance(z), (1 + ALPHA) * covariance(x), rtol=1e-9)  # (3.4)


def test_the_linear_transformation_restores_the_covariances():
    x = skewed(200)
    g = linear_transformed(x, orthonormal(x), ALPHA)
    np.testing.assert_allclose(g.mean(axis=0), x.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(covariance(g), covariance(x), rtol=1e-9)


@pytest.mark.parametrize("alpha", [0.01, 0.25, 2.0])
def test_moments_of_random_noise_are_right_on_average(alpha):
    n = 40_000
    x, draws = skewed(n), np.random.default_rng(3).normal(size=(n, 3))
    s, sd = covariance(x), x.std(axis=0, ddof=1)
    # given x, the mean moves by N(0, alpha s^2 / n)
    for masked in (uncorrelated(x, draws, alpha), correlated(x, draws, alpha)):
        assert (np.abs(masked.mean(axis=0) - x.mean(axis=0)) < SIGMAS * sd * np.sqrt(alpha / n)).all()
    # and a covariance, of x with e, e with x, and e with e, by a variance of (2 a + a^2) (s_jj s_ll + s_jl^2) / (n - 1)
    standard_error = np.sqrt((2 * alpha + alpha**2) * (np.outer(sd, sd) ** 2 + s**2) / (n - 1))
    assert (np.abs(covariance(correlated(x, draws, alpha)) - (1 + alpha) * s) < SIGMAS * standard_error).all()
    g = linear_transformed(x, draws, alpha)
    assert (np.abs(covariance(g) - s) < SIGMAS * standard_error / (1 + alpha)).all()
    np.testing.assert_allclose(g.mean(axis=0), x.mean(axis=0), rtol=1e-10)
    # without the terms of e_j with e_l, which are independent
    d = np.diag(np.diag(s))
    standard_error = np.sqrt((2 * alpha + alpha**2) * (np.outer(sd, sd) ** 2 + d**2) / (n - 1))
    assert (np.abs(covariance(uncorrelated(x, draws, alpha)) - s - alpha * d) < SIGMAS * standard_error).all()


def test_linear_identities_hold_after_correlated_noise():
    x = skewed(300)
    x = np.column_stack([x, x.sum(axis=1), np.full(300, 7.1)])  # a total, a constant: singular
    draws = np.random.default_rng(4).normal(size=x.shape)
    for masked in (correlated(x, draws, ALPHA), linear_transformed(x, draws, ALPHA)):
        np.testing.assert_allclose(masked[:, :3].sum(axis=1), masked[:, 3], rtol=1e-7, atol=1e-7 * x.max())
        np.testing.assert_allclose(masked[:, 4], 7.1, rtol=1e-15)


def test_noise_does_not_depend_on_units():
    x, draws = skewed(100), np.random.default_rng(5).normal(size=(100, 3))
    units = np.array([1e-6, 1.0, 1e9])
    for method in (uncorrelated, correlated, linear_transformed):
        np.testing.assert_allclose(method(x * units, draws, ALPHA), method(x, draws, ALPHA) * units, rtol=1e-9)


METHODS = {
    "uncorrelated": uncorrelated,
    "correlated": correlated,
    "linear_transformed": linear_transformed,
    "outliers_only": lambda x, normals, alpha, **kept: outliers_only(x, normals, alpha, 2.0, **kept),
}
each_method = pytest.mark.parametrize("method", METHODS.values(), ids=METHODS.keys())


@each_method
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(3, 40), p=st.integers(1, 3), alpha=st.floats(0, 5))
@settings(deadline=None, max_examples=40)
def test_noise_follows_its_record(method, seed, n, p, alpha):
    rng = np.random.default_rng(seed)
    x, draws, order = rng.normal(50, 10, size=(n, p)), rng.normal(size=(n, p)), rng.permutation(n)
    masked = method(x, draws, alpha)
    np.testing.assert_allclose(method(x[order], draws[order], alpha), masked[order], rtol=1e-9, atol=1e-7)


@each_method
def test_missing_values_stay_and_count_for_nothing(method):
    x, draws = skewed(60), np.random.default_rng(6).normal(size=(60, 3))
    short = x.copy()
    short[::5] = np.nan
    masked = method(short, draws, ALPHA)
    kept = ~np.isnan(short).any(axis=1)
    assert np.isnan(masked[~kept]).all()
    np.testing.assert_allclose(masked[kept], method(x[kept], draws[kept], ALPHA), rtol=1e-12)


@each_method
def test_a_missing_value_leaves_the_others_of_its_record_masked(method):
    x, draws = skewed(60), np.random.default_rng(6).normal(size=(60, 3))
    x[0] = [x[:, 0].max() * 10, np.nan, x[:, 2].max() * 10]
    masked = method(x, draws, ALPHA)
    assert np.isnan(masked[0, 1])
    assert np.isfinite(np.delete(masked.ravel(), 1)).all()
    assert (masked[0, [0, 2]] != x[0, [0, 2]]).all()


@each_method
def test_nothing_is_added_where_there_is_no_variance_or_no_alpha(method):
    draws = np.random.default_rng(7).normal(size=(30, 2))
    same = np.column_stack([np.full(30, 0.1), np.full(30, -3.7)])
    np.testing.assert_allclose(method(same, draws, ALPHA), same, rtol=1e-15)
    x = skewed(30, 2)
    np.testing.assert_array_equal(method(x, draws, 0), x)
    np.testing.assert_array_equal(method(np.full(4, np.nan), np.zeros(4), ALPHA), np.full(4, np.nan))
    assert method(np.empty((0, 2)), np.empty((0, 2)), ALPHA).shape == (0, 2)


@each_method
def test_one_column_may_be_a_vector(method):
    x, draws = skewed(30, 1), np.random.default_rng(8).normal(size=(30, 1))
    masked = method(x[:, 0], draws[:, 0], ALPHA)
    np.testing.assert_array_equal(masked, method(x, draws, ALPHA)[:, 0])
    if method is correlated:
        np.testing.assert_allclose(masked, uncorrelated(x[:, 0], draws[:, 0], ALPHA), rtol=1e-12)


@each_method
def test_the_input_is_left_as_it_is(method):
    x, draws = skewed(30), np.random.default_rng(8).normal(size=(30, 3))
    before = x.copy()
    method(x, draws, ALPHA, lower=0)
    np.testing.assert_array_equal(x, before)


@each_method
def test_bounds_and_whole_numbers_are_kept(method):
    x = np.random.default_rng(9).integers(0, 11, size=(500, 2))
    draws = np.random.default_rng(10).normal(size=(500, 2))
    masked = method(x, draws, 4.0, lower=0, upper=[10, np.inf], rounded=True)
    assert masked.min() >= 0
    assert masked[:, 0].max() <= 10
    np.testing.assert_array_equal(masked, np.rint(masked))


@each_method
@pytest.mark.parametrize(
    ("x", "normals", "alpha", "message"),
    [
        ([1.0, 2.0], [0.0], 1, r"normals has shape \(1,\); expected \(2, 1\)"),
        ([[1.0], [2.0]], [[0.0, 0.0]], 1, r"normals has shape \(1, 2\); expected \(2, 1\)"),
        ([1.0, 2.0], [0.0, np.nan], 1, "normals holds NaN"),
        ([1.0, 2.0], [0.0, 0.0], -0.1, "alpha is -0.1; expected a number at least 0"),
        ([1.0, 2.0], [0.0, 0.0], np.nan, "alpha is nan"),
        ([1.0], [0.0], 1, "1 value|1 records"),
        ([1.0, np.nan], [0.0, 0.0], 1, "1 value|1 records"),
        ([1.0, np.inf], [0.0, 0.0], 1, "x holds infinite values"),
        (["a", "b"], [0.0, 0.0], 1, "x has type <U1; expected integers or floats"),
        (3.0, 0.0, 1, r"x has shape \(\)"),
        ([-1e308, 1e308], [0.0, 0.0], 1, "replace or rescale them"),
    ],
)
def test_what_cannot_be_masked_is_refused(method, x, normals, alpha, message):
    with pytest.raises(ValueError, match=message):
        method(x, normals, alpha)


def test_a_covariance_needs_two_complete_records():
    x = np.array([[1.0, np.nan], [np.nan, 2.0], [3.0, 4.0]])
    with pytest.raises(ValueError, match="1 records have no missing value; expected 2 or more"):
        correlated(x, np.zeros((3, 2)), 1)
