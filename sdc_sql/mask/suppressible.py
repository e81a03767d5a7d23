"""The keys whose values are to be suppressed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc_sql.db.table import Table
from sdc_sql.db.targets import known
from sdc_sql.errors import ColumnError, ParameterError, Unsupported
from sdc_sql.mask.columns import named

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.db.masking import Maskable


def suppressible(data: Maskable, keys: Iterable[str] | None, into: str | None) -> tuple[str, ...]:
    """Return the keys, by default those of the table, as it spells them.

    Raises
    ------
    Unsupported
        Of a table of Spark's: what is suppressed there could not be proved.
    ColumnError
        Where a key of the table that is to be changed must not be NULL.
    """
    if not isinstance(data, Table):
        raise Unsupported(
            "Local suppression runs in DuckDB only, where what it released is counted anew: "
            "write the table as a Parquet file, and suppress that into a new table."
        )
    chosen: tuple[str, ...] = data.keys if keys is None else named(data, keys)
    if not chosen:
        raise ParameterError("Suppression needs keys: give keys=[...] here or when describing the table.")
    target = known(data, data.table) if into is None and not data.file else None
    if target is not None:
        rows = data.con.execute(
            "SELECT column_name FROM duckdb_columns() "
            "WHERE (database_name, schema_name, table_name) = (?, ?, ?) AND NOT is_nullable",
            [target.catalog, target.db, target.name],
        ).fetchall()
        bound = [key for key in chosen if (key,) in rows]
        if bound:
            raise ColumnError(
                f"{', '.join(bound)} of {data.table} must not be NULL (a constraint of the table), and is to be "
                "suppressed: give into='name' to write a copy, or drop the constraint."
            )
    return chosen
