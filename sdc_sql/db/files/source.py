"""Open the file named on a command line: Parquet, CSV or DuckDB, to be read or, a database, to be masked."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute
from sdc_sql.db.files import csv_file, work
from sdc_sql.db.files.csv_file import create_from_rows
from sdc_sql.db.files.waiting import open_patiently
from sdc_sql.db.names import quote_address
from sdc_sql.errors import TableError, explain_full_disk, hide_values, translate, translate_errors

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


BESIDE = "sdc_beside"
PACKED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")  # the marks of gzip and zstd, which DuckDB unpacks
ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")  # an address begins so: https, s3, ...


@contextmanager
def open_source(
    source: str,
    table: str | None,
    *,
    memory_limit: str | None = None,
    threads: int | None = None,
    writable: bool = False,
    numbers: Iterable[str] = (),
    on: duckdb.DuckDBPyConnection | None = None,
) -> Iterator[tuple[duckdb.DuckDBPyConnection, str]]:
    """Open a source; yield a connection and the name of the table in it.

    Parameters
    ----------
    source
        The path of a Parquet or CSV file (or a pattern such as ``part-*.parquet``) or of a DuckDB
        database, recognised by its content, not by its extension. A database is opened read-only.
    table
        The table of a database; needed unless it has exactly one table or view.
    writable
        Whether a database is opened for writing; files never are.
    numbers
        The columns that are read as numbers. Any other column of a CSV file is text wherever the file writes a value
        otherwise than its type would (1.10, 017): two codes are never made one, nor written back otherwise.
    on
        A connection to a copy of the database, which is used in its place.

    Raises
    ------
    TableError
        Where there is no such file or table, or it cannot be read.
    """
    kind = detect_kind(source)
    if table is not None and kind != "duckdb":
        raise TableError(f"{source} is a {kind} file, which holds one table: leave the table out.")
    with (
        work.make_work_folder() as spill,
        nullcontext(on) if on is not None else _connect_source(source, kind, writable=writable) as con,
    ):
        work.limit_resources(con, threads, memory_limit, spill)
        if kind == "duckdb":
            yield con, _quote_table(*find_table(con, source, table))
        else:
            yield con, read_file(con, source, kind, tuple(numbers))


def attach_source(
    con: duckdb.DuckDBPyConnection, source: str, table: str | None, opened: str, numbers: Iterable[str]
) -> str:
    """Open another source on a connection; return the name of its table.

    Parameters
    ----------
    con
        The connection that :func:`open_source` gave.
    source, table, numbers
        As of :func:`open_source`.
    opened
        The source that the connection was opened for: another table may be in the same database.
    """
    kind = detect_kind(source)
    if kind != "duckdb":
        if table is not None:
            raise TableError(f"{source} is a {kind} file, which holds one table: leave the table out.")
        return read_file(con, source, kind, tuple(numbers), temporary=True)
    if detect_kind(opened) == "duckdb" and Path(source).samefile(opened):
        return _quote_table(*find_table(con, source, table))
    with translate_errors():
        attach = f"ATTACH {query.make_text_literal(source).sql('duckdb')} AS {BESIDE} (READ_ONLY)"
        open_patiently(lambda: con.execute(attach))
    return _quote_table(*find_table(con, source, table, BESIDE), BESIDE)


def attach_named_table(
    con: duckdb.DuckDBPyConnection, given: str, opened: str, what: str, numbers: Iterable[str] = ()
) -> str:
    """Open a further table that is named on a command line; return its name.

    Parameters
    ----------
    con, opened, numbers
        As of :func:`attach_source`.
    given
        A CSV or Parquet file, or another table of the database that was opened.
    what
        What it is, in messages: ``"the population"``.
    """
    try:
        kind = detect_kind(given)
    except TableError:
        if detect_kind(opened) != "duckdb":
            raise
        return given
    if kind == "duckdb":
        raise TableError(
            f"{given} is a DuckDB database: give {what} as a CSV or Parquet file, or as a table of the same database."
        )
    return read_file(con, given, kind, tuple(numbers), temporary=True)


def _quote_table(schema: str, name: str, database: str | None = None) -> str:
    return exp.table_(name, db=schema, catalog=database, quoted=True).sql(dialect="duckdb")


def detect_kind(source: str) -> str:
    """Return the kind of a file, from its content: ``duckdb``, ``Parquet`` or ``CSV``."""
    path = Path(source)
    if not source.strip():
        raise TableError("No file is named: the path is empty. Give a Parquet, CSV or DuckDB file.")
    if not path.exists():
        # (DuckDB reads what stands elsewhere, or says which extension it needs for it)
        if ELSEWHERE.match(source) or any(sign in source for sign in "*?["):
            return "Parquet" if source.endswith(".parquet") else "CSV"
        raise TableError(f"There is no file {source}.")
    if path.is_dir():
        raise TableError(f"{source} is a directory: name a file in it, or all of a kind, as in 'folder/*.parquet'.")
    if not path.is_file():
        raise TableError(
            f"{source} is not a file; give a Parquet, CSV or DuckDB file (what comes through a pipe has to be saved to "
            "a file first, for it is read several times)."
        )
    with path.open("rb") as file:
        head = file.read(12)
    if head[8:12] == b"DUCK":
        return "duckdb"
    if head[:4] == b"PAR1":
        return "Parquet"
    # read as text, its first line would be the names of columns, and stand in messages
    if path.suffix.lower() == ".parquet":
        raise TableError(f"{source} is no Parquet file, whatever its name says: name it .csv if it is that.")
    return "CSV"


@contextmanager
def _connect_source(source: str, kind: str, *, writable: bool) -> Iterator[duckdb.DuckDBPyConnection]:
    with translate_errors():
        con = (
            open_patiently(lambda: duckdb.connect(source, read_only=not writable))
            if kind == "duckdb"
            else duckdb.connect()
        )
    with con:
        yield con


def text_file(con: duckdb.DuckDBPyConnection, table: str, numbers: Iterable[str] = ()) -> str:
    """Read a CSV or JSON file that is given for a table, by the rules of the command line; return the table's name.

    What is no such file is returned as it is. The table is temporary: it goes with the connection. It has not the name
    of the file itself, which means the file wherever else the user reads it.

    Parameters
    ----------
    con
        A connection.
    numbers
        The columns that are read as numbers, however they are written.
    """
    table = quote_address(table)
    # these macros come one after the other: a query of the catalogue needs more of them
    for asked in ("SELECT sdc__is_text_file($name)", "SELECT NOT sdc__is_stored($name)"):
        if execute(con, asked, {"name": table}).fetchall() == [(False,)]:
            return table
    path = table.strip('"')
    kind = "JSON" if re.search(r"(?i)\.(json|jsonl|ndjson)\b(?!.*\.(csv|tsv)\b)", path) else "CSV"
    numbers = tuple(numbers)
    name = f"{path} (as read{', numbers: ' if numbers else ''}{', '.join(sorted(numbers))})"
    return read_file(con, path, kind, numbers, temporary=True, name=name)


def read_file(
    con: duckdb.DuckDBPyConnection,
    source: str,
    kind: str,
    numbers: tuple[str, ...] = (),
    *,
    temporary: bool = False,
    name: str | None = None,
) -> str:
    """Give a file's rows a name (by default its own, so that messages name the file); return that name, quoted."""
    identifier = exp.to_identifier(name or source, quoted=True)
    path = exp.Literal.string(source)
    try:
        if kind == "Parquet":
            rows = exp.select("*").from_(exp.Table(this=exp.func("read_parquet", path, dialect="duckdb")))
            execute(con, create_from_rows(identifier, "VIEW", rows, temporary=temporary))
        else:
            if kind == "CSV" and _holds_nul(source):
                raise TableError(
                    f"{source} holds NUL bytes, and is no CSV file in UTF-8: write it as that (UTF-16 is none, nor is "
                    "a file of another program, whatever its name says)."
                )
            # a CSV file is read once: each reading would detect its types anew
            reader = "read_json" if kind == "JSON" else "read_csv"
            csv_file.read_csv_file(con, path, identifier, numbers, temporary=temporary, reader=reader)
    except duckdb.Error as error:
        if (full := explain_full_disk(error)) is not None:
            raise full from None
        reason = translate(error) or hide_values(error) or str(error).split("\n", maxsplit=1)[0]
        raise TableError(f"{source} cannot be read as a {kind} file: {reason}") from None
    return identifier.sql(dialect="duckdb")


