"""The neighbourhoods of records in continuous keys: who has about the same values, within the same categories."""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.adapters import TEXT, declare_function
from sdc_sql.udfs.arrow_function import NUMBERS, TABLE
from sdc_sql.udfs.linkage.scales import compute_deviation
from sdc_sql.udfs.neighbourhood.boxes import sum_boxes

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers, Truths

SCALINGS = ("relative", "standardised", "range", "none")
SUM = 2.0**52  # weights become whole numbers with at most this sum


def neighbourhood(
    columns: Floats, cells: Floats, weights: Floats | None, width: Floats, scaling: str | None
) -> list[Floats]:
    """Return how many records lie in the neighbourhood of each, itself among them, and the sum of their weights.

    Parameters
    ----------
    columns
        Shape (variables, records); a missing value is one of its own.
    cells
        Of each record the number of its categories: others are no neighbours.
    weights
        Of each record, or None.
    width
        For each variable how far a neighbour may be, on either side.
    scaling
        What the width is a part of: the record's own value, the standard deviation, the range, or nothing.

    Returns
    -------
    list of Floats
        Neighbours, and their weights where there are any, else nothing.
    """
    if scaling not in SCALINGS:
        raise ValueError(f"scaling is {scaling!r}: it must be one of {', '.join(SCALINGS)}")
    if not (np.isfinite(width).all() and (width >= 0).all()):
        raise ValueError("width must be numbers of at least 0: give one, or one for each column")
    missing = np.isnan(columns)
    within = _number_parts([cells, *missing])
    points, low, high = (np.empty((len(columns), len(cells)), dtype=np.int64) for _ in range(3))
    for j, (values, most) in enumerate(zip(columns, width, strict=True)):
        far = most * _scale_values(values, missing[j], scaling) * (1 + 1e-9)  # distances are compared to nine digits
        x = np.where(missing[j], 0, values)
        different, points[j] = np.unique(x, return_inverse=True)
        far = np.where(missing[j], 0, far)
        low[j], high[j] = np.searchsorted(different, x - far), np.searchsorted(different, x + far, "right")
    # the categories stand before the first variable
    step = int(high[0].max()) + 1
    for of in (points, low, high):
        of[0] += within * step
    if len(points) > 2:  # noqa: PLR2004 - then all are compared, as numbers of 32 bits
        different, points[0] = np.unique(points[0], return_inverse=True)
        low[0], high[0] = np.searchsorted(different, low[0]), np.searchsorted(different, high[0])
    counts = [np.ones(len(cells))]
    if weights is not None:
        unit = 2.0 ** np.floor(np.log2(SUM / fsum(weights)))
        counts.append(np.rint(weights * unit))
    found = sum_boxes(points, low, high, np.array(counts))
    return [found[0], found[1] / unit if weights is not None else np.empty(0)]


def _scale_values(values: Floats, missing: Truths, scaling: str) -> Floats | float:
    known = values[~missing]
    if scaling == "relative":
        return np.abs(values)
    if scaling == "none" or not len(known):
        return 1.0
    if scaling == "range":
        return float(np.ptp(known))
    return compute_deviation(known)


def _number_parts(parts: list[Floats | Truths]) -> Integers:
    """Return numbers from 0 of what differs in any part."""
    found = np.zeros(len(parts[0]), dtype=np.int64)
    for part in parts:
        different, of = np.unique(part, return_inverse=True)
        _, found = np.unique(found * len(different) + of, return_inverse=True)
    return found


FUNCTIONS = (
    declare_function(
        "neighbourhood", neighbourhood, TABLE, by_stratum=False, columns=TABLE, cells=NUMBERS, weights=NUMBERS,
        width=NUMBERS, scaling=TEXT,
    ),
)  # fmt: skip
