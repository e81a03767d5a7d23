"""The combining rules of synthetic copies: how often 95 % intervals hold the mean, where the model is the right one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from small_tables import fetch

from validation.simulations.populations import make
from validation.simulations.region import Region, Told, sum_up

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

RECORDS, MEAN, CONFIDENCE = 200, 1.0, 0.95
KINDS = {
    "partial": "one column drawn given another",
    "partial, of records": "half of the records drawn, by the model of all",
    "full": "every value of new records drawn",
}

REPETITIONS = 400


def list_regions(con: duckdb.DuckDBPyConnection, rng: np.random.Generator, repetitions: int) -> Iterator[Region]:
    """Give the regions of the kind of synthesis and the number of copies: of normal values, by their posterior."""
    for kind, said in KINDS.items():
        for copies in (2, 5, 20):
            rows: list[tuple[int, float, float]] = []
            for number in range(repetitions):
                x = rng.normal(size=RECORDS)
                y = MEAN + x + rng.normal(size=RECORDS)
                drawn = [_draw(rng, x, y, kind) for _ in range(copies)]
                rows += [(number, each.mean(), each.var(ddof=1) / RECORDS) for each in drawn]
            quantity, estimate, variance = (np.array(side) for side in zip(*rows, strict=True))
            make(con, "copies", quantity=quantity, estimate=estimate, variance=variance)
            found = fetch(
                con,
                "FROM sdc_synthetic_estimate('copies', 'estimate', 'variance', ?, quantity := 'quantity',"
                " confidence := ?)",
                kind.split(",")[0],
                CONFIDENCE,
            )
            covered = [row["lower"] <= MEAN <= row["upper"] for row in found]
            pairs = [(row["estimate"], MEAN) for row in found]
            sample = f"{copies} copies of {RECORDS} records"
            yield sum_up(
                Told("sdc_synthetic_estimate", f"interval of a mean, {kind}", f"normal values, {said}", sample),
                pairs, covered=covered, nominal=CONFIDENCE,
            )  # fmt: skip


def _draw(rng: np.random.Generator, x: np.ndarray, y: np.ndarray, kind: str) -> np.ndarray:
    """Return a copy of y, its parameters from their posterior: given x, or given nothing."""
    design = np.column_stack([np.ones_like(x), x]) if kind == "partial" else np.ones((len(y), 1))
    inverse = np.linalg.inv(design.T @ design)
    fitted = inverse @ design.T @ y
    left, degrees = y - design @ fitted, len(y) - design.shape[1]
    variance = left @ left / rng.chisquare(degrees)
    new = design @ rng.multivariate_normal(fitted, variance * inverse) + rng.normal(0, np.sqrt(variance), len(y))
    return np.where(np.arange(len(y)) < len(y) // 2, new, y) if kind.endswith("records") else new
