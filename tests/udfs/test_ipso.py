"""IPSO from its definitions (SDC handbook, 3.4.7.5): what methods A, B and C release of given draws."""

from __future__ import annotations

import numpy as np
import pytest
from sdc_sql.udfs.ipso import _compute_explained, ipso

RNG = np.random.default_rng(8)
X = RNG.normal(5, 2, (40, 2))
Y = X @ np.array([[1.0, -2.0], [0.5, 3.0]]) + RNG.normal(0, 3, (40, 2)) @ np.array([[2.0, 0.7], [0.0, 1.1]]) + 9
DRAWS = RNG.normal(size=(40, 2))


def split(y, x):
    """Return the fitted values and the residuals of least squares with a constant."""
    design = np.column_stack([np.ones(len(y)), x])
    fitted = design @ np.linalg.lstsq(design, y, rcond=None)[0]
    return fitted, y - fitted


@pytest.mark.parametrize("x", [X, X[:, :1], np.empty((40, 0))])
def test_what_each_method_releases(x):
    fitted, rest = split(Y, x)
    np.testing.assert_allclose(ipso("A", Y, x, DRAWS, ["a", "b"]), fitted, rtol=1e-9)
    # B: residuals of draws that have the covariances of the own ones, L z with L L' = r'r / n
    root = np.linalg.cholesky(rest.T @ rest / len(Y))
    np.testing.assert_allclose(ipso("B", Y, x, DRAWS, ["a", "b"]), fitted + split(DRAWS @ root.T, x)[1], rtol=1e-9)
    # C: the residuals of draws, turned so that their products are those of the own ones
    drawn = split(DRAWS, x)[1]
    turned = drawn @ np.linalg.inv(np.linalg.cholesky(drawn.T @ drawn)).T @ np.linalg.cholesky(rest.T @ rest).T
    found = ipso("C", Y, x, DRAWS, ["a", "b"])
    np.testing.assert_allclose(found, fitted + turned, rtol=1e-8)
    np.testing.assert_allclose(split(found, x)[1].T @ split(found, x)[1], rest.T @ rest, rtol=1e-9)
    explained = 1 - np.square(rest).sum(axis=0) / np.square(Y - Y.mean(axis=0)).sum(axis=0)
    given = x.T if x.shape[1] else None
    np.testing.assert_allclose(_compute_explained(None, Y.T, given, "a\nb"), explained, atol=1e-12)
