"""``sdc-sql app``: a page on this machine to look, protect, compare and release, over DuckDB."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sdc_sql.app.server import MINUTES, serve_table
from sdc_sql.errors import ParameterError

if TYPE_CHECKING:
    import argparse


def add(commands: Any) -> None:  # noqa: ANN401 - argparse gives it no public name
    """Add the command."""
    words = "open a page on this machine to look, protect, compare and release"
    command = commands.add_parser(
        "app", help=words,
        description=(
            f"{words[0].upper()}{words[1:]}. It prints an address that works once, in a browser of this machine, and "
            "ends ten minutes after the page was closed. What is done there is a release file, which sdc-sql release "
            "runs too; it is kept, and taken up when the same data are opened again. The secret key of steps that draw "
            "is read from the environment variable SDC_KEY; it is never in the page. Needs pip install 'sdc-sql[app]'."
        ),
    )  # fmt: skip
    command.add_argument("file", metavar="FILE_OR_DATABASE", help="a Parquet, CSV, Stata or SPSS file, or a database")
    command.add_argument("--table", help="the table of a database (default: its only one)")
    command.add_argument("--port", type=int, default=0, help="where to listen, on this machine only (default: any)")
    command.add_argument(
        "--fresh", action="store_true", help="begin anew, without what was done to the same data before"
    )
    command.add_argument(
        "--end-after", type=float, default=MINUTES, metavar="MINUTES",
        help="end so long after the last connection, never while it works (%(default)g)",
    )  # fmt: skip
    command.set_defaults(handle=run)


def run(arguments: argparse.Namespace) -> int:
    """Serve the page until it ends; return the exit code."""
    if not 0 < arguments.end_after <= 60 * 24:
        raise ParameterError(f"--end-after is {arguments.end_after:g}: it must be a number of minutes up to 1440.")
    minutes = arguments.end_after
    serve_table(arguments.file, arguments.table, port=arguments.port, fresh=arguments.fresh, minutes=minutes)
    return 0
