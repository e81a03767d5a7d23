"""Rank swapping as DuckDB is given it: a stratum at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.adapters import NUMBER, WHOLE, declared
from sdc_sql.udfs.arrow_function import NUMBERS
from sdc_sql.udfs.swapping.rank_swap import swapped_places

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers


def swap(
    _stratum: str | None, ordered: Floats | None, choices: Floats | None, p: float | None, correlation: float | None
) -> Integers:
    """Return for each value in ascending order the place, from 1, of the value that it is exchanged with."""
    if choices is None:  # all values are missing
        return np.empty(0, dtype=np.int64)
    return swapped_places(choices, p, correlation, ordered) + 1


FUNCTIONS = (declared("swap", swap, WHOLE, ordered=NUMBERS, choices=NUMBERS, p=NUMBER, correlation=NUMBER),)
