"""The loop at a terminal: prompts, line editing, history, the Tab key, Ctrl-C and Ctrl-D."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from sdc_sql.db.interruption import is_ending
from sdc_sql.shell.completion import candidates
from sdc_sql.shell.history import History, history_file
from sdc_sql.shell.session import COMMANDS, Exit, Session

if TYPE_CHECKING:
    import duckdb

PROMPT, CONTINUED = "sdc> ", "...> "


def _start_editing(con: duckdb.DuckDBPyConnection) -> History | None:
    """Set up line editing, where Python has it; return the history."""
    try:
        import readline  # noqa: PLC0415 - Windows has none; and where nobody types, it must not touch the terminal
    except ImportError:
        return None
    offered: list[str] = []

    def complete(word: str, state: int) -> str | None:
        if state == 0:
            offered[:] = candidates(con, word, list(COMMANDS))
        return offered[state] if state < len(offered) else None

    readline.set_auto_history(False)
    readline.set_completer(complete)
    readline.set_completer_delims(" \t\n()[]{},;='\"<>+-*/")
    readline.parse_and_bind("bind ^I rl_complete" if "libedit" in (readline.__doc__ or "") else "tab: complete")
    history = History(history_file(), readline.add_history)
    history.load()
    return history


def prompt(con: duckdb.DuckDBPyConnection) -> None:
    """Read and run statements at a terminal until the user exits."""
    history = _start_editing(con)
    session = Session(con, print, history.keep if history else lambda _: None)
    with contextlib.suppress(Exit):
        while True:
            try:
                line = input(CONTINUED if session.pending else PROMPT)
            except KeyboardInterrupt as error:  # the line, and what came before it, is discarded
                if is_ending(error):
                    raise
                session.pending = []
                print()
                continue
            except EOFError:
                print()
                return
            session.feed(line)
