"""Moments over what is there, and a root of the covariance matrix that exists for every one."""

from __future__ import annotations

import statistics

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sdc_sql.udfs.noise.functions import make_noise_coefficients
from sdc_sql.udfs.noise.moments import covariance_root, deviations, means
from sdc_sql.udfs.noise.root import noise_root

sevenths = st.integers(-(10**6), 10**6).map(lambda k: k / 7)
column = st.lists(st.one_of(sevenths, st.just(np.nan)), min_size=2, max_size=30)


@given(column)
@settings(deadline=None)
def test_means_and_deviations_agree_with_the_standard_library(values):
    present = [v for v in values if v == v]  # noqa: PLR0124  (NaN differs from itself)
    matrix = np.array(values)[:, np.newaxis]
    if len(present) == 1:
        with pytest.raises(ValueError, match="column 0 has 1 value"):
            deviations(matrix)
        return
    expected = (statistics.fmean(present), statistics.stdev(present)) if present else (0, 0)
    scale = max((abs(v) for v in present), default=0)
    np.testing.assert_allclose(means(matrix), expected[0], atol=1e-12 * scale)
    np.testing.assert_allclose(deviations(matrix), expected[1], rtol=1e-9, atol=1e-9 * scale)


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 30), p=st.integers(1, 5), rank=st.integers(1, 5))
@settings(deadline=None)
def test_the_root_gives_the_covariance_matrix_singular_or_not(seed, n, p, rank):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, rank)) @ rng.normal(size=(rank, p)) * 10.0 ** rng.integers(-3, 4, size=p)
    root = covariance_root(x)
    sd = np.maximum(x.std(axis=0, ddof=1), 1e-300)
    np.testing.assert_allclose(
        root.T @ root / np.outer(sd, sd), np.atleast_2d(np.cov(x.T)) / np.outer(sd, sd), atol=1e-8
    )


def test_incomplete_records_are_left_out_of_covariances():
    x = np.random.default_rng(1).normal(size=(20, 2))
    short = x.copy()
    short[3, 0] = np.nan
    np.testing.assert_array_equal(covariance_root(short), covariance_root(np.delete(x, 3, axis=0)))


def test_a_total_of_its_parts_has_their_noise_and_what_comes_after_is_as_without_it():
    """The third column is twice the first less the second: its noise too; the fourth has a draw of its own again."""
    data = np.random.default_rng(6).normal(size=(60, 3)) @ [[2.0, 0.7, 0.3], [0.0, 1.0, -0.4], [0.0, 0.0, 0.5]]
    columns = np.column_stack([data[:, 0], data[:, 1], 2 * data[:, 0] - data[:, 1], data[:, 2]])
    covariances, sizes = np.cov(columns.T), [0.4, 0.25, 0.9, 0.112]
    found = noise_root(covariances.tolist(), sizes)
    np.testing.assert_allclose(found[2], 2 * np.array(found[0]) - found[1], rtol=1e-8)
    free = [0, 1, 3]
    root = np.linalg.cholesky(covariances[np.ix_(free, free)])
    for row, j in zip(root, free, strict=True):
        share = row / np.sqrt(covariances[j, j])
        at = free.index(j)
        expected = np.zeros(4)  # shares to three decimals, that of the own draw up
        expected[free[:at]] = np.round(share[:at], 3)
        expected[j] = np.ceil(share[at] * 1000 - 1e-9) / 1000
        np.testing.assert_allclose(found[j], sizes[j] * expected, rtol=1e-12)


@pytest.mark.parametrize("covariances", [None, np.full((2, 2), np.nan), np.array([[1.0, np.nan], [np.nan, 1.0]])])
def test_without_covariances_there_is_no_correlated_noise(covariances):
    with pytest.raises(ValueError, match=r"fewer than two records have no missing value: .*mask"):
        make_noise_coefficients(None, covariances, np.array([0.1, 0.1]))
