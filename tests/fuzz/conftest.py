"""Fuzzing: made-up tables and calls, each case by its seed and number, and what must hold of every one.

``SDC_FUZZ_SEED`` and ``SDC_FUZZ_CASES`` choose the cases; ``SDC_FUZZ_CASE=17`` runs case 17 of the seed alone.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pytest

import sdc_sql
from sdc_sql.db.catalogue.macros import example_tables

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
from masked_tables import KEY  # noqa: E402 - found by the line above


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    """Return a connection with the macros, the tables of the examples, a key and a second database."""
    with duckdb.connect(config={"threads": 1}) as con:
        sdc_sql.load(con).execute(example_tables())
        con.execute("SET VARIABLE sdc_key = ?", [KEY])
        con.execute(f"ATTACH '{tmp_path_factory.mktemp('fuzz') / 'other.duckdb'}' AS other")
        yield con
