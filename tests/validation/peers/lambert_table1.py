"""By how much Table 1 of Lambert (1993) must be off, whatever the sources that are printed to a tenth were: by scipy.

The sources that come nearest to all twenty figures, and to nineteen of them without (32, 40.7), are found by linear
programmes in turn, each at the solution of the one before.
"""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np
import scipy
from scipy.optimize import linprog

from validation.peers.written import write

TABLE = Path(__file__).resolve().parents[3] / "fixtures" / "papers" / "lambert_table1.csv"
ODD = ("32", "40.7")


def match(sources: np.ndarray, released: list[float]) -> np.ndarray:
    """Return the probability of each source, for the first released value and then for the second."""
    density = np.array([[math.exp(-((math.log(x / y) / 0.5) ** 2) / 2) / x for y in sources] for x in released])
    pairs = np.outer(density[0], density[1])
    np.fill_diagonal(pairs, 0)
    pairs /= pairs.sum()
    return np.concatenate([pairs.sum(axis=1), pairs.sum(axis=0)])


def fit(sources: np.ndarray, released: list[float], printed: np.ndarray, kept: np.ndarray) -> float:
    """Return the least that the worst of the kept figures is off, over all sources within 0.05 of those printed."""
    at = sources.copy()
    for _ in range(20):
        base = match(at, released)
        slope = np.array([(match(at + 1e-6 * e, released) - base) / 1e-6 for e in np.eye(len(at))]).T[kept]
        off, ones = (printed - base)[kept], np.ones((kept.sum(), 1))
        limits = [*zip(sources - 0.05 - at, sources + 0.05 - at, strict=True), (0, None)]
        found = linprog(
            [0] * len(at) + [1],
            A_ub=np.vstack([np.hstack([slope, -ones]), np.hstack([-slope, -ones])]),
            b_ub=np.concatenate([off, -off]),
            bounds=limits,
        )
        at = at + found.x[:-1]
    return float(abs(match(at, released) - printed)[kept].max())


def main() -> None:
    """Write both figures."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    sources = np.array(list(dict.fromkeys(float(r["source"]) for r in rows)))
    released = [float(x) for x in dict.fromkeys(r["released"] for r in rows)]
    printed = np.array([float(r["probability"]) for r in rows])
    others = np.array([(r["released"], r["source"]) != ODD for r in rows])
    figures = {
        "all": fit(sources, released, printed, np.ones(len(rows), dtype=bool)),
        "without 32, 40.7": fit(sources, released, printed, others),
    }
    write("lambert_table1", {"scipy": scipy.__version__}, {"worst figure off by": figures})


if __name__ == "__main__":
    main()
