"""``sdc-sql install``: store the macros in a DuckDB database file, or take them out again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from sdc_sql.db.load import install, uninstall
from sdc_sql.db.source import kind_of
from sdc_sql.errors import ParameterError, TableError

if TYPE_CHECKING:
    import argparse


def add(commands: argparse._SubParsersAction[Any]) -> None:
    """Add the command to the command line."""
    command = commands.add_parser("install", help="store the macros in a DuckDB database file")
    command.add_argument("database", metavar="FILE.duckdb")
    command.add_argument("--create", action="store_true", help="make the file where there is none")
    command.add_argument("--remove", action="store_true", help="take them out again")
    command.set_defaults(handle=run)


def run(arguments: argparse.Namespace) -> int:
    """Store the macros in a database file."""
    if arguments.create and arguments.remove:
        raise ParameterError("--create and --remove exclude one another.")
    if not Path(arguments.database).exists() and not arguments.create:
        told = "there is nothing to remove" if arguments.remove else "say --create to make one"
        raise TableError(f"There is no file {arguments.database}; {told}.")
    if Path(arguments.database).exists() and kind_of(arguments.database) != "duckdb":
        raise TableError(f"{arguments.database} is not a DuckDB database; the macros can be stored only in one.")
    # a new file is to be read by every DuckDB that has the macros' syntax, not by the newest alone
    with duckdb.connect(arguments.database, config={"storage_compatibility_version": "v1.5.0"}) as con:
        (uninstall if arguments.remove else install)(con)
    print(f"{arguments.database}: the macros are {'no longer ' if arguments.remove else ''}in it")
    return 0
