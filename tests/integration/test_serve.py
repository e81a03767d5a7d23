"""A database served to another process by DuckDB's remote protocol."""

from __future__ import annotations

import importlib.util
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pytest

import sdc_sql
from sdc_sql.cli import main
from sdc_sql.cli.serve import _load_protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

TOKEN = "a token of the test"  # noqa: S105
PERSONS = """CREATE TABLE k AS SELECT i AS id, i % 7 AS f, i % 3 AS "Select", i * 1.5e0 AS income
    FROM range(200) AS t(i)"""


def extension(name: str) -> Path | None:
    """Return the file of an extension as its package on PyPI has it, for this DuckDB."""
    spec = importlib.util.find_spec(f"duckdb_extension_{name}")
    places = [] if spec is None else spec.submodule_search_locations or []
    files = [Path(p) / "extensions" / f"v{duckdb.__version__}" / f"{name}.duckdb_extension" for p in places]
    return next((f for f in files if f.is_file()), None)


FILES = [extension("httpfs"), extension("quack")]
serving = pytest.mark.skipif(
    None in FILES, reason="serving is tested where duckdb-extension-httpfs and -quack are, of DuckDB's version"
)


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("localhost", 0))
        return int(listening.getsockname()[1])


@pytest.fixture
def database(tmp_path):
    path = tmp_path / "sur'v\"ey.duckdb"
    with duckdb.connect(str(path)) as con:
        con.execute(PERSONS)
    return path


class Served:
    """A server, and what it said when it began."""

    def __init__(self, database: Path, *options: str, token: str | None = TOKEN) -> None:
        self.port = free_port()
        environment = {k: v for k, v in os.environ.items() if k not in ("SDC_TOKEN", "SDC_KEY")}
        given = [part for file in FILES for part in ("--extension", str(file))]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sdc_sql", "serve", str(database), "--port", str(self.port), *given, *options],
            env=environment | ({"SDC_TOKEN": token} if token else {}),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.said = ""
        while "sdc_help" not in self.said:
            line = self.process.stdout.readline()
            assert line, self.said
            self.said += line

    def end(self, by: int = signal.SIGTERM) -> str:
        self.process.send_signal(by)
        out, _ = self.process.communicate(timeout=60)
        assert self.process.returncode == 0, out
        return out


@pytest.fixture
def served(database) -> Iterator[Served]:
    server = Served(database)
    yield server
    if server.process.poll() is None:
        server.process.kill()
        server.process.communicate()


def connected(server: Served, token: str = TOKEN) -> duckdb.DuckDBPyConnection:
    """Return another process's way in, as the server said to go: the lines are run as they were printed."""
    con = duckdb.connect()
    for file in FILES:
        con.execute(f"LOAD '{file}'")
    for line in re.findall(r"^  (.*;)$", server.said, re.MULTILINE):
        con.execute(line.replace("'...'", f"'{token}'")).fetchall()
    return con


def asked(con: duckdb.DuckDBPyConnection, sql: str) -> list[tuple]:
    (name,) = con.execute("SELECT database_name FROM duckdb_databases() WHERE type = 'quack'").fetchone()
    name = name.replace('"', '""')
    return con.execute(f'FROM "{name}".query(?)', [sql]).fetchall()


@serving
def test_another_process_measures_and_masks(database, served):
    assert TOKEN not in served.said
    con = connected(served)
    with duckdb.connect() as own:
        sdc_sql.load(own)
        own.execute(PERSONS)
        own.execute("SET VARIABLE sdc_key = 'vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U'")
        for measure in ("FROM sdc_theta('k', ['f', 'Select'], 0.1)", "FROM sdc_k_anonymity('k', ['f', 'Select'], 11)"):
            assert asked(con, measure) == own.execute(measure).fetchall()
        with pytest.raises(duckdb.Error, match='"g" is not a column of the table'):
            asked(con, "FROM sdc_theta('k', ['g'], 0.1)")
        masked = "FROM sdc_microaggregate('k', ['income'], 3, 'id')"  # a function that needs Python
        assert sorted(asked(con, masked)) == sorted(own.execute(masked).fetchall())
        noisy = "FROM sdc_noise('k', ['income'], 0.1, 'id')"
        with pytest.raises(duckdb.Error, match="No secret key is set"):
            asked(con, noisy)
        asked(con, "SET VARIABLE sdc_key = 'vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U'")
        asked(con, f"CREATE TABLE released AS {noisy}")
        released = own.execute(noisy).fetchall()
    con.close()
    assert served.end().endswith("no longer served\n")
    with duckdb.connect(str(database)) as after:
        assert sorted(after.execute("FROM released").fetchall()) == sorted(released)
        assert after.execute(
            "SELECT count(*) FROM duckdb_functions() WHERE starts_with(function_name, 'sdc_')"
        ).fetchall() == [(0,)]


