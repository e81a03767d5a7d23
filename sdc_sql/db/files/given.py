"""A table that is given as a Python object: a path, a DataFrame, an Arrow table or a relation of DuckDB."""

from __future__ import annotations

import os
import sys
from itertools import count
from typing import Any

import duckdb
from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.checks import text_for_message
from sdc_sql.db.files.csv_file import create_from_rows
from sdc_sql.db.names import quote_address
from sdc_sql.errors import TableError

_NUMBERS = count(1)
_ACCEPTED = "the name of a table, view or file, a path, a DataFrame, an Arrow table or a relation of DuckDB"


def name_given_table(con: duckdb.DuckDBPyConnection, table: Any) -> str:  # noqa: ANN401 - whatever DuckDB can read
    """Return the name of what is given for a table; a DataFrame's or a relation's rows are copied into a temporary one.

    Copied, because masking in place writes: the object that was given is left as it is, and ``data.table`` names the
    copy. A path is the text that it stands for; a name that no table has may be that of the caller's variable, as in
    DuckDB's own queries.
    """
    if isinstance(table, os.PathLike):
        table = os.fspath(table)
    if isinstance(table, str) and table.isidentifier():
        table = _find_variable(con, table)
    if isinstance(table, str) and table:
        return quote_address(table)
    if table is None or isinstance(table, (str, bytes, int, float, bool, list, tuple, dict, set)):
        raise TableError(f"table is {text_for_message(table)}: it must be {_ACCEPTED}.")
    name = exp.to_identifier(f"sdc_data_{next(_NUMBERS)}")
    if isinstance(table, duckdb.DuckDBPyRelation):
        sdc__given = table  # DuckDB finds it by its name in this frame
        try:
            con.execute(_copy(name, "sdc__given"))
        except duckdb.InvalidInputException as error:
            raise TableError(
                "The relation belongs to a connection to another database: give one of this connection."
            ) from error
        del sdc__given
        return str(name.this)
    seen = f"sdc__given_{name.this}"
    try:
        con.register(seen, table)
    except duckdb.Error as error:
        raise TableError(f"table is {text_for_message(table)}: it must be {_ACCEPTED}.") from error
    try:
        con.execute(_copy(name, seen))
    finally:
        con.unregister(seen)
    return str(name.this)


def _find_variable(con: duckdb.DuckDBPyConnection, name: str) -> Any:  # noqa: ANN401 - a DataFrame of any package
    """Return the caller's table-like variable of this name where DuckDB would find it, or else the name.

    DuckDB looks where it is called from, which is here; so the frames of this package are passed over.
    """
    frame = sys._getframe()  # noqa: SLF001 - as pandas and DuckDB find a caller's variables
    while frame.f_back and str(frame.f_globals.get("__name__")).partition(".")[0] == "sdc_sql":
        frame = frame.f_back
    found = {**frame.f_globals, **frame.f_locals}.get(name)
    if not (isinstance(found, duckdb.DuckDBPyRelation) or hasattr(found, "__arrow_c_stream__")):
        return name
    ((asked,),) = con.execute("SELECT current_setting('python_enable_replacements')").fetchall()
    return found if asked and not _is_table(con, name) else name


def _is_table(sdc__con: duckdb.DuckDBPyConnection, sdc__name: str) -> bool:
    """Return whether a table or view has this name.

    DuckDB looks at the variables of this frame too: none has a name of the caller's.
    """
    try:
        sdc__con.execute(query.write_sql(exp.select("*").from_(exp.table_(sdc__name, quoted=True)).limit(0)))
    except (duckdb.CatalogException, duckdb.InvalidInputException):
        return False
    return True


def _copy(name: exp.Identifier, rows: str) -> str:
    read = exp.select("*").from_(exp.to_identifier(rows))
    return query.write_sql(create_from_rows(name, "TABLE", read, temporary=True))
