"""The normal quantile, against another implementation of AS 241 and against 50 digits."""

from __future__ import annotations

import math
from statistics import NormalDist

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_tables import PROPERTY

TAILS = [m * 10.0**-e for e in range(1, 18) for m in (1, 1.4, 2.5, 5, 7.5)] + [1e-30, 1e-100, 1e-300, 1.4e-11, 1.39e-11]
POINTS = [*TAILS, *(1 - t for t in TAILS if t > 1e-15), *(i / 200 for i in range(1, 200)), 0.075, 0.925, 0.4999999]
POINTS += [math.nextafter(0.075, 0), math.nextafter(0.075, 1), math.nextafter(0.5, 0), math.nextafter(0.5, 1)]


def computed(con, points: list[float]) -> list[float]:
    sql = "SELECT sdc__normal_quantile(p) FROM (SELECT unnest(?::DOUBLE[]) AS p, unnest(range(?)) AS i) ORDER BY i"
    return [value for (value,) in con.execute(sql, [points, len(points)]).fetchall()]


def exact(p: float) -> float:
    with mpmath.workdps(60):
        return float(mpmath.sqrt(2) * mpmath.erfinv(2 * mpmath.mpf(p) - 1))


def test_against_pythons_routine(con):
    for p, value in zip(POINTS, computed(con, POINTS), strict=True):
        assert value == pytest.approx(NormalDist().inv_cdf(p), rel=1e-14, abs=1e-300), p


def test_against_many_digits(con):
    points = [p for p in POINTS if p > 1e-20]
    for p, value in zip(points, computed(con, points), strict=True):
        assert value == pytest.approx(exact(p), rel=1e-14, abs=1e-300), p


@PROPERTY
@given(points=st.lists(st.floats(1e-300, 1, exclude_max=True), min_size=20, max_size=60))
def test_any_probability(db, points):
    for p, value in zip(points, computed(db, points), strict=True):
        assert value == pytest.approx(NormalDist().inv_cdf(p), rel=1e-14, abs=1e-300), p


def test_symmetric_and_increasing(con):
    eighths = [i / 1024 for i in range(1, 1024)]  # 1 - p is exact
    values = computed(con, eighths)
    assert values == [-v for v in reversed(values)]
    assert values == sorted(values)
    assert values[511] == 0


def test_tables_of_the_normal_distribution(con):
    """The percentage points that every table prints."""
    found = computed(con, [0.9, 0.95, 0.975, 0.99, 0.995, 0.999])
    assert [round(v, 4) for v in found] == [1.2816, 1.6449, 1.9600, 2.3263, 2.5758, 3.0902]


def test_decimals_are_taken_too(con):
    assert con.execute("SELECT sdc__normal_quantile(0.99), sdc__normal_quantile(0.5)").fetchone() == (
        pytest.approx(NormalDist().inv_cdf(0.99), rel=1e-15),
        0,
    )
