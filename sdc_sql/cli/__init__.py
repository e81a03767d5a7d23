"""The command line, ``sdc-sql``: a file a command."""

from __future__ import annotations

import argparse
import sys
from contextlib import nullcontext
from importlib import import_module
from typing import TYPE_CHECKING, NoReturn

import duckdb

import sdc_sql
from sdc_sql.cli.options import BAD_INPUT, INTERRUPTED
from sdc_sql.db.checks import told
from sdc_sql.db.interruption import interruptible
from sdc_sql.errors import ParameterError, SdcError, TableError, translate, without_values

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMANDS = (
    "risk", "compare", "rules", "measure", "identifiers", "preview", "frontier", "mask", "release", "verify", "shell",
    "serve", "compile", "macros", "install",
)  # fmt: skip
OWN_SIGNALS = {"shell", "serve"}  # commands that go on, or end well, at Ctrl-C


class OneLine(argparse.ArgumentParser):
    """A parser that reports an error in one line on standard error."""

    def error(self, message: str) -> NoReturn:
        """Report the error and exit."""
        sys.exit(_refuse(ParameterError(f"{message} (see {self.prog} --help)")))


def parser(named: str | None = None) -> argparse.ArgumentParser:
    """Return the parser of the command that is named, or of all: to read what a command needs takes a while."""
    top = OneLine(prog="sdc-sql", description="Statistical disclosure control for microdata, inside the database.")
    top.add_argument(
        "--version", action="version", version=f"sdc-sql {sdc_sql.__version__} (duckdb {duckdb.__version__})"
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in [named] if named in COMMANDS else COMMANDS:
        import_module(f"sdc_sql.cli.{command}").add(commands)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    argv = sys.argv[1:] if argv is None else list(argv)
    arguments = parser(argv[0] if argv else None).parse_args(argv)
    try:
        with nullcontext() if arguments.command in OWN_SIGNALS else interruptible():
            code: int = arguments.handle(arguments)
    except KeyboardInterrupt:
        print("sdc-sql: interrupted", file=sys.stderr)
        return INTERRUPTED
    except SdcError as error:
        return _refuse(error)
    except duckdb.Error as error:
        return _refuse(translate(error) or without_values(error) or error)
    except BrokenPipeError:  # the reader of the output has closed it, as `head` does
        sys.stderr.close()
        return 0
    except OSError as error:  # a name that is too long, a folder that cannot be written, a disk that is full
        named = "" if error.filename is None else f" ({told(str(error.filename))})"
        return _refuse(TableError(f"A file cannot be read or written: {error.strerror or error}{named}."))
    return code


def _refuse(error: Exception) -> int:
    print(f"sdc-sql: {' '.join(str(error).split())}", file=sys.stderr)
    return BAD_INPUT
