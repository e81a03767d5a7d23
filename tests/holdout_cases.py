"""Samples of a population, and files that copy records of one: what the measures with a holdout are tried on."""

from __future__ import annotations

import numpy as np
import pyarrow as pa


def put(con, name, **columns):
    """Make a table of columns."""
    made = pa.table(columns)  # noqa: F841 - DuckDB reads it by its name
    con.execute(f'CREATE OR REPLACE TABLE "{name}" AS FROM made')


def draw_population(draw, n):
    """A sample of a population of numbers and categories that hang together, with a heavy tail."""
    z = draw.normal(size=(3, n))
    return {
        "x": z[0],
        "y": np.exp(z[0] + z[1]),
        "g": np.clip(2 * z[2] + z[0] + 4, 0, 8).astype(int),
        "s": draw.integers(0, 2, n),
    }


def draw_categories(draw, n):
    """A sample of eight categories with some rare values, which hang together."""
    z = draw.normal(size=n)
    return {f"c{j}": np.round(z + draw.normal(size=n) * 0.7).astype(int) for j in range(8)}


def list_extremes(table, k):
    values = np.array([*table.values()], dtype=float)
    values = (values - values.mean(axis=1, keepdims=True)) / values.std(axis=1, keepdims=True)
    return np.argsort(-(values**2).sum(axis=0))[:k]


def mix(table, other, rows):
    """The rows of one file, and what is left of another."""
    return {c: np.concatenate([table[c][rows], other[c][len(rows) :]]) for c in table}
