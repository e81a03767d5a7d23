"""The regression from its sums: NIST's certified figures, and the pooled regression to 1e-9."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from sdc_sql.between.agreement import UNIT_BITS, count_bits
from sdc_sql.between.regression import fit_regression
from sdc_sql.errors import ParameterError

# Longley (1967), and NIST's certified values: Statistical Reference Datasets, linear regression, Longley
# (https://www.itl.nist.gov/div898/strd/lls/data/Longley.shtml)
LONGLEY = """60323 83.0 234289 2356 1590 107608 1947
61122 88.5 259426 2325 1456 108632 1948
60171 88.2 258054 3682 1616 109773 1949
61187 89.5 284599 3351 1650 110929 1950
63221 96.2 328975 2099 3099 112075 1951
63639 98.1 346999 1932 3594 113270 1952
64989 99.0 365385 1870 3547 115094 1953
63761 100.0 363112 3578 3350 116219 1954
66019 101.2 397469 2904 3048 117388 1955
67857 104.6 419180 2822 2857 118734 1956
68169 108.4 442769 2936 2798 120445 1957
66513 110.8 444546 4681 2637 121950 1958
68655 112.6 482704 3813 2552 123366 1959
69564 114.2 502601 3931 2514 125368 1960
69331 115.7 518173 4806 2572 127852 1961
70551 116.9 554894 4007 2827 130081 1962"""
ESTIMATES = [
    -3482258.63459582, 15.0618722713733, -0.0358191792925910, -2.02022980381683, -1.03322686717359, -0.0511041056535807,
    1829.15146461355,
]  # fmt: skip
ERRORS = [
    890420.383607373, 84.9149257747669, 0.0334910077722432, 0.488399681651699, 0.214274163161675, 0.226073200069370,
    455.478499142212,
]  # fmt: skip


def sum_products(columns: list[list[float]], bits: list[int]) -> list[int]:
    """Return the sums of the constant and the columns, as parties share them, without a macro."""
    units = [
        [1] * len(columns[0]),
        *([round(Fraction(x) * 2**b) for x in c] for c, b in zip(columns, bits, strict=True)),
    ]
    return [
        sum(a * b for a, b in zip(units[i], units[j], strict=True))
        for i in range(len(units))
        for j in range(i, len(units))
    ]


def choose_bits(columns: list[list[float]]) -> list[int]:
    return [UNIT_BITS - count_bits(max(map(abs, c))) for c in columns]


def test_longley_has_the_certified_figures():
    y, *x = [list(c) for c in zip(*([float(v) for v in line.split()] for line in LONGLEY.splitlines()), strict=True)]
    columns = [*x, y]
    bits = choose_bits(columns)
    found = fit_regression(sum_products(columns, bits), [f"x{i}" for i in range(1, 7)], bits)
    # the certified figures have 15 digits; the prices have decimals, which count to 2^-44
    assert [c.estimate for c in found.coefficients] == pytest.approx(ESTIMATES, rel=1e-10)
    assert [c.standard_error for c in found.coefficients] == pytest.approx(ERRORS, rel=1e-10)
    assert found.r_squared == pytest.approx(0.995479004577296, rel=1e-13)
    assert found.residual_deviation == pytest.approx(304.854073561965, rel=1e-11)
    assert (found.records, found.degrees_of_freedom) == (16, 9)


def regress_pooled(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Return estimates, standard errors and R2 by the QR of the pooled data, in long double where that is more."""
    design = np.column_stack([np.ones(len(y)), x])
    q, r = np.linalg.qr(design)
    b = np.linalg.solve(r, q.T @ y)
    rest = y - design @ b
    inverse = np.linalg.inv(r)
    errors = np.sqrt(rest @ rest / (len(y) - len(b)) * (inverse**2).sum(axis=1))
    return b, errors, 1 - rest @ rest / ((y - y.mean()) @ (y - y.mean()))


@pytest.mark.parametrize("far", [0, 1e6])
def test_the_pooled_regression_to_1e_9(far):
    rng = np.random.default_rng(7)
    x = np.round(rng.normal(size=(600, 3)) * [1, 40, 1e4] + [0, 45, 1e5], 2)
    y = far + 3 + x @ [2, -0.5, 1e-3] + rng.normal(size=600) * 5
    columns = [*(list(c) for c in x.T), list(y)]
    bits = choose_bits(columns)
    found = fit_regression(sum_products(columns, bits), ["a", "b", "c"], bits)
    estimates, errors, r_squared = regress_pooled(
        x, y - far
    )  # (QR in floating point is near the origin; here it is exact)
    estimates[0] += far
    assert [c.estimate for c in found.coefficients] == pytest.approx(estimates, rel=1e-9)
    assert [c.standard_error for c in found.coefficients] == pytest.approx(errors, rel=1e-9)
    assert found.r_squared == pytest.approx(r_squared, abs=1e-9)


def test_what_determines_no_coefficients_is_an_error():
    x = [1.0, 2, 3, 4, 5, 6]
    with pytest.raises(ParameterError, match=r"double follows from the regressors before it in all records"):
        fit_regression(
            sum_products([x, [2 * v for v in x], [1.0, 1, 2, 3, 5, 8]], [3, 3, 3]), ["x", "double"], [3, 3, 3]
        )
    with pytest.raises(ParameterError, match="even follows from"):
        fit_regression(sum_products([[1.0] * 6, x], [3, 3]), ["even"], [3, 3])
    with pytest.raises(ParameterError, match="one value in all records"):
        fit_regression(sum_products([x, [4.0] * 6], [3, 3]), ["x"], [3, 3])
    with pytest.raises(ParameterError, match="2 records for 2 coefficients"):
        fit_regression(sum_products([[1.0, 2], [4.0, 4]], [3, 3]), ["x"], [3, 3])


def test_sizes_beside_powers_of_two():
    assert [count_bits(s) for s in (1, 1.0001, 2, 0.5, 0.51, 1e15)] == [0, 1, 1, -1, 0, 50]
