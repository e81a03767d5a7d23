"""``sdc-sql identifiers``: which columns of a file may name persons by themselves."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sdc_sql.cli.options import add_wait
from sdc_sql.db.files.source import open_source
from sdc_sql.db.showing.results import format_value
from sdc_sql.microdata import Microdata

if TYPE_CHECKING:
    import argparse

EPILOG = """Nothing is removed: a person looks at the file and decides. Then, for instance
  sdc-sql mask drop_identifiers persons.duckdb --id id --columns name,phone
"""


def add(commands: Any) -> None:  # noqa: ANN401 - argparse gives it no public name
    """Add the command."""
    words = "propose the columns that may be direct identifiers, with the reasons"
    command = commands.add_parser(
        "identifiers", help=words, description=words[0].upper() + words[1:] + ".", epilog=EPILOG
    )
    command.add_argument("source", metavar="SOURCE", help="a Parquet, CSV or DuckDB file (read, never written)")
    command.add_argument("--table", metavar="T", help="the table of a DuckDB file")
    command.add_argument("--json", action="store_true", help="print the proposals as JSON")
    add_wait(command)
    command.set_defaults(handle=run)


def run(arguments: argparse.Namespace) -> int:
    """Print what is proposed; return the exit code."""
    with open_source(arguments.source, arguments.table) as (con, table):
        found = Microdata(con, table).risk.identifiers()
    if arguments.json:
        print(json.dumps([proposed.to_dict() for proposed in found], indent=2))
    elif not found:
        print("No column is proposed. Names of persons in texts are not recognised: look at the file.")
    else:
        for proposed in found:
            share = "" if proposed.share is None else f", a share of {format_value(proposed.share)}"
            print(f"{proposed.variable}: by its {_WORDS[proposed.evidence]}: {proposed.reason}{share}")
    return 0


_WORDS = {"name": "name", "pattern": "values", "unique": "values"}
