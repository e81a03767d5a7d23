"""Calibration as DuckDB is given it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.adapters import TEXT, declare_function
from sdc_sql.udfs.arrow_function import NUMBERS, TABLE
from sdc_sql.udfs.calibration.raking import compute_factors

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats


def calibrate_cells(
    weights: Floats, codes: Floats, totals: Floats, names: str, lower: Floats, upper: Floats, distance: str
) -> Floats:
    """Calibrate as DuckDB asks: ``totals`` has rows (margin, category, total), ``names`` stand a line each."""
    named = names.split("\n")
    known = [totals[totals[:, 0] == j] for j in range(len(named))]
    ordered = [rows[np.argsort(rows[:, 1]), 2] for rows in known]
    return compute_factors(
        weights, codes.astype(np.int64), ordered, named,
        lower=lower, upper=upper, distance=distance,
    )  # fmt: skip


FUNCTIONS = (
    declare_function(
        "calibrate", calibrate_cells, NUMBERS, weights=NUMBERS, codes=TABLE, totals=TABLE, names=TEXT, lower=NUMBERS,
        upper=NUMBERS, distance=TEXT, by_stratum=False,
    ),
)  # fmt: skip
