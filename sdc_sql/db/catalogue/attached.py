"""All macros at once: from a catalogue that is written once, and attached read-only as ``sdc_sql``.

To create 1,400 macros takes DuckDB most of a second on each connection. Written to a file, in which each calls the
others by their full names (``sdc_sql.main.sdc__cells``), they are there when it is attached. A connection then gets a
temporary macro for each public one, which calls that of the file: they are found whatever schema is used later, the
search path stays the user's, and tables that are named in them are his, temporary ones too.

The file stands in the user's cache folder, by a name that has the digest of what it was made of (versions, macros,
modules of kernels) and that of its bytes. It says itself what a connection is to get, so that neither the headers of
all macros nor the modules of all kernels are read where it is there. Where there is no such folder, or the connection
may attach nothing, nothing is done.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING

import duckdb
from sqlglot import exp

from sdc_sql.db.catalogue import kernels
from sdc_sql.db.catalogue.macros import CREATE, definition, file_texts, list_macros
from sdc_sql.db.files.cache_folder import find_cache_folder, is_own_file
from sdc_sql.udfs.declared_function import DeclaredFunction
from sdc_sql.version import VERSION

if TYPE_CHECKING:
    from pathlib import Path

NAME = "sdc_sql"
_HOME = f"{NAME}.main."
_CALL = re.compile(r"(?<![\w.])sdc_\w+(?=\()")
_TEXT_OR_CALL = re.compile(rf"--.*|'(?:[^']|'')*'|{_CALL.pattern}")
_HEAD = re.compile(rf"{CREATE} (?P<name>\w+)\((?P<parameters>.*?)\) AS(?P<table> TABLE)?\s", re.DOTALL)
_ARGUMENT = re.compile(r"(?:^|,)\s*(?P<name>\w+)(?P<default>\s*:=)?(?=\s*(?:,|$|:=))")
_CHECKED: dict[tuple[object, ...], bool] = {}
_PARSED: list[duckdb.Statement] = []
_CONTENTS = "sdc__catalogue_contents"  # a macro: a table would be seen among the user's own
_FAILED: set[str] = set()  # what could not be written is not tried again and again
_KEPT = 30 * 86400  # seconds that a catalogue stays beside a newer one; who still uses it writes it anew


def attach_macros(con: duckdb.DuckDBPyConnection) -> frozenset[str]:
    """Give a connection all public macros by the catalogue, and return their names: none where that cannot be.

    The connection is in no transaction of the caller's, which would take what is created here with it.
    """
    folder = find_cache_folder()
    file = folder and (_find_file(folder) or _write_file(folder))
    if not file:
        return frozenset()
    try:
        if not _attach(con, file):
            return frozenset()
        public, functions = _read_contents(con)
        _register_functions(con, functions)
        if not _PARSED:
            _PARSED.extend(con.extract_statements(";\n".join(public.values())))
        for statement in _PARSED:
            con.execute(statement)
    except (duckdb.Error, LookupError):
        return frozenset()
    return frozenset(public)


@cache
def list_public_macros() -> tuple[str, ...]:
    """Return the names of the macros that are there to be called, those of former names among them."""
    return tuple(name for name in list_macros() if not name.startswith("sdc__"))


def _attach(con: duckdb.DuckDBPyConnection, file: Path) -> bool:
    """Attach a catalogue where no database has its name; return whether the connection has this one.

    Not with IF NOT EXISTS: DuckDB 1.5 and 2.0 then wait without end where one connection of the process has the file
    and another that had it was closed, whose place in memory a new one takes.
    """
    if _read_path(con) is None:
        with suppress(duckdb.Error):  # another cursor may have been faster
            con.execute(f"ATTACH {exp.Literal.string(str(file)).sql('duckdb')} AS {NAME} (READ_ONLY)")
    return _read_path(con) == str(file)


def _read_path(con: duckdb.DuckDBPyConnection) -> str | None:
    found = con.execute("SELECT path FROM duckdb_databases() WHERE database_name = ?", [NAME]).fetchall()
    return str(found[0][0]) if found else None


def _write_contents() -> str:
    """Return the statement of a macro that says what a connection gets: the public macros, and the functions."""
    functions = [(f.name, f.parameters, f.returns) for f in kernels.list_functions().values()]
    contents = json.dumps([{name: _write_public(name) for name in list_public_macros()}, functions])
    return f"{CREATE} {_CONTENTS}() AS {exp.Literal.string(contents).sql('duckdb')}"


def _read_contents(con: duckdb.DuckDBPyConnection) -> tuple[dict[str, str], list[DeclaredFunction]]:
    ((contents,),) = con.execute(f"SELECT {_HOME}{_CONTENTS}()").fetchall()
    public, functions = json.loads(contents)
    return public, [
        DeclaredFunction(name, tuple((argument, kind) for argument, kind in parameters), returns)
        for name, parameters, returns in functions
    ]


def _register_functions(con: duckdb.DuckDBPyConnection, functions: list[DeclaredFunction]) -> None:
    taken = False
    for function in functions:
        taken |= not kernels.create_function(con, kernels.name_function(function), function)
    if taken:  # the Python client keeps a name whose transaction was rolled back: is each one there?
        missing = set(map(kernels.name_function, functions)) - kernels.list_registered(con)
        if missing:
            raise LookupError(*missing)


def _write_public(name: str) -> str:
    """Return the statement of a temporary macro that calls the one of the catalogue."""
    head = _HEAD.match(definition(name))
    assert head is not None  # noqa: S101 - each statement begins so
    arguments = ", ".join(
        f"{a['name']} := {a['name']}" if a["default"] else a["name"] for a in _ARGUMENT.finditer(head["parameters"])
    )
    table = head["table"] or ""
    begin = CREATE.replace("MACRO", "TEMP MACRO")
    return f"{begin} {name}({head['parameters']}) AS{table} {'FROM ' if table else ''}{_HOME}{name}({arguments})"


def _write_stored(name: str) -> str:
    """Return the statement of a macro of the catalogue: it calls the others by their full names."""
    if name.startswith(kernels.KERNEL):
        function = kernels.list_functions()[name.removeprefix(kernels.KERNEL)]
        return kernels.write_kernel(CREATE, function, kernels.name_function(function))
    head, begin, body = definition(name).partition(" AS")
    return head + begin + _TEXT_OR_CALL.sub(_name_in_full, body)


def _name_in_full(found: re.Match[str]) -> str:
    """Return a call by its full name; in a text, which may be a query, only those that are not public.

    Public macros have a temporary one of their name, and texts of help and of messages name no others.
    """
    text = found[0]
    if text.startswith("--"):
        return text
    if text.startswith("'"):
        return _CALL.sub(lambda call: _HOME + call[0] if _is_inner(call[0]) else call[0], text)
    return _HOME + text if text in _list_names() else text


def _is_inner(name: str) -> bool:
    return name.startswith("sdc__") and name in _list_names()


@cache
def _list_names() -> frozenset[str]:
    return frozenset(list_macros())


@cache
def _name_contents() -> str:
    """Return a digest of all that a catalogue is made of."""
    made_of = [VERSION, duckdb.__version__, _CONTENTS, *map(str, file_texts().items())]
    return hashlib.sha256("\0".join(made_of).encode() + kernels.digest_modules()).hexdigest()[:32]


def _find_file(folder: Path) -> Path | None:
    for path in sorted(folder.glob(f"{_name_contents()}.*.duckdb")):
        if is_own_file(path) and _has_digest(path):
            return path
    return None


def _has_digest(path: Path) -> bool:
    """Return whether the bytes of a file are those that its name says; of one that is the same as before, once."""
    its = path.stat()
    known = (path, its.st_ino, its.st_size, its.st_mtime_ns)
    if known not in _CHECKED:
        _CHECKED[known] = _digest_bytes(path) == path.name.split(".")[1]
    return _CHECKED[known]


def _digest_bytes(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _write_file(folder: Path) -> Path | None:
    """Write the catalogue under a name of this process, then put it in its place, whole."""
    if _name_contents() in _FAILED:
        return None
    part = folder / f".{os.getpid()}-{secrets.token_hex(4)}.duckdb"
    try:
        with duckdb.connect() as con:
            con.execute("SET enable_progress_bar = false")
            for function in kernels.list_functions().values():
                kernels.create_function(con, kernels.name_function(function), function)
            con.execute(f"ATTACH {exp.Literal.string(str(part)).sql('duckdb')} AS {NAME}")
            con.execute(f"USE {NAME}")
            con.execute("BEGIN")
            for name in list_macros():
                con.execute(_write_stored(name))
            con.execute(_write_contents())
            con.execute("COMMIT")
            con.execute("USE memory")
            con.execute(f"DETACH {NAME}")
        file = folder / f"{_name_contents()}.{_digest_bytes(part)}.duckdb"
        part.chmod(0o600)
        part.replace(file)
        for former in folder.glob("*.*.duckdb"):
            if former.stat().st_mtime < file.stat().st_mtime - _KEPT:
                former.unlink()
    except (duckdb.Error, OSError):
        _FAILED.add(_name_contents())
        return None
    finally:
        for left in (part, part.with_name(f"{part.name}.wal")):
            with suppress(OSError):
                left.unlink()
    return file
