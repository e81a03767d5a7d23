"""What each task of ours does first: a connection with the macros, the table `t`, and a key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import duckdb
from columns import CHANGED, KEY

import sdc_sql

if TYPE_CHECKING:
    from pathlib import Path


def open_table(path: Path) -> duckdb.DuckDBPyConnection:
    con = duckdb.connect()
    sdc_sql.load(con)
    con.execute("SET VARIABLE sdc_key = ?", [KEY])
    con.execute(f"CREATE TABLE t AS FROM '{path}'")
    con.execute("CREATE TABLE plain AS SELECT * REPLACE (coalesce(income, 0) AS income) FROM t")
    con.execute(f"CREATE TABLE changed AS {CHANGED}")
    return con


def ask(con: duckdb.DuckDBPyConnection, query: str, *given: object) -> dict[str, Any]:
    asked = con.execute(query, list(given))
    names = [d[0] for d in asked.description]
    (row,) = asked.fetchall()
    return dict(zip(names, row, strict=True))
