"""PostgreSQL runs what `compile` writes, and answers as DuckDB does."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from compiled import EVERY, TABLES, assert_answers_as_duckdb, call, reference

import sdc_sql

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.integration
_TYPES = {"INTEGER": "INTEGER", "BIGINT": "BIGINT", "DOUBLE": "DOUBLE PRECISION", "VARCHAR": "TEXT"}


def programs() -> Path:
    """Return the folder of PostgreSQL's own programs."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    initdb = shutil.which("initdb") or (str(found[-1]) if found else None)
    if initdb is None:
        pytest.skip("no PostgreSQL on this machine: apt-get install postgresql")
    return Path(initdb).parent


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    """Return a connection to a PostgreSQL of our own, on a socket in a folder of its own."""
    psycopg = pytest.importorskip("psycopg", reason="no psycopg: pip install 'psycopg[binary]'")
    bin_ = programs()
    folder = Path(tempfile.mkdtemp(prefix="sdc-pg-"))
    as_owner = []
    if os.geteuid() == 0:  # it refuses to run as root
        owner = "postgres" if "postgres" in {u.pw_name for u in pwd.getpwall()} else "nobody"
        shutil.chown(folder, owner)
        as_owner = ["runuser", "-u", owner, "--"]

    def run(*command: str) -> None:
        done = subprocess.run(
            [*as_owner, *command], cwd=folder, capture_output=True, text=True, check=False, timeout=120
        )
        assert done.returncode == 0, done.stdout + done.stderr

    data = str(folder / "data")
    run(str(bin_ / "initdb"), "-D", data, "-U", "sdc", "-A", "trust", "-E", "UTF8", "--no-sync")
    options = f"-k {folder} -c listen_addresses= -c fsync=off"
    run(str(bin_ / "pg_ctl"), "-D", data, "-w", "-o", options, "-l", str(folder / "log"), "start")
    try:
        with psycopg.connect(host=str(folder), user="sdc", dbname="postgres", autocommit=True) as connection:
            yield connection
    finally:
        run(str(bin_ / "pg_ctl"), "-D", data, "-m", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)


def stored(server: Any, table: str, rows: str) -> None:  # noqa: ANN401 - psycopg may not be there
    """Store DuckDB's rows as a table."""
    relation = reference().sql(rows)
    columns = ", ".join(
        f'"{name.replace(chr(34), chr(34) * 2)}" {_TYPES[str(kind)]}'
        for name, kind in zip(relation.columns, relation.types, strict=True)
    )
    server.execute(f'CREATE TABLE "{table}" ({columns})')
    with server.cursor().copy(f'COPY "{table}" FROM STDIN') as copy:
        for row in relation.fetchall():
            copy.write_row(row)


@pytest.fixture(scope="module")
def run(server: Any) -> Callable[[str], tuple[list[str], list[Any]]]:
    """Return what runs a query on the server, with the tables there."""
    for name in TABLES:
        stored(server, name, f"FROM {name}")

    def ask(sql: str) -> tuple[list[str], list[Any]]:
        cursor = server.execute(sql)
        return [column.name for column in cursor.description], cursor.fetchall()

    return ask


@pytest.mark.parametrize("table", ["persons", "many"])
@pytest.mark.parametrize("name", EVERY)
def test_a_measure_is_the_same_as_in_duckdb(run, name, table):
    try:
        call(name, table).compiled("postgres", reference())
    except sdc_sql.Unsupported as reason:
        pytest.skip(str(reason))
    assert_answers_as_duckdb(run, "postgres", call(name, table))
