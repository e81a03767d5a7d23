"""What these tests share: the helpers in the folder above, and one connection per file of tests."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))


@pytest.fixture(scope="module")
def db(connect) -> Iterator[duckdb.DuckDBPyConnection]:
    """Return a connection with every macro on it, for property tests that replace a table per example."""
    with connect(threads=1) as connection:
        yield connection
