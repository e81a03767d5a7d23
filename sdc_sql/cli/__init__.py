"""The command line, ``sdc-sql``: a file a command."""

from __future__ import annotations

import argparse
import io
import os
import shlex
import signal
import sys
import warnings
from contextlib import contextmanager, nullcontext
from importlib import import_module
from typing import TYPE_CHECKING, NoReturn, TextIO

import duckdb

import sdc_sql
from sdc_sql.cli.options import BAD_INPUT, SIGNALLED
from sdc_sql.db.checks import text_for_message
from sdc_sql.db.files import work
from sdc_sql.db.files.waiting import wait_for_lock
from sdc_sql.db.interruption import ENDING, Ended, allow_interruption, raise_on_end
from sdc_sql.errors import ParameterError, SdcError, TableError, hide_values, translate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

COMMANDS = (
    "risk", "compare", "rules", "measure", "identifiers", "preview", "frontier", "mask", "release", "verify", "shell",
    "serve", "app", "between", "compile", "macros", "install", "clean", "completion",
)  # fmt: skip
OWN_SIGNALS = {"shell", "serve", "app"}  # these commands go on at Ctrl-C, or end by it as they should


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
    needed = () if named == "--version" else (named,) if named in COMMANDS else COMMANDS
    for command in needed:
        import_module(f"sdc_sql.cli.{command}").add(commands)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    argv = sys.argv[1:] if argv is None else list(argv)
    if os.name == "nt":
        write_utf8(sys.stdout, sys.stderr)
    try:
        with raise_on_end(), _name_leftovers(), warnings.catch_warnings():
            warnings.showwarning = _warn
            arguments = parser(argv[0] if argv else None).parse_args(argv)
            own = arguments.command in OWN_SIGNALS
            with wait_for_lock(getattr(arguments, "wait", 0)), nullcontext() if own else allow_interruption(ENDING):
                code: int = arguments.handle(arguments)
    except KeyboardInterrupt as error:
        number = error.number if isinstance(error, Ended) else signal.SIGINT
        by = "interrupted" if number == signal.SIGINT else f"ended by {signal.Signals(number).name}"
        print(f"sdc-sql: {by}", file=sys.stderr)
        return SIGNALLED + number
    except SdcError as error:
        return _refuse(error)
    except duckdb.Error as error:
        return _refuse(translate(error) or hide_values(error) or error)
    except BrokenPipeError:  # the reader of the output has closed it, as `head` does
        sys.stderr.close()
        return 0
    except OSError as error:  # a name is too long, a folder cannot be written to, or the disk is full
        named = "" if error.filename is None else f" ({text_for_message(str(error.filename))})"
        return _refuse(TableError(f"A file cannot be read or written: {error.strerror or error}{named}."))
    return code


def write_utf8(*streams: TextIO) -> None:
    """Write files and pipes as UTF-8, as all input is read: Windows would write them in a code page of its own."""
    for stream in streams:
        if isinstance(stream, io.TextIOWrapper) and not stream.isatty():
            stream.reconfigure(encoding="utf-8", newline="\n")


@contextmanager
def _name_leftovers() -> Iterator[None]:
    """Name what killed runs have left where the command worked, and say how it is removed."""
    work.FOUND.clear()
    try:
        yield
    finally:
        for folder in sorted(work.FOUND):
            print(
                f"sdc-sql: a run that was killed has left {folder}: sdc-sql clean {shlex.quote(str(folder))}",
                file=sys.stderr,
            )


def _warn(message: Warning | str, *_: object, **__: object) -> None:
    print(f"sdc-sql: warning: {' '.join(str(message).split())}", file=sys.stderr)


def _refuse(error: Exception) -> int:
    print(f"sdc-sql: {' '.join(str(error).split())}", file=sys.stderr)
    return BAD_INPUT
