# Written from sql/risk/l_diversity.sql by python -m sdc_sql.write: change that file.
"""l-diversity: the sensitive values in each cell are many and none dominates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import resolve_further_columns
from sdc_sql.db.catalogue.arguments import require_number
from sdc_sql.db.showing.results import Result
from sdc_sql.risk.sensitive import check_category

if TYPE_CHECKING:
    from collections.abc import Iterable

    import duckdb

    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class LDiversity(Result):
    """The least l of the cells: distinct values, entropy l (definition 4.1), recursive l (4.2)."""

    records: int
    cells: int
    distinct_l: int
    entropy_l: float
    recursive_l: int


def l_diversity_cells(
    data: Roles, sensitive: str, *, c: float = 2, others: str | Iterable[str] | None = None
) -> duckdb.DuckDBPyRelation:
    """Return the cells of the keys, and how diverse a sensitive variable is in each.

    Parameters
    ----------
    sensitive
        The sensitive variable; NULL in it is a value of its own.
    c
        The c of recursive (c, l)-diversity, above 0.
    others
        Further sensitive variables, which count as keys.

    Returns
    -------
    duckdb.DuckDBPyRelation
        The key columns, ``sample_frequency``, ``distinct_l``, ``entropy_l``, ``recursive_l``.

    Raises
    ------
    ParameterError
        Where the table was described with ``nulls="wildcard"``, or ``c`` is out of its range.

    Notes
    -----
    Records that match through a wildcard would add values that no record of the cell has, and overstate its diversity.
    A file with several sensitive variables is l-diverse when each of them is, with the others given as ``others``.

    Machanavajjhala, Kifer, Gehrke & Venkitasubramaniam (2007), l-diversity: privacy beyond k-anonymity, ACM TKDD 1(1),
    section 4.

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute(
    ...     "CREATE TABLE persons AS FROM (VALUES (30, 'flu'), (30, 'cancer'), (41, 'flu')) AS t(age, illness)"
    ... )
    >>> data = sdc_sql.Microdata(con, "persons", keys=["age"])
    >>> for row in data.risk.l_diversity_cells("illness").order("ALL").fetchall():
    ...     print(row)
    (30, 2, 2, 2.0, 2)
    (41, 1, 1, 1.0, 1)
    """
    check_category(data)
    return data.relation(
        "sdc_l_diversity_cells",
        data.table,
        data.keys,
        data.spell_column("sensitive variable", sensitive),
        c=require_number("l_diversity_cells", "c", c),
        others=resolve_further_columns(data, others, "sensitive variable"),
    )


def l_diversity_records(
    data: Roles, sensitive: str, *, c: float = 2, others: str | Iterable[str] | None = None
) -> duckdb.DuckDBPyRelation:
    """Return every record, and how diverse a sensitive variable is in its cell.

    Parameters
    ----------
    sensitive
        The sensitive variable; NULL in it is a value of its own.
    c
        The c of recursive (c, l)-diversity, above 0.
    others
        Further sensitive variables, which count as keys.

    Returns
    -------
    duckdb.DuckDBPyRelation
        Every column, ``distinct_l``, ``entropy_l``, ``recursive_l``.

    Raises
    ------
    ParameterError
        Where the table was described with ``nulls="wildcard"``, or ``c`` is out of its range.

    Notes
    -----
    Records that match through a wildcard would add values that no record of the cell has, and overstate its diversity.
    A file with several sensitive variables is l-diverse when each of them is, with the others given as ``others``.

    Machanavajjhala, Kifer, Gehrke & Venkitasubramaniam (2007), l-diversity: privacy beyond k-anonymity, ACM TKDD 1(1),
    section 4.

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute(
    ...     "CREATE TABLE persons AS FROM (VALUES (30, 'flu'), (30, 'cancer'), (41, 'flu')) AS t(age, illness)"
    ... )
    >>> data = sdc_sql.Microdata(con, "persons", keys=["age"])
    >>> for row in data.risk.l_diversity_records("illness").order("ALL").fetchall():
    ...     print(row)
    (30, 'cancer', 2, 2.0, 2)
    (30, 'flu', 2, 2.0, 2)
    (41, 'flu', 1, 1.0, 1)
    """
    check_category(data)
    return data.relation(
        "sdc_l_diversity_records",
        data.table,
        data.keys,
        data.spell_column("sensitive variable", sensitive),
        c=require_number("l_diversity_records", "c", c),
        others=resolve_further_columns(data, others, "sensitive variable"),
    )


def l_diversity(data: Roles, sensitive: str, *, c: float = 2, others: str | Iterable[str] | None = None) -> LDiversity:
    """Return how diverse a sensitive variable is in the least diverse cell.

    Parameters
    ----------
    sensitive
        The sensitive variable; NULL in it is a value of its own.
    c
        The c of recursive (c, l)-diversity, above 0.
    others
        Further sensitive variables, which count as keys.

    Returns
    -------
    LDiversity

    Raises
    ------
    ParameterError
        Where the table was described with ``nulls="wildcard"``, or ``c`` is out of its range.

    Notes
    -----
    Records that match through a wildcard would add values that no record of the cell has, and overstate its diversity.
    A file with several sensitive variables is l-diverse when each of them is, with the others given as ``others``.

    Machanavajjhala, Kifer, Gehrke & Venkitasubramaniam (2007), l-diversity: privacy beyond k-anonymity, ACM TKDD 1(1),
    section 4.

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute(
    ...     "CREATE TABLE persons AS FROM (VALUES (30, 'flu'), (30, 'cancer'), (41, 'flu')) AS t(age, illness)"
    ... )
    >>> data = sdc_sql.Microdata(con, "persons", keys=["age"])
    >>> print(data.risk.l_diversity("illness"))
    LDiversity
      records      3
      cells        2
      distinct l   1
      entropy l    1
      recursive l  1
    """
    check_category(data)
    row = data.row(
        "sdc_l_diversity",
        data.table,
        data.keys,
        data.spell_column("sensitive variable", sensitive),
        c=require_number("l_diversity", "c", c),
        others=resolve_further_columns(data, others, "sensitive variable"),
    )
    return LDiversity(**row)
