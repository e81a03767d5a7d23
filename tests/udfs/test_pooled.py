"""Moments pooled of parts are those of all records, as numpy takes them at once."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from sdc_sql.udfs.noise.additive import correlated, linear_transformed, uncorrelated
from sdc_sql.udfs.noise.moments import covariance_root, deviations, means
from sdc_sql.udfs.noise.pooled_moments import Moments, pooled

RNG = np.random.default_rng(20)
X = RNG.normal(size=(500, 3)) @ np.array([[2.0, 1.0, 0.0], [0.0, 1.0, 3.0], [0.0, 0.0, 0.5]]) + [1e4, 0.0, -50.0]
X[RNG.random(X.shape) < 0.1] = np.nan
Z = RNG.normal(size=X.shape)
CUTS = [0, 1, 1, 30, 300, 500]  # a part of one record, and one of none


def parts(x=X, z=Z) -> Moments:
    return pooled(Moments.of(x[a:b], z[a:b]) for a, b in pairwise(CUTS))


def test_means_deviations_and_covariances_are_numpys():
    complete = X[~np.isnan(X).any(axis=1)]
    found = parts()
    assert found.mean == pytest.approx(np.nanmean(X, axis=0), rel=1e-13)
    assert found.deviations() == pytest.approx(np.nanstd(X, axis=0, ddof=1), rel=1e-12)
    root = found.covariance_root()
    assert root.T @ root == pytest.approx(np.cov(complete.T), rel=1e-11)


def test_they_are_those_of_the_kernels_for_all_records():
    found = parts()
    assert found.mean == pytest.approx(means(X), rel=1e-13)
    assert found.deviations() == pytest.approx(deviations(X), rel=1e-12)
    assert found.covariance_root() == pytest.approx(covariance_root(X), rel=1e-11, abs=1e-11)


def test_one_list_and_back():
    found = parts()
    again = Moments.of_list(found.to_list(), 3)
    assert all(np.array_equal(getattr(found, name), value) for name, value in vars(again).items())


@pytest.mark.parametrize("kernel", [uncorrelated, correlated, linear_transformed])
def test_noise_on_a_part_is_that_part_of_the_noise_on_all(kernel):
    whole = kernel(X, Z, 0.3)
    part = kernel(X[30:300], Z[30:300], 0.3, moments=parts())
    assert part == pytest.approx(whole[30:300], rel=1e-12, nan_ok=True)


def test_a_constant_column_has_no_deviation_however_its_mean_is_rounded():
    x = np.column_stack([np.full(500, 0.1), X[:, 1]])
    found = parts(x, Z[:, :2])
    assert found.deviations()[0] == 0.0
    assert (found.covariance_root()[:, 0] == 0.0).all()


def test_a_single_value_is_refused_and_none_is_nothing_to_mask():
    x = np.full((500, 1), np.nan)
    assert parts(x, Z[:, :1]).covariance_root().tolist() == [[0.0]]
    x[7] = 3.0
    with pytest.raises(ValueError, match="1 value; expected 2 or more"):
        parts(x, Z[:, :1]).deviations()
    with pytest.raises(ValueError, match="1 records have no missing value"):
        parts(x, Z[:, :1]).covariance_root()
