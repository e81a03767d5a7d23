"""Matrices of PRAM, its correction and its proof as DuckDB is given them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.adapters import NUMBER, TEXT, choose_function, declare_function, require_given
from sdc_sql.udfs.arrow_function import NUMBERS, TABLE
from sdc_sql.udfs.pram.correct_match import correct_match
from sdc_sql.udfs.pram.correction import estimate, variance_inflation
from sdc_sql.udfs.pram.iterative import invariant_iterative
from sdc_sql.udfs.pram.matrix import invariant_two_stage, make_pd_alpha_matrix
from sdc_sql.udfs.pram.two_way import estimate_two_way

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats


def _square(p: Floats | None) -> Floats:
    """Return the matrix whose rows are given one after the other."""
    if p is None:
        raise ValueError("the PRAM matrix is NULL: give its rows")
    k = round(len(p) ** 0.5)
    return p.reshape(k, k)


def invariant(p: Floats | None, frequencies: Floats, method: str, pd: float, alpha: float) -> Floats:
    """Return an invariant matrix as one list."""
    methods = {
        "two_stage": lambda: invariant_two_stage(_square(p), frequencies),
        "iterative": lambda: invariant_iterative(_square(p), frequencies),
        "pd_alpha": lambda: make_pd_alpha_matrix(frequencies, require_given(pd, "pd"), require_given(alpha, "alpha")),
    }
    return np.ravel(choose_function(method, methods)())


def estimate_frequencies(p: Floats, released: Floats) -> list[Floats]:
    """Return the estimates, their standard errors, the variance inflation, and the covariances as one list."""
    n = len(released)
    matrix = np.reshape(p, (n, n))
    table, covariances = estimate(matrix, released)
    errors = np.sqrt(np.maximum(np.diag(covariances), 0))
    return [table, errors, variance_inflation(matrix, np.maximum(table, 0)), np.ravel(covariances)]


def estimate_two_way_table(p: Floats, q: Floats, released: Floats) -> list[Floats]:
    """Return the estimates and their standard errors, row by row."""
    shape = (round(len(p) ** 0.5), round(len(q) ** 0.5))
    table, variances = estimate_two_way(np.reshape(p, (shape[0],) * 2), np.reshape(q, (shape[1],) * 2),
                                        np.reshape(released, shape))  # fmt: skip
    return [np.ravel(table), np.sqrt(np.maximum(np.ravel(variances), 0))]


def match_frequencies(frequencies: Floats, cells: Floats, theta: float, most: float) -> Floats:
    """Return the probabilities of a correct match, one list per frequency."""
    highest = require_given(most, "most")
    if highest != int(highest) or highest < 1:
        raise ValueError(f"most is {most:g}: it must be a whole number of at least 1")
    return correct_match(frequencies, cells, theta, int(highest))


FUNCTIONS = (
    declare_function(
        "invariant",
        invariant,
        NUMBERS,
        by_stratum=False,
        p=NUMBERS,
        frequencies=NUMBERS,
        method=TEXT,
        pd=NUMBER,
        alpha=NUMBER,
    ),
    declare_function("estimate", estimate_frequencies, TABLE, by_stratum=False, p=NUMBERS, released=NUMBERS),
    declare_function(
        "estimate_two_way", estimate_two_way_table, TABLE, by_stratum=False, p=NUMBERS, q=NUMBERS, released=NUMBERS
    ),
    declare_function(
        "correct_match",
        match_frequencies,
        TABLE,
        by_stratum=False,
        frequencies=NUMBERS,
        cells=NUMBERS,
        theta=NUMBER,
        most=NUMBER,
    ),
)
