"""A connection for the tests of masking: loaded once, and empty again for each test."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pytest

import sdc_sql
from sdc_sql.db.transaction import is_open

if TYPE_CHECKING:
    from collections.abc import Iterator

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

KEY = "abc"


@pytest.fixture(scope="session")
def loaded() -> Iterator[duckdb.DuckDBPyConnection]:
    """Return a connection with every macro on it: loading takes longer than masking a small table."""
    with duckdb.connect() as connection:
        yield sdc_sql.load(connection)


@pytest.fixture
def keyed(loaded: duckdb.DuckDBPyConnection) -> Iterator[duckdb.DuckDBPyConnection]:
    """Return the loaded connection with a key, and drop what a test leaves behind."""
    loaded.execute("SET VARIABLE sdc_key = ?", [KEY])
    yield loaded
    if is_open(loaded):
        loaded.rollback()
    loaded.execute("USE memory.main")
    loaded.execute("RESET threads")
    quoted = "'\"' || replace({0}, '\"', '\"\"') || '\"'"
    for kind, name in [("view", "view_name"), ("table", "table_name"), ("schema", "schema_name")]:
        path = " || '.' || ".join(quoted.format(c) for c in dict.fromkeys(("database_name", "schema_name", name)))
        drop = f"SELECT 'DROP {kind} ' || {path} || ' CASCADE' FROM duckdb_{kind}s() WHERE NOT internal"
        if kind == "schema":
            drop += " AND database_name = 'memory' AND schema_name <> 'main'"
        for (statement,) in loaded.execute(drop).fetchall():
            loaded.execute(statement)
    attached = "SELECT database_name FROM duckdb_databases() WHERE NOT internal AND database_name <> 'memory'"
    for (database,) in loaded.execute(attached).fetchall():
        loaded.execute(f'DETACH "{database}"')
