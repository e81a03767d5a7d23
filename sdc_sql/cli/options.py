"""What the commands share: exit codes, lists of columns, and the options of a file, of memory and of threads."""

from __future__ import annotations

import argparse
import csv

from sdc_sql.errors import ParameterError

BAD_INPUT = 2
LIMIT_EXCEEDED = 3


def names(text: str) -> list[str]:
    """Split a list of columns at commas; a name that contains a comma is put in double quotes."""
    try:
        return [name.strip() for name in next(csv.reader([text], skipinitialspace=True), [])]
    except csv.Error as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of names: {error}") from None


def number_or_name(text: str) -> str | float:
    """Return a number or, by default, the name of a column."""
    try:
        return float(text)
    except ValueError:
        return text


def add_resources(command: argparse.ArgumentParser) -> None:
    """Add the limits on memory and threads."""
    command.add_argument(
        "--memory-limit", metavar="SIZE", help="how much memory DuckDB may use, as in 2GB; it spills beyond"
    )
    command.add_argument("--threads", type=int, metavar="N", help="how many threads DuckDB may use")


def check_resources(arguments: argparse.Namespace) -> None:
    """Refuse a number of threads below 1."""
    if arguments.threads is not None and arguments.threads < 1:
        raise ParameterError(f"--threads is {arguments.threads}: it must be at least 1.")
