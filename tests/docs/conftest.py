"""What these tests share: the modules that write the pages, and a folder with the tables that the examples read."""

from __future__ import annotations

import sys
from pathlib import Path

import duckdb
import pytest

from sdc_sql.db.catalogue.macros import example_tables

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / ".docs"), str(ROOT / "tests")]
KEY = "vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U"


@pytest.fixture(scope="session")
def tables(tmp_path_factory) -> Path:
    """Write each table of the examples as a Parquet file, as the page of these tables says."""
    folder = tmp_path_factory.mktemp("tables")
    with duckdb.connect() as con:
        con.execute(example_tables())
        for (name,) in con.execute("SELECT table_name FROM duckdb_tables() WHERE temporary").fetchall():
            con.table(name).write_parquet(str(folder / f"{name}.parquet"))
    return folder


@pytest.fixture
def there(tables, tmp_path, monkeypatch) -> Path:
    """Return a folder of one's own, in which one is, with these files and a key."""
    for file in tables.iterdir():
        (tmp_path / file.name).symlink_to(file)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SDC_KEY", KEY)
    return tmp_path
