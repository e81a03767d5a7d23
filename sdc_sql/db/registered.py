"""An Arrow table under a name of its own on a connection, for as long as it is asked for."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb
    import pyarrow as pa


@contextmanager
def register_rows(con: duckdb.DuckDBPyConnection, name: str, rows: pa.Table) -> Iterator[None]:
    """Register a table on a connection, and take it off again."""
    con.register(name, rows)
    try:
        yield
    finally:
        con.unregister(name)
