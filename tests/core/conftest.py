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


@pytest.fixture(scope="module")
def people(connect) -> Iterator[duckdb.DuckDBPyConnection]:
    """Return a connection with the table `persons` of the folder above, for tests that only read it."""
    with connect() as connection:
        connection.execute("""
            CREATE TABLE persons AS FROM (VALUES
                (1, 30, 'f', 'north', 10.0, 1), (2, 30, 'f', 'north', 15.0, 1), (3, 41, 'm', 'north', 20.0, 1),
                (4, 41, 'm', 'south', 20.0, 2), (5, 41, 'm', 'south', 12.5, 2), (6, NULL, 'f', 'south', 30.0, 3),
                (7, 67, NULL, 'south', 8.0, 3), (8, 25, 'm', NULL, 11.0, 3)
            ) AS t(id, age, sex, region, weight, household)
        """)
        yield connection
