# Written from sql/risk/t_closeness.sql by python -m sdc_sql.write: change that file.
"""t-closeness: the sensitive variable is distributed in each cell nearly as in the whole file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sdc_sql.db.catalogue.arguments import require_choice
from sdc_sql.db.showing.results import Result
from sdc_sql.risk.sensitive import check_category

if TYPE_CHECKING:
    import duckdb

    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class TCloseness(Result):
    """The greatest distance of a cell's distribution from the file's."""

    records: int
    cells: int
    t: float


def t_closeness_cells(
    data: Roles, sensitive: str, distance: Literal["equal", "ordered"] = "equal"
) -> duckdb.DuckDBPyRelation:
    """Return the cells of the keys, and the distance of each one's distribution from the file's.

    Parameters
    ----------
    sensitive
        The sensitive variable.
    distance
        'equal' for nominal variables, 'ordered' for numbers and ordered ones (texts in the order of their letters, an
        ENUM in its own).

    Returns
    -------
    duckdb.DuckDBPyRelation
        The key columns, ``sample_frequency``, ``t``.

    Raises
    ------
    ParameterError
        Where the table was described with ``nulls="wildcard"``.

    Notes
    -----
    Li, Li & Venkatasubramanian (2007), t-closeness: privacy beyond k-anonymity and l-diversity, ICDE, section 4.

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute(
    ...     "CREATE TABLE persons AS FROM (VALUES (30, 'flu'), (30, 'cancer'), (41, 'flu')) AS t(age, illness)"
    ... )
    >>> data = sdc_sql.Microdata(con, "persons", keys=["age"])
    >>> for row in data.risk.t_closeness_cells("illness").order("ALL").fetchall():
    ...     print(row)
    (30, 2, 0.16666666666666669)
    (41, 1, 0.33333333333333337)
    """
    check_category(data)
    return data.relation(
        "sdc_t_closeness_cells",
        data.table,
        data.keys,
        data.spell_column("sensitive variable", sensitive),
        distance=require_choice("t_closeness_cells", "distance", distance),
    )


def t_closeness(data: Roles, sensitive: str, distance: Literal["equal", "ordered"] = "equal") -> TCloseness:
    """Return the greatest distance of a cell's distribution of a sensitive variable from the file's.

    Parameters
    ----------
    sensitive
        The sensitive variable.
    distance
        'equal' for nominal variables, 'ordered' for numbers and ordered ones (texts in the order of their letters, an
        ENUM in its own).

    Returns
    -------
    TCloseness

    Raises
    ------
    ParameterError
        Where the table was described with ``nulls="wildcard"``.

    Notes
    -----
    Li, Li & Venkatasubramanian (2007), t-closeness: privacy beyond k-anonymity and l-diversity, ICDE, section 4.

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute(
    ...     "CREATE TABLE persons AS FROM (VALUES (30, 'flu'), (30, 'cancer'), (41, 'flu')) AS t(age, illness)"
    ... )
    >>> data = sdc_sql.Microdata(con, "persons", keys=["age"])
    >>> print(data.risk.t_closeness("illness"))
    TCloseness
      records  3
      cells    2
      t        0.333333
    """
    check_category(data)
    row = data.row(
        "sdc_t_closeness",
        data.table,
        data.keys,
        data.spell_column("sensitive variable", sensitive),
        distance=require_choice("t_closeness", "distance", distance),
    )
    return TCloseness(**row)
