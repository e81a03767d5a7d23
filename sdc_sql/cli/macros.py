"""``sdc-sql macros``: print all SQL macros as one file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sdc_sql.db.catalogue.macros import bundle

if TYPE_CHECKING:
    import argparse


def add(commands: argparse._SubParsersAction[Any]) -> None:
    """Add the command to the command line."""
    command = commands.add_parser("macros", help="print all SQL macros as one file, for duckdb -init")
    command.set_defaults(handle=run)


def run(_: argparse.Namespace) -> int:
    """Print all macros; return the exit code."""
    print(bundle(), end="")
    return 0
