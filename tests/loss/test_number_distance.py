"""Distances of the distributions of numbers: by hand, by the definition at every point, and with weights as repeats."""

from __future__ import annotations

import numpy as np
import pytest
from holdout_cases import put

from sdc_sql import Microdata
from sdc_sql.errors import InputError, WeightError


def reckon(x, p, y, q):
    """The greatest difference of two distribution functions, and the area between them, from the definition."""
    at = sorted({*x, *y})
    apart = [abs(p[x <= v].sum() / p.sum() - q[y <= v].sum() / q.sum()) for v in at]
    return max(apart), sum(a * (u - v) for a, v, u in zip(apart, at, at[1:], strict=False))


@pytest.mark.parametrize("weight", [None, "w"])
def test_as_by_the_definition(con, weight):
    for seed in range(3):
        draw = np.random.default_rng(seed)
        x, y = draw.normal(size=70).round(1), draw.normal(0.3, 1.4, size=50).round(1)
        p, q = draw.integers(1, 5, 70), draw.integers(1, 5, 50) / 4
        put(con, "k", **{'a"b': x, "Select": np.exp(x), "w": p})
        put(con, "f", **{"select": np.exp(y), 'A"b': y, "w": q})
        rows = Microdata(con, "f").loss.number_distance("k", ["select", 'a"b'], weight=weight)
        assert [row.variable for row in rows] == ["Select", 'a"b']
        if weight is None:
            p, q = np.ones(70), np.ones(50)
        for row, (a, b) in zip(rows, ((np.exp(x), np.exp(y)), (x, y)), strict=True):
            assert (row.kolmogorov_smirnov, row.wasserstein) == pytest.approx(reckon(a, p, b, q))
            deviation = np.sqrt(np.average((a - np.average(a, weights=p)) ** 2, weights=p))
            assert row.standardised == pytest.approx(row.wasserstein / deviation)
            assert (row.missing_before, row.missing_after, row.missing_change) == (0, 0, 0)


def test_missing_constant_and_shifted(con):
    put(con, "k", x=[1.0, 2.0, None, np.nan], c=[5, 5, 5, 5], n=[None, None, None, 1])
    con.execute("CREATE TABLE f AS SELECT unnest([11.0, 12, 13, 12]) AS x, 7 AS c, NULL::INT AS n")
    x, c, n = Microdata(con, "f").loss.number_distance("k", ["x", "c", "n"])
    assert (x.kolmogorov_smirnov, x.wasserstein, x.missing_before, x.missing_change) == (1, 10.5, 0.5, 0.5)
    assert (c.kolmogorov_smirnov, c.wasserstein, c.standardised) == (1, 2, None)
    assert (n.kolmogorov_smirnov, n.wasserstein, n.missing_change) == (None, None, 0.25)
    con.execute("ALTER TABLE k ADD COLUMN w INT")
    con.execute("ALTER TABLE f ADD COLUMN w INT")
    with pytest.raises(WeightError):
        Microdata(con, "f").loss.number_distance("k", ["x"], weight="w")
    con.execute("ALTER TABLE f ALTER c TYPE VARCHAR")
    with pytest.raises(InputError, match="number"):
        Microdata(con, "f").loss.number_distance("k", ["c"])
