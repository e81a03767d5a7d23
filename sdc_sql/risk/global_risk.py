"""The risk of the whole file (SDC handbook, section 3.3.5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.db.showing.results import Result, make_optional_field
from sdc_sql.risk.many_uniques import require_estimating_weight
from sdc_sql.risk.risk_misclassified import measure_after_pram

if TYPE_CHECKING:
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class GlobalRisk(Result):
    """Expected re-identifications, their rate xi among the records, and psi = 100 xi.

    Where the table's steps say that a key went through PRAM, ``pram`` says so, and those called misclassified are the
    sums of the risk times the probability that the released cell is the true one; else they are None and not shown.
    """

    records: int
    expected_reidentifications: float
    reidentification_rate: float
    percent: float
    expected_reidentifications_misclassified: float | None = make_optional_field()
    reidentification_rate_misclassified: float | None = make_optional_field()
    pram: str | None = make_optional_field()


def global_risk(data: Roles) -> GlobalRisk:
    """Return how many re-identifications are to be expected in the file.

    Returns
    -------
    GlobalRisk

    Raises
    ------
    ParameterError
        Where the table was described without a weight.
    WeightError
        Where the weights of a cell sum to less than its records.

    Warns
    -----
    ManyUniquesWarning
        Where a fifth of the records or more are sample uniques: the estimate may be far too low.

    Notes
    -----
    xi and psi of the SDC handbook, section 3.3.5.

    Examples
    --------
    >>> import sdc_sql
    >>> round(sdc_sql.example().risk.global_risk().expected_reidentifications, 6)
    0.293387
    """
    weight = require_estimating_weight(data)
    row, pram = measure_after_pram(data, "sdc_global_risk", data.table, data.keys, weight, **data.counting)
    return GlobalRisk(**row, pram=pram)
