"""A number as a sum of others: total less parts, whatever the coefficients, also where a few records are miscoded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.adapters import NUMBER, declare_function, require_given
from sdc_sql.udfs.arrow_function import NUMBERS

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats

LEAST, KNOWN = 20, 0.5  # records, and the share of them that know a column which may take part
NEAR, WHOLE = 1e-6, 1e-7  # values are equal within this share of the greatest; a coefficient is whole within this
# the shares of records that agree, and that are fitted to; how often these are chosen anew
RIGHT, KEPT, ROUNDS = 0.995, 0.9, 3


def linear_relation(known: Floats, others: Floats, columns: float, place: float) -> Floats:
    """Return what a column is of the others: how near, its commonest value, the constant and a coefficient a column.

    Of several ways one in which no column can be left out. Nothing where it is none.

    Parameters
    ----------
    known
        The values of the column; NaN where unknown.
    others
        All columns, record by record; NaN where unknown. ``columns`` is how many they are, ``place`` that of this one.
    """
    p, own = int(require_given(columns, "columns")), int(require_given(place, "place"))
    x = np.asarray(others, dtype=np.float64).reshape(-1, p)
    t = np.asarray(known, dtype=np.float64)
    there = np.isfinite(t)
    x, t = x[there], t[there]
    if len(t) < LEAST:
        return np.array([])
    shared = np.isfinite(x).mean(axis=0)
    used = [j for j in range(p) if j != own and shared[j] >= KNOWN]
    whole = np.isfinite(x[:, used]).all(axis=1)
    x, t = x[whole], t[whole]
    used = [j for j in used if len(t) and np.ptp(x[:, j]) > 0]
    if len(t) < LEAST or not used or np.ptp(t) == 0:
        return np.array([])
    near = NEAR * float(np.abs(t).max())
    found = _fit_relation(x[:, used], t, near)
    if found is None:
        return np.array([])
    weights = np.abs(found[1:]) * np.abs(x[:, used]).max(axis=0)
    for j in [used[place] for place in np.argsort(weights)]:  # the least first
        rest = [i for i in used if i != j]
        fewer = _fit_relation(x[:, rest], t, near) if rest else None
        if fewer is not None:
            used, found = rest, fewer
    values, counts = np.unique(t, return_counts=True)
    coefficients = np.zeros(p)
    coefficients[used] = found[1:]
    return np.concatenate([[near, values[counts.argmax()], found[0]], coefficients])


def _fit_relation(x: Floats, t: Floats, near: float) -> Floats | None:
    """Return the constant and the coefficients that give nearly all values, by trimmed least squares; or nothing."""
    size = np.abs(x).max(axis=0)
    design = np.column_stack([np.ones(len(t)), x / size])
    rows = np.arange(len(t))
    for _ in range(ROUNDS):
        solution = np.linalg.lstsq(design[rows], t[rows], rcond=1e-10)[0]
        apart = np.abs(design @ solution - t)
        if (apart <= near).mean() >= RIGHT:
            found = np.concatenate([solution[:1], solution[1:] / size])
            return np.where(np.abs(found - np.round(found)) < WHOLE, np.round(found), found)
        rows = np.argsort(apart)[: max(int(KEPT * len(t)), design.shape[1] + 1)]
    return None


FUNCTIONS = (
    declare_function(
        "linear_relation", linear_relation, NUMBERS, by_stratum=False, known=NUMBERS, others=NUMBERS, columns=NUMBER,
        place=NUMBER,
    ),
)  # fmt: skip
