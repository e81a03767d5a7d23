"""Masked numbers kept between bounds: reflected at each as often as it takes, not cut off."""

from __future__ import annotations

import pytest

from sdc_sql.db.catalogue.load import execute


def reflect(v, low, high):
    """Return a number reflected at the bound that it lies beyond, one reflection after the other."""
    while not low <= v <= high:
        v = 2 * low - v if v < low else 2 * high - v
    return v


@pytest.mark.parametrize(("v", "expected"), [(-3, 3), (12, 8), (27, 7), (-13, 7), (0, 0), (10, 10), (4.5, 4.5)])
def test_of_the_bounds_0_and_10(con, v, expected):
    assert execute(con, "SELECT sdc__reflected($1::DOUBLE, 0e0, 10e0)", [v]).fetchone() == (expected,)


def test_numbers_beyond_other_bounds_one_reflection_after_the_other(con):
    for low, high in ((-7, 4), (2, 5.5), (-9.25, -3)):
        numbers = [low - 31 + 1.75 * i for i in range(40)]
        rows = execute(
            con,
            "SELECT v, sdc__reflected(v, $1::DOUBLE, $2::DOUBLE) FROM (SELECT unnest($3::DOUBLE[]) AS v)",
            [low, high, numbers],
        ).fetchall()
        assert rows == [(v, pytest.approx(reflect(v, low, high))) for v in numbers]


def test_of_one_bound_and_of_none(con):
    rows = execute(
        con,
        """SELECT sdc__reflected(-3e0, 1e0, NULL), sdc__reflected(9e0, 1e0, NULL), sdc__reflected(9e0, NULL, 1e0),
                  sdc__reflected(-3e0, NULL, 1e0), sdc__reflected(9e0, NULL, NULL)""",
    ).fetchall()
    assert rows == [(5, 9, -7, -3, 9)]
