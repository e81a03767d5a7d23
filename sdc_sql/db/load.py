"""Register the macros on a connection, or store them in a database."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, WeakSet

import duckdb
from sqlglot import exp

from sdc_sql.db.macros import CREATE, needed, sql_files
from sdc_sql.db.transaction import is_open, transaction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdc_sql.udfs.arrow_function import Function

SHARED = "sdc__macros"
# Connections that have the macros; and those that got them in a transaction of the caller's, who may roll it back.
_LOADED: WeakSet[duckdb.DuckDBPyConnection] = WeakSet()
_WITHIN: WeakSet[duckdb.DuckDBPyConnection] = WeakSet()
# Connections of our own, with the names of the files that they have got.
_AS_NEEDED: WeakKeyDictionary[duckdb.DuckDBPyConnection, set[str]] = WeakKeyDictionary()
TEMPORARY = CREATE.replace("MACRO", "TEMP MACRO")
_PARSED: list[duckdb.Statement] = []


def load(con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """Register every macro on a connection, and return the connection.

    The macros are temporary: they are gone with the connection and leave no trace in its database,
    which may be read-only. A cursor is a connection of its own: load it too. Loading twice does no harm.
    Where the environment variable ``SDC_KEY`` holds a secret key and the session has none, the session variable
    ``sdc_key`` is set to it.

    Parameters
    ----------
    con
        An open DuckDB connection.

    Examples
    --------
    >>> import duckdb
    >>> con = load(duckdb.connect())
    >>> _ = con.execute("CREATE TABLE persons AS FROM (VALUES (30, 'f'), (30, 'f'), (41, 'm')) AS t(age, sex)")
    >>> con.sql("FROM sdc_frequency_counts('persons', ['age', 'sex'])").fetchall()
    [(1, 1), (2, 1)]
    """
    load_macros(con)
    _set_key(con)
    return con


def begin(con: duckdb.DuckDBPyConnection) -> None:
    """Load a connection, unless it is one that gets the macros as needed."""
    load_macros(con, "")
    _set_key(con)


def load_as_needed(con: duckdb.DuckDBPyConnection) -> None:
    """Let a connection that nobody else has get the macros of a query when it is run, and kernels when one is called.

    For a program that asks a few questions and ends: all macros, with the packages of the kernels, take half a second.
    """
    _AS_NEEDED[con] = set()


def load_macros(con: duckdb.DuckDBPyConnection, query: str | None = None) -> None:
    """Register the macros where the connection has not had them yet, or may have lost them by a rollback.

    Nothing is asked of a connection that got them outside a transaction of the caller's. Where it gets them as needed,
    those that a query calls are enough.
    """
    if con in _LOADED:
        return
    if query is not None and con in _AS_NEEDED:
        files = needed(query)
        if not any(macro.startswith("sdc__kernel_") for file in files for macro in file.defines):
            for file in files:
                if file.name not in _AS_NEEDED[con]:
                    con.execute(file.text.replace(CREATE, TEMPORARY))
                    _AS_NEEDED[con].add(file.name)
            return
    within = is_open(con)
    if con not in _WITHIN or not _is_loaded(con, within):
        for statement in _parsed(con):
            con.execute(statement)
        _register(con, TEMPORARY, within)
    (_WITHIN if within else _LOADED).add(con)


def _parsed(con: duckdb.DuckDBPyConnection) -> list[duckdb.Statement]:
    """Return the statements that create the macros; to parse them takes a third of a load, and is done once."""
    if not _PARSED:
        _PARSED[:] = [s for f in sql_files() for s in con.extract_statements(f.text.replace(CREATE, TEMPORARY))]
    return _PARSED


def _is_loaded(con: duckdb.DuckDBPyConnection, within: bool) -> bool:
    """Return whether the connection has the macros, judged by the one created last.

    Macros that are stored in the database do not count, they may be older ones. To bind a call takes a millisecond, to
    ask the catalogue forty; but a call that cannot be bound would abort a transaction of the caller's.
    """
    last = _functions()[-1]
    name = f"sdc__kernel_{last.name}"
    if within:
        known = "SELECT 1 FROM duckdb_functions() WHERE function_name = ? AND database_name = 'temp'"
        return bool(con.execute(known, [name]).fetchall())
    try:
        con.execute(f"EXPLAIN SELECT temp.main.{name}({', '.join('NULL' for _ in last.parameters)})").fetchall()
    except (duckdb.CatalogException, duckdb.BinderException):
        return False
    return True


def load_shared(con: duckdb.DuckDBPyConnection) -> None:
    """Register every macro once for all cursors of a connection: for a program that opens many, such as dbt.

    The macros are kept in an in-memory database attached beside the connection's own, which is not changed. After
    :func:`use_shared` a cursor finds them at once; loading each cursor takes nearly half a second.

    Examples
    --------
    >>> import duckdb
    >>> con = duckdb.connect()
    >>> load_shared(con)
    >>> cursor = con.cursor()
    >>> use_shared(cursor)
    >>> cursor.sql("SELECT sdc_posterior_risk(1, 1)").fetchall()
    [(1.0,)]
    """
    known = "SELECT 1 FROM duckdb_functions() WHERE function_name = ? AND database_name = ?"
    if con.execute(known, [f"sdc__kernel_{_functions()[-1].name}", SHARED]).fetchall():
        return
    before = _search_path(con)
    con.execute(f"ATTACH IF NOT EXISTS ':memory:' AS {SHARED} (READ_WRITE)")
    con.execute(f"USE {SHARED}")
    try:
        for file in sql_files():
            con.execute(file.text)
        _register(con, CREATE, is_open(con))
    finally:
        _set_search_path(con, before)


def use_shared(cursor: duckdb.DuckDBPyConnection) -> None:
    """Make the macros of :func:`load_shared` visible to a cursor, and set its key from the environment.

    Macros that are stored in a database, by :func:`install`, would take precedence, and may be
    older: the cursor then gets macros of its own.
    """
    path = _search_path(cursor)
    if SHARED not in path:
        _set_search_path(cursor, f"{path},{SHARED}.main")
    stored = "SELECT 1 FROM duckdb_functions() WHERE function_name = 'sdc__rows' AND database_name NOT IN (?, 'temp')"
    if cursor.execute(stored, [SHARED]).fetchall():
        load(cursor)
    _set_key(cursor)


def _search_path(con: duckdb.DuckDBPyConnection) -> str:
    """Return the search path that is set, or else where names are looked up by default."""
    ((path, database, schema),) = con.execute(
        "SELECT current_setting('search_path'), current_database(), current_schema()"
    ).fetchall()
    parts = (exp.to_identifier(database, quoted=True), exp.to_identifier(schema, quoted=True))
    return str(path) or ".".join(part.sql("duckdb") for part in parts)


def _set_search_path(con: duckdb.DuckDBPyConnection, path: str) -> None:
    con.execute(f"SET search_path = {exp.Literal.string(path).sql('duckdb')}")


def _register(con: duckdb.DuckDBPyConnection, create: str, within: bool) -> None:
    """Register the Python functions, and replace the placeholder macros by calls of them.

    Another cursor may have registered them. Within a transaction of the caller's the catalogue is asked, since a name
    that is taken would abort it; else it is tried, which takes a fraction of the time.
    """
    there = _python_functions(con) if within else set()
    for function in _functions():
        name = f"sdc__python_{function.name}"
        # the Python client keeps the name of a function whose transaction was rolled back
        while name not in there and not _created(con, name, function):
            there = there or _python_functions(con)
            name += "" if name in there else "_again"
        arguments = ", ".join(argument for argument, _ in function.parameters)
        con.execute(f"{create} sdc__kernel_{function.name}({arguments}) AS {name}({arguments})")


def _functions() -> Sequence[Function]:
    from sdc_sql.udfs.registry import FUNCTIONS  # noqa: PLC0415 - with numpy and pyarrow, which not every program needs

    return FUNCTIONS


def _python_functions(con: duckdb.DuckDBPyConnection) -> set[str]:
    known = "SELECT function_name FROM duckdb_functions() WHERE starts_with(function_name, 'sdc__python_')"
    return {name for (name,) in con.execute(known).fetchall()}


def _created(con: duckdb.DuckDBPyConnection, name: str, function: Function) -> bool:
    """Register a function, unless the name is taken."""
    types: list[Any] = [kind for _, kind in function.parameters]
    options: dict[str, Any] = {
        "type": "arrow",
        # the kernel refuses a NULL argument; by default the result would be NULL, and the records lost
        "null_handling": "special",
    }
    try:
        con.create_function(name, function, types, function.returns, **options)
    except duckdb.NotImplementedException:
        return False
    except duckdb.CatalogException as error:
        if "already exists" not in str(error):
            raise
        # another connection of the database has registered it in the meantime
    return True


def _set_key(con: duckdb.DuckDBPyConnection) -> None:
    """Set the session's secret key from the environment, unless it has one."""
    key = os.environ.get("SDC_KEY")
    if key and con.execute("SELECT getvariable('sdc_key') IS NULL").fetchall() == [(True,)]:
        con.execute("SET VARIABLE sdc_key = ?", [key])  # bound as a parameter: the key is in no SQL text


