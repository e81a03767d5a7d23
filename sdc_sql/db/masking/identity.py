"""Which table is which: a mark in its comment.

A comment is dropped with its table, and stays when the table is renamed, altered, or opened again: steps of a table
that was dropped or replaced are not its successor's. What the user wrote there is kept.
"""

from __future__ import annotations

import re
import uuid
from typing import TYPE_CHECKING

import duckdb
from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute

if TYPE_CHECKING:
    from collections.abc import Sequence

_MARK = re.compile(r"\[sdc_steps ([0-9a-f]{32})\]")


def read_mark(con: duckdb.DuckDBPyConnection, table: exp.Table) -> str | None:
    """Return the mark of a table (fully qualified), None where it has none."""
    found = _MARK.search(_read_comment(con, table))
    return found[1] if found else None


def mark_table(con: duckdb.DuckDBPyConnection, table: exp.Table) -> str:
    """Return the mark of a table; give it one, behind its own comment, where it has none."""
    known = read_mark(con, table)
    if known:
        return known
    mark = uuid.uuid4().hex
    comment = "\n".join(part for part in (_read_comment(con, table), f"[sdc_steps {mark}]") if part)
    execute(con, exp.Comment(this=table.copy(), kind="TABLE", expression=query.make_text_literal(comment))).fetchall()
    return mark


def read_plain_comment(con: duckdb.DuckDBPyConnection, table: exp.Table, *, kept: bool = False) -> str:
    """Return what the user wrote in a table's comment; kept: the mark alone instead."""
    comment = _read_comment(con, table)
    found = _MARK.search(comment)
    mark = found[0] if found else ""
    return mark if kept else comment.replace(mark, "").strip("\n") if mark else comment


def _read_comment(con: duckdb.DuckDBPyConnection, table: exp.Table) -> str:
    found = con.execute(
        "SELECT comment FROM duckdb_tables() WHERE database_name = ? AND schema_name = ? AND table_name = ?",
        [table.catalog, table.db, table.name],
    ).fetchall()
    return str(found[0][0] or "") if found else ""


def digest_columns(
    con: duckdb.DuckDBPyConnection, table: exp.Expression, identifier: str, columns: Sequence[str]
) -> dict[str, str]:
    """Return a digest of each column by id, in any order of the rows; it holds for this version of DuckDB."""
    totals = [exp.Sum(this=hash_by_bytes((identifier, c))) for c in columns]
    (found,) = execute(con, exp.select(*totals).from_(table.copy())).fetchall()
    return {c.lower(): f"{duckdb.__version__}:{total}" for c, total in zip(columns, found, strict=True)}


def hash_by_bytes(columns: Sequence[str]) -> exp.Expression:
    """Return DuckDB's hash of the values together: of their bytes, so columns of several collations are no error."""
    values = [exp.Anonymous(this="sdc__by_bytes", expressions=[exp.column(c, quoted=True)]) for c in columns]
    return exp.Anonymous(this="hash", expressions=values)
