"""The cells of the key variables (Skinner & Elliot 2002, section 2.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

    from sdc_sql.roles import Roles


def cells(data: Roles) -> duckdb.DuckDBPyRelation:
    """Return the cells of the crossing of the keys: the key columns and ``sample_frequency``.

    Returns
    -------
    duckdb.DuckDBPyRelation
        One row for each combination that occurs.

    Examples
    --------
    >>> import sdc_sql
    >>> sorted(sdc_sql.example().risk.cells().fetchall())
    [(30, 'f', 2), (41, 'm', 1)]
    """
    return data.relation("sdc_cells", data.table, data.keys, nulls=data.nulls)
