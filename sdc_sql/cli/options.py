"""What the commands share: exit codes, lists of columns, and the options of a file, of memory and of threads."""

from __future__ import annotations

import argparse
import csv
import datetime as dt
import json
import math
import sys
import time
from typing import TYPE_CHECKING, Any

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute
from sdc_sql.db.checks import SMALL_WEIGHTS, text_for_message
from sdc_sql.db.files.released_file import MODES
from sdc_sql.errors import ParameterError, translate_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import duckdb

BAD_INPUT = 2
LIMIT_EXCEEDED = 3
SIGNALLED = 128  # shells add to it the number of the signal that ended a program


def names(text: str) -> list[str]:
    """Split a list of columns at commas; a name that contains a comma is put in double quotes."""
    try:
        return [name.strip() for name in next(csv.reader([text], skipinitialspace=True), [])]
    except csv.Error as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of names: {error}") from None


def add_small_weights(command: argparse.ArgumentParser) -> None:
    """Add --small-weights, as the tables are described with it."""
    command.add_argument(
        "--small-weights", choices=SMALL_WEIGHTS, default="error",
        help="a cell whose weights sum to less than its records: an error (default), or it stands for at least these",
    )  # fmt: skip


def add_household_columns(command: argparse.ArgumentParser) -> None:
    """Add --household-columns, as the tables are described with it."""
    command.add_argument(
        "--household-columns", type=names, metavar="A,B",
        help="the columns that are the same for all members of a household: NULL that another member shows is known "
        "(default: those found to be such)",
    )  # fmt: skip


def json_value(text: str) -> Any:  # noqa: ANN401 - whatever is written there
    """Return what an option gives as JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):  # thousands of lists in one another end in a RecursionError
        raise argparse.ArgumentTypeError(f"{text_for_message(text)} is no JSON") from None


def date(text: str) -> dt.date:
    """Return a date, as it is written in ISO 8601."""
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text_for_message(text)} is no date, as in 2026-01-31") from None


def number_or_column(option: str, text: str | None, columns: Iterable[str]) -> str | float | None:
    """Return a number or, by default, the name of a column; in double quotes it is a name in any case.

    Raises
    ------
    ParameterError
        Where it is both: the number would be taken for the weights that stand in the column, or the other way round.

    Examples
    --------
    >>> number_or_column("--weight", "w", ["5"]), number_or_column("--weight", '"5"', ["5"])
    ('w', '5')
    """
    if text is None:
        return None
    if len(text) > 2 and text[0] == text[-1] == '"':  # noqa: PLR2004 - the quotes alone
        return text[1:-1].replace('""', '"')
    try:
        number = float(text)
    except ValueError:
        return text
    if text.lower() in {column.lower() for column in columns}:
        raise ParameterError(
            f"{option} {text} is a number, and {text} is also a column: write {option} '\"{text}\"' for the column, "
            f"or {option} {number!r}0 for the number."
        )
    return number


def list_columns_or_none(con: duckdb.DuckDBPyConnection, table: str) -> list[str]:
    """Return the names of a table's columns, without an error where it has none."""
    with translate_errors():
        rows = execute(con, query.call_macro("query_table", table).limit(0))
    return [str(name) for name, *_ in rows.description or ()]


def add_readable(command: argparse.ArgumentParser, what: str) -> None:
    """Add who may read what is written."""
    command.add_argument(
        "--readable", choices=MODES, default="owner", help=f"who may read {what} besides its owner (default: nobody)"
    )


def add_progress(command: argparse.ArgumentParser) -> None:
    """Add whether each stage is reported."""
    command.add_argument(
        "--progress", action=argparse.BooleanOptionalAction, default=None,
        help="report each stage on standard error before it begins (default: where that is a terminal)",
    )  # fmt: skip


def seconds(text: str) -> float:
    """Return how long to wait: a number of seconds."""
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not 0 <= found < math.inf:
        raise argparse.ArgumentTypeError(f"{text_for_message(text)} is no number of seconds, as in 600")
    return found


def add_wait(command: argparse.ArgumentParser) -> None:
    """Add how long to wait for a database that is in use."""
    command.add_argument(
        "--wait", type=seconds, default=0.0, metavar="SECONDS",
        help="how long to wait for another program to close the database (default: not at all)",
    )  # fmt: skip


def add_resources(command: argparse.ArgumentParser) -> None:
    """Add the limits on memory and threads, and how long to wait for a database."""
    add_wait(command)
    command.add_argument(
        "--memory-limit", metavar="SIZE", help="how much memory DuckDB may use, as in 2GB; it spills beyond"
    )
    command.add_argument("--threads", type=int, metavar="N", help="how many threads DuckDB may use")


def check_resources(arguments: argparse.Namespace) -> None:
    """Refuse a number of threads below 1."""
    if arguments.threads is not None and arguments.threads < 1:
        raise ParameterError(f"--threads is {arguments.threads}: it must be at least 1.")


def convert_for_json(value: object) -> object:
    """Return a value for JSON: a number that JSON cannot write becomes text."""
    if isinstance(value, dict):
        return {name: convert_for_json(v) for name, v in value.items()}
    if isinstance(value, list):
        return [convert_for_json(v) for v in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def make_progress(wanted: bool | None) -> Callable[[str], None]:
    """Return what reports a stage on standard error: where it is wanted, by default where that is a terminal."""
    if not (sys.stderr.isatty() if wanted is None else wanted):
        return lambda _: None
    start = time.monotonic()
    return lambda measure: print(f"{time.monotonic() - start:8.1f} s  {measure} ...", file=sys.stderr, flush=True)