def _holds_nul(source: str) -> bool:
    """Return whether a file begins with bytes that no text has; one that is packed is not looked into."""
    if not os.path.isfile(source):  # noqa: PTH113 - a pattern, or what stands elsewhere; pathlib fails for a long name
        return False
    with Path(source).open("rb") as file:
        head = file.read(4096)
    return b"\0" in head and not head.startswith(PACKED)


def find_table(
    con: duckdb.DuckDBPyConnection, source: str, table: str | None, database: str | None = None
) -> tuple[str, str]:
    """Return schema and name of a table of an open database, or of an attached one, by default of its only one."""
    found = con.execute(
        "SELECT schema_name, table_name FROM duckdb_tables() WHERE NOT internal AND NOT temporary"
        " AND table_name <> 'sdc_steps' AND database_name = coalesce($of, current_database())"
        " UNION ALL SELECT schema_name, view_name FROM duckdb_views() WHERE NOT internal AND NOT temporary"
        " AND database_name = coalesce($of, current_database()) ORDER BY ALL",
        {"of": database},
    ).fetchall()
    names = ", ".join(f"{s}.{t}" if s != "main" else t for s, t in found) or "none"
    if table is None:
        if len(found) != 1:
            raise TableError(f"{source} has {len(found)} tables ({names}): name one with --table.")
        chosen = found
    else:
        chosen = [(s, t) for s, t in found if table.lower() in (t.lower(), f"{s}.{t}".lower())]
        chosen = [c for c in chosen if c[0] == "main"] or chosen
        if len(chosen) != 1:
            raise TableError(f"{source} has no table {table!r} (or several): its tables are {names}.")
    schema, name = chosen[0]
    return str(schema), str(name)
