"""k-anonymity in households: every combination of the keys is shared by members of at least k households."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.db.catalogue.arguments import checked_number
from sdc_sql.db.showing.results import Result, Results

if TYPE_CHECKING:
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class HouseholdKViolations(Result):
    """The records and the cells of members of fewer than k households."""

    k: int
    records: int
    cells: int


def household_k_anonymity(data: Roles, k: int = 3) -> Results[HouseholdKViolations]:
    """Return how many records and cells are of fewer than 2, 3, ... k households: k records can be one family.

    Parameters
    ----------
    k
        A whole number of at least 2.

    Returns
    -------
    list of HouseholdKViolations
        One for each of 2 .. k.

    Raises
    ------
    ParameterError
        Where the table has no household, or k is none.

    Notes
    -----
    SDC handbook, section 3.3.5. NULL in a key is a value of its own, however the table was described.

    Examples
    --------
    >>> import sdc_sql
    >>> [(v.k, v.records, v.cells) for v in sdc_sql.example().risk.household_k_anonymity(2)]
    [(2, 3, 2)]
    """
    k = checked_number("household_k_anonymity", "k", k)
    household = data.required("household")
    return Results(
        HouseholdKViolations(**row)
        for row in data.rows("sdc_household_k_anonymity", data.table, data.keys, household, k)
    )
