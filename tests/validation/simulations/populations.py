"""Populations by their cells, and samples of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    import duckdb

# cells, by how much they differ in size: the persons of a population are spread over them by these shares
SPREADS = {
    "all cells alike": lambda _, cells: np.ones(cells),
    "cells of gamma(1/2)": lambda rng, cells: rng.gamma(0.5, size=cells),
    "cells by Zipf's law": lambda _, cells: 1 / np.arange(1.0, cells + 1),
}
CELLS = (500, 5_000, 50_000)
PERSONS, FRACTIONS = 50_000, (0.02, 0.1)


def draw_cells(rng: np.random.Generator, spread: str, cells: int, persons: int = PERSONS) -> np.ndarray:
    """Return the cell of each person."""
    shares = SPREADS[spread](rng, cells)
    return rng.choice(cells, size=persons, p=shares / shares.sum())


def draw_sample(rng: np.random.Generator, persons: int, fraction: float) -> np.ndarray:
    """Return the places of a simple random sample, in order."""
    return np.sort(rng.choice(persons, size=round(persons * fraction), replace=False))


def make(con: duckdb.DuckDBPyConnection, name: str, **columns: np.ndarray) -> None:
    """Make a table of these columns."""
    con.register("made", pa.table(columns))
    con.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS FROM made")
    con.unregister("made")
