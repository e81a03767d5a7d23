"""Ranks of a column, equal values in the order of random draws."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers


def ascending(column: Floats, breakers: Floats) -> Integers:
    """Return the places of the values from lowest to highest, equal ones by their `breakers`; missing ones left out.

    Examples
    --------
    >>> ascending(np.array([5.0, np.nan, 2.0, 5.0]), np.array([0.9, 0.0, 0.3, 0.1]))
    array([2, 3, 0])
    """
    present = np.flatnonzero(~np.isnan(column))
    values = column[present]
    order = np.argsort(values)
    ordered = values[order]
    if (ordered[1:] == ordered[:-1]).any():  # the slower sort only where there are ties
        order = np.lexsort((breakers[present], values))
    return np.asarray(present[order], dtype=np.int64)
