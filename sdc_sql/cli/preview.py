"""``sdc-sql preview``: what recodings of the keys would do to the risk of a file."""

from __future__ import annotations

import argparse
import json
from typing import Any

from sdc_sql.cli.options import (
    add_resources,
    add_small_weights,
    check_resources,
    list_columns_or_none,
    names,
    number_or_column,
)
from sdc_sql.db.checks import text_for_message
from sdc_sql.db.files.source import open_source
from sdc_sql.db.showing.results import format_value
from sdc_sql.microdata import Microdata

EPILOG = """examples:
  sdc-sql preview persons.parquet --keys age,sex,region --hierarchies hierarchies.csv
  sdc-sql preview persons.parquet --keys age,sex --hierarchies FOLDER --candidates '[[2, 0], ["ten years", 1]]'
"""


def _parse_candidates(text: str) -> Any:  # noqa: ANN401 - lists of levels
    if text == "all":
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise argparse.ArgumentTypeError(
            f"{text_for_message(text)} is not 'all' or lists of levels as JSON, as in '[[0, 1], [1, 1]]'"
        ) from None


def add(commands: Any) -> None:  # noqa: ANN401 - argparse gives it no public name
    """Add the command."""
    words = "preview recodings: the risk of the file at each of many levels of its keys' hierarchies"
    command = commands.add_parser(
        "preview", help=words, description=words[0].upper() + words[1:] + ".", epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    command.add_argument("source", metavar="SOURCE", help="a Parquet, CSV or DuckDB file (read, never written)")
    command.add_argument("--keys", required=True, type=names, metavar="A,B,C", help="the key variables")
    command.add_argument(
        "--hierarchies", required=True, metavar="FILE",
        help="the hierarchies of the keys: a table of variable, value, level, level_name, label as CSV or Parquet, "
        "or a folder of files KEY.csv as ARX writes them",
    )  # fmt: skip
    command.add_argument(
        "--candidates", type=_parse_candidates, metavar="JSON",
        help="lists of levels, one for each key, or all for every combination (default: each key alone at each level)",
    )  # fmt: skip
    command.add_argument("--table", metavar="T", help="the table of a DuckDB file")
    command.add_argument("--weight", metavar="W", help="the column of expansion weights, or a number")
    add_small_weights(command)
    command.add_argument("--sampling-fraction", type=float, metavar="PI", help="in (0, 1), for theta")
    command.add_argument("--k", type=int, default=3, help="count the records in cells below K (default 3)")
    command.add_argument("--json", action="store_true", help="print the figures as JSON")
    add_resources(command)
    command.set_defaults(handle=run)


def run(arguments: argparse.Namespace) -> int:
    """Print a line for each candidate; return the exit code."""
    check_resources(arguments)
    numbers = [arguments.weight.strip('"')] if arguments.weight else []
    source = open_source(
        arguments.source, arguments.table, memory_limit=arguments.memory_limit, threads=arguments.threads,
        numbers=numbers,
    )  # fmt: skip
    with source as (con, table):
        weight = number_or_column("--weight", arguments.weight, list_columns_or_none(con, table))
        data = Microdata(con, table, keys=arguments.keys, weight=weight, small_weights=arguments.small_weights)
        found = data.mask.preview_recodings(
            arguments.hierarchies, arguments.candidates, sampling_fraction=arguments.sampling_fraction, k=arguments.k
        )
    rows = [row.to_dict() for row in found]
    if arguments.json:
        print(json.dumps(rows, indent=2, default=str))
        return 0
    lines = [list(rows[0]), *([_format_text(value) for value in row.values()] for row in rows)]
    there = [i for i, name in enumerate(rows[0]) if any(row[name] is not None for row in rows)]
    widths = {i: max(len(line[i]) for line in lines) for i in there}
    lines[0] = [name.replace("_", " ") for name in rows[0]]
    for line in lines:
        print("  ".join(line[i].rjust(widths[i]) if i > 1 else line[i].ljust(widths[i]) for i in there).rstrip())
    return 0


def _format_text(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else format_value(value)
