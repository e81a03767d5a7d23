# Written from sql/risk/household_k_anonymity.sql by python -m sdc_sql.write: change that file.
"""k-anonymity in households: every combination of the keys is shared by members of at least k households."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.db.catalogue.arguments import require_number
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
    """Return the records and the cells of fewer than 2, 3, up to k households.

    Parameters
    ----------
    k
        The least number of households of a cell that is safe, from 2 to 1,000,000.

    Returns
    -------
    Results of HouseholdKViolations
        One for each k, from 2 on.

    Raises
    ------
    ParameterError
        Where the table was described without a household, or ``k`` is out of its range.

    Notes
    -----
    NULL in a key is a value of its own, however the table was described.

    SDC handbook, section 3.3.5 (files with a hierarchy); Sweeney (2002), k-anonymity: a model for protecting privacy,
    with households as units.

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute(
    ...     "CREATE TABLE survey AS FROM (VALUES (26, 'north', 'young'), (26, 'north', 'young'), "
    ...     "(26, 'north', 'young'), (27, 'south', 'old'), (28, 'south', 'old')) AS t(household, region, age)"
    ... )
    >>> data = sdc_sql.Microdata(con, "survey", keys=["region", "age"], household="household")
    >>> print(data.risk.household_k_anonymity(3))
    HouseholdKViolations
      k  records  cells
      2        3      1
      3        5      2
    """
    rows = data.rows(
        "sdc_household_k_anonymity",
        data.table,
        data.keys,
        data.require_role("household"),
        k=require_number("household_k_anonymity", "k", k),
    )
    return Results(HouseholdKViolations(**row) for row in rows)
