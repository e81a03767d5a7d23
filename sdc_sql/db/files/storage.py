"""How a database is stored: the oldest DuckDB that can open its file.

By default DuckDB writes a file that no older version reads: a file that stood there keeps its own version,
and a new one gets the oldest that has the macros' syntax.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sdc_sql.db import query

if TYPE_CHECKING:
    from pathlib import Path

    import duckdb

CHOSEN = "v1.5.0"  # the storage version of a new file


def read_storage_version(con: duckdb.DuckDBPyConnection, name: str) -> str:
    """Return the storage version of an open database, as it is named to write another one alike.

    Examples
    --------
    >>> import duckdb
    >>> read_storage_version(duckdb.connect(), "memory")
    'v1.5.0'
    """
    found = con.execute(
        "SELECT tags['storage_version'] FROM duckdb_databases() WHERE database_name = ?", [name]
    ).fetchall()
    told = next((str(version) for (version,) in found if version), "")
    return told.removesuffix("+") or CHOSEN


def find_newer_version(con: duckdb.DuckDBPyConnection) -> str | None:
    """Return the oldest DuckDB that reads the current database, where the macros would be content with an older one.

    Examples
    --------
    >>> import duckdb
    >>> print(find_newer_version(duckdb.connect()))
    None
    """
    ((name,),) = con.execute("SELECT current_database()").fetchall()
    told = read_storage_version(con, name)
    number, enough = ([int(part) for part in version[1:].split(".")] for version in (told, CHOSEN))
    return told[1:] if number > enough else None


def quote_database(name: str) -> str:
    """Return the name of a database as SQL has it.

    Examples
    --------
    >>> quote_database("Select")
    '"Select"'
    """
    return exp.to_identifier(name, quoted=True).sql("duckdb")


def attach_statement(path: Path, name: str, version: str | None = None, *, read_only: bool = False) -> str:
    """Return the statement that attaches a database by a name, a new one with a storage version.

    Examples
    --------
    >>> from pathlib import Path
    >>> print(attach_statement(Path("it's.duckdb"), "Select", "v1.5.0"))
    ATTACH 'it''s.duckdb' AS "Select" (STORAGE_VERSION 'v1.5.0')
    """
    options = ["READ_ONLY"] if read_only else []
    if version is not None:
        options.append(f"STORAGE_VERSION {query.make_text_literal(version).sql('duckdb')}")
    said = f" ({', '.join(options)})" if options else ""
    return f"ATTACH {query.make_text_literal(str(path)).sql('duckdb')} AS {quote_database(name)}{said}"
