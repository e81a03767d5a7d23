"""Multiplicative noise: factors of mean 1, moments restored exactly, sums kept exactly."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sdc_sql.udfs.noise.multiplicative import hoehne, hoehne_sum

SIGMAS = 4.5


def firms(n, seed=1):
    return np.random.default_rng(seed).lognormal(5, 1.5, size=(n, 2))


@given(n=st.integers(2, 50), seed=st.integers(0, 2**32 - 1), f=st.floats(0.01, 0.9), share=st.floats(0, 0.99))
@settings(deadline=None)
def test_hoehne_restores_means_and_variances_exactly(n, seed, f, share):
    rng = np.random.default_rng(seed)
    x, uniforms, normals, order = rng.lognormal(size=(n, 2)), rng.random(n), rng.normal(size=(n, 2)), rng.permutation(n)
    masked = hoehne(x, uniforms, normals, f, share * f / 2)
    np.testing.assert_allclose(masked.mean(axis=0), x.mean(axis=0), rtol=1e-9)
    np.testing.assert_allclose(masked.var(axis=0, ddof=1), x.var(axis=0, ddof=1), rtol=1e-9)
    again = hoehne(x[order], uniforms[order], normals[order], f, share * f / 2)
    np.testing.assert_allclose(again, masked[order], rtol=1e-9, atol=1e-9)


def test_hoehne_moves_a_record_one_way():
    # without noise on the factors the masked values are a straight line of x (1 - f) or x (1 + f)
    x, uniforms = firms(200), np.random.default_rng(4).random(200)
    masked = hoehne(x, uniforms, np.zeros((200, 2)), 0.2, 0)
    moved = x * np.where(uniforms < 0.5, 0.8, 1.2)[:, np.newaxis]
    for j in range(2):
        assert np.corrcoef(moved[:, j], masked[:, j])[0, 1] == pytest.approx(1, abs=1e-12)


def literal(values, changes):
    """Take the formulas of 3.4.2.2 word for word, in fractions, on values in descending order."""
    x, w = [Fraction(v) for v in values], [Fraction(v) for v in changes]
    masked = [(1 - w[0]) * x[0]]
    for i in range(1, len(x) - 1):
        masked.append((1 - w[i]) * x[i] if sum(masked) > sum(x[:i]) else (1 + w[i]) * x[i])
    return [float(v) for v in [*masked, x[-1] - (sum(masked) - sum(x[:-1]))]]


@given(st.lists(st.integers(0, 1000) | st.integers(0, 3), min_size=2, max_size=25), st.integers(0, 2**32 - 1))
@settings(deadline=None)
def test_the_sum_variant_taken_literally(values, seed):
    """From the greatest value on, of equal ones from the least draw on."""
    # changes in 64ths, so that sums are exact and the comparison is the same in both
    w = (1 + np.random.default_rng(seed).permutation(25)[: len(values)]) / 64
    x, w = np.array(sorted(zip(values, w, strict=True), key=lambda both: (-both[0], both[1])), dtype=float).T
    order = np.random.default_rng(seed).permutation(len(x))
    normals = (w - 0.25) / 0.0625
    masked = hoehne_sum(x[order], normals[order], 0.25, 0.0625)
    np.testing.assert_array_equal(masked, np.array(literal(x, w))[order])


def test_the_sum_variant_keeps_sums_and_lowers_the_largest():
    n = 5_000
    x, draws = firms(n), np.random.default_rng(5).normal(size=(n, 2))
    masked = hoehne_sum(x, draws, 0.1, 0.03)
    np.testing.assert_allclose(masked.sum(axis=0), x.sum(axis=0), rtol=1e-12)
    changes = np.abs(0.1 + 0.03 * draws)
    for j in range(2):
        top, bottom = x[:, j].argmax(), x[:, j].argmin()
        assert masked[top, j] == pytest.approx((1 - changes[top, j]) * x[top, j])
        others = np.delete(np.arange(n), bottom)
        np.testing.assert_allclose(np.abs(masked / x - 1)[others, j], changes[others, j], rtol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_the_sum_variant_follows_its_records_also_where_values_are_equal(seed):
    rng = np.random.default_rng(seed)
    x, draws, order = rng.integers(0, 5, size=(40, 1)), rng.normal(size=(40, 1)), rng.permutation(40)
    masked = hoehne_sum(x, draws, 0.2, 0.05)
    np.testing.assert_array_equal(hoehne_sum(x[order], draws[order], 0.2, 0.05), masked[order])


METHODS = {
    "hoehne": lambda x, n: hoehne(x, np.linspace(0, 0.99, len(x)), n, 0.2, 0.05),
    "hoehne_sum": lambda x, n: hoehne_sum(x, n, 0.1, 0.02),
}


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS.keys())
def test_missing_values_empty_tables_and_vectors(method):
    x, draws = firms(30), np.random.default_rng(6).normal(size=(30, 2))
    x[4, 0] = np.nan
    masked = method(x, draws)
    assert np.isnan(masked[4, 0])
    assert np.isfinite(np.delete(masked.ravel(), 8)).all()
    assert method(np.empty((0, 2)), np.empty((0, 2))).shape == (0, 2)
    np.testing.assert_array_equal(method(x[:, 1], draws[:, 1]), method(x[:, 1:], draws[:, 1:])[:, 0])
    np.testing.assert_array_equal(method(np.full(3, np.nan), np.zeros(3)), np.full(3, np.nan))
    assert method(np.full((5, 1), 7.0), np.zeros((5, 1))).sum() == pytest.approx(35.0)


def test_nothing_changes_without_variance():
    np.testing.assert_allclose(hoehne(np.full(4, 7.0), [0.1, 0.9, 0.3, 0.6], np.zeros(4), 0.2, 0.05), np.full(4, 7.0))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: hoehne([1.0, 2.0], [0.1, 0.2], [0.0, 0.0], 0, 0), "f is 0; expected a number above 0 and below 1"),
        (
            lambda: hoehne([1.0, 2.0], [0.1, 0.2], [0.0, 0.0], 0.2, 0.1),
            r"spread is 0.1; expected .* at least 0 and below 0.1",
        ),
        (lambda: hoehne([1.0, 2.0], [0.1], [0.0, 0.0], 0.2, 0), r"uniforms has shape \(1,\); expected \(2,\)"),
        (lambda: hoehne([1.0], [0.1], [0.0], 0.2, 0), "1 value"),
        (lambda: hoehne([3.0, 5.0], [0.9, 0.1], [0.0, 0.0], 0.25, 0), "made a column constant"),
        (lambda: hoehne_sum([1.0, 2.0], [0.0, 0.0], 1, 0), "mean is 1; expected a number above 0 and below 1"),
        (
            lambda: hoehne_sum([1.0, 2.0], [0.0, 0.0], 0.3, 0.2),
            "spread is 0.2; expected .* at most 0.1",
        ),
        # without spread x / 0.9 and x / 1.1 are all that a released value can come from
        (
            lambda: hoehne_sum([1.0, 2.0], [0.0, 0.0], 0.1, 0),
            "spread is 0; expected at least a tenth of",
        ),
        (lambda: hoehne_sum([1.0, -2.0], [0.0, 0.0], 0.1, 0.02), "x has 1 negative values; expected none"),
        (lambda: hoehne_sum([1.0], [0.0], 0.1, 0.02), "1 value"),
    ],
)
def test_what_cannot_be_masked_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
