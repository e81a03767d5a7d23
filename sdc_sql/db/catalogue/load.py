"""Register the macros on a connection, or store them in a database."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import duckdb
from sqlglot import exp

from sdc_sql.db.catalogue.attached import attach_macros
from sdc_sql.db.catalogue.kernels import KERNEL, list_functions, list_registered, register_kernel
from sdc_sql.db.catalogue.macros import CREATE, definition, list_macros, list_needed_macros, sql_files
from sdc_sql.db.query import write_sql
from sdc_sql.db.transaction import is_callers, is_committed, is_open, read_transaction_number, transaction

if TYPE_CHECKING:
    from sdc_sql.db.transaction import Number

SHARED = "sdc__macros"
TEMPORARY = CREATE.replace("MACRO", "TEMP MACRO")
_PARSED: dict[str, duckdb.Statement] = {}


@dataclass
class _Had:
    """The macros that a connection has: for good, or in a transaction of the caller, who may roll it back."""

    stored: bool
    for_good: set[str] = field(default_factory=set)
    within: set[str] = field(default_factory=set)
    transaction: Number | None = None
    attached: frozenset[str] = frozenset()  # which call the catalogue, and need no others


_HAD: WeakKeyDictionary[duckdb.DuckDBPyConnection, _Had] = WeakKeyDictionary()


def load(con: duckdb.DuckDBPyConnection, query: str | None = None) -> duckdb.DuckDBPyConnection:
    """Register the macros on a connection, all or those that a query calls, and return the connection.

    The macros are temporary: they are gone with the connection and leave no trace in its database,
    which may be read-only. A cursor is a connection of its own: load it too. Loading twice does no harm.
    All macros are in a catalogue that the first load writes to the user's cache folder (``~/.cache/sdc-sql``, for its
    owner alone; ``SDC_CACHE`` names another, or none where it is empty) and that is attached read-only: the connection
    then has a database ``sdc_sql`` beside its own. Where that cannot be (inside a transaction, say, or where another
    database has this name), each macro is created on the connection, which takes five times as long.
    Where the environment variable ``SDC_KEY`` holds a secret key and the session has none, the session variable
    ``sdc_key`` is set to it.

    Parameters
    ----------
    con
        An open DuckDB connection.
    query
        The query that is to be run, or the names of the macros that are to be called, in one text: these and what they
        call are registered, in a twentieth of the time that all take where there is no catalogue (half a second, and
        more for the first connection).

    Examples
    --------
    >>> import duckdb
    >>> con = load(duckdb.connect())
    >>> _ = con.execute("CREATE TABLE persons AS FROM (VALUES (30, 'f'), (30, 'f'), (41, 'm')) AS t(age, sex)")
    >>> con.sql("FROM sdc_frequency_counts('persons', ['age', 'sex'])").fetchall()
    [(1, 1), (2, 1)]
    >>> load(duckdb.connect(), "sdc_posterior_risk").sql("SELECT sdc_posterior_risk(1, 1)").fetchall()
    [(1.0,)]
    """
    if query is not None or not _attach_macros(con):
        load_macros(con, query)
    set_key(con)
    return con


def execute(
    con: duckdb.DuckDBPyConnection, select: exp.Expression | str, parameters: object = None
) -> duckdb.DuckDBPyConnection:
    """Run a query of our own on a connection that has the macros it calls, or gets them.

    Inside a transaction of the caller's it is planned first: a table or a column that is not there, and whatever else a
    macro refuses before it reads a record, is an error that does not abort the transaction, as one of `execute` does.

    Examples
    --------
    >>> import duckdb
    >>> execute(duckdb.connect(), "SELECT sdc_posterior_risk(1, 1)").fetchall()
    [(1.0,)]
    """
    written = select if isinstance(select, str) else write_sql(select)
    load_macros(con, written)
    rows = select.expression if isinstance(select, exp.Create | exp.Insert) else select
    if parameters is None and isinstance(rows, exp.Select | exp.SetOperation) and is_callers(con):
        con.sql(write_sql(rows))
    return con.execute(written, parameters)


def _attach_macros(con: duckdb.DuckDBPyConnection) -> bool:
    """Give a connection all public macros by the catalogue in the user's cache folder, where that can be."""
    had = _HAD.get(con) or _HAD.setdefault(con, _Had(_are_stored(con)))
    if had.attached:
        return True
    if not had.stored and not is_open(con):
        had.attached = attach_macros(con)
        had.for_good |= had.attached
    return bool(had.attached)


