"""How many cells of a population hold one person, from how many cells of a sample hold one, two, three, ... records.

Pitman's superpopulation by maximum likelihood (Hoshino 2001), Zayatz's (1991) Bayesian estimate, and the slide negative
binomial model by its first two moments (Chen & Keller-McNulty 1998). What has no solution is a ValueError or NaN, never
a small number.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.adapters import NUMBER, TEXT, declare_function, require_given
from sdc_sql.udfs.arrow_function import NUMBERS

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt
    from sdc_sql.udfs.arguments import Floats

STEPS, NEAR = 60, 1e-14  # a search for a root takes so many steps, and comes so near
LEAST = 1e-4  # alpha below it: the likelihood is greatest at the border, alpha = 0
BLOCK = 1_000_000
GRID = 2_000
SMALL = 0.1  # the sampling fraction up to which Pitman's model is taken


def harmonic(x: float, terms: npt.ArrayLike) -> Floats:
    """Return 1/x + 1/(x + 1) + ... for numbers of terms: digamma(x + m) - digamma(x), all digits right.

    Examples
    --------
    >>> [round(float(s), 12) for s in harmonic(1.0, [0, 2, 100])]
    [0.0, 1.5, 5.18737751764]
    """
    m, first = np.asarray(terms, dtype=np.float64), 16
    near = np.concatenate([[0.0], np.cumsum(1 / (x + np.arange(first)))])[np.minimum(m, first).astype(np.int64)]
    y, rest = x + first, np.maximum(m - first, 0)
    return np.asarray(near + np.log1p(rest / y) + _expand_digamma(y + rest) - _expand_digamma(np.asarray(y)))


def _expand_digamma(z: Floats) -> Floats:
    """Return digamma(z) - log(z) by its asymptotic series."""
    return np.asarray(-1 / (2 * z) - 1 / (12 * z**2) + 1 / (120 * z**4) - 1 / (252 * z**6) + 1 / (240 * z**8))


def expect_ewens(sizes: Floats, cells: Floats, population: float) -> float:
    """Return the expected population uniques of Ewens' formula, Pitman's with alpha = 0: N theta / (N + theta - 1).

    theta, by maximum likelihood, is where the expected cells, sum_{i<n} theta / (theta + i), are those of the sample.
    NaN where every record is a cell of its own, or all are one.

    Examples
    --------
    >>> round(expect_ewens(np.array([1.0, 2.0]), np.array([1.0, 1.0]), 1e12),
    ...     6)  # 1 + x/(x+1) + x/(x+2) = 2: x = sqrt 2
    1.414214
    """
    n, u = float(sizes @ cells), float(cells.sum())
    if u in {1.0, n}:
        return math.nan
    theta = fit_ewens(n, u)
    return population * theta / (population + theta - 1)


def fit_ewens(n: float, u: float) -> float:
    """Return the theta of Ewens' formula with which n records are expected in u cells, from 2 to n - 1."""
    return math.exp(find_root(lambda x: u - math.exp(x) * float(harmonic(math.exp(x), n)), -40.0, 2 * math.log(n) + 10))


def pitman(sizes: Floats, cells: Floats, population: float) -> float:
    """Return the expected population uniques of Pitman's model, NaN where its likelihood has no maximum within.

    It is Gamma(theta + 1) / Gamma(theta + alpha) N^alpha (Hoshino 2001).
    """
    theta, alpha = fit_pitman(sizes, cells)
    logarithm = math.lgamma(theta + 1) - math.lgamma(theta + alpha) + alpha * math.log(population)
    return math.nan if math.isnan(alpha) else min(math.exp(min(logarithm, 700.0)), population)


