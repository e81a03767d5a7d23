"""Which DuckDB can open what is written: DuckDB 1.5, where the file that stood there could be opened by it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

import sdc_sql
from sdc_sql.cli import main

KEY = "Zk3vQ9xT1bW7mLs5dHf8yRpN2cGjU4aE6oXiKtVw0qM"
RELEASE = """
[source]
database = "k.duckdb"
table = "k"
[roles]
released_as_collected = ["id", "f", "Select"]
[[scenarios]]
name = "neighbour"
keys = ["Select"]
limits = ["k_anonymity.2.records <= 0"]
[output]
path = "released.duckdb"
"""
ROWS = """CREATE TABLE k AS SELECT i AS id, i * 1.5e0 AS f, 'it''s ' || i % 2 AS "Select" FROM range(20) AS t(i)"""


@pytest.fixture(scope="module")
def shell() -> str:
    """Return the path of a shell of DuckDB 1.5."""
    beside = Path(sys.executable).parent / "duckdb"
    found = str(beside) if beside.is_file() else shutil.which("duckdb")
    if found is None:
        pytest.skip("no DuckDB shell: neither beside the Python that runs nor on the path (pip install duckdb-cli)")
    said = subprocess.run([found, "--version"], capture_output=True, text=True, check=True).stdout
    if not said.startswith("v1.5."):
        pytest.skip(f"the DuckDB shell that is here is {said.split()[0]}, not 1.5")
    return found


def read(shell: str, path: Path) -> str:
    done = subprocess.run(
        [shell, "-init", "/dev/null", "-csv", "-noheader", "-readonly", str(path),
         "-c", "SELECT count(*), sum(f) FROM k"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def version(path: Path) -> str:
    with duckdb.connect(path, read_only=True) as con:
        return con.execute("SELECT tags['storage_version'] FROM duckdb_databases() WHERE path IS NOT NULL").fetchall()[
            0
        ][0]


def made(path: Path, stored: str) -> None:
    with duckdb.connect(config={"threads": 1}) as con:
        con.execute(f"ATTACH '{path}' AS made (STORAGE_VERSION '{stored}')")
        con.execute(ROWS.replace("TABLE k", "TABLE made.k"))


def test_what_is_written_is_opened_by_duckdb_1_5(shell, tmp_path):
    with duckdb.connect(config={"threads": 1}) as con:
        con.execute(ROWS)
        sdc_sql.Microdata(con, "k").write(tmp_path / "written.duckdb")
    assert read(shell, tmp_path / "written.duckdb") == "20,285.0"


@pytest.mark.slow
def test_what_is_released_is_opened_by_duckdb_1_5(shell, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made(tmp_path / "k.duckdb", "v1.0.0")
    (tmp_path / "release.toml").write_text(RELEASE)
    assert main(["release", "release.toml"]) == 0
    assert read(shell, tmp_path / "released.duckdb") == "20,285.0"


@pytest.mark.slow
@pytest.mark.parametrize("stored", ["v1.0.0", "v1.2.0", "v1.5.0", "latest"])
def test_a_database_that_is_written_anew_keeps_its_storage_version(shell, tmp_path, monkeypatch, stored):
    """Also one that only the newest DuckDB can open: it may hold what an older version cannot."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SDC_KEY", KEY)
    path = tmp_path / "memory.k.duckdb"  # a database of that name stands beside every other
    made(path, stored)
    before = version(path)
    assert main(["mask", "round", path.name, "--id", "id", "--columns", "f", "--base", "100"]) == 0
    assert version(path) == before
    if stored != "latest":
        assert read(shell, path).startswith("20,")
    with duckdb.connect(path) as con:
        assert con.execute("SELECT count(*) FROM sdc_steps").fetchall() == [(1,)]
        assert con.execute("SELECT bool_and(f % 100 = 0) FROM k").fetchall() == [(True,)]
