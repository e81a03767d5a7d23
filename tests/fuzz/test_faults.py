"""A full disk, a locked or read-only file, little memory, two writers: our error, and the table as before.

A process that is killed: tests/integration/test_killed.py. Ctrl-C: tests/integration/test_interrupted.py.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import duckdb
import pytest

import sdc_sql
from sdc_sql.errors import SdcError, TableError, translate_errors

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

KEY = "vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U"
N = 60_000
pytestmark = pytest.mark.slow


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """Return a file of a table."""
    path = tmp_path / "survey.duckdb"
    with duckdb.connect(path, config={"threads": 1}) as con:
        con.execute(f"CREATE TABLE persons AS SELECT range AS id, sqrt(range) AS x, range % 7 AS g FROM range({N})")
    return path


def digest(path: Path) -> list[tuple]:
    with duckdb.connect(path, config={"threads": 1}) as con:
        tables = con.execute("SELECT table_name FROM duckdb_tables() ORDER BY 1").fetchall()
        return [*tables, *con.execute("SELECT count(*), bit_xor(hash(id, x, g)) FROM persons").fetchall()]


def ran(code: str, *arguments: str, before: Callable[[], None] | None = None) -> subprocess.CompletedProcess[str]:
    """Run a program of this package in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False,
        env={**os.environ, "SDC_KEY": KEY, "OPENBLAS_NUM_THREADS": "1"}, preexec_fn=before,
    )  # fmt: skip


COMMAND = "import sys; from sdc_sql.cli import main; sys.exit(main(sys.argv[1:]))"


def limited() -> None:
    """Let no file of this process grow beyond a size, as on a disk that is full."""
    import resource  # noqa: PLC0415 - there is none on Windows

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))


def one_line(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode != 0
    assert done.stderr.startswith("sdc-sql: "), done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    assert "Traceback" not in done.stderr
    return done.stderr


@pytest.mark.skipif(os.name == "nt", reason="sizes of files are limited as POSIX has it")
@pytest.mark.parametrize("output", [True, False])
def test_a_full_disk(database, tmp_path, output):
    before, there = digest(database), {p.name for p in tmp_path.iterdir()}
    more = [f"--output={tmp_path / 'released.parquet'}"] if output else []
    arguments = ["mask", "noise", str(database), "--id=id", "--columns=x", "--alpha=0.1", *more]
    one_line(ran(COMMAND, *arguments, before=limited))
    assert digest(database) == before
    assert {p.name for p in tmp_path.iterdir()} == there


RELEASE = """
[source]
path = "source.parquet"
[roles]
id = "id"
released_as_collected = ["x"]
[[scenarios]]
name = "neighbour"
keys = ["g"]
limits = ["k_anonymity.2.records <= 0"]
[output]
path = "released.csv"
"""


@pytest.mark.skipif(os.name == "nt", reason="sizes of files are limited as POSIX has it")
@pytest.mark.parametrize(
    "command", [["release", "release.toml"], ["mask", "noise", "source.csv", "--id=id", "--columns=x", "--alpha=0.1",
                "--output=given.csv"], ["mask", "noise", "survey.duckdb", "--id=id", "--columns=x", "--alpha=0.1"]],
)  # fmt: skip
def test_a_full_disk_is_what_is_said(database, tmp_path, monkeypatch, command):
    """And nothing of the source, which can be read."""
    monkeypatch.chdir(tmp_path)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    with duckdb.connect(database) as con:
        con.execute("COPY persons TO 'source.parquet'")
        con.execute("COPY persons TO 'source.csv'")
    (tmp_path / "release.toml").write_text(RELEASE)
    there = {p.name for p in tmp_path.iterdir()}
    said = one_line(ran(COMMAND, *command, before=limited))
    place, remedy = (tmp_path, "or write to another disk") if "--output=given.csv" in command else (temporary, "TMPDIR")
    assert f"The disk of the folder {place} is full (File too large): nothing was changed. Free space there" in said
    assert remedy in said
    assert "cannot be read" not in said
    assert {p.name for p in tmp_path.iterdir()} == there
    assert not list(temporary.iterdir())


def test_a_database_that_another_process_holds(database):
    before = digest(database)
    holder = subprocess.Popen(
        [sys.executable, "-c", f"import duckdb; c = duckdb.connect({str(database)!r}); print(1, flush=True); input()"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert holder.stdout is not None
    holder.stdout.readline()
    try:
        arguments = ["mask", "noise", str(database), "--id=id", "--columns=x", "--alpha=0.1"]
        assert "is open in another program" in one_line(ran(COMMAND, *arguments))
    finally:
        holder.communicate("\n")
    assert digest(database) == before


def test_a_database_that_may_not_be_written(database):
    before = digest(database)
    with duckdb.connect(database, read_only=True) as con:
        con.execute("SET VARIABLE sdc_key = ?", [KEY])
        with pytest.raises(TableError, match="read-only"):
            sdc_sql.Microdata(con, "persons", id="id").mask.noise("x", 0.1)
        with pytest.raises(TableError, match="read-only"):  # before any work, which would find a g that is not listed
            sdc_sql.Microdata(con, "persons", id="id").mask.recode("g", mapping={"0": "none"})
    assert digest(database) == before


@pytest.mark.parametrize("memory", ["8MB", "24MB"])
def test_little_memory(database, memory):
    """It is done, or refused as a whole: nothing between."""
    before = digest(database)
    with duckdb.connect(database, config={"threads": 1}) as con:
        con.execute("SET VARIABLE sdc_key = ?", [KEY])
        sdc_sql.load(con)
        con.execute(f"SET memory_limit = '{memory}'")
        con.execute("SET temp_directory = ''")
        try:
            sdc_sql.Microdata(con, "persons", id="id").mask.rank_swap("x", 5)
        except (duckdb.OutOfMemoryException, SdcError):
            masked = False
        else:
            masked = True
    assert (digest(database) != before) == masked


def test_two_writers_of_one_table(database):
    """The first to commit wins; the second is told so, and its half is not in the table."""
    with duckdb.connect(database, config={"threads": 1}) as one, one.cursor() as two:
        for con in (one, two):
            con.execute("SET VARIABLE sdc_key = ?", [KEY])
        one.begin()
        sdc_sql.Microdata(one, "persons", id="id").mask.noise("x", 0.1)
        with pytest.raises((duckdb.Error, SdcError), match=r"(?i)conflict|another"), translate_errors():
            sdc_sql.Microdata(two, "persons", id="id").mask.noise("x", 0.5)
        one.commit()
        assert len(sdc_sql.Microdata(one, "persons", id="id").steps) == 1
        assert one.execute("SELECT count(*), count(DISTINCT id) FROM persons").fetchall() == [(N, N)]
