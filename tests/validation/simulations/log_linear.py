"""tau1 and tau2 of log-linear models: where the keys are independent, go together in pairs, and in threes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from small_tables import fetch

from validation.simulations.populations import draw_sample, make
from validation.simulations.region import Region, Told, sum_up

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

PERSONS, FRACTION, SIZES = 100_000, 0.05, (12, 10, 8, 6)
KINDS = ("independent keys", "keys that go together in pairs", "three keys that go together")
MODELS = ("independence", "tree", "two_way")

REPETITIONS = 24


def list_regions(con: duckdb.DuckDBPyConnection, rng: np.random.Generator, repetitions: int) -> Iterator[Region]:
    """Give the regions of each kind of population by each model."""
    for kind in KINDS:
        found: dict[tuple[str, str], list[tuple[float, float]]] = {}
        shares: list[float] = []
        for _ in range(repetitions):
            whole = np.array(_draw(rng, kind))
            cell = np.ravel_multi_index(list(whole), SIZES)
            counts = np.bincount(cell, minlength=int(np.prod(SIZES)))
            chosen = draw_sample(rng, PERSONS, FRACTION)
            f = np.bincount(cell[chosen], minlength=len(counts))
            alone = f == 1
            shares.append(float(alone.sum() / len(chosen)))
            truth = {"tau1": float((counts[alone] == 1).sum()), "tau2": float((1 / counts[alone]).sum())}
            make(con, "sample", **{f"k{i}": key[chosen] for i, key in enumerate(whole)})
            for model in MODELS:
                query = "FROM sdc_log_linear_risk('sample', ['k0', 'k1', 'k2', 'k3'], ?, model := ?)"
                (row,) = fetch(con, query, 1 / FRACTION, model)
                for figure, true in truth.items():
                    if row[figure] is not None:
                        found.setdefault((model, figure), []).append((row[figure], true))
        for (model, figure), pairs in found.items():
            told = Told(
                "sdc_log_linear_risk", f"{figure}, {model.replace('_', ' ')}", kind, f"{FRACTION:.0%} of {PERSONS:,}"
            )
            yield sum_up(told, pairs, uniques=shares)


def _draw(rng: np.random.Generator, kind: str) -> list[np.ndarray]:
    keys = [rng.choice(size, PERSONS, p=(w := 1 / np.arange(1.0, size + 1)) / w.sum()) for size in SIZES]
    if kind == KINDS[1]:  # half of the persons have the value of the key before
        for i in range(1, len(keys)):
            keys[i] = np.where(rng.random(PERSONS) < 0.5, keys[i - 1] % SIZES[i], keys[i])
    if kind == KINDS[2]:  # which value goes with which depends on a third key
        keys[2] = np.where(rng.random(PERSONS) < 0.7, (keys[0] + keys[1]) % SIZES[2], keys[2])
    return keys
