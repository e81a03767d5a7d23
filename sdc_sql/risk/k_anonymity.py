# Written from sql/risk/k_anonymity.sql by python -m sdc_sql.write: change that file.
"""k-anonymity: every combination of the keys is shared by at least k records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.db.catalogue.arguments import require_number
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
    """Return the records and the cells that violate 2-, 3-, up to k-anonymity.

    Parameters
    ----------
    k
        The least number of records of a cell that is safe, from 2 to 1,000,000.

    Returns
    -------
    Results of KViolations
        One for each k, from 2 on.

    Raises
    ------
    ParameterError
        Where ``k`` is out of its range.

    Notes
    -----
    A file after local suppression is described with ``nulls="wildcard"``.

    Samarati & Sweeney (1998); Sweeney (2002), k-anonymity: a model for protecting privacy.

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE persons AS FROM (VALUES (30, 'f'), (30, 'f'), (41, 'm')) AS t(age, sex)")
    >>> data = sdc_sql.Microdata(con, "persons", keys=["age", "sex"])
    >>> print(data.risk.k_anonymity(3))
    KViolations
      k  records  cells
      2        1      1
      3        3      2
    """
    rows = data.rows(
        "sdc_k_anonymity", data.table, data.keys, k=require_number("k_anonymity", "k", k), nulls=data.nulls
    )
    return Results(KViolations(**row) for row in rows)