def load_macros(con: duckdb.DuckDBPyConnection, query: str | None = None) -> None:
    """Register the macros that a query calls, by default all, where the connection has not got them yet.

    A connection that got them outside a transaction of the caller's is asked nothing. Those that he may have rolled
    back are created again, which takes less time than to ask the catalogue. Where its database has macros stored, all
    are registered: a stored one may be older, and would call these.
    """
    had = _HAD.get(con) or _HAD.setdefault(con, _Had(_are_stored(con)))
    names = list_macros() if query is None or had.stored else list_needed_macros(query, had.attached)
    if had.for_good.issuperset(names):
        return
    if is_committed(con, had.transaction):
        had.for_good |= had.within
    within = read_transaction_number(con)
    if within is None or within != had.transaction:
        had.within, had.transaction = set(), within
    missing = [name for name in names if name not in had.for_good and name not in had.within]
    taken = list_registered(con) if within and any(name.startswith(KERNEL) for name in missing) else set()
    for name in missing:
        if name.startswith(KERNEL):
            register_kernel(con, TEMPORARY, list_functions()[name.removeprefix(KERNEL)], taken)
        else:
            con.execute(_parse_macro(con, name))
        (had.within if within else had.for_good).add(name)


def _parse_macro(con: duckdb.DuckDBPyConnection, macro: str) -> duckdb.Statement:
    """Return the statement that creates a macro; to parse it takes a third of its creation, and is done once."""
    if macro not in _PARSED:
        (_PARSED[macro],) = con.extract_statements(definition(macro).replace(CREATE, TEMPORARY, 1))
    return _PARSED[macro]


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
    if con.execute(known, [f"{KERNEL}{[*list_functions()][-1]}", SHARED]).fetchall():
        return
    before = _search_path(con)
    con.execute(f"ATTACH IF NOT EXISTS ':memory:' AS {SHARED} (READ_WRITE)")
    con.execute(f"USE {SHARED}")
    try:
        for file in sql_files():
            con.execute(file.text)
        taken = list_registered(con) if is_open(con) else set()
        for function in list_functions().values():
            register_kernel(con, CREATE, function, taken)
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
    if _are_stored(cursor):
        load(cursor)
    set_key(cursor)


def _are_stored(con: duckdb.DuckDBPyConnection) -> bool:
    if not is_open(con):  # within a transaction the attempt might abort it
        try:  # a list of the functions takes fifteen times as long, and most connections have none of ours
            con.execute("FROM sdc__rows('')")
        except duckdb.CatalogException:
            return False
        except duckdb.Error:
            pass
    known = "SELECT 1 FROM duckdb_functions() WHERE function_name = 'sdc__rows' AND database_name NOT IN (?, 'temp')"
    return bool(con.execute(known, [SHARED]).fetchall())


def _search_path(con: duckdb.DuckDBPyConnection) -> str:
    """Return the search path that is set, or else where names are looked up by default."""
    ((path, database, schema),) = con.execute(
        "SELECT current_setting('search_path'), current_database(), current_schema()"
    ).fetchall()
    parts = (exp.to_identifier(database, quoted=True), exp.to_identifier(schema, quoted=True))
    return str(path) or ".".join(part.sql("duckdb") for part in parts)


def _set_search_path(con: duckdb.DuckDBPyConnection, path: str) -> None:
    con.execute(f"SET search_path = {exp.Literal.string(path).sql('duckdb')}")


def set_key(con: duckdb.DuckDBPyConnection) -> None:
    """Set the session's secret key from the environment, unless it has one."""
    key = os.environ.get("SDC_KEY")
    if key and con.execute("SELECT getvariable('sdc_key') IS NULL").fetchall() == [(True,)]:
        con.execute("SET VARIABLE sdc_key = ?", [key])  # the key is bound as a parameter: it is in no SQL text


def require_key(con: duckdb.DuckDBPyConnection) -> None:
    """Refuse to begin where the session has no secret key, or one that can be guessed: no work is done, and lost.

    Within a transaction of the caller's another connection judges the key, since the error would abort it.
    """
    if not is_callers(con):
        execute(con, "SELECT length(sdc__secret_key())").fetchall()
        return
    key = con.execute("SELECT getvariable('sdc_key')").fetchall()[0]
    with duckdb.connect() as other:
        execute(other, "SELECT length(sdc__checked_key(k)) FROM (SELECT $1::VARCHAR AS k)", [*key]).fetchall()


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
        for name, kind in list_stored_functions(con):
            table = "TABLE " if kind == "table_macro" else ""
            con.execute(f"DROP MACRO {table}{exp.to_identifier(name, quoted=True).sql('duckdb')}")


def list_stored_functions(con: duckdb.DuckDBPyConnection) -> list[tuple[str, str]]:
    """Return the name and the kind of this package's macros in the database, those of other versions included."""
    known = (
        "SELECT DISTINCT function_name, function_type FROM duckdb_functions() "
        "WHERE starts_with(function_name, 'sdc_') AND database_name = current_database() "
        "AND schema_name = current_schema() AND function_type IN ('macro', 'table_macro')"
    )
    ours = {name for file in sql_files() for name in file.defines}
    return [(name, kind) for name, kind in con.execute(known).fetchall() if name in ours or name.startswith("sdc__")]
