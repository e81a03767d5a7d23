"""The raw table of a release: what columns it has, and its rows read into the private database of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute
from sdc_sql.db.files import csv_file
from sdc_sql.db.files.csv_file import created
from sdc_sql.db.files.source import kind_of, opened, table_of
from sdc_sql.db.files.waiting import patiently
from sdc_sql.errors import TableError, translated, unread
from sdc_sql.release.reading.plan import Source
from sdc_sql.release.running import formats, one_form

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

ATTACHED, TEXTS = "sdc_source", "sdc_source_texts"


def described(path: Path, table: str | None) -> tuple[Source, dict[str, str]]:
    """Return the source and its columns with their types; of a CSV file without reading all of it.

    Raises
    ------
    TableError
        Where there is no such file or table, or it cannot be read.
    """
    if path.suffix.lower() in formats.FORMATS:
        return Source(path, None, formats.FORMATS[path.suffix.lower()]), formats.columns(path)
    kind = kind_of(str(path))
    if path.is_file() and path.stat().st_size == 0:
        raise TableError(f"{path} has no records: it is empty.")
    if kind == "duckdb":
        with opened(str(path), table) as (con, _), translated():
            schema, name = table_of(con, str(path), table)
            select = exp.select("*").from_(exp.table_(name, db=schema, quoted=True))
            rows = execute(con, select.limit(0))
            return Source(path, table, kind), {str(n): str(t) for n, t, *_ in rows.description or ()}
    if table is not None:
        raise TableError(f"{path} is a {kind} file, which holds one table: leave the table out.")
    with duckdb.connect() as con:
        return Source(path, None, kind), _of_file(con, path, kind)


def _of_file(con: duckdb.DuckDBPyConnection, path: Path, kind: str) -> dict[str, str]:
    name = exp.Literal.string(str(path))
    try:
        if kind == "CSV":  # all of a CSV file is read for the names, as when its records are read
            return csv_file.detected_types(con, name)
        rows = execute(con, query.call("read_parquet", str(path)).limit(0))
    except duckdb.Error as error:
        raise unread(f"{path} cannot be read as a {kind} file", error) from None
    return {str(n): str(t) for n, t, *_ in rows.description or ()}


def read(
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
        _kept(con, query.call("query_table", source.relation), name, columns, source)
    elif source.kind == "duckdb":
        _of_database(con, source, name, columns)
    elif source.kind == "Parquet":
        _kept(con, query.call("read_parquet", str(source.path)), name, columns, source)
    elif source.kind in formats.FORMATS.values():
        formats.read(con, source.path, name, list(columns))
    else:
        texts = exp.to_identifier(TEXTS, quoted=True)
        try:
            csv_file.read(con, exp.Literal.string(str(source.path)), texts, tuple(numbers), temporary=True)
        except duckdb.Error as error:
            raise unread(f"{source.path} cannot be read as a CSV file", error) from None
        _kept(con, exp.select("*").from_(exp.Table(this=texts)), name, columns, source)
        con.execute(f"DROP TABLE {TEXTS}")
    return one_form.given(con, name)


def _of_database(con: duckdb.DuckDBPyConnection, source: Source, name: str, columns: Iterable[str]) -> None:
    with opened(str(source.path), source.table) as (reading, _):
        schema, table = table_of(reading, str(source.path), source.table)
    path = query.literal(str(source.path)).sql("duckdb")
    with translated():
        patiently(lambda: con.execute(f"ATTACH {path} AS {ATTACHED} (READ_ONLY)"))
    try:
        rows = exp.select("*").from_(exp.table_(table, db=schema, catalog=ATTACHED, quoted=True))
        _kept(con, rows, name, columns, source)
    finally:
        con.execute(f"DETACH {ATTACHED}")


def _kept(con: duckdb.DuckDBPyConnection, rows: exp.Select, name: str, columns: Iterable[str], source: Source) -> None:
    chosen = exp.select(*(exp.column(c, quoted=True) for c in columns)).from_(rows.subquery("r"))
    try:
        execute(con, created(exp.to_identifier(name, quoted=True), "TABLE", chosen))
    except duckdb.Error as error:
        raise unread(f"{source.path} cannot be read", error) from None
