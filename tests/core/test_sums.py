"""Sums of DOUBLE that are the same to the bit for any number of threads and any order of the rows."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import duckdb
import numpy as np
import pyarrow as pa
import pytest

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

SCALE = 2**72


def exact_sum(con: DuckDBPyConnection, values: list[float]) -> float:
    con.register("given", pa.table({"x": values}))
    ((found,),) = con.sql("SELECT sdc__exact_sum(x) FROM given").fetchall()
    return found


@pytest.mark.parametrize(
    "values",
    [
        [1e12, 1.0, 1e-6, -1e12],
        [1e12, *[1.0] * 1000],
        [3.7] * 10_000,
        [-0.1] * 10_000 + [1e15, 1e-9],
        [5e-324, 1e-9, -1e-9],
        [2.0**54, 2.0**53, -1.0],
    ],
)
def test_sum_is_the_exact_one_of_whole_numbers(con, values):
    wanted = Fraction(sum(round(Fraction(v) * SCALE) for v in values), SCALE)
    found = exact_sum(con, values)
    assert abs(Fraction(found) - wanted) <= Fraction(math.ulp(float(wanted)))
    assert abs(Fraction(found) - sum(map(Fraction, values))) <= Fraction(math.ulp(float(wanted))) + Fraction(
        len(values), 2 * SCALE
    )
    if Fraction(float(wanted)) == wanted:
        assert Fraction(found) == wanted


def test_random_values_in_any_order(con):
    draw = np.random.default_rng(7)
    values = (draw.normal(size=20_000) * 2 ** draw.uniform(-30, 40, size=20_000)).tolist()
    wanted = Fraction(sum(round(Fraction(v) * SCALE) for v in values), SCALE)
    first = exact_sum(con, values)
    assert abs(Fraction(first) - wanted) <= Fraction(math.ulp(float(wanted)))
    draw.shuffle(values)
    assert exact_sum(con, values) == first


@pytest.mark.parametrize("values", [[1e300, 1.0], [2.0**54] * 2, [math.inf, 1.0], [math.nan], [-1e300, 1e300]])
def test_what_does_not_fit_is_an_error(con, values):
    with pytest.raises(duckdb.Error, match=r"out of range|Overflow"):
        exact_sum(con, values)


def test_null_counts_nowhere_and_nothing_sums_to_null(con):
    found = con.sql(
        "SELECT sdc__exact_sum(x) FROM (VALUES (1, 2.5), (1, NULL), (2, NULL::DOUBLE)) t(g, x) GROUP BY g ORDER BY g"
    )
    assert found.fetchall() == [(2.5,), (None,)]


def test_a_window(con):
    found = con.sql("""
        SELECT sdc__unfixed(sum(sdc__fixed(x)) OVER (ORDER BY i))
        FROM (VALUES (1, 1e12), (2, 1.0), (3, -1e12), (4, 1e-6)) t(i, x) ORDER BY i
    """).fetchall()
    assert found == [(1e12,), (1e12 + 1,), (1.0,), (1.000001,)]
