"""PRAM matrices: what makes one, and that the invariant ones keep the table, the zeros and the least diagonal."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sdc_sql.udfs.pram.checks import require_pram_matrix
from sdc_sql.udfs.pram.iterative import invariant_iterative
from sdc_sql.udfs.pram.matrix import invariant_two_stage, make_pd_alpha_matrix, retention

tables = st.lists(st.integers(0, 5000), min_size=2, max_size=7).filter(any)
seeds = st.integers(0, 2**32 - 1)


def matrix_of(seed: int, k: int, least: float = 0.0) -> np.ndarray:
    """Return a random PRAM matrix whose diagonal is at least `least`."""
    drawn = np.random.default_rng(seed).dirichlet(np.ones(k), size=k)
    return least * np.eye(k) + (1 - least) * drawn


def assert_invariant(r: np.ndarray, t: list[int], atol: float = 1e-9) -> None:
    np.testing.assert_allclose(r.sum(axis=1), 1, atol=1e-14)
    assert (r >= 0).all()
    np.testing.assert_allclose(r.T @ t, t, atol=atol * sum(t))
    empty = np.array(t) == 0
    np.testing.assert_array_equal(r[empty], np.eye(len(t))[empty])
    np.testing.assert_array_equal(r[:, empty], np.eye(len(t))[:, empty])


def test_a_matrix_is_given_back_as_it_is():
    p = require_pram_matrix([[1, 0], [0.25, 0.75]])
    assert p.dtype == np.float64
    np.testing.assert_array_equal(p, [[1, 0], [0.25, 0.75]])
    require_pram_matrix([[1.0, 1e-10], [0, 1]])  # within 1e-9


@pytest.mark.parametrize(
    ("p", "message"),
    [
        ([[0.5, 0.5]], r"shape \(1, 2\); expected \(K, K\)"),
        ([0.5, 0.5], r"shape \(2,\)"),
        (1.0, r"shape \(\)"),
        (np.empty((0, 0)), r"shape \(0, 0\)"),
        ([[1, 0], [0, float("nan")]], r"p\[1, 1\] is nan"),
        ([[1, 0], [float("inf"), 0]], r"p\[1, 0\] is inf"),
        ([[1.1, -0.1], [0, 1]], r"p\[0, 0\] is 1.1"),
        ([[1, 0], [-0.1, 1.1]], r"p\[1, 0\] is -0.1"),
        ([[1, 0], [0.5, 0.4]], r"row 1 of p sums to 0.9; expected 1"),
        ([[0.9, 0.5], [0.1, 0.5]], r"row 0 of p sums to 1.4.*transpose"),
        ([["1", "0"], ["0", "1"]], "type <U1"),
        ([[True, False], [False, True]], "type bool"),
    ],
)
def test_what_is_no_matrix_is_refused(p, message):
    with pytest.raises(ValueError, match=message):
        require_pram_matrix(p)
    with pytest.raises(ValueError, match=message):
        invariant_two_stage(p, [1, 1])
    with pytest.raises(ValueError, match=message):
        invariant_iterative(p, [1, 1])


@settings(deadline=None)
@given(st.integers(2, 40), st.floats(0, 1))
def test_retention(k, probability):
    p = require_pram_matrix(retention(k, probability))
    assert p.shape == (k, k)
    assert (p.diagonal() == probability).all()
    beside = p[~np.eye(k, dtype=bool)]
    assert (beside == (1 - probability) / (k - 1)).all()


@pytest.mark.parametrize("arguments", [(1, 0.5), (0, 0.5), (2.5, 0.5), (float("nan"), 0.5), (2, 1.1), (2, -0.1)])
def test_retention_refuses(arguments):
    with pytest.raises(ValueError, match=r"k is .*expected|probability is .*expected"):
        retention(*arguments)


def test_the_handbooks_gender():
    # 3.4.6.1: 110 men and 90 women; 108 and 92 expected, 9 of the men women before, 11 of the women men
    flows = np.array([[110], [90]]) * retention(2, 0.9)
    np.testing.assert_allclose(flows.sum(axis=0), [108, 92])
    np.testing.assert_allclose(flows[[0, 1], [1, 0]], [11, 9])


def test_two_stage_by_bayes_formula_in_fractions():
    p = [[Fraction(7, 10), Fraction(2, 10), Fraction(1, 10)], [Fraction(1, 4), Fraction(1, 2), Fraction(1, 4)],
         [Fraction(1, 10), Fraction(0), Fraction(9, 10)]]  # fmt: skip
    t = [30, 12, 5]
    three = range(3)
    received = [sum(t[m] * p[m][j] for m in three) for j in three]
    bayes = [[p[k][j] * t[k] / received[j] for k in three] for j in three]
    expected = [[float(sum(p[k][j] * bayes[j][i] for j in three)) for i in three] for k in three]
    found = invariant_two_stage(np.array(p, dtype=float), t, keep_zeros=False)
    np.testing.assert_allclose(found, expected, rtol=1e-14)


@given(tables, seeds)
@settings(deadline=None)
def test_two_stage_is_invariant_and_its_flows_symmetric(t, seed):
    r = invariant_two_stage(matrix_of(seed, len(t)), t)
    assert_invariant(r, t, atol=1e-13)
    flows = np.array(t)[:, np.newaxis] * r
    np.testing.assert_allclose(flows, flows.T, atol=1e-12 * sum(t))


def test_two_stage_where_nothing_is_received():
    # all are released as 1 by the first stage, and come back in the proportion of the frequencies
    r = invariant_two_stage([[0, 1], [0, 1]], [3, 1], keep_zeros=False)
    np.testing.assert_allclose(r, [[0.75, 0.25], [0.75, 0.25]])


def test_two_stage_by_way_of_a_category_without_records():
    r = invariant_two_stage([[0.5, 0, 0.5], [0, 0.5, 0.5], [0, 0, 1]], [10, 10, 0], keep_zeros=False)
    np.testing.assert_allclose(r, [[0.75, 0.25, 0], [0.25, 0.75, 0], [0, 0, 1]])


def test_two_stage_names_the_new_change_and_can_allow_it():
    # 0 and 2 can both become 1, and so each other
    p = [[0.8, 0.2, 0.0], [0.1, 0.8, 0.1], [0.0, 0.2, 0.8]]
    with pytest.raises(ValueError, match=r"changes 0 to 2 .* p\[0, 2\] is 0, and 2 such .*invariant_iterative"):
        invariant_two_stage(p, [50, 30, 20])
    r = invariant_two_stage(p, [50, 30, 20], keep_zeros=False)
    assert r[0, 2] > 0
    assert_invariant(r, [50, 30, 20])


def test_two_stage_keeps_the_zeros_between_groups_without_complaint():
    p = np.zeros((4, 4))
    p[:2, :2] = retention(2, 0.9)
    p[2:, 2:] = retention(2, 0.7)
    r = invariant_two_stage(p, [5, 6, 7, 8])
    np.testing.assert_array_equal(r == 0, p == 0)
    # to stay is no change: exchanged and exchanged back
    np.testing.assert_array_equal(invariant_two_stage([[0, 1], [1, 0]], [4, 9]), np.eye(2))


def ways(k: int, seed: int, share: float) -> np.ndarray:
    """Return a random matrix with zeros at random, in pairs: each change has a way back; the diagonal is above 0."""
    rng = np.random.default_rng(seed)
    open_ = rng.uniform(size=(k, k)) < share
    p = matrix_of(seed, k, 0.2) * (open_ | open_.T | np.eye(k, dtype=bool))
    return p / p.sum(axis=1, keepdims=True)


@given(st.lists(st.one_of(st.just(0), st.integers(20, 2000)), min_size=2, max_size=7).filter(any), seeds)
@settings(deadline=None)
def test_iterative_is_invariant_and_keeps_zeros(t, seed):
    p = ways(len(t), seed, 0.3)
    r = invariant_iterative(p, t, rounds=200_000)
    assert_invariant(r, t)
    there = np.ix_(np.flatnonzero(t), np.flatnonzero(t))
    np.testing.assert_array_equal(r[there] == 0, p[there] == 0)


@given(seeds)
@settings(deadline=None)
def test_iterative_keeps_odds_ratios(seed):
    p = matrix_of(seed, 3, 0.3)
    r = invariant_iterative(p, [40, 30, 90])
    for i, j in [(1, 1), (1, 2), (2, 1), (2, 2)]:
        odds = [m[0, 0] * m[i, j] / (m[0, j] * m[i, 0]) for m in (p, r)]
        assert odds[0] == pytest.approx(odds[1], rel=1e-9)


def test_iterative_of_two_categories_in_closed_form():
    # flows n1 - x, x, x, n2 - x with the odds ratio of p: (n1 - x)(n2 - x) / x^2 = 81
    n1, n2 = 110, 90
    x = (-(n1 + n2) + np.sqrt((n1 + n2) ** 2 + 4 * 80 * n1 * n2)) / (2 * 80)
    r = invariant_iterative(retention(2, 0.9), [n1, n2])
    np.testing.assert_allclose(r, [[1 - x / n1, x / n1], [x / n2, 1 - x / n2]], rtol=1e-10)


def test_iterative_leaves_an_invariant_matrix_as_it_is():
    nayak = np.array([[1 - 0.4 / 5, 0.4 / 5], [0.4 / 2, 1 - 0.4 / 2]])
    np.testing.assert_allclose(invariant_iterative(nayak, [5, 2]), nayak, rtol=1e-15)
    np.testing.assert_array_equal(invariant_iterative([[0, 1], [1, 0]], [3, 3]), [[0, 1], [1, 0]])
    np.testing.assert_array_equal(invariant_iterative(np.eye(3), [3, 0, 1]), np.eye(3))


def test_iterative_drops_moves_to_categories_without_records():
    r = invariant_iterative([[0.6, 0.2, 0.2], [0.1, 0.8, 0.1], [0.5, 0.5, 0]], [10, 10, 0])
    np.testing.assert_array_equal(r[:, 2], [0, 0, 1])
    assert r[0, 0] * r[1, 1] / (r[0, 1] * r[1, 0]) == pytest.approx(0.6 * 0.8 / (0.2 * 0.1))
    # 1 leads to 0 and never comes back, but nothing moves to 0, which is empty
    r = invariant_iterative([[0.5, 0, 0.5], [0.5, 0.5, 0], [0, 0, 1]], [0, 1, 1])
    np.testing.assert_array_equal(r, np.eye(3))


@pytest.mark.parametrize(
    ("p", "t", "message"),
    [
        ([[0.9, 0.1], [0, 1]], [5, 5], r"p\[0, 1\] is positive, but no changes lead from 1 back to 0"),
        ([[1, 0, 0], [0, 0.5, 0.5], [0, 0, 1]], [0, 1, 1], r"p\[1, 2\] is positive"),
        ([[0.5, 0.5, 0], [0, 0.5, 0.5], [0, 0, 1]], [1, 2, 3], r"p\[0, 1\] .*, and 2 such changes"),
        ([[0, 1], [0.5, 0.5]], [5, 0], r"row 0 of p leads to categories without"),
        ([[0, 1], [1, 0]], [5, 3], r"not converged in 50 rounds.*probability to stay"),
        # there is one, but 1e-9 against 0.1 takes many rounds
        ([[0.9, 0.1], [1e-9, 1 - 1e-9]], [4, 4], r"not converged in 50 rounds.*there is such a matrix"),
        # support without total support: flows 0 -> 1 and 1 -> 0 alone are possible, 1 -> 1 tends to 0
        ([[0, 1], [0.5, 0.5]], [4, 4], r"not converged in 50 rounds"),
        # 2 is larger than what the others can send: 10 > 3 + 3
        (
            [[0, 0.5, 0.5], [0.5, 0, 0.5], [0.5, 0.5, 0]],
            [3, 3, 10],
            r"not converged in 50 rounds: .*frequency 3 of category 0",
        ),
    ],
)
def test_iterative_refuses_zeros_that_leave_no_invariant_matrix(p, t, message):
    with pytest.raises(ValueError, match=message):
        invariant_iterative(p, t, rounds=50)


def test_iterative_without_a_diagonal_where_flows_exist():
    r = invariant_iterative([[0, 0.5, 0.5], [0.5, 0, 0.5], [0.5, 0.5, 0]], [3, 4, 5])
    # f01 + f02 = 3 and so on, from symmetric odds: f01 = 1, f02 = 2, f12 = 3
    np.testing.assert_allclose(r * [[3], [4], [5]], [[0, 1, 2], [1, 0, 3], [2, 3, 0]], atol=1e-9)


@given(tables, st.floats(0, 1), st.floats(0, 1))
@settings(deadline=None)
def test_pd_is_the_least_diagonal(t, pd, alpha):
    r = make_pd_alpha_matrix(t, pd, alpha)
    assert_invariant(r, t, atol=1e-13)
    assert r.diagonal().min() >= pd - 1e-15


@given(tables, st.floats(0, 1), st.floats(0, 1))
@settings(deadline=None)
def test_pd_alpha_is_the_mixture_where_it_keeps_pd_and_reaches_pd_otherwise(t, pd, alpha):
    there = [f for f in t if f]
    r = make_pd_alpha_matrix(t, pd, alpha)
    if len(there) == 1:
        np.testing.assert_array_equal(r, np.eye(len(t)))
        return
    star = invariant_two_stage(retention(len(there), pd), there, keep_zeros=False)
    mixture = alpha * star + (1 - alpha) * np.eye(len(there))
    block = r[np.ix_(np.flatnonzero(t), np.flatnonzero(t))]
    if mixture.diagonal().min() >= pd:
        np.testing.assert_allclose(block, mixture, atol=1e-14)
    else:
        assert block.diagonal().min() == pytest.approx(pd, abs=1e-14)
        beside = ~np.eye(len(there), dtype=bool)
        ratios = block[beside] / mixture[beside]
        np.testing.assert_allclose(ratios, ratios[0], rtol=1e-9)
        assert ratios[0] <= 1 + 1e-12


def test_pd_alpha_changes_nothing_at_its_ends():
    np.testing.assert_array_equal(make_pd_alpha_matrix([4, 5, 6], 1, 1), np.eye(3))
    np.testing.assert_array_equal(make_pd_alpha_matrix([4, 5, 6], 0.5, 0), np.eye(3))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 2], 1.1, 0.5), "pd is 1.1"),
        (([1, 2], -0.1, 0.5), "pd is -0.1"),
        (([1, 2], 0.8, 1.5), "alpha is 1.5"),
        (([1, 2], 0.8, float("nan")), "alpha is nan"),
        (([1], 0.8, 0.5), r"shape \(1,\); expected \(K,\), two"),
        ((7, 0.8, 0.5), r"shape \(\)"),
        (([0, 0], 0.8, 0.5), "sums to 0"),
        (([1, -1], 0.8, 0.5), "negative"),
        ((["a", "b"], 0.8, 0.5), "type"),
    ],
)
def test_pd_alpha_refuses(arguments, message):
    with pytest.raises(ValueError, match=message):
        make_pd_alpha_matrix(*arguments)


@pytest.mark.parametrize("invariant", [invariant_two_stage, invariant_iterative])
@pytest.mark.parametrize(
    ("t", "message"),
    [
        ([1, 2, 3], r"frequencies has shape \(3,\); expected \(2,\)"),
        ([1, -2], "negative, NaN or infinite"),
        ([1, float("nan")], "negative, NaN or infinite"),
        ([1, float("inf")], "negative, NaN or infinite"),
        ([0, 0], "frequencies sums to 0"),
    ],
)
def test_frequencies_that_do_not_fit_are_refused(invariant, t, message):
    with pytest.raises(ValueError, match=message):
        invariant(np.eye(2), t)


@pytest.mark.parametrize(("name", "value"), [("tolerance", 0), ("tolerance", float("nan")), ("rounds", 0)])
def test_iterative_refuses_its_numbers(name, value):
    with pytest.raises(ValueError, match=f"{name} is"):
        invariant_iterative(np.eye(2), [1, 1], **{name: value})
