"""theta-hat, individual and global risk, and the models of the population: from one simple random sample of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import numpy as np
from small_tables import fetch

from validation.simulations.populations import CELLS, FRACTIONS, PERSONS, SPREADS, draw_cells, draw_sample, make
from validation.simulations.region import Region, Told, sum_up

if TYPE_CHECKING:
    from collections.abc import Iterator

CONFIDENCE = 0.95
MODELS = ("pitman", "zayatz", "snb", "dankar")

REPETITIONS = 30


def list_regions(con: duckdb.DuckDBPyConnection, rng: np.random.Generator, repetitions: int) -> Iterator[Region]:
    """Give the regions of cells, spreads and fractions."""
    for spread in SPREADS:
        for cells in CELLS:
            for fraction in FRACTIONS:
                yield from _measure(con, rng, repetitions, (spread, cells, fraction))


def _measure(
    con: duckdb.DuckDBPyConnection, rng: np.random.Generator, repetitions: int, kind: tuple[str, int, float]
) -> Iterator[Region]:
    spread, cells, fraction = kind
    shares: list[float] = []
    theta, bounds, risk = [], [], []
    models: dict[str, list[tuple[float, float]]] = {model: [] for model in MODELS}
    for number in range(repetitions):
        cell = draw_cells(rng, spread, cells)
        sample = cell[draw_sample(rng, PERSONS, fraction)]
        whole, f = np.bincount(cell, minlength=cells), np.bincount(sample, minlength=cells)
        alone = f == 1
        shares.append(alone.sum() / len(sample))
        make(con, "sample", k=sample)
        (found,) = fetch(con, "FROM sdc_theta('sample', ['k'], ?, ?)", fraction, CONFIDENCE)
        true = alone.sum() / max(whole[alone].sum(), 1)
        theta.append((found["theta"], true))
        bounds.append(found["upper_bound"] >= true)
        (found,) = fetch(con, "FROM sdc_global_risk('sample', ['k'], ?)", 1 / fraction)
        risk.append((found["expected_reidentifications"], float((f[f > 0] / whole[f > 0]).sum())))
        for model in MODELS if number % 5 == 0 else ():  # each takes as long as all else
            try:
                (found,) = fetch(con, "FROM sdc_population_uniqueness('sample', ['k'], ?, method := ?)", PERSONS, model)
            except duckdb.Error as error:  # the model has no solution, and says so
                if "Error: " not in str(error):
                    raise
                continue
            models[model].append((found["population_uniques"], float((whole == 1).sum())))
    where = f"{spread}, {cells:,} cells", f"{fraction:.0%} of {PERSONS:,}"
    yield sum_up(Told("sdc_theta", "theta", *where), theta, uniques=shares, covered=bounds, nominal=CONFIDENCE)
    yield sum_up(Told("sdc_global_risk", "expected re-identifications", *where), risk, uniques=shares)
    for model, pairs in models.items():
        if any(true > 0 for _, true in pairs):
            yield sum_up(
                Told("sdc_population_uniqueness", f"population uniques, {model}", *where), pairs, uniques=shares
            )
