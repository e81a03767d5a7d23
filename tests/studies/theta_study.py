"""How good theta-hat and its standard error are: the numerical study of Skinner & Elliot (2002), section 6, Table 1.

The census of 1991 is not public, so their study is repeated on other populations, as it was made: systematic samples of
1 in L within geographical strata (regions, numbered through; in each the order is the file's, households together), and
all L of them. The L samples part the population, so means and standard deviations are those of the design, not of some
draws of it.

What is asked of them is what theory lets chance do, one false alarm in a thousand figures. The paper finds a bias below
16 % of the standard deviation of the error. A mean of L errors lies within t_{L-1} / sqrt(L) standard deviations of its
expectation, the square of their spread within chi^2_{L-1} / (L - 1) of its own, and of L bounds each misses with
1 - confidence (binomial). With L = 10 that is wide: the study can find a mistake in a formula, not prove a design good.

Run it for its table: ``python -m pytest -m slow tests/studies -s``.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, sqrt
from typing import TYPE_CHECKING

import numpy as np

import sdc_sql

if TYPE_CHECKING:
    import duckdb

EVERY = (50, 20, 10)  # L
CONFIDENCE = 0.99
BIAS = 0.16  # of the standard deviation of the error, in the paper
# Quantiles 0.0005 and 0.9995: Student's t (the upper one) and chi-squared, with L - 1 degrees of freedom.
STUDENT = {50: 3.500, 20: 3.883, 10: 4.781}
CHI_SQUARED = {50: (22.79, 88.23), 20: (4.912, 45.97), 10: (0.972, 29.67)}


@dataclass(frozen=True)
class Row:
    """One column of the paper's Table 1: means and standard deviations over the L samples."""

    every: int
    theta: tuple[float, float]
    estimate: tuple[float, float]
    error: tuple[float, float]
    standard_error: tuple[float, float]
    covered: int

    @property
    def bias_ratio(self) -> float:
        return abs(self.error[0]) / self.error[1]

    @property
    def spread_ratio(self) -> float:
        return self.standard_error[0] / self.error[1]

    @property
    def variation(self) -> float:
        return self.estimate[1] / self.estimate[0]

    @property
    def variation_of_standard_error(self) -> float:
        return self.standard_error[1] / self.standard_error[0]


def study(con: duckdb.DuckDBPyConnection, keys: list[str], order: str) -> list[Row]:
    """Take every systematic sample of the table `population`, and compare theta-hat with theta in each."""
    sdc_sql.load(con)
    con.execute(f"""
        CREATE TABLE numbered AS
        SELECT *, row_number() OVER (ORDER BY region, {order}) AS place FROM population
    """)
    rows = []
    for every in EVERY:
        con.execute(f"CREATE OR REPLACE TABLE drawn AS SELECT *, place % {every} AS sample FROM numbered")
        values = []
        for number in range(every):
            con.execute(f"CREATE OR REPLACE TEMP TABLE sample AS FROM drawn WHERE sample = {number}")
            data = sdc_sql.Microdata(con, "sample", keys=keys)
            found = data.risk.theta(1 / every, confidence=CONFIDENCE)
            values.append(
                (data.risk.population_risk("population").theta, found.theta, found.standard_error, found.upper_bound)
            )
        theta, estimate, standard_error, bound = np.array(values).T
        moments = [(float(v.mean()), float(v.std(ddof=1))) for v in (theta, estimate, estimate - theta, standard_error)]
        rows.append(Row(every, *moments, covered=int((theta <= bound).sum())))
    return rows


def show(title: str, rows: list[Row]) -> None:
    print(f"\n{title}: all systematic samples of 1 in L within strata")
    print(f"{'L':28}" + "".join(f"{r.every:>10}" for r in rows))
    for name in ("theta", "estimate", "error", "standard_error"):
        for part, words in enumerate(("mean", "s.d.")):
            print(f"{name:20}{words:8}" + "".join(f"{getattr(r, name)[part]:>10.4f}" for r in rows))
    print(f"{'variation of estimate':28}" + "".join(f"{r.variation:>10.3f}" for r in rows))
    print(f"{'variation of standard error':28}" + "".join(f"{r.variation_of_standard_error:>10.3f}" for r in rows))
    print(f"{'|bias| / s.d. of error':28}" + "".join(f"{r.bias_ratio:>10.3f}" for r in rows))
    print(f"{'standard error / s.d.':28}" + "".join(f"{r.spread_ratio:>10.3f}" for r in rows))
    print(f"{'covered by the 99 % bound':28}" + "".join(f"{r.covered:>10}" for r in rows))


def least_covered(every: int) -> int:
    """Return how many of L bounds hold but for one case in 2,000, where each misses with 1 - confidence."""
    miss, total, misses = 1 - CONFIDENCE, 0.0, 0
    while True:
        total += comb(every, misses) * miss**misses * CONFIDENCE ** (every - misses)
        if total >= 1 - 0.0005:
            return every - misses
        misses += 1


def check(rows: list[Row]) -> None:
    for row in rows:
        low, high = CHI_SQUARED[row.every]
        assert row.bias_ratio < BIAS + STUDENT[row.every] / sqrt(row.every), row
        assert sqrt((row.every - 1) / high) < row.spread_ratio < sqrt((row.every - 1) / low), row
        assert row.covered >= least_covered(row.every), row
