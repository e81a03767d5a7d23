"""The raw table of a release: what columns it has, and its rows read into the private database of a run."""

from __future__ import annotations

import glob
from typing import TYPE_CHECKING

import duckdb
from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute
from sdc_sql.db.files import csv_file
from sdc_sql.db.files.csv_file import create_from_rows
from sdc_sql.db.files.source import detect_kind, find_table, open_source
from sdc_sql.db.files.waiting import open_patiently
from sdc_sql.db.transaction import transaction
from sdc_sql.errors import TableError, explain_unread, translate_errors
from sdc_sql.release.reading.plan import Source
from sdc_sql.release.running import formats, one_form

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

ATTACHED, TEXTS = "sdc_source", "sdc_source_texts"


def describe_source(path: Path, table: str | None) -> tuple[Source, dict[str, str]]:
    """Return the source and its columns with their types; of a CSV file without reading all of it.

    Raises
    ------
    TableError
        Where there is no such file or table, or it cannot be read.
    """
    if path.suffix.lower() in formats.FORMATS:
        return Source(path, None, formats.FORMATS[path.suffix.lower()]), formats.list_file_columns(path)
    kind = detect_kind(str(path))
    if path.is_file() and path.stat().st_size == 0:
        raise TableError(f"{path} has no records: it is empty.")
    if kind == "duckdb":
        with open_source(str(path), table) as (con, _), translate_errors():
            schema, name = find_table(con, str(path), table)
            select = exp.select("*").from_(exp.table_(name, db=schema, quoted=True))
            rows = execute(con, select.limit(0))
            return Source(path, table, kind), {str(n): str(t) for n, t, *_ in rows.description or ()}
    if table is not None:
        raise TableError(f"{path} is a {kind} file, which holds one table: leave the table out.")
    with duckdb.connect() as con:
        return Source(path, None, kind), _describe_file(con, path, kind)


def describe_folder(folder: Path) -> dict[str, str]:
    """Return the columns, with their types, of a folder of Parquet files.

    Raises
    ------
    TableError
        Where it holds none, or further folders (a table in parts): what these are called is a column that no file has.
    """
    if any(path.is_dir() and "=" in path.name for path in folder.iterdir()):
        raise TableError(
            f"{folder} holds folders named by the values of a column: give it to Spark's catalogue as a table, and "
            "name that with table =."
        )
    if not any(folder.glob("*.parquet")):
        raise TableError(f"{folder} holds no Parquet file (its files are to end in .parquet).")
    with duckdb.connect() as con:
        return _describe_file(con, folder, "Parquet")


def name_parquet(path: Path) -> str:
    """Return the name by which DuckDB reads a Parquet file, or all in a folder."""
    return f"{glob.escape(str(path))}/*.parquet" if path.is_dir() else str(path)


def _describe_file(con: duckdb.DuckDBPyConnection, path: Path, kind: str) -> dict[str, str]:
    name = exp.Literal.string(str(path))
    try:
        if kind == "CSV":  # all of a CSV file is read for the names, as when its records are read
            return csv_file.detect_types(con, name)
        rows = execute(con, query.call_macro("read_parquet", name_parquet(path)).limit(0))
    except duckdb.Error as error:
        raise explain_unread(f"{path} cannot be read as a {kind} file", error) from None
    return {str(n): str(t) for n, t, *_ in rows.description or ()}


def read_source(
    con: duckdb.DuckDBPyConnection, source: Source, name: str, columns: Iterable[str], numbers: Iterable[str]
) -> dict[str, int]:
    """Make a table of the source's rows with these columns; of a CSV file, ``numbers`` are read as numbers.

    Values that SQL calls equal and a file tells apart have one form in it: 0.0 for -0.0, NaN without a sign, one form
    of an interval. Returned is how many of a column had another.

    Raises
    ------
    TableError
        Where it cannot be read.
    """
    if source.relation is not None:
        _store_source(con, query.call_macro("query_table", source.relation), name, columns, source)
    elif source.kind == "duckdb":
        _read_database(con, source, name, columns)
    elif source.kind == "Parquet":
        _store_source(con, query.call_macro("read_parquet", name_parquet(source.path)), name, columns, source)
    elif source.kind == "Spark":
        raise TableError(f"{source.path} is a table of Spark's: it is read where a release file runs, not before.")
    elif source.kind in formats.FORMATS.values():
        formats.read_statistical_file(con, source.path, name, list(columns))
    else:
        texts = exp.to_identifier(TEXTS, quoted=True)
        try:
            csv_file.read_csv_file(con, exp.Literal.string(str(source.path)), texts, tuple(numbers), temporary=True)
        except duckdb.Error as error:
            raise explain_unread(f"{source.path} cannot be read as a CSV file", error) from None
        _store_source(con, exp.select("*").from_(exp.Table(this=texts)), name, columns, source)
        con.execute(f"DROP TABLE {TEXTS}")
    return one_form.unify_values(con, name)


def replace_source(
    con: duckdb.DuckDBPyConnection, source: Source, name: str, columns: Iterable[str], numbers: Iterable[str]
) -> None:
    """Read a source again, with other columns as numbers, in the place of the table that it was read into.

    Whoever is reading the former table reads on. Where it cannot be read, that one stays.
    """
    again = f"{name}_again"
    new, former = (exp.to_identifier(part, quoted=True).sql("duckdb") for part in (again, name))
    con.execute(f"DROP TABLE IF EXISTS {new}")
    read_source(con, source, again, columns, numbers)
    with transaction(con):
        con.execute(f"DROP TABLE {former}")
        con.execute(f"ALTER TABLE {new} RENAME TO {former}")


def _read_database(con: duckdb.DuckDBPyConnection, source: Source, name: str, columns: Iterable[str]) -> None:
    with open_source(str(source.path), source.table) as (reading, _):
        schema, table = find_table(reading, str(source.path), source.table)
    path = query.make_text_literal(str(source.path)).sql("duckdb")
    with translate_errors():
        open_patiently(lambda: con.execute(f"ATTACH {path} AS {ATTACHED} (READ_ONLY)"))
    try:
        rows = exp.select("*").from_(exp.table_(table, db=schema, catalog=ATTACHED, quoted=True))
        _store_source(con, rows, name, columns, source)
    finally:
        con.execute(f"DETACH {ATTACHED}")


def _store_source(
    con: duckdb.DuckDBPyConnection, rows: exp.Select, name: str, columns: Iterable[str], source: Source
) -> None:
    chosen = exp.select(*(exp.column(c, quoted=True) for c in columns)).from_(rows.subquery("r"))
    try:
        execute(con, create_from_rows(exp.to_identifier(name, quoted=True), "TABLE", chosen))
    except duckdb.Error as error:
        raise explain_unread(f"{source.path} cannot be read", error) from None
