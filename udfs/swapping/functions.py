"""Rank swapping as DuckDB is given it: a stratum at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.adapters import NUMBER, WHOLE, declare_function
from sdc_sql.udfs.arrow_function import NUMBERS, WHOLES
from sdc_sql.udfs.swapping.rank_swap import range_keeping, swap_places

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers


def swap(
    _stratum: str | None,
    places: Integers | None,
    x: Floats | None,
    choices: Floats | None,
    p: float | None,
    correlation: float | None,
) -> Integers:
    """Return for each record the place, from 1, of the one it takes the value of; `places` are in ascending order."""
    if places is None or choices is None:  # all values are missing
        return np.empty(0, dtype=np.int64)
    order = places - 1
    found = swap_places(choices[order], p, correlation, None if x is None else x[order])
    partners = np.empty_like(places)
    partners[order] = places[found]
    return partners


def find_range(_stratum: str | None, places: Integers | None, x: Floats, choices: Floats, target: float) -> Integers:
    """Return how many ranks apart partners may be for a correlation: 0 where no range leaves it."""
    if places is None:  # all values are missing
        return np.zeros(1, dtype=np.int64)
    order = places - 1
    try:
        return np.array([range_keeping(target, x[order], choices[order])])
    except ValueError:
        return np.zeros(1, dtype=np.int64)


FUNCTIONS = (
    declare_function("swap", swap, WHOLE, places=WHOLES, x=NUMBERS, choices=NUMBERS, p=NUMBER, correlation=NUMBER),
    declare_function("swap_range", find_range, WHOLE, places=WHOLES, x=NUMBERS, choices=NUMBERS, correlation=NUMBER),
)
