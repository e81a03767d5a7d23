"""Frequency-imposed distortion: draws that have the frequencies of the values in intervals (SDC handbook, 3.4.7.1).

The handbook leaves the intervals free. Here they are eighths of the records, of which the outermost are halved in turn,
so that a long tail is not one interval; their ends are round numbers between the values, and each has three or more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats

FEWEST, MOST = 8, 20
IN_EACH = 3


def cuts(x: Floats, intervals: int) -> Floats:
    """Return the ends of intervals, from below the least value to above the greatest, in ascending order.

    Raises
    ------
    ValueError
        Where there are no eight intervals of three records and more.

    Examples
    --------
    >>> cuts(np.arange(1.0, 25.0), 8).tolist()
    [0.9, 3.5, 6.5, 9.5, 12.5, 15.5, 18.5, 21.5, 24.1]
    """
    ordered = np.sort(x)
    n = len(ordered)
    _, times = np.unique(ordered, return_counts=True)
    if n < FEWEST * IN_EACH or times.max() * FEWEST > n:
        raise ValueError(_too_few(f"{n} values, of which one has {times.max()} records"))
    shares = [j / FEWEST for j in range(1, FEWEST)]
    while len(shares) + 1 < intervals and shares[0] * n / 2 >= IN_EACH:
        shares.append((1 + shares[-1]) / 2)
        if len(shares) + 1 < intervals:
            shares.insert(0, shares[0] / 2)
    after = np.array([round(share * n) for share in shares])
    values = np.array([ordered[0], *((ordered[after - 1] + ordered[after]) / 2), ordered[-1]])
    widths = np.diff(values)
    positive = widths[widths > 0]
    # the width at an end between intervals
    local = np.minimum(*(np.where(w > 0, w, np.inf) for w in (widths[:-1], widths[1:])))
    step = 10.0 ** np.floor(np.log10([positive[0], *np.where(np.isfinite(local), local, 1.0), positive[-1]])) / 10
    ends = np.round(values / step) * step
    ends[0] = (np.ceil(values[0] / step[0]) - 1) * step[0]
    ends[-1] = (np.floor(values[-1] / step[-1]) + 1) * step[-1]
    kept = [ends[0]]
    for end in ends[1:-1]:
        if end > kept[-1] and ((ordered > kept[-1]) & (ordered <= end)).sum() >= IN_EACH:
            kept.append(end)
    while len(kept) > 1 and (ordered > kept[-1]).sum() < IN_EACH:
        kept.pop()
    kept.append(ends[-1])
    if len(kept) - 1 < FEWEST:
        raise ValueError(_too_few(f"the values make {len(kept) - 1} intervals of {IN_EACH} records or more"))
    return np.array(kept)


def _too_few(found: str) -> str:
    return (
        f"no family fits, and there are no intervals for draws of the same frequencies: {found}; expected {FEWEST} "
        f"intervals (at least {FEWEST * IN_EACH} values, and none that an eighth of the records share): join strata, "
        "mask the records with such a value apart (where), or take a method for categories (pram)"
    )


def draw_within_intervals(x: Floats, ends: Floats, uniforms: Floats) -> Floats:
    """Return for each value a draw within its interval.

    Examples
    --------
    >>> draw_within_intervals(np.array([1.0, 3.0]), np.array([0.0, 2.0, 6.0]), np.array([0.5, 0.5])).tolist()
    [1.0, 4.0]
    """
    at = np.clip(np.searchsorted(ends, x, side="left"), 1, len(ends) - 1)
    low, high = ends[at - 1], ends[at]
    return np.asarray(low + (high - low) * uniforms)
