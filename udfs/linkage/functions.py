"""The distances of released records to the closest original ones, and those of the original records to one another.

Zhao, Kunar, Birke & Chen (2021), CTAB-GAN, section 4.2.
"""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.adapters import NUMBER, TEXT, declare_function
from sdc_sql.udfs.arrow_function import NUMBERS, TABLE
from sdc_sql.udfs.linkage.nearest import find_nearest, find_nearest_within
from sdc_sql.udfs.linkage.records import Records, Variables
from sdc_sql.udfs.linkage.scales import SCALINGS

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers
    from sdc_sql.udfs.linkage.nearest import Neighbours


def _summarise_distances(found: Neighbours, counts: Integers) -> tuple[Floats, list[float]]:
    """Return each record's distance, and copies, then minimum, 5th percentile, median and mean of DCR and NNDR."""
    first, second = np.repeat(found.first, counts), np.repeat(found.second, counts)
    # two at the same distance, be it none, have the ratio 1
    ratios = np.divide(first, second, out=np.ones_like(first), where=(second > first) & np.isfinite(second))
    ratios[np.isinf(second)] = np.nan
    figures = [float((first == 0).sum())]
    for values in (first, ratios):
        if np.isfinite(values).all():
            figures += [float(values.min()), *np.quantile(values, [0.05, 0.5]), fsum(values) / len(values)]
        else:  # there is no nearest or no second nearest record
            figures += [np.nan] * 4
    return first, figures


def distance_to_closest(
    columns: Floats,
    categories: float,
    ordinal: float,
    before: Floats,
    after: Floats,
    weights: Floats,
    scaling: str | None,
) -> Floats:
    """Return the figures of the released records, then those of the original ones among themselves.

    Parameters
    ----------
    columns
        Of each variable the numbers of its categories, the ranks of its categories from 1, or its numbers, in this
        order; shape (variables, rows).
    categories, ordinal
        How many variables have categories, the first ones, and how many have ranks, the next ones.
    before, after
        How many original and released records each row stands for.
    weights
        Of each variable, at least 0.
    scaling
        What the difference of two numbers is divided by: the original's standard deviation or range, or nothing.

    Returns
    -------
    Floats
        The released records, their share that is as close as the closest twentieth of the original ones are to one
        another; copies, and minimum, 5th percentile, median and mean of DCR, then of NNDR; these nine of the original.
    """
    if scaling not in SCALINGS:
        raise ValueError(f"scaling is {scaling!r}: it must be one of {', '.join(SCALINGS)}")
    if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.any()):
        raise ValueError("weights must be numbers of at least 0, one of them above 0: give one, or one for each column")
    first, then = int(categories), int(categories) + int(ordinal)
    counts = [c.astype(np.int64) for c in (before, after)]
    rows = [np.flatnonzero(c) for c in counts]
    original, released = (
        Records(columns[first:, of].T, columns[:first, of].T.astype(np.int64), c[of])
        for of, c in zip(rows, counts, strict=True)
    )
    scales = [float(values.max()) - 1 for values in columns[first:then]]
    scales += [SCALINGS[scaling](values, original.counts) for values in original.numbers.T[then - first :]]
    # a variable that is constant in the original is compared as it is
    factors = np.sqrt(weights[first:]) / np.array([s if s > 0 else 1.0 for s in scales])
    variables = Variables(factors, weights[:first])
    distances, figures = _summarise_distances(find_nearest(released, original, variables), released.counts)
    _, own = _summarise_distances(find_nearest_within(original, variables), original.counts)
    close = np.nan if np.isnan(own[2]) else float((distances <= own[2]).mean())
    return np.array([len(distances), close, *figures, *own])


FUNCTIONS = (
    declare_function(
        "distance_to_closest", distance_to_closest, NUMBERS, by_stratum=False, columns=TABLE, categories=NUMBER,
        ordinal=NUMBER, before=NUMBERS, after=NUMBERS, weights=NUMBERS, scaling=TEXT,
    ),
)  # fmt: skip
