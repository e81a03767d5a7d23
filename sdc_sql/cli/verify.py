"""``sdc-sql verify``: what a certificate says, computed anew."""

from __future__ import annotations

import argparse
import json
from typing import Any

from sdc_sql.cli.options import BAD_INPUT, LIMIT_EXCEEDED, add_progress, add_resources, check_resources, make_progress
from sdc_sql.release.certifying.verify import verify

EPILOG = f"""exit codes: 0 verified; {BAD_INPUT} bad input; {LIMIT_EXCEEDED} a field does not hold, and which

From the released file alone: its content, and of an internal certificate the limits on risk; the reports and metadata
by the files that stand beside the certificate. With --release everything, by running it again with its source and the
secret key, which is read from the environment variable SDC_KEY. What was only read, and not computed anew, is named.

examples:
  sdc-sql verify certificate.json --released released.parquet
  sdc-sql verify certificate.json --released released.parquet --release release.toml
"""


def add(commands: Any) -> None:  # noqa: ANN401 - argparse gives it no public name
    """Add the command."""
    words = "compute anew what the certificate of a release says"
    command = commands.add_parser(
        "verify", help=words, description=words[0].upper() + words[1:] + ".", epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    command.add_argument("certificate", metavar="CERTIFICATE", help="the certificate, internal or public")
    command.add_argument("--released", required=True, metavar="FILE", help="the released file")
    command.add_argument("--table", metavar="T", help="the table of a released DuckDB file that has several")
    command.add_argument("--release", metavar="RELEASE.toml", help="the release file: run it again, and compare all")
    command.add_argument(
        "--documents", metavar="FOLDER",
        help="where the reports and metadata stand that it digests (default: beside it, or beside the released file)",
    )  # fmt: skip
    command.add_argument("--json", action="store_true", help="print the checks as JSON")
    add_resources(command)
    add_progress(command)
    command.set_defaults(handle=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the checks; return the exit code."""
    check_resources(arguments)
    found = verify(
        arguments.certificate, arguments.released, release=arguments.release,
        documents=arguments.documents, table=arguments.table,
        memory_limit=arguments.memory_limit, threads=arguments.threads, progress=make_progress(arguments.progress),
    )  # fmt: skip
    print(json.dumps(found.to_dict(), indent=2) if arguments.json else found)
    return 0 if found.holds else LIMIT_EXCEEDED
