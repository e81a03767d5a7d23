"""The guarantee of PRAM: of those whom an intruder finds alone, how many are whom he takes them for."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

import numpy as np
from small_tables import fetch

from validation.simulations.populations import draw_cells, make
from validation.simulations.region import Region, Told, sum_up

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

PERSONS, CELLS = 1_500, 400

REPETITIONS = 40


def list_regions(con: duckdb.DuckDBPyConnection, rng: np.random.Generator, repetitions: int) -> Iterator[Region]:
    """Give the regions of xi: the bound beside the share of right matches, of all cells with one or two records.

    The intruder knows the keys of his target, who is unique in the original, and takes the released record that alone
    has them. The bound holds for each match; what is counted is their mean, which must not be above it.
    """
    con.execute("SET VARIABLE sdc_key = ?", [secrets.token_urlsafe(32)])
    for spread in ("all cells alike", "cells of gamma(1/2)"):
        for xi in (0.5, 0.8, 0.9):
            pairs = []
            cell = draw_cells(rng, spread, CELLS, PERSONS)
            make(con, "sample", id=np.arange(PERSONS), k=cell)
            unique = np.bincount(cell, minlength=CELLS) == 1
            for number in range(repetitions):
                rows = fetch(con, "FROM sdc_pram_guaranteed('sample', ['k'], ?, 'id', release := ?)", xi, f"r{number}")
                after = np.array([row["k"] for row in sorted(rows, key=lambda row: row["id"])])
                alone = np.bincount(after, minlength=CELLS) == 1
                shown = alone[after] & unique[after]  # the one record that is released with the target's keys
                if shown.any():
                    pairs.append((xi, (shown & (after == cell)).sum() / shown.sum()))
            sample = f"{PERSONS:,} records, {CELLS} cells"
            yield sum_up(Told("sdc_pram_guaranteed", f"xi = {xi} beside right matches", spread, sample), pairs)
