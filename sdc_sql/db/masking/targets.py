"""The table that a mask writes to: the table itself, or a new one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute
from sdc_sql.db.checks import text_for_message
from sdc_sql.db.names import parse_table_name, quote_address
from sdc_sql.errors import TableError

if TYPE_CHECKING:
    import duckdb

    from sdc_sql.db.table import Table

DUCKDB = "duckdb"  # the type that DuckDB gives its own databases


def base_table(data: Table) -> exp.Table:
    """Return the table itself, if it is one that can be changed in place."""
    found = _find_tables(data, parse_table_name(data.table))
    catalog, schema, table, kind = found[0] if found else ("", "", "", "")
    if kind != "table" or data.file:
        what = "a view" if kind == "view" else "no table of the database (a file, or the result of a query)"
        raise TableError(
            f"{data.file or data.table} is {what}: it cannot be masked in place. "
            "Give into='name' to write the masked copy to a new table."
        )
    _writable(data, catalog)
    target = exp.table_(table, db=schema, catalog=catalog, quoted=True)
    call = exp.Anonymous(this="query_table", expressions=[query.make_text_literal(data.table)])
    # the plans may differ where the search path has several schemas
    if _explain_plan(data, target) != _explain_plan(data, exp.Table(this=call)):
        raise TableError(
            f"{data.table} is read from another table than {target.sql('duckdb')}: "
            "name it with its database and schema, as in database.schema.table."
        )
    return target


def _writable(data: Table, catalog: str) -> None:
    """Refuse a database that cannot be written to, before any work is done."""
    known = data.con.execute(
        "SELECT readonly, type FROM duckdb_databases() WHERE sdc__folded(database_name) = sdc__folded(?)", [catalog]
    ).fetchall()
    if known and known[0][1] != DUCKDB:
        raise TableError(
            f"{catalog} is a database of another kind that is attached ({known[0][1]}): no masked table is written "
            "there, for DuckDB does not record the step in the same transaction. Its tables are measured as they are, "
            "and masked into a table of DuckDB, as into='temp.copy', to be copied there when it is judged: "
            "CREATE TABLE ... AS FROM temp.copy."
        )
    if known and known[0][0]:
        raise TableError(
            f"The database {catalog} is read-only: open it for writing, or write a copy: into='temp.copy'."
        )


def explain_what_remains(con: duckdb.DuckDBPyConnection, target: exp.Table) -> str:
    """Return what the user has to do after a table was masked in place: nothing where its database is no file."""
    known = con.execute("SELECT path FROM duckdb_databases() WHERE database_name = ?", [target.catalog]).fetchall()
    if not any(path for (path,) in known):
        return ""
    return "the database file still holds the old values in its bytes: hand over a fresh file, data.write(...)"


def _explain_plan(data: Table, source: exp.Table) -> tuple[str, str]:
    """Return DuckDB's plan of reading a table, the last of those that the session shows: it names the table."""
    kind = exp.Command(this="EXPLAIN", expression=query.write_sql(exp.select("*").from_(source.copy())))
    plan: tuple[str, str] = execute(data.con, kind).fetchall()[-1]
    return plan


def create_new_table(data: Table, into: str) -> exp.Table:
    """Return a new table that is to hold the records, without rows so far."""
    if not isinstance(into, str) or not into:
        raise TableError(f"into is {text_for_message(into)}: it must be the name of a new table.")
    if quote_address(into) != into:
        raise TableError(
            f"into is {into!r}, which is no name of a table: write database.schema.table, schema.table or table."
        )
    table = parse_table_name(into)
    if table.catalog or table.db:
        _writable(data, table.catalog or table.db)
    if _find_tables(data, table):
        raise TableError(f"There is a table or view {into} already: drop it first, or give another name.")
    kept = exp.Properties(expressions=[exp.TemporaryProperty()] if "temp" in (table.db, table.catalog) else [])
    rows = query.call_macro("sdc__rows", data.table).limit(0)
    create = exp.Create(this=exp.table_(table.name, quoted=True) if kept.expressions else table, kind="TABLE",
                        expression=rows, properties=kept)  # fmt: skip
    execute(data.con, create).fetchall()
    catalog, schema, name, _ = _find_tables(data, table)[0]
    return exp.table_(name, db=schema, catalog=catalog, quoted=True)


def find_known_table(data: Table, name: str, kind: str = "table") -> exp.Table | None:
    """Return the table (or view) that a name means, fully qualified; None where it means none, as a file's does."""
    found = _find_tables(data, parse_table_name(name))
    if not found or found[0][3] != kind:
        return None
    catalog, schema, table, _ = found[0]
    return exp.table_(table, db=schema, catalog=catalog, quoted=True)


def _find_tables(data: Table, name: exp.Table) -> list[tuple[str, str, str, str]]:
    """Return the tables and views that a name can mean (database, schema, name, kind), the one that is read first.

    DuckDB's order: what is temporary, then the database in use; a qualifier is a schema or a database.
    """
    rows = execute(
        data.con,
        """
        SELECT * FROM (SELECT database_name, schema_name, table_name AS name, 'table' AS kind FROM duckdb_tables()
                       UNION ALL
                       SELECT database_name, schema_name, view_name, 'view' FROM duckdb_views() WHERE NOT internal)
        WHERE sdc__folded(name) = sdc__folded($name)
          AND CASE WHEN $catalog <> ''
                       THEN (sdc__folded(database_name), sdc__folded(schema_name)) = (sdc__folded($catalog), sdc__folded($db))
                   WHEN $db <> ''
                       THEN (sdc__folded(schema_name) = sdc__folded($db) AND database_name IN ('temp', current_database()))
                            OR (sdc__folded(database_name) = sdc__folded($db) AND schema_name = 'main')
                   ELSE database_name = 'temp' OR (database_name, schema_name) = (current_database(), current_schema()) END
        ORDER BY database_name <> 'temp', database_name <> current_database()
        """,  # noqa: E501
        {"name": name.name, "db": name.db, "catalog": name.catalog},
    )
    return [(str(d), str(s), str(n), str(k)) for d, s, n, k in rows.fetchall()]
