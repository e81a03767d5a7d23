"""The connection of the tests of masking: it holds a key."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import duckdb

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from masked_tables import KEY


@pytest.fixture
def keyed(con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """Return a loaded connection with a key."""
    return con.execute("SET VARIABLE sdc_key = ?", [KEY])
