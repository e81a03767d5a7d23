"""ln(1 + x) and exp(x) - 1, against the C library's routines."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_tables import PROPERTY

SIZES = [
    0.0,
    *(10.0**e for e in range(-300, -20, 10)),
    *(m * 10.0**e for e in range(-20, 0) for m in (1, 2.5, 7.3)),
    0.99,
]
SIZES += [2.0**-52, 2.0**-53, 2.0**-54, 0.5, math.nextafter(1, 0)]


def computed(con, expression: str, points: list[float]) -> list[float]:
    sql = f"SELECT {expression} FROM (SELECT unnest(?::DOUBLE[]) AS x, unnest(range(?)) AS i) ORDER BY i"
    return [value for (value,) in con.execute(sql, [points, len(points)]).fetchall()]


def test_ln1p_against_the_c_library(con):
    points = SIZES + [-x for x in SIZES] + [1.5, 10.0, 1e10]
    for x, value in zip(points, computed(con, "sdc__ln1p(x)", points), strict=True):
        assert value == pytest.approx(math.log1p(x), rel=1e-15, abs=0), x


def test_expm1_against_the_c_library(con):
    points = SIZES + [-x for x in SIZES] + [-1.5, -20.0, -36.0, -50.0, -700.0, 1.5, 20.0, 700.0]
    for x, value in zip(points, computed(con, "sdc__expm1(x)", points), strict=True):
        assert value == pytest.approx(math.expm1(x), rel=2e-15, abs=0), x


@PROPERTY
@given(points=st.lists(st.floats(-1, 1, exclude_min=True), min_size=20, max_size=100))
def test_any_x(db, points):
    for x, value in zip(points, computed(db, "sdc__ln1p(x)", points), strict=True):
        assert value == pytest.approx(math.log1p(x), rel=1e-15, abs=5e-324), x
    for x, value in zip(points, computed(db, "sdc__expm1(x)", points), strict=True):
        assert value == pytest.approx(math.expm1(x), rel=2e-15, abs=5e-324), x


def test_the_values_in_the_headers(con):
    """ln(1 + x) = x - x^2/2 + ..., exp(x) - 1 = x + x^2/2 + ... at x = 1e-10."""
    assert computed(con, "sdc__ln1p(x)", [1e-10]) == pytest.approx([1e-10 - 0.5e-20], rel=2e-16)
    assert computed(con, "sdc__expm1(x)", [1e-10]) == pytest.approx([1e-10 + 0.5e-20], rel=2e-16)
    assert con.execute("SELECT sdc__ln1p(0), sdc__expm1(0)").fetchone() == (0, 0)


def test_integer_division_changes_nothing(con):
    con.execute("SET integer_division = true")
    assert con.execute("SELECT sdc__ln1p(1), sdc__expm1(1)").fetchone() == pytest.approx(
        (math.log(2), math.e - 1), rel=1e-15
    )
