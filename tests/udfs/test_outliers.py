"""Noise for outliers: who is one, and that nobody else is touched."""

from __future__ import annotations

import statistics

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sdc_sql.udfs.noise.moments import covariance_root
from sdc_sql.udfs.noise.outliers import is_outlier, outliers_only


@given(st.lists(st.integers(-1000, 1000), min_size=1, max_size=30), st.floats(0.5, 5))
@settings(deadline=None)
def test_the_robust_score_agrees_with_its_definition(values, threshold):
    centre = statistics.median(values)
    distances = [abs(v - centre) for v in values]
    scale = 1.482602218505602 * statistics.median(distances) or 1.2533141373155003 * statistics.fmean(distances)
    scores = [d / scale if scale else 0.0 for d in distances]
    clear = [abs(s - threshold) > 1e-9 for s in scores]
    np.testing.assert_array_equal(
        is_outlier(values, threshold)[clear], np.array([s > threshold for s in scores])[clear]
    )


def test_of_normal_values_as_many_are_outliers_as_theory_says():
    n = 200_000
    share = 0.0026997960632601866  # beyond 3 standard deviations
    found = is_outlier(np.random.default_rng(1).normal(5, 2, size=n), 3).mean()
    # the median absolute deviation has a standard error of 1.17 / sqrt(n) of itself, and the share falls by
    # 6 f(3) = 0.0266 for each unit of the scale
    standard_error = np.hypot(np.sqrt(share / n), 0.0266 * 1.17 / np.sqrt(n))
    assert abs(found - share) < 4.5 * standard_error


def test_only_outlying_records_get_noise_and_all_of_it():
    rng = np.random.default_rng(2)
    x, draws = rng.normal(size=(200, 2)), rng.normal(size=(200, 2))
    x[3, 0], x[7, 1] = 50, np.nan
    far = is_outlier(x, 3)
    assert far[3]
    masked = outliers_only(x, draws, 0.3, 3)
    np.testing.assert_array_equal(masked[~far], x[~far])
    np.testing.assert_array_equal(masked[far], (x + draws @ (np.sqrt(0.3) * covariance_root(x)))[far])


def test_a_missing_value_is_no_outlier_and_a_common_one_neither():
    x = np.array([[1.0, np.nan], [1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [9.0, 2.0]])
    np.testing.assert_array_equal(is_outlier(x, 3), [False, False, False, False, True])
    np.testing.assert_array_equal(is_outlier(np.full(5, np.nan), 3), [False] * 5)


def test_a_negative_threshold_is_refused():
    with pytest.raises(ValueError, match="threshold is -1; expected a number at least 0"):
        outliers_only([1.0, 2.0], [0.0, 0.0], 1, -1)