@serving
def test_who_lacks_the_token_is_refused(served):
    with pytest.raises(duckdb.Error, match=r"(?i)auth"):
        connected(served, "another token")


def attacks(folder: Path) -> list[str]:
    """Return what a client could try at files of the server's user, and at what keeps it from them."""
    mine, other = folder / "mine.csv", folder / "other.duckdb"
    path = str(folder / "sur'v\"ey.duckdb").replace("'", "''")
    return [
        f"copy (select 1) to '{path}' (format csv)",
        f"copy (select 1) to '{folder}/new.csv'",
        f"copy (select 1) to '{mine}' (format parquet)",
        f"export database '{folder}/export'",
        f"attach '{other}' as other",
        f"attach '{other}' as other (read_only)",
        f"attach '{folder}/new.duckdb' as other",
        f"from read_text('{mine}')",
        f"from '{mine}'",
        f"from sniff_csv('{mine}')",
        f"from glob('{folder}/*')",
        f"from sdc_k_anonymity('{mine}', ['a'], 2)",
        f"copy sdc__macros.main.new from '{mine}'",
        "install json",
        f"load '{mine}'",
        f"create persistent secret s (type http, bearer_token 'x', scope '{folder}')",
        f"call enable_profiling(save_location = '{folder}/new.json')",
        f"set profiling_output = '{folder}/new.json'",
        f"set temp_directory = '{folder}'",
        "set enable_external_access = true",
        "reset enable_external_access",
        f"set allowed_directories = ['{folder}']",
        "set lock_configuration = false",
        "set allow_persistent_secrets = true",
        "delete from k",
        "create table new as select 1",
        "drop table k",
    ]


@serving
@pytest.mark.parametrize("read_only", [True, False])
def test_a_client_with_the_token_reaches_the_database_and_no_other_file(database, read_only):
    folder = database.parent
    (folder / "mine.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    with duckdb.connect(str(folder / "other.duckdb")) as other:
        other.execute("CREATE TABLE secret AS SELECT 42 AS a")
    there = {p.name: p.read_bytes() for p in folder.iterdir()}
    server = Served(database, *(["--read-only"] if read_only else []))
    try:
        con = connected(server)
        assert asked(con, "SELECT k FROM sdc_k_anonymity('k', ['f'], 2)") == [(2,)]
        asked(con, "SET VARIABLE sdc_key = 'vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U'")
        assert len(asked(con, "FROM sdc_noise('k', ['income'], 0.1, 'id')")) == 200
        for attack in attacks(folder):
            if read_only or not attack.startswith(("delete", "create table", "drop")):
                with pytest.raises(duckdb.Error):
                    asked(con, attack)
        assert asked(con, "SELECT count(*) FROM k") == [(200,)]
        con.close()
        server.end(signal.SIGHUP)
    finally:
        server.process.kill()
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == there


@serving
def test_without_a_token_one_is_made_and_shown(database):
    server = Served(database, "--read-only", token=None)
    try:
        con = connected(server)
        assert asked(con, "SELECT count(*) FROM k") == [(200,)]
        with pytest.raises(duckdb.Error, match="read-only"):
            asked(con, "DELETE FROM k")
        con.close()
        server.end(signal.SIGINT)
    finally:
        server.process.kill()


@serving
def test_a_port_that_is_taken(served, tmp_path, capsys):
    other = tmp_path / "other.duckdb"
    duckdb.connect(str(other)).close()
    given = [part for file in FILES for part in ("--extension", str(file))]
    assert main(["serve", str(other), "--port", str(served.port), *given]) == 2
    assert f"Port {served.port} is in use already" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.whole
def test_where_the_extension_cannot_be_loaded(tmp_path):
    with duckdb.connect(config={"extension_directory": str(tmp_path)}) as con:
        con.execute("SET custom_extension_repository = 'http://localhost:1'")
        con.execute("SET autoinstall_known_extensions = false")
        with pytest.raises(sdc_sql.SdcError, match=r"cannot load its remote protocol.*--extension\.$"):
            _load_protocol(con, [])


@pytest.mark.slow
@pytest.mark.one_in(5)
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nowhere.duckdb"], "There is no file nowhere.duckdb: only an existing database can be served"),
        (["some.csv"], "some.csv is a CSV file, not a database"),
        (["some.duckdb", "--port", "70000"], "--port is 70000: it must be a port"),
        (["some.duckdb", "--extension", "gone"], "There is no file gone: --extension must name the file"),
        (["stored.duckdb"], "contains the macros itself: remove them with sdc-sql install --remove stored.duckdb"),
    ],
)
def test_what_cannot_be_served(tmp_path, monkeypatch, capsys, arguments, told):
    monkeypatch.chdir(tmp_path)
    Path("some.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    duckdb.connect("some.duckdb").close()
    assert main(["install", "stored.duckdb", "--create"]) == 0
    assert main(["serve", *arguments]) == 2
    assert told in capsys.readouterr().err
