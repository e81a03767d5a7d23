"""The origin of a masked table's values: the source of its first step, as long as nobody has changed it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sqlglot import exp

from sdc_sql.db.masking.identity import read_mark
from sdc_sql.errors import TableError
from sdc_sql.session.calls import name_step

if TYPE_CHECKING:
    from collections.abc import Sequence

    import duckdb

    from sdc_sql.db.masking.steps import LoggedStep

_QUALIFIED = re.compile(r'"(?:[^"]|"")*"\."(?:[^"]|"")*"\."(?:[^"]|"")*"')
TO_DO = (
    "Read the original again and mask a copy (into='name'): that can be undone. Or write the steps down with "
    "to_release_file(path, source=the original file), take the last one out, and run that file."
)


@dataclass(frozen=True)
class Original:
    """The table or view ``table`` of the connection, or the file ``path``: of one of them, ``name`` as it is read."""

    name: str
    table: exp.Table | None = None
    path: Path | None = None


def find_original(con: duckdb.DuckDBPyConnection, steps: Sequence[LoggedStep]) -> Original:
    """Return what the first of a table's steps has read.

    Raises
    ------
    TableError
        Where that is not there any more, with the reason and what can be done.
    """
    first = steps[0]
    source = first.source
    if source is None:
        raise TableError(f"{name_step(first)} was made by version 0.1, which did not write down what it read. {TO_DO}")
    if not _QUALIFIED.fullmatch(source):
        if not any(sign in source for sign in "*?[") and not Path(source).is_file():
            raise TableError(f"There is no file {source} (any more), which {name_step(first)} has read. {TO_DO}")
        return Original(source, path=Path(source))
    if first.source_id is not None and first.source_id == first.target_id:
        raise TableError(
            f"{source} was masked in place: {name_step(first)} has put its values in the place of the original ones, "
            "which "
            f"are nowhere any more. {TO_DO}"
        )
    table = exp.to_table(source, dialect="duckdb")
    found = con.execute(
        "SELECT 1 FROM (SELECT database_name, schema_name, table_name FROM duckdb_tables() UNION ALL "
        "SELECT database_name, schema_name, view_name FROM duckdb_views()) AS t(d, s, n) WHERE (d, s, n) = (?, ?, ?)",
        [table.catalog, table.db, table.name],
    ).fetchall()
    if not found:
        raise TableError(f"{source}, which {name_step(first)} has read, is not there any more. {TO_DO}")
    if read_mark(con, table) != first.source_id:
        raise TableError(
            f"{source}, which {name_step(first)} has read, has been masked or replaced since: the original is not "
            "there "
            f"any more. {TO_DO}"
        )
    return Original(source, table=table)
