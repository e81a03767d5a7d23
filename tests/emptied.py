"""One loaded connection for many tests: what a test leaves on it is taken away again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc_sql.db.transaction import is_open

if TYPE_CHECKING:
    import duckdb

_QUOTED = "'\"' || replace({0}, '\"', '\"\"') || '\"'"


def settings(con: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Return every setting of the connection."""
    return dict(con.execute("SELECT name, value FROM duckdb_settings()").fetchall())


def empty(con: duckdb.DuckDBPyConnection, kept: dict[str, str]) -> None:
    """Drop all but the macros: tables, views, types, schemas, databases, variables; give the settings their values."""
    if is_open(con):
        con.rollback()
    con.execute("USE memory.main")
    for name, value in settings(con).items():
        if value != kept[name]:
            con.execute(f"RESET {name}")
    for (name,) in con.execute("SELECT name FROM duckdb_variables()").fetchall():
        con.execute(f'RESET VARIABLE "{name}"')
    for kind, name in [
        ("view", "view_name"),
        ("table", "table_name"),
        ("sequence", "sequence_name"),
        ("type", "type_name"),
        ("schema", "schema_name"),
    ]:
        path = " || '.' || ".join(_QUOTED.format(c) for c in dict.fromkeys(("database_name", "schema_name", name)))
        drop = f"SELECT 'DROP {kind} ' || {path} || ' CASCADE' FROM duckdb_{kind}s()"
        if kind != "sequence":
            drop += " WHERE NOT internal"
        if kind == "schema":
            drop += " AND database_name = 'memory' AND schema_name <> 'main'"
        for (statement,) in con.execute(drop).fetchall():
            con.execute(statement)
    attached = "SELECT database_name FROM duckdb_databases() WHERE NOT internal AND database_name <> 'memory'"
    for (database,) in con.execute(attached).fetchall():
        con.execute(f'DETACH "{database}"')
