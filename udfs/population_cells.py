"""How many different cells a population has, from how many cells of a sample hold one record, two, three, ...

Pitman's superpopulation with the sample given (Favaro et al. 2009), and where its alpha is 0 that of Ewens. What tends
to a border is taken at the border: with every record in a cell of its own each of the population has one too.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.adapters import NUMBER, declare_function, require_given
from sdc_sql.udfs.arrow_function import NUMBERS
from sdc_sql.udfs.population_uniqueness import fit_ewens, fit_pitman, harmonic

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats


def population_cells(sizes: Floats, cells: Floats, population: float) -> Floats:
    """Return the expected number of different cells of the population.

    Parameters
    ----------
    sizes, cells
        The numbers of records of a cell, ascending, and how many cells have them.
    population
        N, at least the records.

    Examples
    --------
    >>> round(float(population_cells(np.array([1.0, 2.0]), np.array([3.0, 2.0]), 7.0)[0]), 6)  # a census
    5.0
    """
    n, u = float(sizes @ cells), float(cells.sum())
    size = max(require_given(population, "population"), n)
    if size <= n or u <= 1:
        return np.array([u])
    if u >= n:
        return np.array([size])
    theta, alpha = fit_pitman(sizes, cells)
    found = expect_ewens_cells(n, u, size) if math.isnan(alpha) else expect_given_sample(n, u, size, theta, alpha)
    return np.array([min(max(found, u), u + size - n)])


def expect_given_sample(n: float, u: float, population: float, theta: float, alpha: float) -> float:
    """Return u + (u + theta / alpha) (prod_{i=n}^{N-1} (i + theta + alpha) / (i + theta) - 1).

    Favaro et al. (2009), (6).
    """
    log = math.lgamma(population + theta + alpha) - math.lgamma(n + theta + alpha)
    log -= math.lgamma(population + theta) - math.lgamma(n + theta)
    return u + (u + theta / alpha) * math.expm1(min(log, 700.0))


def expect_ewens_cells(n: float, u: float, population: float) -> float:
    """Return u + sum_{i=n}^{N-1} theta / (theta + i), theta by maximum likelihood.

    It solves u = sum_{i<n} theta / (theta + i).
    """
    theta = fit_ewens(n, u)
    return u + theta * float(harmonic(theta + n, [population - n])[0])


FUNCTIONS = (
    declare_function(
        "population_cells", population_cells, NUMBERS, by_stratum=False, sizes=NUMBERS, cells=NUMBERS, population=NUMBER
    ),
)
