"""The size of a household that its members tell though none shows it (SDC handbook, section 3.3.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc_sql.compared import resolve_columns_or_keys

if TYPE_CHECKING:
    from collections.abc import Iterable

    import duckdb

    from sdc_sql.roles import Roles


def counted_sizes(data: Roles, columns: str | Iterable[str]) -> duckdb.DuckDBPyRelation:
    """Return every record, with the size of its household in the place of NULL.

    Whoever holds the file with its household numbers counts the members: the size, as it is or recoded, is known though
    no member shows it, and every measure of risk of a table with a household counts on that.

    Parameters
    ----------
    columns
        The sizes: columns that the number of members tells, by a map that the households that show them teach.

    Returns
    -------
    duckdb.DuckDBPyRelation

    Raises
    ------
    ParameterError, ColumnError
        Where the table has no household, a column is none of the table, or does not follow from the number of members.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> size = "SELECT *, if(household = 1, NULL, count(*) OVER (PARTITION BY household)) AS size FROM persons"
    >>> _ = data.con.execute(f"CREATE TABLE sized AS {size}")
    >>> sized = sdc_sql.Microdata(data.con, "sized", household="household")
    >>> sorted(sized.risk.counted_sizes("size").project("household, size").fetchall())
    [(1, 2), (1, 2), (2, 1)]
    """
    household = data.require_role("household")
    return data.relation("sdc_counted_sizes", data.table, household, [*resolve_columns_or_keys(data, columns, "size")])
