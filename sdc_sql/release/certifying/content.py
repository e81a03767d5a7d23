"""What a released file holds: read as it was written, digested, and compared by its values."""

from __future__ import annotations

import csv
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import duckdb
from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute
from sdc_sql.db.files import work
from sdc_sql.db.files.csv_file import create_from_rows
from sdc_sql.db.files.source import detect_kind, open_source, read_file
from sdc_sql.errors import TableError, explain_full_disk, hide_values
from sdc_sql.release.certifying.sorted_digest import digest_by_sorting
from sdc_sql.release.running import formats

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

NAME = "sdc_content"
TOLERANCE = 1e-9  # kernels on two kinds of processor differ by this share of a value's size, or of 1


@contextmanager
def open_content(
    path: Path,
    types: Mapping[str, str],
    table: str | None = None,
    *,
    threads: int | None = None,
    memory_limit: str | None = None,
    on: duckdb.DuckDBPyConnection | None = None,
) -> Iterator[tuple[duckdb.DuckDBPyConnection, str]]:
    """Yield a connection and the name of the table that a file holds; a CSV file is read with these types.

    A Parquet file is read by the connection ``on`` where there is one, so that both do not use memory of their own.

    Raises
    ------
    TableError
        Where it cannot be read, or a CSV file has other columns.
    """
    if path.suffix.lower() in formats.FORMATS:  # the labels of values are not a part of the content
        with _connect_in_memory(threads, memory_limit) as con:
            formats.read_statistical_file(con, path, NAME, [*formats.list_file_columns(path)])
            yield con, NAME
        return
    kind = detect_kind(str(path))
    if kind == "Parquet" and on is not None:
        name = read_file(on, str(path), kind, temporary=True, name=NAME)
        try:
            yield on, name
        finally:
            on.execute(f"DROP VIEW IF EXISTS {NAME}")
        return
    if kind != "CSV":
        with open_source(str(path), table, threads=threads, memory_limit=memory_limit) as (con, name):
            yield con, name
        return
    with path.open(encoding="utf-8", newline="") as file:
        header = next(csv.reader(file), [])
    if header != [*types]:
        raise TableError(f"{path} has the columns {', '.join(header)}, and not {', '.join(types)}.")
    options: dict[str, Any] = {
        "auto_detect": False, "header": True, "delim": ",", "quote": '"', "escape": '"', "columns": dict(types),
        "allow_quoted_nulls": False,  # an empty text is written "", NULL as nothing
    }  # fmt: skip
    with _connect_in_memory(threads, memory_limit) as con:
        try:
            execute(con, create_from_rows(NAME, "TABLE", query.call_macro("read_csv", str(path), **options)))
        except duckdb.Error as error:
            if (full := explain_full_disk(error)) is not None:
                raise full from None
            reason = hide_values(error) or "its values are not all of the types of the certificate"
            raise TableError(f"{path} cannot be read as it was written: {reason}") from None
        yield con, NAME


@contextmanager
def _connect_in_memory(threads: int | None, memory_limit: str | None) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a connection that spills into a folder of its own."""
    with work.make_work_folder() as spill, duckdb.connect() as con:
        work.limit_resources(con, threads, memory_limit, spill)
        yield con


def read_resource_limits(con: duckdb.DuckDBPyConnection) -> dict[str, Any]:
    """Return how much a connection may use, as :func:`open_content` takes it."""
    ((memory, threads),) = con.execute("SELECT current_setting('memory_limit'), current_setting('threads')").fetchall()
    return {"memory_limit": memory, "threads": threads}


def digest_table(con: duckdb.DuckDBPyConnection, table: str) -> dict[str, Any]:
    """Return the digest of a table's content, the number of its records, and its columns with their types."""
    digest, records = digest_by_sorting(con, table)
    columns = [
        {"name": name, "type": kind} for name, kind in list_types(con, query.call_macro("query_table", table)).items()
    ]
    return {"digest": digest, "records": records, "columns": columns}


def list_types(con: duckdb.DuckDBPyConnection, rows: exp.Select) -> dict[str, str]:
    """Return the columns of a query with their types."""
    described = execute(con, rows.copy().limit(0)).description or ()
    return {str(name): str(kind) for name, kind, *_ in described}


def is_same_content(
    one: tuple[duckdb.DuckDBPyConnection, str], other: tuple[duckdb.DuckDBPyConnection, str], near: Sequence[str]
) -> bool:
    """Return whether two tables hold the same, the columns ``near`` to 1e-9 of each value.

    The records of both are put into the order of their other columns first, then of these.
    """
    import numpy as np  # noqa: PLC0415 - which not every program needs

    exact, values = [], []
    for con, table in (one, other):
        rows = query.call_macro("query_table", table)
        names = [*list_types(con, rows)]
        rest = [name for name in names if name not in near]
        chosen = exp.select(*(exp.column(n, quoted=True) for n in rest or near)).from_(rows.subquery("r"))
        execute(con, create_from_rows("sdc_exact_columns", "VIEW", chosen, temporary=True, replace=True))
        exact.append(digest_table(con, "sdc_exact_columns") if rest else None)
        order = [exp.Ordered(this=exp.column(n, quoted=True), nulls_first=False) for n in [*rest, *near]]
        numbers = [exp.alias_(exp.cast(exp.column(n, quoted=True), "DOUBLE"), n, quoted=True) for n in near]
        found = execute(con, exp.select(*numbers).from_(rows.subquery("r")).order_by(*order)).fetchnumpy()
        values.append([np.ma.filled(np.ma.asarray(found[n], dtype=np.float64), np.nan) for n in near])
    return exact[0] == exact[1] and all(
        a.shape == b.shape
        and bool(
            np.all((np.abs(a - b) <= TOLERANCE * np.maximum(1, np.abs(b))) | (a == b) | (np.isnan(a) & np.isnan(b)))
        )
        for a, b in zip(*values, strict=True)
    )
