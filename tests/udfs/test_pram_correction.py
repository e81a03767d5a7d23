"""PRAM's corrections: exact means and covariances over every outcome, and Kronecker products against two ways."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sdc_sql.udfs.pram.correction import covariance, estimate, variance_inflation
from sdc_sql.udfs.pram.matrix import invariant_two_stage, retention
from sdc_sql.udfs.pram.two_way import estimate_two_way

seeds = st.integers(0, 2**32 - 1)
PX = np.array([[0.8, 0.15, 0.05], [0.1, 0.7, 0.2], [0.0, 0.3, 0.7]])
PY = np.array([[0.9, 0.1], [0.25, 0.75]])


def matrix_of(seed: int, k: int) -> np.ndarray:
    """Return a random PRAM matrix that is well invertible: its diagonal is above 0.6."""
    return 0.6 * np.eye(k) + 0.4 * np.random.default_rng(seed).dirichlet(np.ones(k), size=k)


def over_all_releases(p: np.ndarray, records: list[int], statistic) -> tuple[np.ndarray, np.ndarray]:
    """Return the exact mean and covariance matrix of a statistic of the released table, by enumeration."""
    k = p.shape[0]
    mean, second = 0.0, 0.0
    for released in itertools.product(range(k), repeat=len(records)):
        chance = float(np.prod([p[a, b] for a, b in zip(records, released, strict=True)]))
        value = statistic(np.bincount(released, minlength=k))
        mean, second = mean + chance * value, second + chance * np.outer(value, value)
    return mean, second - np.outer(mean, mean)


@pytest.mark.parametrize("records", [[0, 0, 1], [0, 1, 2], [2, 2, 2, 2], [0, 0, 1, 2, 2]])
def test_unbiased_with_the_stated_covariance_over_all_releases(records):
    original = np.bincount(records, minlength=3)
    mean, second = over_all_releases(PX, records, lambda released: estimate(PX, released)[0])
    np.testing.assert_allclose(mean, original, atol=1e-12)
    np.testing.assert_allclose(covariance(PX, original), second, atol=1e-12)


def test_the_plug_in_covariance_is_unbiased_before_negative_entries_are_cut():
    # E of W^t diag(T_X) W - diag(That) is the covariance: what estimate() gives wherever That is not negative
    records, w = [0, 0, 1, 2], np.linalg.inv(PX)

    def plugged(released):
        table, found = estimate(PX, released)
        uncut = (w.T * released) @ w - np.diag(table)
        if (table >= 0).all():
            np.testing.assert_allclose(found, uncut, atol=1e-12)
        return uncut.ravel()

    mean, _ = over_all_releases(PX, records, plugged)
    np.testing.assert_allclose(mean.reshape(3, 3), covariance(PX, [2, 1, 1]), atol=1e-12)


def test_negative_estimates_are_left_and_count_as_0_in_the_variance():
    table, found = estimate(retention(2, 0.9), [1, 19])
    np.testing.assert_allclose(table, [-1.25, 21.25])
    np.testing.assert_allclose(found, covariance(retention(2, 0.9), [0, 21.25]))
    cells, variances = estimate_two_way(retention(2, 0.9), [[1]], [[1], [19]])
    np.testing.assert_allclose(cells.ravel(), table)
    np.testing.assert_allclose(variances.ravel(), found.diagonal())


def test_the_handbooks_gender():
    table, found = estimate(retention(2, 0.9), [108, 92])
    np.testing.assert_allclose(table, [110, 90])
    # 200 binomial trials of variance 0.9 * 0.1, divided by 0.9 - 0.1 twice
    variance = 200 * 0.09 / 0.64
    np.testing.assert_allclose(found, variance * np.array([[1, -1], [-1, 1]]))


@given(st.lists(st.integers(0, 400), min_size=2, max_size=6), seeds)
@settings(deadline=None)
def test_what_holds_for_every_release(released, seed):
    p = matrix_of(seed, len(released))
    table, found = estimate(p, released)
    scale = max(1, sum(released))
    assert table.sum() == pytest.approx(sum(released), abs=1e-9)
    np.testing.assert_allclose(p.T @ table, released, atol=1e-10 * scale)
    np.testing.assert_allclose(found.sum(axis=0), 0, atol=1e-9 * scale)
    np.testing.assert_array_equal(found, found.T)
    assert np.linalg.eigvalsh(found).min() >= -1e-9 * scale


@given(st.lists(st.integers(0, 400), min_size=2, max_size=6).filter(any), seeds)
@settings(deadline=None)
def test_the_expected_release_gives_the_original_back(original, seed):
    p = matrix_of(seed, len(original))
    table, found = estimate(p, p.T @ original)
    np.testing.assert_allclose(table, original, atol=1e-9 * sum(original))
    # Cov(T_X) as the sum over the original categories, then the inverse on both sides
    released = sum(t * (np.diag(row) - np.outer(row, row)) for t, row in zip(original, p, strict=True))
    w = np.linalg.inv(p)
    np.testing.assert_allclose(found, w.T @ released @ w, atol=1e-8 * sum(original))


def test_without_pram_nothing_is_corrected():
    table, found = estimate(np.eye(3), [3, 0, 4])
    np.testing.assert_array_equal(table, [3, 0, 4])
    np.testing.assert_array_equal(found, np.zeros((3, 3)))
    table, found = estimate_two_way(np.eye(2), np.eye(2), [[3, 0], [4, 1]])
    np.testing.assert_array_equal(table, [[3, 0], [4, 1]])
    np.testing.assert_array_equal(found, np.zeros((2, 2)))
    # a permutation renames, and is undone exactly
    assert estimate([[0, 1], [1, 0]], [3, 8])[0].tolist() == [8, 3]


@given(st.integers(1, 4), st.integers(1, 4), seeds)
@settings(deadline=None)
def test_two_ways_are_one_with_the_kronecker_product(k, j, seed):
    px, py = matrix_of(seed, k), matrix_of(seed + 1, j)
    released = np.random.default_rng(seed).integers(0, 60, size=(k, j))
    table, variances = estimate_two_way(px, py, released)
    expected, found = estimate(np.kron(px, py), released.ravel())
    np.testing.assert_allclose(table.ravel(), expected, atol=1e-9)
    np.testing.assert_allclose(variances.ravel(), found.diagonal(), atol=1e-9)


@pytest.mark.parametrize("records", [[0, 3, 5], [1, 1, 4]])
def test_two_ways_over_all_releases(records):
    original = np.bincount(records, minlength=6).reshape(3, 2)
    mean, second = over_all_releases(
        np.kron(PX, PY), records, lambda released: estimate_two_way(PX, PY, released.reshape(3, 2))[0].ravel()
    )
    np.testing.assert_allclose(mean.reshape(3, 2), original, atol=1e-11)
    # of the expected release the estimate is the original table, and the variances are those at it
    table, variances = estimate_two_way(PX, PY, PX.T @ original @ PY)
    np.testing.assert_allclose(table, original, atol=1e-11)
    np.testing.assert_allclose(variances.ravel(), second.diagonal(), atol=1e-11)


def test_marginals_of_two_ways_are_those_of_one():
    released = np.array([[30, 12], [25, 41], [7, 9]])
    table, _ = estimate_two_way(PX, PY, released)
    np.testing.assert_allclose(table.sum(axis=1), estimate(PX, released.sum(axis=1))[0])
    np.testing.assert_allclose(table.sum(axis=0), estimate(PY, released.sum(axis=0))[0])
    original = np.array([[20, 14], [30, 40], [5, 9]])
    both = covariance(np.kron(PX, PY), original.ravel()).reshape(3, 2, 3, 2)
    np.testing.assert_allclose(both.sum(axis=(1, 3)), covariance(PX, original.sum(axis=1)), atol=1e-10)
    np.testing.assert_allclose(both.sum(axis=(0, 2)), covariance(PY, original.sum(axis=0)), atol=1e-10)


def test_a_large_table_needs_no_kronecker_product():
    # 300 x 200 cells: the product would have 3.6e9 entries; equal rows and equal columns stay so
    table, variances = estimate_two_way(retention(300, 0.9), retention(200, 0.8), np.full((300, 200), 4))
    np.testing.assert_allclose(table, 4, rtol=1e-10)
    np.testing.assert_allclose(variances, variances[0, 0], rtol=1e-9)


@given(st.integers(2, 30), st.floats(0.55, 0.99), st.floats(0.05, 0.95))
@settings(deadline=None)
def test_inflation_of_two_categories_in_closed_form(n, stays, share):
    # PRAM adds n p (1 - p) / (2 p - 1)^2 to n q (1 - q)
    t = np.array([n * share, n * (1 - share)])
    expected = 1 + stays * (1 - stays) / (2 * stays - 1) ** 2 / (share * (1 - share))
    np.testing.assert_allclose(variance_inflation(retention(2, stays), t), expected, rtol=1e-7)


def test_inflation_over_all_samples_and_releases():
    # 3 records drawn from shares q, then released: one record's draw is from q P, so enumeration is over that alone
    q = np.array([0.5, 0.3, 0.2])
    _, total = over_all_releases(np.tile(q @ PX, (3, 1)), [0, 0, 0], lambda released: estimate(PX, released)[0])
    np.testing.assert_allclose(variance_inflation(PX, 3 * q), total.diagonal() / (3 * q * (1 - q)), rtol=1e-11)


def test_inflation_where_sampling_has_no_variance():
    np.testing.assert_array_equal(variance_inflation(retention(2, 0.9), [10, 0]), [np.inf, np.inf])
    np.testing.assert_array_equal(variance_inflation(np.eye(2), [10, 0]), [1, 1])
    np.testing.assert_array_equal(variance_inflation(np.eye(3), [5, 0, 7]), [1, 1, 1])
    np.testing.assert_array_equal(variance_inflation(retention(2, 0.9), [0, 0]), [1, 1])
    # an empty category of an invariant matrix takes no part
    t = [60, 0, 40]
    found = variance_inflation(invariant_two_stage(retention(3, 0.8), t), t)
    assert found[1] == 1
    assert (found[[0, 2]] > 1).all()


@given(st.lists(st.integers(0, 50), min_size=2, max_size=6), seeds)
@settings(deadline=None)
def test_inflation_is_at_least_1_and_never_nan(t, seed):
    assert (variance_inflation(matrix_of(seed, len(t)), t) >= 1).all()


NEARLY = [[0.5, 0.5], [0.5 + 1e-13, 0.5 - 1e-13]]


@pytest.mark.parametrize("singular", [retention(2, 0.5), retention(4, 0.25), NEARLY])
def test_singular_matrices_are_refused(singular):
    k = len(singular)
    ones, square = np.ones(k), np.ones((k, k))
    for call in (estimate, covariance, variance_inflation):
        with pytest.raises(ValueError, match=r"p has the condition number .*expected at most 1e\+12.*join categories"):
            call(singular, ones)
    with pytest.raises(ValueError, match="px has the condition number"):
        estimate_two_way(singular, np.eye(k), square)
    with pytest.raises(ValueError, match="py has the condition number"):
        estimate_two_way(np.eye(k), singular, square)


@pytest.mark.parametrize("bad", [[1, -1], [1, float("nan")], [1, float("inf")], [1, 2, 3], [[1, 2]], ["1", "2"]])
def test_tables_that_do_not_fit_are_refused(bad):
    for call in (estimate, covariance, variance_inflation):
        with pytest.raises(ValueError, match=r"(released|table) (holds negative|has shape|has type)"):
            call(np.eye(2), bad)
    with pytest.raises(ValueError, match=r"(released|table) (holds negative|has shape|has type)"):
        estimate_two_way(np.eye(2), np.eye(1), bad)


def test_what_is_no_matrix_is_refused_by_name():
    for call in (estimate, covariance, variance_inflation):
        with pytest.raises(ValueError, match=r"row 1 of p sums to 0\.5"):
            call([[1, 0], [0, 0.5]], [1, 1])
    with pytest.raises(ValueError, match=r"row 1 of px sums to 0\.5"):
        estimate_two_way([[1, 0], [0, 0.5]], np.eye(2), np.eye(2))
    with pytest.raises(ValueError, match=r"row 0 of py sums to 0\.5"):
        estimate_two_way(np.eye(2), [[0.5, 0], [0, 1]], np.eye(2))