def install(con: duckdb.DuckDBPyConnection) -> None:
    """Store every macro in the connection's database, so that every program that opens it has them.

    All or nothing, in one transaction (the caller's, where one is open). Macros of the same names are replaced.

    Examples
    --------
    >>> import duckdb
    >>> con = duckdb.connect()
    >>> install(con)
    >>> con.execute("SELECT count(*) > 0 FROM duckdb_functions() WHERE function_name = 'sdc_theta'").fetchone()
    (True,)
    """
    with transaction(con):
        for file in sql_files():
            con.execute(file.text)


def uninstall(con: duckdb.DuckDBPyConnection) -> None:
    """Remove the macros stored by :func:`install` from the connection's database; other macros are kept.

    All or nothing, in one transaction (the caller's, where one is open).

    Examples
    --------
    >>> import duckdb
    >>> con = duckdb.connect()
    >>> install(con)
    >>> uninstall(con)
    >>> con.execute("SELECT count(*) FROM duckdb_functions() WHERE function_name = 'sdc_theta'").fetchone()
    (0,)
    """
    with transaction(con):
        for name, kind in stored(con):
            table = "TABLE " if kind == "table_macro" else ""
            con.execute(f"DROP MACRO {table}{exp.to_identifier(name, quoted=True).sql('duckdb')}")


def stored(con: duckdb.DuckDBPyConnection) -> list[tuple[str, str]]:
    """Return the name and the kind of this package's macros in the database, those of other versions included."""
    known = (
        "SELECT DISTINCT function_name, function_type FROM duckdb_functions() "
        "WHERE starts_with(function_name, 'sdc_') AND database_name = current_database() "
        "AND schema_name = current_schema() AND function_type IN ('macro', 'table_macro')"
    )
    ours = {name for file in sql_files() for name in file.defines}
    return [(name, kind) for name, kind in con.execute(known).fetchall() if name in ours or name.startswith("sdc__")]
