# Written from sql/risk/k_map.sql by python -m sdc_sql.write: change that file.
"""k-map: every combination of the keys in the released file is shared by at least k of the population."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import resolve_table
from sdc_sql.db.catalogue.arguments import require_number
from sdc_sql.db.showing.results import Result
from sdc_sql.risk.sensitive import check_category

if TYPE_CHECKING:
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class KMap(Result):
    """The records and cells of the file with fewer than k records in the population."""

    k: int
    records: int
    cells: int
    absent_records: int
    least: int


def k_map(data: Roles, population: str, k: int = 3) -> KMap:
    """Return the records and cells of a file whose keys fewer than k of the population share.

    Parameters
    ----------
    population
        The name of the table of the population, with the same keys.
    k
        The least number of persons of the population with the keys of a record, at least 2.

    Returns
    -------
    KMap

    Raises
    ------
    ParameterError
        Where the table was described with ``nulls="wildcard"``, or ``k`` is out of its range.

    Notes
    -----
    A cell that does not occur in the population counts as 0 and is never dropped.

    Sweeney (2001), Computational disclosure control, PhD thesis, MIT (k-map).

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute(
    ...     "CREATE TABLE persons AS FROM (VALUES (30, 'f'), (30, 'f'), (41, 'm'), (52, 'f')) AS t(age, sex)"
    ... )
    >>> _ = con.execute(
    ...     "CREATE TABLE population AS FROM (VALUES (30, 'f'), (30, 'f'), (41, 'm'), (41, 'm'), (41, 'm'), "
    ...     "(41, 'm')) AS t(age, sex)"
    ... )
    >>> data = sdc_sql.Microdata(con, "persons", keys=["age", "sex"])
    >>> print(data.risk.k_map("population", 3))
    KMap
      k               3
      records         3
      cells           2
      absent records  1
      least           0
    """
    check_category(data)
    row = data.row(
        "sdc_k_map",
        data.table,
        resolve_table(data, "population", population),
        data.keys,
        k=require_number("k_map", "k", k),
    )
    return KMap(**row)
