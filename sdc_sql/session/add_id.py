"""An id made for a table that has none, on request only."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute, set_key
from sdc_sql.db.checks import text_for_message
from sdc_sql.db.masking.targets import find_known_table
from sdc_sql.db.transaction import repeat_transaction
from sdc_sql.errors import ColumnError, SeriesError, TableError, translate_errors

if TYPE_CHECKING:
    from sdc_sql.roles import Roles


def add_id(data: Roles, name: str = "record") -> str:
    """Add an id to the table: a column that numbers its records, 1 to n, in the order in which they are stored.

    The numbers stay with the records from then on, and draws depend on them: add the id once, to the table that all
    releases are made from. They show the stored order, as the order of the records in a file does: ``renumber`` gives
    others to what is released.

    Parameters
    ----------
    name
        The new column, of whole numbers, after all others.

    Returns
    -------
    str
        The name; the table as described here has this id now.

    Raises
    ------
    InputError
        Where the table has an id or a column of this name already, is a view, a file or a part of a table, or is in a
        database that cannot be written to. Nothing is changed then.

    Examples
    --------
    >>> import duckdb, sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE persons AS FROM (VALUES (30, 'f'), (41, 'm')) AS t(age, sex)")
    >>> data = sdc_sql.Microdata(con, "persons", keys=["age", "sex"])
    >>> data.add_id("record"), data.id
    ('record', 'record')
    >>> con.sql("FROM persons").fetchall()
    [(30, 'f', 1), (41, 'm', 2)]
    """
    if data.series is not None:
        raise SeriesError(
            "A series needs ids that stay with the persons: numbers of rows change as records come and leave."
        )
    set_key(data.con)
    table = _find_table(data)
    columns = data.read_columns()
    _check_name(data, name, columns)
    _check_rowid(data, columns)
    with translate_errors():
        repeat_transaction(data.con, lambda: _number_records(data.con, table, name))
    object.__setattr__(data, "columns", data.read_columns())  # the dataclass is frozen: the columns are set here
    object.__setattr__(data, "id", data.spell_column("id", name))
    return name


def _find_table(data: Roles) -> exp.Table:
    """Return the table, fully qualified, where a column can be added to it."""
    if data.id is not None:
        raise ColumnError(f"{data.file or data.table} has an id already, {data.id}: the masks take that one.")
    if data.part is not None:
        raise TableError("These are some records of a table: add the id to the table, and take the part afterwards.")
    table = None if data.file else find_known_table(data, data.table)
    if table is None:
        what = (
            "a view"
            if not data.file and find_known_table(data, data.table, "view") is not None
            else "a file or a query"
        )
        stored = query.write_sql(query.call_macro("query_table", data.table))
        raise TableError(
            f"{data.file or data.table} is {what}, to which no column can be added: store it as a table first (CREATE "
            f"TABLE stored AS {stored}), and describe that one. At the command line: sdc-sql mask ... --make-id record."
        )
    databases = "SELECT readonly FROM duckdb_databases() WHERE database_name = ?"
    if any(readonly for (readonly,) in data.con.execute(databases, [table.catalog]).fetchall()):
        raise TableError(
            f"The database {table.catalog} is read-only, and an id is a new column: open it for writing, or store a "
            "copy of the table (CREATE TEMP TABLE stored AS "
            f"{query.write_sql(query.call_macro('query_table', data.table))})."
        )
    return table


def _check_name(data: Roles, name: object, columns: tuple[str, ...]) -> None:
    if not isinstance(name, str) or not name.strip():
        raise ColumnError(f"The name of the new id is {text_for_message(name)}: it must be a text, as in 'record'.")
    folded = name.lower()
    if folded.startswith("sdc__") or folded == "rowid":
        raise ColumnError(f"The name of the new id is {text_for_message(name)}, which is reserved: give another one.")
    if folded in {column.lower() for column in columns}:
        raise ColumnError(
            f"{data.table} has a column {text_for_message(name)} already: give the new id another name, or, if that "
            "column "
            "identifies each record, name it as the id when describing the table."
        )


def _check_rowid(data: Roles, columns: tuple[str, ...]) -> None:
    if "rowid" in {column.lower() for column in columns}:
        raise ColumnError(
            f"{data.table} has a column called rowid, which hides DuckDB's own, by which the stored order is read: "
            "rename it first."
        )


def _number_records(con: duckdb.DuckDBPyConnection, table: exp.Table, name: str) -> None:
    """Add the column and fill it in one transaction, so that it is never there without numbers."""
    column, rowid = exp.column(name, quoted=True), exp.column("rowid")
    added = exp.ColumnDef(this=exp.to_identifier(name, quoted=True), kind=exp.DataType.build("BIGINT"))
    try:
        execute(con, exp.Alter(this=table.copy(), kind="TABLE", actions=[added])).fetchall()
    except (duckdb.DependencyException, duckdb.CatalogException) as error:
        raise TableError(
            f"DuckDB cannot add a column to {table.sql('duckdb')}, on which something depends (an index, say): drop "
            "that first, or store a copy of the table."
        ) from error
    order = exp.Window(this=exp.RowNumber(), order=exp.Order(expressions=[exp.Ordered(this=rowid, nulls_first=False)]))
    numbers = exp.select(exp.alias_(rowid, "sdc__row"), exp.alias_(order, "sdc__number")).from_(table.copy())
    same = exp.column("rowid", table=exp.to_identifier(table.name, quoted=True)).eq(
        exp.column("sdc__row", table="sdc__n")
    )
    filled = exp.Update(
        this=table.copy(),
        expressions=[exp.EQ(this=column, expression=exp.column("sdc__number", table="sdc__n"))],
        from_=exp.From(this=numbers.subquery("sdc__n")),
        where=exp.Where(this=same),
    )
    execute(con, filled).fetchall()
