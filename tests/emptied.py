"""One loaded connection for many tests: what a test leaves on it is taken away again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from macros_file import ATTACHED

from sdc_sql.db.catalogue.attached import NAME
from sdc_sql.db.transaction import is_open

if TYPE_CHECKING:
    import duckdb

# The statements that take away what is there, in one query: seven would take three times as long.
_LEFT = f"""
    SELECT statement FROM (
        SELECT 1 AS turn, format('RESET VARIABLE "{{}}"', replace(name, '"', '""')) AS statement FROM duckdb_variables()
        UNION ALL
        SELECT turn, format('DROP {{}} "{{}}"."{{}}"."{{}}" CASCADE', kind, replace(database_name, '"', '""'),
                            replace(schema_name, '"', '""'), replace(name, '"', '""'))
        FROM (SELECT 2 AS turn, 'VIEW' AS kind, database_name, schema_name, view_name AS name
              FROM duckdb_views() WHERE NOT internal
              UNION ALL
              SELECT 3, 'TABLE', database_name, schema_name, table_name FROM duckdb_tables() WHERE NOT internal
              UNION ALL
              SELECT 4, 'SEQUENCE', database_name, schema_name, sequence_name FROM duckdb_sequences()
              UNION ALL
              SELECT 5, 'TYPE', database_name, schema_name, type_name FROM duckdb_types() WHERE NOT internal)
        UNION ALL
        SELECT 6, format('DROP SCHEMA memory."{{}}" CASCADE', replace(schema_name, '"', '""'))
        FROM duckdb_schemas() WHERE database_name = 'memory' AND schema_name <> 'main' AND NOT internal
        UNION ALL
        SELECT 7, format('DETACH "{{}}"', replace(database_name, '"', '""'))
        FROM duckdb_databases() WHERE NOT internal AND database_name NOT IN ('memory', '{ATTACHED}', '{NAME}'))
    ORDER BY turn
"""


def settings(con: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Return every setting of the connection."""
    return dict(con.execute("SELECT name, value FROM duckdb_settings()").fetchall())


def empty(con: duckdb.DuckDBPyConnection, kept: dict[str, str]) -> None:
    """Drop all but the macros: tables, views, types, schemas, databases, variables; give the settings their values."""
    if is_open(con):
        con.rollback()
    con.execute("SET search_path = ?", [kept["search_path"]])
    for (statement,) in con.execute(_LEFT).fetchall():
        con.execute(statement)
    for name, value in settings(con).items():
        if value != kept[name]:
            con.execute(f"RESET {name}")
