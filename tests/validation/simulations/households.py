"""Household risk where members are alike and where they are not, and where the keys are the household's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from small_tables import fetch

from validation.simulations.populations import make
from validation.simulations.region import Region, Told, sum_up

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

HOUSEHOLDS, FRACTION = 20_000, 0.1
KINDS = {
    "persons drawn by themselves": 0.0,
    "half of the members as the first": 0.5,
    "all members as the first": 1.0,
}

REPETITIONS = 40


def list_regions(con: duckdb.DuckDBPyConnection, rng: np.random.Generator, repetitions: int) -> Iterator[Region]:
    """Give the regions of how alike members are and how many cells there are; households are sampled whole."""
    for kind, alike in KINDS.items():
        for cells in (300, 3_000, 30_000):
            pairs, shares = [], []
            for _ in range(repetitions):
                size = rng.integers(1, 5, HOUSEHOLDS)
                household = np.repeat(np.arange(HOUSEHOLDS), size)
                spread = rng.gamma(0.5, size=cells)
                cell = rng.choice(cells, size=len(household), p=spread / spread.sum())
                first = np.searchsorted(household, household)
                cell = np.where(rng.random(len(cell)) < alike, cell[first], cell)
                kept = np.isin(household, rng.choice(HOUSEHOLDS, round(HOUSEHOLDS * FRACTION), replace=False))
                make(con, "sample", k=cell[kept], household=household[kept])
                (found,) = fetch(con, "FROM sdc_household_global_risk('sample', ['k'], ?, 'household')", 1 / FRACTION)
                whole = np.bincount(cell, minlength=cells)
                safe = np.zeros(HOUSEHOLDS)
                np.add.at(safe, household[kept], np.log1p(-np.minimum(1 / whole[cell[kept]], 1 - 1e-15)))
                pairs.append((found["expected_reidentified_households"], float((1 - np.exp(safe)).sum())))
                shares.append(float((np.bincount(cell[kept]) == 1).sum() / kept.sum()))
            figure, sample = "expected re-identified households", f"{FRACTION:.0%} of {HOUSEHOLDS:,} households"
            told = Told("sdc_household_global_risk", figure, f"{kind}, {cells:,} cells", sample)
            yield sum_up(told, pairs, uniques=shares)
