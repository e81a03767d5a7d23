"""What the indexes and constraints of a table, and its columns, allow of how masked values are written to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb
    from sqlglot import exp


def needs_one_update(con: duckdb.DuckDBPyConnection, target: exp.Table, columns: tuple[str, ...]) -> bool:
    """Return whether the masked columns must be written at once: an index or a key may see values twice in between."""
    ((found,),) = con.execute(
        """
        SELECT EXISTS (FROM duckdb_indexes() WHERE (database_name, schema_name, table_name) = ($1, $2, $3))
            OR EXISTS (FROM duckdb_constraints() WHERE (database_name, schema_name, table_name) = ($1, $2, $3)
                       AND constraint_type IN ('PRIMARY KEY', 'UNIQUE', 'FOREIGN KEY') AND list_has_any(constraint_column_names, $4))
        """,  # noqa: E501
        [target.catalog, target.db, target.name, list(columns)],
    ).fetchall()
    return bool(found)


def is_unique_or_unwritten(con: duckdb.DuckDBPyConnection, target: exp.Table, every: tuple[str, ...]) -> bool:
    """Return whether records cannot stand twice in the table for a moment, or whether a column is not written to."""
    place = [target.catalog, target.db, target.name]
    ((found,),) = con.execute(
        """
        SELECT EXISTS (FROM duckdb_indexes() WHERE (database_name, schema_name, table_name) = ($1, $2, $3))
            OR EXISTS (FROM duckdb_constraints() WHERE database_name = $1 AND constraint_type IN ('PRIMARY KEY', 'UNIQUE', 'FOREIGN KEY')
                       AND ((schema_name, table_name) = ($2, $3) OR constraint_text ILIKE '%REFERENCES%'))
            OR EXISTS (FROM duckdb_tables() WHERE (database_name, schema_name, table_name) = ($1, $2, $3) AND contains(upper(sql), 'GENERATED'))
            OR NOT EXISTS (FROM duckdb_databases() WHERE database_name = $1 AND type = 'duckdb')
        """,  # noqa: E501
        place,
    ).fetchall()
    return bool(found) or "rowid" in {c.lower() for c in every}
