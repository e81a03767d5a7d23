"""Household risk: that at least one member is re-identified (SDC handbook, section 3.3.5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.db.catalogue.arguments import require_number
from sdc_sql.db.showing.results import Result, make_optional_field
from sdc_sql.risk.many_uniques import require_estimating_weight
from sdc_sql.risk.risk_misclassified import measure_after_pram, select_after_pram

if TYPE_CHECKING:
    import duckdb

    from sdc_sql.roles import Roles

_MORE = ("true_probability", "individual_risk_misclassified", "household_risk_misclassified")


@dataclass(frozen=True)
class HouseholdGlobalRisk(Result):
    """Expected re-identifications with households, summed over persons and once per household; after PRAM, both ways.

    ``reidentification_rate`` is xi^h (persons), ``household_reidentification_rate`` the mean over households.
    """

    records: int
    households: int
    expected_reidentified_persons: float
    expected_reidentified_households: float
    reidentification_rate: float
    percent: float
    household_reidentification_rate: float
    expected_reidentified_persons_misclassified: float | None = make_optional_field()
    expected_reidentified_households_misclassified: float | None = make_optional_field()
    reidentification_rate_misclassified: float | None = make_optional_field()
    household_reidentification_rate_misclassified: float | None = make_optional_field()
    pram: str | None = make_optional_field()


def household_risk(data: Roles, *, household_threshold: float | None = None) -> duckdb.DuckDBPyRelation:
    """Return every record with its individual and household risk, household size and ``individual_threshold``.

    After PRAM, also with ``true_probability`` and both risks misclassified, as :func:`individual_risk`.

    Parameters
    ----------
    household_threshold
        r^h*, in (0, 1): a household is safe when each member's individual risk is below
        ``individual_threshold`` = r^h* / size. NULL where it is not given.

    Raises
    ------
    ParameterError
        Where the table was described without a weight or a household, or the threshold is out of range.

    Warns
    -----
    ManyUniquesWarning
        Where a fifth of the records or more are sample uniques: the risk may be far too low.

    Examples
    --------
    >>> import sdc_sql
    >>> [round(r[6], 6) for r in sdc_sql.example().risk.household_risk(household_threshold=0.1).order("id").fetchall()]
    [0.131112, 0.131112, 0.15767]
    """
    household = data.require_role("household")
    if household_threshold is not None:
        household_threshold = require_number("household_risk", "household_threshold", household_threshold)
    weight = require_estimating_weight(data, checked=True)
    named = {"household_threshold": household_threshold, **data.counting}
    return data.reading(
        select_after_pram(data, "sdc_household_risk", _MORE, data.table, data.keys, weight, household, **named)
    )


def household_global_risk(data: Roles) -> HouseholdGlobalRisk:
    """Return the expected re-identifications of the file with households, both ways of counting.

    Warns
    -----
    ManyUniquesWarning
        Where a fifth of the records or more are sample uniques: the risk may be far too low.

    Examples
    --------
    >>> import sdc_sql
    >>> round(sdc_sql.example().risk.household_global_risk().expected_reidentified_households, 6)
    0.288782
    """
    weight, household = require_estimating_weight(data), data.require_role("household")
    row, pram = measure_after_pram(
        data, "sdc_household_global_risk", data.table, data.keys, weight, household, **data.counting
    )
    return HouseholdGlobalRisk(**row, pram=pram)
