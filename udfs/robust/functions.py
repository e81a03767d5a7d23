"""Robust distances of records, and which of them masking protects too little for how far out they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.adapters import NUMBER, declare_function
from sdc_sql.udfs.arrow_function import NULL, TABLE
from sdc_sql.udfs.neighbourhood.functions import neighbourhood
from sdc_sql.udfs.robust.chi_square import chi_square_quantile
from sdc_sql.udfs.robust.mcd import OUTLYING, compute_mahalanobis, mcd

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats


def robust_distances(columns: Floats) -> list[Floats]:
    """Return the robust distance of each record, NULL where a value is missing, and that from which one is outlying.

    Parameters
    ----------
    columns
        Shape (variables, records).
    """
    whole = ~np.isnan(columns).any(axis=0)
    x = columns[:, whole].T
    # the records are sorted, so that sums are the same in whatever order they come
    centre, covariance = mcd(x[np.lexsort(x.T)])
    found = np.full(columns.shape[1], NULL)
    found[whole] = [float(f"{d:.9g}") for d in np.sqrt(compute_mahalanobis(x, centre, covariance))]
    return [found, np.array([np.sqrt(chi_square_quantile(OUTLYING, len(columns)))])]


def robust_disclosure(before: Floats, after: Floats, width: float | None, near: float | None) -> list[Floats]:
    """Return the robust distance of each record, whether it is at risk, and whether it is alone there.

    Parameters
    ----------
    before, after
        The original and the released values, shape (variables, records).
    width
        A released value is near the original one within this times the record's distance times the standard deviation.
    near
        How far, in standard deviations of the released values, another released record is at most that hides it.

    Returns
    -------
    list of Floats
        Distances; 1 where any value is near; 1 where no other released record is near besides; the distance from which
        a record is outlying.
    """
    for name, value in (("width", width), ("near", near)):
        if value is None or not 0 < value < np.inf:
            raise ValueError(f"{name} is {value}: it must be positive and finite")
    distances, outlying = robust_distances(before)
    spread = np.nanstd(before, axis=1, ddof=1)
    with np.errstate(invalid="ignore"):  # a missing value is near to nothing
        risky = (np.abs(before - after) <= width * distances * spread[:, None] * (1 + 1e-9)).any(axis=0)  # type: ignore[operator]
    around, _ = neighbourhood(
        after, np.zeros(after.shape[1]), None, np.full(len(after), near, dtype=np.float64), "standardised"
    )
    # a record with a suppressed value is not hidden by others without one
    alone = risky & ((around == 1) | np.isnan(after).any(axis=0))
    return [distances, risky.astype(np.float64), alone.astype(np.float64), outlying]


FUNCTIONS = (
    declare_function("robust_distances", robust_distances, TABLE, by_stratum=False, columns=TABLE),
    declare_function(
        "robust_disclosure", robust_disclosure, TABLE, by_stratum=False, before=TABLE, after=TABLE, width=NUMBER,
        near=NUMBER,
    ),
)  # fmt: skip
