"""Databases that have every macro, for a tenth of what loading takes: one file of them is written once a run."""

from __future__ import annotations

import fcntl
from typing import TYPE_CHECKING

import duckdb

from sdc_sql.db.catalogue import kernels, load
from sdc_sql.db.catalogue.macros import list_macros

if TYPE_CHECKING:
    from pathlib import Path

ATTACHED = load.SHARED


def written(folder: Path) -> Path:
    """Return the file of the macros in a folder; the first process that asks writes it, the others wait."""
    file = folder / "macros.duckdb"
    with (folder / "macros.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not file.exists():
            with duckdb.connect() as con:
                con.execute(f"ATTACH '{folder / 'unfinished.duckdb'}' AS {ATTACHED}")
                load.load_shared(con)
                con.execute(f"DETACH {ATTACHED}")
            (folder / "unfinished.duckdb").rename(file)
    return file


def with_macros(file: Path, database: str = ":memory:", **config: object) -> duckdb.DuckDBPyConnection:
    """Return a new connection whose session finds every macro in the file, and Python's kernels beside them."""
    con = duckdb.connect(database, config=config)
    con.execute(f"ATTACH '{file}' AS {ATTACHED} (READ_ONLY)")
    for function in kernels.list_functions().values():
        kernels.create_function(con, kernels.name_function(function), function)
    found(con)
    return con


def found(con: duckdb.DuckDBPyConnection) -> None:
    """Let a connection, or a cursor of one, find the macros of the file."""
    ((database,),) = con.execute("SELECT current_database()").fetchall()
    con.execute(f"SET search_path = '{database}.main,{ATTACHED}.main'")
    load._HAD[con] = load._Had(stored=False, for_good=set(list_macros()))
