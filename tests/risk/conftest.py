"""What these tests share: the helpers in the folder above, and one connection per file of tests."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pytest

import sdc_sql

if TYPE_CHECKING:
    from collections.abc import Iterator

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))


@pytest.fixture(scope="module")
def db() -> Iterator[duckdb.DuckDBPyConnection]:
    """Return a connection with every macro on it, for property tests that replace a table per example."""
    with duckdb.connect(config={"threads": 1}) as connection:
        yield sdc_sql.load(connection)
