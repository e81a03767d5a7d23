"""``sdc-sql install``: store the macros in a DuckDB database file, or remove them."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from sdc_sql.cli.options import add_wait
from sdc_sql.db.catalogue.load import install, uninstall
from sdc_sql.db.files import storage
from sdc_sql.db.files.source import detect_kind
from sdc_sql.db.files.waiting import open_patiently
from sdc_sql.errors import ParameterError, TableError

if TYPE_CHECKING:
    import argparse


def add(commands: argparse._SubParsersAction[Any]) -> None:
    """Add the command to the command line."""
    command = commands.add_parser("install", help="store the macros in a DuckDB database file")
    command.add_argument("database", metavar="FILE.duckdb")
    command.add_argument("--create", action="store_true", help="create the file where there is none")
    command.add_argument("--remove", action="store_true", help="remove them")
    add_wait(command)
    command.set_defaults(handle=run)


def run(arguments: argparse.Namespace) -> int:
    """Store the macros in a database file."""
    if arguments.create and arguments.remove:
        raise ParameterError("--create and --remove exclude each other: give one of them.")
    if not Path(arguments.database).exists() and not arguments.create:
        remedy = "there is nothing to remove" if arguments.remove else "give --create to create one"
        raise TableError(f"There is no file {arguments.database}; {remedy}.")
    if Path(arguments.database).exists() and detect_kind(arguments.database) != "duckdb":
        raise TableError(f"{arguments.database} is not a DuckDB database; the macros can be stored only in one.")
    # a new file must be readable by every DuckDB that has the macros' syntax, not only by the newest
    opened = partial(duckdb.connect, arguments.database, config={"storage_compatibility_version": storage.CHOSEN})
    with open_patiently(opened) as con:
        (uninstall if arguments.remove else install)(con)
        newer = storage.find_newer_version(con)
    print(f"{arguments.database}: the macros are {'removed' if arguments.remove else 'stored'}")
    if newer and not arguments.remove:
        print(
            f"Only DuckDB {newer} and later read this file. For a program with an older one copy the tables to a file"
            " that sdc-sql install --create makes."
        )
    return 0
