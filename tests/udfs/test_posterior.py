"""The posterior risk of many cells at once, against fifty digits."""

from __future__ import annotations

import math

import numpy as np
from brute_force import posterior_risk as exact
from sdc_sql.udfs.posterior import posterior_risk


def test_posterior_risk_to_twelve_digits():
    """At and about the borders of its regions: f = 1, 15 and 16, 99 and 100; p = 1/2 and 1."""
    chances = [1e-9, 0.01, 0.3, math.nextafter(0.5, 0), 0.5, 0.7, 1 - 1e-12]
    points = [(f, p) for f in (1, 2, 3, 14, 15, 16, 17, 99, 100, 101, 5000) for p in chances]
    f, p = np.array(points).T
    population = f / p
    found = posterior_risk(f, population)
    expected = [float(exact(int(size), float(size / whole))) for size, whole in zip(f, population, strict=True)]
    assert np.allclose(found, expected, rtol=1e-12, atol=0)
    # a population, or less than one: 1 / f
    sizes = np.array([1.0, 2, 15, 16, 120])
    assert np.allclose(posterior_risk(sizes, sizes), 1 / sizes, rtol=1e-15, atol=0)
    assert np.allclose(posterior_risk(sizes, sizes / 2), 1 / sizes, rtol=1e-15, atol=0)
