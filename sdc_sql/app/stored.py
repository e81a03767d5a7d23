"""Tables of the state's database that work makes for others: they are made anew each time."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import duckdb

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation


def store_rows(con: DuckDBPyConnection, rows: DuckDBPyRelation, name: str) -> None:
    """Store rows as a table, in the place of one that is there.

    Examples
    --------
    >>> con = duckdb.connect()
    >>> store_rows(con, con.sql("SELECT 1 AS n"), "found")
    >>> store_rows(con, con.sql("SELECT 2 AS n"), "found")
    >>> con.table("found").fetchall()
    [(2,)]
    """
    with suppress(duckdb.CatalogException):
        con.execute(f"DROP TABLE {name}")  # a name of ours
    rows.to_table(name)
