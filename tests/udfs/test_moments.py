"""Moments over what is there, and a root of the covariance matrix that exists for every one."""

from __future__ import annotations

import statistics

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sdc_sql.udfs.noise.moments import covariance_root, deviations, means

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
