# Written from sql/risk/likeness.sql by python -m sdc_sql.write: change that file.
"""How much more (or less) an intruder who finds the cell believes a sensitive value than before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.db.showing.results import Result
from sdc_sql.risk.sensitive import check_category, list_categories

if TYPE_CHECKING:
    from collections.abc import Iterable

    import duckdb

    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class Likeness(Result):
    """The smallest cell k, and the greatest alpha, beta, enhanced beta and delta of the cells."""

    records: int
    cells: int
    k: int
    alpha: float
    beta: float
    enhanced_beta: float
    delta: float


def likeness_cells(data: Roles, sensitive: str, chosen: Iterable[object] | None = None) -> duckdb.DuckDBPyRelation:
    """Return the cells of the keys, and how far each one's distribution exceeds the file's.

    Parameters
    ----------
    sensitive
        The sensitive variable; NULL in it is a value of its own.
    chosen
        The sensitive values that alpha regards; without it all.

    Returns
    -------
    duckdb.DuckDBPyRelation
        The key columns, ``sample_frequency``, ``alpha``, ``beta``, ``enhanced_beta``, ``delta``.

    Raises
    ------
    ParameterError
        Where the table was described with ``nulls="wildcard"``.

    Notes
    -----
    Wong, Li, Fu & Wang (2006), (alpha, k)-anonymity, KDD; Cao & Karras (2012), Publishing microdata with a robust
    privacy guarantee, PVLDB 5(11) (beta); Brickell & Shmatikov (2008), The cost of privacy, KDD (delta-disclosure
    privacy demands delta strictly below the limit).

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute(
    ...     "CREATE TABLE persons AS FROM (VALUES (30, 'flu'), (30, 'cancer'), (41, 'flu')) AS t(age, illness)"
    ... )
    >>> data = sdc_sql.Microdata(con, "persons", keys=["age"])
    >>> for row in data.risk.likeness_cells("illness").order("ALL").fetchall():
    ...     print(row)
    (30, 2, 0.5, 0.5000000000000001, 0.5000000000000001, 0.4054651081081644)
    (41, 1, 1.0, 0.5000000000000001, inf, inf)
    """
    check_category(data)
    return data.relation(
        "sdc_likeness_cells",
        data.table,
        data.keys,
        data.spell_column("sensitive variable", sensitive),
        chosen=list_categories(chosen),
    )


def likeness(data: Roles, sensitive: str, chosen: Iterable[object] | None = None) -> Likeness:
    """Return the k, alpha, beta and delta to which a file is (alpha, k)-anonymous, beta-like and delta-private.

    Parameters
    ----------
    sensitive
        The sensitive variable; NULL in it is a value of its own.
    chosen
        The sensitive values that alpha regards; without it all.

    Returns
    -------
    Likeness

    Raises
    ------
    ParameterError
        Where the table was described with ``nulls="wildcard"``.

    Notes
    -----
    Wong, Li, Fu & Wang (2006), (alpha, k)-anonymity, KDD; Cao & Karras (2012), Publishing microdata with a robust
    privacy guarantee, PVLDB 5(11) (beta); Brickell & Shmatikov (2008), The cost of privacy, KDD (delta-disclosure
    privacy demands delta strictly below the limit).

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute(
    ...     "CREATE TABLE persons AS FROM (VALUES (30, 'flu'), (30, 'cancer'), (41, 'flu')) AS t(age, illness)"
    ... )
    >>> data = sdc_sql.Microdata(con, "persons", keys=["age"])
    >>> print(data.risk.likeness("illness"))
    Likeness
      records        3
      cells          2
      k              1
      alpha          1
      beta           0.5
      enhanced beta  inf
      delta          inf
    """
    check_category(data)
    row = data.row(
        "sdc_likeness",
        data.table,
        data.keys,
        data.spell_column("sensitive variable", sensitive),
        chosen=list_categories(chosen),
    )
    return Likeness(**row)
