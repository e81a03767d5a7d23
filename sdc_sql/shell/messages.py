"""Messages of the shell: help on the functions, and errors in one line."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

from sdc_sql.db.catalogue.functions import explain_new_name
from sdc_sql.db.catalogue.macros import index_former_names, read_catalogue
from sdc_sql.errors import ParameterError, translate
from sdc_sql.shell.statements import is_harmless

if TYPE_CHECKING:
    from sdc_sql.db.catalogue.functions import Declaration

import duckdb

ROOMS = {
    "core": "Cells, frequencies, draws",
    "risk": "Risk",
    "linkage": "Found in a released file",
    "mask": "Masking",
    "loss": "Information lost",
}


def shorten_error(error: BaseException, text: str) -> str:
    """Return an error as one line, which repeats nothing of a statement that may hold the secret key."""
    if not is_harmless(text) and text.split() != [".key"]:  # the key is typed after it, without echo
        return "This statement, which sets a variable, cannot be run: write SET VARIABLE sdc_key = '...', or use .key"
    ours = translate(error) if isinstance(error, duckdb.Error) else None
    message = " ".join(str(ours or error).split("\n\nLINE ")[0].split())
    line = isinstance(error, duckdb.ParserException) and re.search(r"^LINE (\d+):", str(error), re.MULTILINE)
    return f"{message} (line {line[1]})" if line and "\n" in text.strip() else message


def list_help() -> str:
    """Return every function with its arguments, what it gives and an example, by group."""
    rooms: dict[str, list[Declaration]] = {}
    for entry in read_catalogue():
        rooms.setdefault(entry.file.partition("/")[0], []).append(entry)
    order = [*ROOMS, *sorted(set(rooms) - set(ROOMS))]
    parts = [
        "\n".join([ROOMS.get(room, room.capitalize()), *(_summarise_entry(entry) for entry in rooms[room])])
        for room in order
        if room in rooms
    ]
    return "\n\n".join(parts)


def _summarise_entry(entry: Declaration) -> str:
    signature = textwrap.fill(entry.signature, 110, initial_indent="  ", subsequent_indent="      ")
    return f"{signature}\n      {entry.summary}\n      {entry.example}"


def describe_function(word: str) -> str:
    """Return the help on one function, or the functions whose help has a word in it.

    Raises
    ------
    ParameterError
        Where there is no such function.
    """
    word = word.lower().removesuffix("()")
    old = word if word in index_former_names() else f"sdc_{word}"
    if old in index_former_names():
        raise ParameterError(explain_new_name(old, index_former_names()[old]))
    entries = {entry.name: entry for entry in read_catalogue()}
    exact = entries.get(word) or entries.get(f"sdc_{word}")
    if exact:
        return _write_full_help(exact)
    found = [e for e in entries.values() if word in e.name] or [
        e for e in entries.values() if word in f"{e.summary}\n{e.description}".lower()
    ]
    if not found:
        raise ParameterError(f"There is no function for {word!r}; .help lists them all.")
    return _write_full_help(found[0]) if len(found) == 1 else "\n".join(_summarise_entry(entry) for entry in found)


def _write_full_help(entry: Declaration) -> str:
    needs = "\nNeeds Python: in a plain DuckDB shell it cannot run.\n" if entry.needs_python else ""
    signature = textwrap.fill(entry.signature, 110, subsequent_indent="    ")
    arguments = "\n".join(
        textwrap.fill(str(p), 110, initial_indent="  ", subsequent_indent="      ") for p in entry.parameters
    )
    return (
        f"{signature}\n{entry.summary}\n{needs}\n{entry.description}\n\nArguments:\n{arguments}\n\n"
        f"Example:\n  {entry.example}"
    )
