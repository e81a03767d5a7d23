"""The posterior risk of many cells at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats


def posterior_risk(f: Floats, population: Floats) -> Floats:
    """Return E(1/F | f), as sdc_posterior_risk does (individual_risk.sql), where F is estimated.

    Examples
    --------
    >>> posterior_risk(np.array([1.0, 3, 4]), np.array([20.0, 50, 4])).round(4).tolist()
    [0.1577, 0.0286, 0.25]
    """
    p = np.minimum(f / population, 1.0)
    risk = np.empty_like(p)
    recurs = (p < 1) & ((f == 1) | ((f < 16) & (p < 0.5)))  # noqa: PLR2004 - the regions of the macro
    here = np.flatnonzero(recurs)
    x = p[here] / (1 - p[here])
    risk[here] = -x * np.log(p[here])
    for j in range(1, 15):  # each step is taken for those of a higher frequency
        more = f[here] > j
        here, x = here[more], x[more]
        risk[here] = x * (1 / j - risk[here])
    # the terms left out are below 1e-16 of the sum: 1 / C(115, 15) of a frequency of 100
    for rest, terms in ((~recurs & (f < 100), 40), (f >= 100, 15)):  # noqa: PLR2004
        of, q = f[rest], 1 - p[rest]
        series = np.ones_like(q)
        for j in range(terms, 0, -1):
            step = q * j
            step /= of + j
            series *= step
            series += 1
        risk[rest] = p[rest] / of * series
    return risk
