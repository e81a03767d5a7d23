"""Formulas by another way than ours, to say who is right where two answers differ."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(400)


@cache
def integrate_risk(f: int, p: float) -> float:
    """Return E(1/F) of a cell: p times the integral over (0, 1) of u^(f-1) / (p + (1 - p) u), by ln u where f is 1.

    Examples
    --------
    >>> round(integrate_risk(1, 0.05), 6)  # (0.05 / 0.95) ln 20
    0.15767
    """
    q = 1 - p
    # u = p (e^t - 1) / q: the denominator is p e^t, and nothing is steep any more
    most = np.log1p(q / p)
    t = most * (_NODES + 1) / 2
    u = p * np.expm1(t) / q if q else (_NODES + 1) / 2
    if not q:
        return float(p * (u ** (f - 1)) @ _WEIGHTS / 2)
    return float(p / q * (u ** (f - 1)) @ _WEIGHTS * most / 2)


def measure_likeness(counts: Iterable[tuple[Any, Any, int]]) -> dict[str, float]:
    """Return the least enhanced beta and delta that hold in all cells, by their definitions: of (cell, value, records).

    Examples
    --------
    >>> measure_likeness([("30", "flu", 1), ("30", "cancer", 1), ("41", "flu", 1)])
    {'enhanced_beta': inf, 'delta': inf}
    """
    listed = list(counts)
    cells, values, both = Counter[Any](), Counter[Any](), Counter[Any]()
    for cell, value, n in listed:
        cells[cell] += n
        values[value] += n
        both[cell, value] += n
    everybody, betas, deltas = sum(cells.values()), [0.0], [0.0]
    for cell, value in itertools.product(cells, values):
        p, q = both[cell, value] / cells[cell], values[value] / everybody
        deltas.append(abs(math.log(p / q)) if p else math.inf)
        if p > q:
            betas.append((p - q) / q if (p - q) / q <= -math.log(q) else math.inf)
    return {"enhanced_beta": max(betas), "delta": max(deltas)}
