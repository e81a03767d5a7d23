"""A session at the prompt: lines in, statements run, tables out."""

from __future__ import annotations

import getpass
import secrets
import shutil
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from sdc_sql.db.catalogue.load import execute
from sdc_sql.db.catalogue.macros import example_tables
from sdc_sql.db.interruption import is_ending
from sdc_sql.errors import ParameterError, SdcError, TableError
from sdc_sql.shell import messages
from sdc_sql.shell.interrupts import run_interruptibly
from sdc_sql.shell.statements import is_complete, strip_end

if TYPE_CHECKING:
    from collections.abc import Callable

COMMANDS = {
    ".help": "list every function with its arguments and an example; .help theta explains one in full",
    ".tables": "list the tables and views",
    ".examples": "create the (temporary) tables of the examples",
    ".read": "run the statements of a file: .read FILE",
    ".key": "set the secret key of the draws, typed without echo",
    ".maxrows": "how many rows of a result are shown: .maxrows 40",
    ".quit": "exit, as do .exit and Ctrl-D",
    ".exit": "exit",
}
_TABLES = """
    SELECT CASE WHEN database_name IN (current_database(), 'temp') AND schema_name = 'main' THEN name
                ELSE concat_ws('.', database_name, schema_name, name) END AS name
    FROM (SELECT database_name, schema_name, table_name AS name FROM duckdb_tables() WHERE NOT internal
          UNION ALL SELECT database_name, schema_name, view_name FROM duckdb_views() WHERE NOT internal)
    ORDER BY ALL
"""


class Exit(Exception):  # noqa: N818 - no error
    """The user asked to exit."""


class Session:
    """Takes lines, runs the statements that they form, prints the results.

    Parameters
    ----------
    con
        A connection with the macros.
    complain
        Called with an error, in one line.
    keep
        Called with each statement as it was typed, for the history.
    """

    def __init__(
        self,
        con: duckdb.DuckDBPyConnection,
        complain: Callable[[str], None],
        keep: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.con = con
        self.complain = complain
        self.keep = keep
        self.pending: list[str] = []
        self.reading: list[Path] = []
        self.max_rows = 40
        # a name in a query is a table or a file, never a variable of this program
        con.execute("SET python_enable_replacements = false")

    def feed(self, line: str) -> bool:
        """Take a line; run what it completes. Return whether all went well."""
        if not self.pending and line.lstrip().startswith("."):
            self.keep(line)
            return self._run_guarded(line, lambda: self._command(line.split()))
        if self.pending or line.strip():
            self.pending.append(line)
        if any(";" in part for part in self.pending) and is_complete("\n".join(self.pending)):
            return self.finish()
        return True

    def finish(self) -> bool:
        """Run what has been typed, semicolon or not. Return whether all went well."""
        text = "\n".join(self.pending)
        self.pending = []
        if not text.strip():
            return True
        self.keep(text)
        return self._run_guarded(text, lambda: self._run(text))

    def run_lines(self, text: str) -> bool:
        """Run the lines of a file, to the first that fails. Return whether all went well."""
        return all(self.feed(line) for line in text.splitlines()) and self.finish()

    def _run_guarded(self, text: str, work: Callable[[], bool]) -> bool:
        try:
            return work()
        except KeyboardInterrupt as error:
            if is_ending(error):
                raise
            self.complain("interrupted")
        except BrokenPipeError:  # the reader of the output has closed it
            raise
        except (duckdb.Error, SdcError, RuntimeError, ValueError, OSError) as error:
            interrupted = "nterrupted" in str(error)
            self.complain("interrupted" if interrupted else messages.shorten_error(error, text))
        self.pending = []
        return False

    def _run(self, text: str) -> bool:
        for statement in self.con.extract_statements(text):
            run_interruptibly(self.con, partial(self._draw, statement))
        return True

    def _draw(self, statement: duckdb.Statement) -> None:
        # (Python's client cannot take a comment after the semicolon)
        result = self.con.sql(strip_end(statement.query))
        if result is not None:
            self._show(result, statement.type)

    def _show(self, result: duckdb.DuckDBPyRelation, kind: duckdb.StatementType) -> None:
        if kind == duckdb.StatementType.EXPLAIN:
            print(*(plan for _, plan in result.fetchall()), sep="\n")
            return
        if kind != duckdb.StatementType.SELECT and result.columns in (["Success"], ["Count"]):
            for (count,) in result.fetchall():
                print(f"{count:,} row{'' if count == 1 else 's'}")
            return
        sys.stdout.flush()
        # output to a file or a program shows every column
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 100_000
        result.show(max_width=width, max_rows=self.max_rows, null_value="NULL")

    def _command(self, words: list[str]) -> bool:
        name, arguments = words[0], words[1:]
        match name, arguments:
            case ".quit" | ".exit" | ".q", []:
                raise Exit
            case ".help", []:
                print(f"{messages.list_help()}\n\nCommands")
                print("\n".join(f"  {command:<9} {what}" for command, what in COMMANDS.items()))
            case ".help", _:
                print(messages.describe_function(" ".join(arguments)))
            case ".tables", []:
                print("\n".join(name for (name,) in self.con.execute(_TABLES).fetchall()))
            case ".examples", []:
                self._set_key(secrets.token_urlsafe(32), unless_set=True)
                self.con.execute(example_tables().replace("CREATE TEMP TABLE", "CREATE OR REPLACE TEMP TABLE"))
                print("persons, population, released and the matrices sexes, regions, crossings: as temporary tables")
            case ".read", [_, *_]:
                return self._read(" ".join(arguments))
            case ".key", []:
                self._set_key(getpass.getpass("secret key: "))
            case ".maxrows", [number] if number.isdigit() and int(number) > 0:
                self.max_rows = int(number)
            case _ if name in COMMANDS:
                raise ParameterError(f"{name} cannot be used so: {COMMANDS[name]}.")
            case _:
                raise ParameterError(f"There is no command {name}; the commands are {', '.join(COMMANDS)}.")
        return True

    def _set_key(self, key: str, *, unless_set: bool = False) -> None:
        """Set the secret key, as a parameter: it stands in no SQL text. Refuse one that can be guessed."""
        if unless_set and self.con.execute("SELECT getvariable('sdc_key') IS NOT NULL").fetchall() == [(True,)]:
            return
        execute(self.con, "SELECT length(sdc__checked_key(k)) FROM (SELECT $1 AS k)", [key]).fetchall()
        self.con.execute("SET VARIABLE sdc_key = ?", [key])

    def _read(self, name: str) -> bool:
        path = Path(name).expanduser()
        if not path.is_file():
            raise TableError(f"There is no file {name}.")
        if path.resolve() in self.reading:
            raise ParameterError(f"{name} reads itself.")
        keep, self.keep = self.keep, lambda _: None
        self.reading.append(path.resolve())
        try:
            return self.run_lines(path.read_text(encoding="utf-8-sig"))
        finally:
            self.reading.pop()
            self.keep = keep
