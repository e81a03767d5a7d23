"""k-anonymity: every combination of the keys is shared by at least k records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.db.catalogue.arguments import checked_number
from sdc_sql.db.showing.results import Result, Results

if TYPE_CHECKING:
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class KViolations(Result):
    """The records and the cells with fewer than k records."""

    k: int
    records: int
    cells: int


def k_anonymity(data: Roles, k: int = 3) -> Results[KViolations]:
    """Return how many records and cells violate 2-, 3-, ... k-anonymity.

    Parameters
    ----------
    k
        A whole number of at least 2.

    Returns
    -------
    list of KViolations
        One for each of 2 .. k.

    Notes
    -----
    Sweeney (2002). For a file after local suppression describe the table with ``nulls="wildcard"``.

    Examples
    --------
    >>> import sdc_sql
    >>> [(v.k, v.records, v.cells) for v in sdc_sql.example().risk.k_anonymity(3)]
    [(2, 1, 1), (3, 3, 2)]
    """
    k = checked_number("k_anonymity", "k", k)
    return Results(
        KViolations(**row) for row in data.rows("sdc_k_anonymity", data.table, data.keys, k, nulls=data.nulls)
    )
