"""``sdc-sql shell``: a SQL prompt with the macros and the functions over numpy, at a terminal or in a pipe."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from sdc_sql.db.catalogue.load import load
from sdc_sql.db.files import storage
from sdc_sql.db.files.source import detect_kind
from sdc_sql.errors import ParameterError, TableError
from sdc_sql.shell.interrupts import block_interrupts
from sdc_sql.shell.prompt import prompt
from sdc_sql.shell.session import Exit, Session

if TYPE_CHECKING:
    import argparse

FAILED = 2


def add(commands: Any) -> None:  # noqa: ANN401 - argparse gives it no public name
    """Add ``shell`` to the command line."""
    shell = commands.add_parser(
        "shell",
        help="a SQL prompt with the macros and the functions that need Python",
        description="A SQL prompt with every macro, also those that need Python. Reads a terminal, a pipe, or -c.",
    )
    shell.add_argument(
        "database", nargs="?", metavar="FILE.duckdb", help="created where there is none; without it, in memory"
    )
    shell.add_argument("--read-only", action="store_true", help="open the file read-only")
    shell.add_argument("-c", dest="run", action="append", metavar="SQL", help="run this and exit; can be repeated")
    shell.set_defaults(handle=run)


def _connect_database(database: str | None, *, read_only: bool) -> duckdb.DuckDBPyConnection:
    if database is None or database == ":memory:":
        if read_only:
            raise ParameterError("--read-only needs a database file.")
        return duckdb.connect()
    there = Path(database).exists()
    if not there and read_only:
        raise TableError(f"There is no file {database}: --read-only creates none.")
    if there and (kind := detect_kind(database)) != "duckdb":
        raise TableError(
            f"{database} is a {kind} file, not a database: open the shell without a file and write FROM '{database}'."
        )
    if there:
        return duckdb.connect(database, read_only=read_only)
    # a new file must be readable by every DuckDB that has the macros' syntax, not only by the newest
    return duckdb.connect(database, config={"storage_compatibility_version": storage.CHOSEN})


def run(arguments: argparse.Namespace) -> int:
    """Run the shell; return the exit code."""
    with block_interrupts():
        opened = _connect_database(arguments.database, read_only=arguments.read_only)
        load(opened)
    with opened as con:
        if not sys.stdout.isatty():
            con.execute("SET enable_progress_bar = false")  # DuckDB 2.0 draws it into whatever reads us
        if arguments.run is None and sys.stdin.isatty():
            where = arguments.database or "memory"
            print(f"sdc-sql on {where} (duckdb {duckdb.__version__}); .help lists the functions, .quit exits")
            prompt(con)
            return 0
        session = Session(con, lambda line: print(f"sdc-sql: {line}", file=sys.stderr))
        done = True
        with contextlib.suppress(Exit):
            texts = arguments.run if arguments.run is not None else [sys.stdin.read()]
            done = all(session.run_lines(text) for text in texts)
        return 0 if done else FAILED
