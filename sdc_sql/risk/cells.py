# Written from sql/core/cells.sql by python -m sdc_sql.write: change that file.
"""The cells of the crossing of the key variables, and their frequencies."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

    from sdc_sql.roles import Roles


def cells(data: Roles) -> duckdb.DuckDBPyRelation:
    """Return the cells of the crossing of the keys, and their sample frequencies.

    Returns
    -------
    duckdb.DuckDBPyRelation
        One row for each combination that occurs.

    Notes
    -----
    Skinner & Elliot (2002), section 2.1; SDC handbook, section 3.3.3 and (3.3).

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE persons AS FROM (VALUES (30, 'f'), (30, 'f'), (41, 'm')) AS t(age, sex)")
    >>> data = sdc_sql.Microdata(con, "persons", keys=["age", "sex"])
    >>> for row in data.risk.cells().order("ALL").fetchall():
    ...     print(row)
    (30, 'f', 2)
    (41, 'm', 1)
    """
    return data.relation("sdc_cells", data.table, data.keys, nulls=data.nulls)