def fit_pitman(sizes: Floats, cells: Floats) -> tuple[float, float]:
    """Return theta and alpha of Pitman's model, both NaN where its likelihood has no maximum within.

    L = sum_{i<u} log(theta + i alpha) - sum_{i<n} log(theta + i) + sum_j s_j sum_{i<j} log(i - alpha), u cells and n
    records, has one theta for each alpha, where its derivative falls through 0; alpha is where the other one does.
    """
    n, u = float(sizes @ cells), float(cells.sum())
    if u in {1.0, n}:  # theta tends to a border where there is one cell, or none of two records
        return math.nan, math.nan

    def slope_by_theta(theta: float, alpha: float) -> float:
        return float(harmonic(theta / alpha + 1, u - 1) / alpha - harmonic(theta + 1, n - 1))

    def solve_theta(alpha: float) -> float:
        at = find_root(lambda x: slope_by_theta(math.exp(x) - alpha, alpha), math.log(alpha) - 30, math.log(n) + 40)
        return math.exp(at) - alpha

    def slope_by_alpha(alpha: float) -> float:
        theta = solve_theta(alpha)
        first = (u - 1 - theta * float(harmonic(theta / alpha + 1, u - 1)) / alpha) / alpha
        return first - float(cells @ harmonic(1 - alpha, sizes - 1))

    if not slope_by_alpha(LEAST) > 0:
        return math.nan, math.nan
    alpha = find_root(slope_by_alpha, LEAST, 1 - 1e-12)
    return solve_theta(alpha), alpha


def zayatz(sizes: Floats, cells: Floats, population: float) -> float:
    """Return s_1 N / n P(F = 1 | f = 1), with the cells of the sample in the place of those of the population.

    P(f = 1 | F = j) is hypergeometric: j C(N - j, n - 1) / C(N, n), of which the ratio to that of j = 1 is taken.
    """
    n, logarithms, before = float(sizes @ cells), np.zeros(len(sizes)), 0.0
    for start in range(1, int(sizes[-1]), BLOCK):
        k = np.arange(start, min(start + BLOCK, int(sizes[-1])))
        with np.errstate(divide="ignore"):  # a value that cannot be drawn just once has the logarithm of 0
            steps = before + np.cumsum(np.log1p(np.maximum(-(n - 1) / (population - k), -1.0)))
        here = (sizes > start) & (sizes <= start + len(k))
        logarithms[here] = steps[sizes[here].astype(np.int64) - 1 - start]
        before = float(steps[-1])
    drawn_once = cells * sizes * np.exp(logarithms)
    return float(cells[0] * population / n * drawn_once[0] / drawn_once.sum())


def snb(sizes: Floats, cells: Floats, population: float) -> float:
    """Return K beta^alpha, the cells with F - 1 = 0 of K where F - 1 is negative binomial; NaN where there is none.

    K is Shlosser's modified estimate, alpha and beta solve E s_1 and E s_2. With x = beta / (1 - (1 - pi)(1 - beta)),
    z = 1 - x, y = alpha z and c = (1 - pi) / pi the equations are x^alpha (1 + c y) = s_1 / (K pi) and, divided by it,
    y (2 + c y + c z) / (1 + c y) = 2 s_2 / s_1, which gives z of y: one equation in y. Of several roots the one
    with the most uniques.
    """
    n = float(sizes @ cells)
    pi = n / population
    ones, twos = cells[0], float(cells[sizes == 2].sum())  # noqa: PLR2004 - two records
    if not twos:
        return math.nan
    k, c, ratio = _shlosser(sizes, cells, pi), (1 - pi) / pi, 2 * twos / ones
    known = math.log(ones / (k * pi))

    def solve_z(y: Floats) -> Floats:
        return np.asarray(ratio * (1 / y + c) - 2 - c * y) / c

    def equation(y: Floats) -> Floats:
        z = solve_z(y)
        return np.asarray(y / z * np.log1p(-z) + np.log1p(c * y) - known)

    def invert_z(z: float) -> float:
        b = float(c * (ratio - z) - 2)
        return (b + math.sqrt(b * b + 4 * c * ratio)) / (2 * c)

    def find_crossing(y: float, beyond: float, sign: float) -> float:
        return find_root(lambda at: sign * float(equation(np.asarray(at))), y, beyond)

    # z falls as y grows: from 1 to 0 between these
    low, high = invert_z(1.0), invert_z(0.0)
    tried = low + (high - low) * (1 - np.cos(np.linspace(0, np.pi, GRID)[1:-1])) / 2
    signs = np.sign(equation(tried))
    uniques = []
    for i in np.flatnonzero(signs[1:] * signs[:-1] < 0):
        y = find_crossing(tried[i], tried[i + 1], signs[i])
        z = float(solve_z(np.asarray(y)))
        x = 1 - z
        beta = pi * x / (1 - (1 - pi) * x)
        uniques.append(k * beta ** (y / z))
    return max(uniques, default=math.nan)


