"""Where a model of dbt's is run beforehand: a database in memory on dbt's own connection, and dbt's project."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from dbt.adapters.duckdb.connections import DuckDBConnectionManager
from dbt.adapters.factory import FACTORY
from sqlglot import exp

from sdc_sql.db.catalogue.load import set_key

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

RELEASED = "released"  # the table of the database in memory that the model selects


@contextmanager
def open_cursor() -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a cursor with the settings of the profile."""
    environment: Any = DuckDBConnectionManager.env()
    handle = environment.handle()
    try:
        yield handle.cursor()
    finally:
        handle.close()


@contextmanager
def open_own_database(name: str) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a cursor that works in a new database in memory."""
    forget_database(name)
    quoted = exp.to_identifier(name, quoted=True).sql("duckdb")
    with open_cursor() as con:
        con.execute(f"ATTACH ':memory:' AS {quoted}")
        con.execute(f"USE {quoted}")
        set_key(con)
        yield con


def forget_database(database: str) -> None:
    """Detach a database in memory, where it is there."""
    with open_cursor() as con:
        con.execute(f"DETACH DATABASE IF EXISTS {exp.to_identifier(database, quoted=True).sql('duckdb')}")


def find_project() -> Any:  # noqa: ANN401 - dbt's own configuration
    """Return dbt's configuration of the project and its profile."""
    adapter: Any = FACTORY.lookup_adapter("duckdb")
    return adapter.config
