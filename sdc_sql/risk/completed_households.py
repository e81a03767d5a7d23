"""The file as its households complete it (SDC handbook, section 3.3.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc_sql.compared import resolve_columns_or_keys

if TYPE_CHECKING:
    from collections.abc import Iterable

    import duckdb

    from sdc_sql.roles import Roles


def completed_households(data: Roles, columns: str | Iterable[str] | None = None) -> duckdb.DuckDBPyRelation:
    """Return every record, with what other members of its household show in the place of NULL.

    It is what whoever holds the file with its household numbers can make of it, and what every measure of risk of a
    table with a household counts on. Where members show two values nothing is filled in.

    Parameters
    ----------
    columns
        The columns of the household; by default those of the table, ``data.household_columns``.

    Returns
    -------
    duckdb.DuckDBPyRelation

    Raises
    ------
    ParameterError, ColumnError
        Where the table has no household, a column is none of the table, or none is of the household.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> _ = data.con.execute("UPDATE persons SET sex = NULL WHERE id = 2")
    >>> sorted(data.risk.completed_households(["sex"]).fetchall())[1]
    (2, 30, 'f', 15.0, 1)
    """
    household = data.require_role("household")
    names = (
        data.select_household_columns(data.columns)
        if columns is None
        else resolve_columns_or_keys(data, columns, "household column")
    )
    # the columns stand in the order of the table, whatever was filled in
    return data.relation("sdc_completed_households", data.table, household, [*names])
