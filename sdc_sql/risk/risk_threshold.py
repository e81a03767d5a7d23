"""The individual-risk threshold that keeps the file's rate low (SDC handbook, section 3.3.5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.db.catalogue.arguments import require_number
from sdc_sql.db.showing.results import Result, make_optional_field
from sdc_sql.risk.risk_misclassified import note_unmeasured

if TYPE_CHECKING:
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class RiskThreshold(Result):
    """r*, how many records and keys have a higher risk, and the rate now and once they are protected down to r*.

    ``pram`` says so where a key went through PRAM: all figures then are of the keys as they stand.
    """

    threshold: float
    records_above: int
    keys_above: int
    records: int
    keys: int
    rate: float
    rate_after: float
    pram: str | None = make_optional_field()


def risk_threshold(data: Roles, max_rate: float) -> RiskThreshold:
    """Return the individual risk above which records must be protected to keep the rate at ``max_rate``.

    Parameters
    ----------
    max_rate
        The acceptable re-identification rate of the file, in (0, 1).

    Returns
    -------
    RiskThreshold
        With threshold 1 and nothing above it where the file already is within ``max_rate``.

    Notes
    -----
    SDC handbook, section 3.3.5, "Threshold setting using the re-identification rate".

    Examples
    --------
    >>> import sdc_sql
    >>> sdc_sql.example().risk.risk_threshold(0.08).records_above
    1
    """
    max_rate = require_number("risk_threshold", "max_rate", max_rate)
    weight = data.require_role("weight")
    row = data.row("sdc_risk_threshold", data.table, data.keys, weight, max_rate, **data.counting)
    return RiskThreshold(**row, pram=note_unmeasured(data))