def _shlosser(sizes: Floats, cells: Floats, pi: float) -> float:
    """Return the cells of the population (Haas & Stokes 1998, the modified estimator of Shlosser)."""
    none = np.exp(sizes * math.log1p(-pi))  # (1 - pi)^i
    squared = sizes * pi**2 * np.exp((sizes - 1) * math.log1p(-(pi**2)))
    missed = none * np.expm1(sizes * math.log1p(pi))
    once = sizes * pi * np.exp((sizes - 1) * math.log1p(-pi))
    return float(cells.sum() + cells[0] * (cells @ squared) / (cells @ missed) * ((cells @ none) / (cells @ once)) ** 2)


def find_root(function: Callable[[float], float], low: float, high: float) -> float:
    """Return where a function that is positive at the lower end and negative at the upper is 0 (Ridders 1979)."""
    above, below = function(low), function(high)
    for _ in range(STEPS):
        middle = (low + high) / 2
        found = function(middle)
        root = math.sqrt(found * found - above * below)
        at = middle + (middle - low) * found / root if root > 0 else middle
        for place, value in ((middle, found), (at, function(at))):
            if low < place < high:
                low, high, above, below = (place, high, value, below) if value > 0 else (low, place, above, value)
        if high - low <= NEAR * (1 + abs(high)):
            break
    return (low + high) / 2


MODELS = {"pitman": pitman, "zayatz": zayatz, "snb": snb}
NAMES = {"pitman": "Pitman's model", "snb": "The slide negative binomial model"}


def dankar(sizes: Floats, cells: Floats, population: float) -> tuple[float, str]:
    """Return the population uniques by the decision rule of Dankar et al. (2012), and which model gave them."""
    if sizes @ cells <= SMALL * population:
        first, other = pitman(sizes, cells, population), math.inf
        if not math.isnan(first):
            return first, "pitman"
    else:
        other = snb(sizes, cells, population)
    first = zayatz(sizes, cells, population)
    return (other, "snb") if other <= first else (first, "zayatz")  # NaN is not


def population_uniques(sizes: Floats, cells: Floats, population: float, method: str) -> Floats:
    """Return the expected number of population uniques, the place of the model that gave it, and that of Ewens.

    Ewens' formula is that of Pitman's model where its likelihood is greatest at alpha = 0, and NaN elsewhere. Where it
    is the higher one it is given, and its place is that after MODELS.

    Parameters
    ----------
    sizes, cells
        The numbers of records of a cell, ascending, and how many cells have them.
    population
        N, at least the records.

    Raises
    ------
    ValueError
        Where the model has no solution.
    """
    if method != "dankar" and method not in MODELS:
        raise ValueError(f"method is {method!r}: it must be one of dankar, {', '.join(MODELS)}")
    population, n = require_given(population, "population_size"), float(sizes @ cells)
    estimated = population > n and sizes[0] == 1  # a census says it; without sample uniques there is nothing to go by
    if not estimated:
        found, used = float(cells[sizes == 1].sum()), "zayatz" if method == "dankar" else method
    elif method == "dankar":
        found, used = dankar(sizes, cells, population)
    else:
        found, used = MODELS[method](sizes, cells, population), method
    if math.isnan(found):
        raise ValueError(
            f"{NAMES[used]} has no solution for the frequencies of this file: take method := 'zayatz', or 'dankar', "
            "which takes another model where one has none"
        )
    other = (
        expect_ewens(sizes, cells, population)
        if estimated and math.isnan(pitman(sizes, cells, population))
        else math.nan
    )
    place = list(MODELS).index(used) + 1
    return np.array([other, len(MODELS) + 1, other] if other > found else [found, place, other])  # NaN is not higher


FUNCTIONS = (
    declare_function(
        "population_uniques", population_uniques, NUMBERS, by_stratum=False, sizes=NUMBERS, cells=NUMBERS,
        population=NUMBER, method=TEXT,
    ),
)  # fmt: skip
