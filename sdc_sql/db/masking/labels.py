"""The labels of ENUM columns that no record has any more: a type lists them, and so gives away what was suppressed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import duckdb
from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute
from sdc_sql.db.masking import step_table
from sdc_sql.db.masking.identity import digest_columns, read_mark
from sdc_sql.db.masking.targets import find_known_table
from sdc_sql.db.table import Table
from sdc_sql.errors import TableError, hide_values

if TYPE_CHECKING:
    from collections.abc import Iterable


def remove_unused_labels(con: duckdb.DuckDBPyConnection, table: str) -> None:
    """Give the ENUM columns of a table the types of the labels that are left, also in a type of that name.

    Labels that were never used go as well: nothing tells them from those that masking took, in this run or an earlier
    one. A named type that other columns of the database have too stays as it is; a column without any label left
    becomes VARCHAR.

    Raises
    ------
    TableError
        Where a constraint is in the way.
    """
    place = Table()
    place.con = con
    found = find_known_table(place, table)
    if found is None:
        return
    old = dict(
        con.execute(
            "SELECT column_name, data_type FROM duckdb_columns()"
            " WHERE (database_name, schema_name, table_name) = (?, ?, ?) AND starts_with(data_type, 'ENUM(')",
            [found.catalog, found.db, found.name],
        ).fetchall()
    )
    labels = {column: _list_labels(con, found, column) for column in old}
    narrower = {c: left for c, (every, left) in labels.items() if len(left) < len(every)}
    if not narrower:
        return
    steps = _find_last_digests(con, found, narrower)
    indexes = con.execute(
        "SELECT index_name, sql FROM duckdb_indexes() WHERE (database_name, schema_name, table_name) = (?, ?, ?)",
        [found.catalog, found.db, found.name],
    ).fetchall()
    try:
        for name, _ in indexes:
            index = exp.table_(name, db=found.db, catalog=found.catalog, quoted=True)
            con.execute(f"DROP INDEX {index.sql('duckdb')}")
        for column, left in narrower.items():
            action = exp.AlterColumn(this=exp.column(column, quoted=True), dtype=_make_enum_type(left))
            execute(con, exp.Alter(this=found.copy(), kind="TABLE", actions=[action]))
        con.execute(f"USE {exp.table_(found.db, db=found.catalog, quoted=True).sql('duckdb')}")
        for _, sql in indexes:
            con.execute(sql)
    except duckdb.Error as error:
        reason = hide_values(error) or str(error).split("\n", maxsplit=1)[0]
        raise TableError(
            f"{', '.join(narrower)} of {found.name} is an ENUM, whose type still lists labels that no record has any "
            f"more, and the type cannot be changed ({reason}): make the column VARCHAR first, or write the masked copy "
            "to a file, --output FILE. Nothing was changed."
        ) from None
    for column, left in narrower.items():
        _rename_types(con, found, labels[column][0], left)
    _write_digests(con, found, steps)


def _list_labels(con: duckdb.DuckDBPyConnection, table: exp.Table, column: str) -> tuple[list[str], list[str]]:
    """Return the labels of a column's type, and those that records have, both in the order of the type."""
    name = exp.column(column, quoted=True)
    every = exp.Anonymous(this="enum_range", expressions=[name.copy()])
    ((listed,),) = execute(con, exp.select(exp.func("any_value", every)).from_(table.copy())).fetchall()
    used = exp.select(name.copy()).distinct().from_(table.copy()).where(exp.not_(name.copy().is_(exp.null())))
    left = {str(label) for (label,) in execute(con, used).fetchall()}
    return list(listed or []), [label for label in listed or [] if label in left]


def _make_enum_type(labels: list[str]) -> exp.DataType:
    if not labels:
        return exp.DataType.build("VARCHAR")
    return exp.DataType(this=exp.DataType.Type.ENUM, expressions=[exp.Literal.string(label) for label in labels])


def _rename_types(con: duckdb.DuckDBPyConnection, table: exp.Table, old: list[str], left: list[str]) -> None:
    """Put a type of the labels that are left in the place of named types with the old ones that no column has."""
    kind = _make_enum_type(old).sql("duckdb")
    ((others,),) = con.execute(
        "SELECT count(*) FROM duckdb_columns() WHERE database_name = ? AND data_type = ?", [table.catalog, kind]
    ).fetchall()
    named = con.execute(
        "SELECT schema_name, type_name FROM duckdb_types()"
        " WHERE database_name = ? AND NOT internal AND logical_type = 'ENUM' AND labels = ?",
        [table.catalog, old],
    ).fetchall()
    for schema, name in () if others else named:
        type_name = exp.table_(name, db=schema, catalog=table.catalog, quoted=True).sql("duckdb")
        con.execute(f"DROP TYPE {type_name}")
        if left:
            con.execute(f"CREATE TYPE {type_name} AS {_make_enum_type(left).sql('duckdb')}")


def _find_last_digests(
    con: duckdb.DuckDBPyConnection, table: exp.Table, columns: Iterable[str]
) -> list[tuple[int, str, dict[str, str], list[str]]]:
    """Return the steps whose digests tell how these columns are now: their types are a part of it."""
    mark = read_mark(con, table)
    rows = (
        step_table.read_step_rows(con, step_table.name_step_table(table), exp.column("target_id").eq(mark))
        if mark
        else []
    )
    found = []
    for row in rows:
        written = json.loads(row["digests"] or "{}")
        asked = [c for c in columns if c.lower() in written and row["id"]]
        now = digest_columns(con, table, row["id"], asked) if asked else {}
        as_now = [c for c in asked if written[c.lower()] == now[c.lower()]]
        if as_now:
            found.append((row["step"], row["id"], written, as_now))
    return found


def _write_digests(
    con: duckdb.DuckDBPyConnection, table: exp.Table, steps: Iterable[tuple[int, str, dict[str, str], list[str]]]
) -> None:
    for step, identifier, written, columns in steps:
        now = json.dumps(written | digest_columns(con, table, identifier, columns))
        change = exp.update(
            step_table.name_step_table(table),
            {"digests": query.make_text_literal(now)},
            where=exp.column("step").eq(step),
        )
        execute(con, change)
