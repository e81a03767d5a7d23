"""Probabilistic record linkage: what its model expects, and what is linked, where variables hang together or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from small_tables import fetch

from validation.simulations.populations import make
from validation.simulations.region import Region, Told, sum_up

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

RECORDS, SIZES = 500, (60, 20, 12, 8)

REPETITIONS = 24


def list_regions(con: duckdb.DuckDBPyConnection, rng: np.random.Generator, repetitions: int) -> Iterator[Region]:
    """Give the regions of how much was changed by masking, and of variables that hang together."""
    columns = [f"v{i}" for i in range(len(SIZES))]
    name, sample = "sdc_probabilistic_linkage", f"{RECORDS} records"
    for kind, tied in (("independent variables", 0.0), ("variables that hang together", 0.7)):
        for changed in (0.05, 0.2, 0.4):
            expected, rates = [], []
            for _ in range(repetitions):
                values = [rng.integers(0, size, RECORDS) for size in SIZES]
                for i in range(1, len(values)):
                    values[i] = np.where(rng.random(RECORDS) < tied, values[i - 1] % SIZES[i], values[i])
                masked = [
                    np.where(rng.random(RECORDS) < changed, rng.integers(0, size, RECORDS), v)
                    for v, size in zip(values, SIZES, strict=True)
                ]
                make(con, "before", id=np.arange(RECORDS), **dict(zip(columns, values, strict=True)))
                make(con, "after", id=np.arange(RECORDS), **dict(zip(columns, masked, strict=True)))
                (row,) = fetch(con, "FROM sdc_probabilistic_linkage('before', 'after', ?, 'id')", columns)
                expected.append((row["expected_matches"], RECORDS))
                rates.append((row["rate"], _link(values, masked)))
            said = f"{kind}, {changed:.0%} of the values changed"
            yield sum_up(Told(name, "expected matches", said, sample), expected)
            yield sum_up(Told(name, "share linked correctly", said, sample), rates)


def _link(before: list[np.ndarray], after: list[np.ndarray]) -> float:
    """Return the share that is linked by the true m and u: each with one of its candidates of the highest weight."""
    weight = np.zeros((RECORDS, RECORDS))
    for b, a in zip(before, after, strict=True):
        same = a[:, None] == b[None, :]
        m = np.mean(a == b)
        u = (same.sum() - (a == b).sum()) / (RECORDS * (RECORDS - 1))
        weight += np.where(same, np.log(m / u), np.log((1 - m) / (1 - u)))
    best = np.isclose(weight, weight.max(axis=1, keepdims=True))
    return float((best.diagonal() / best.sum(axis=1)).mean())
