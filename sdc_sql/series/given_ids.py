"""Ids that are given anew, where a released id has ended: drawn with the secret key, the same in later releases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sdc_sql.db.catalogue.load import execute
from sdc_sql.errors import SeriesError, translate_errors
from sdc_sql.series.temporary import call, drop_tables, match_bytes, name_table, store_rows

if TYPE_CHECKING:
    import duckdb

KINDS = ("BIGINT", "HUGEINT", "UUID", "VARCHAR")
MOVED, GIVEN = "sdc_series_moved", "sdc_series_given_ids"


def find_id_kind(con: duckdb.DuckDBPyConnection, table: str, identifier: str) -> str:
    """Return the type of an id; refuse one in which there is no room for others.

    Raises
    ------
    SeriesError
        With the types that have room.
    """
    typed = exp.select(call("typeof", exp.column(identifier, quoted=True))).from_(
        exp.Table(this=call("query_table", table))
    )
    with translate_errors():
        rows = execute(con, typed.limit(1)).fetchall()
    kind = str(rows[0][0]) if rows else KINDS[0]
    if kind not in KINDS:
        raise SeriesError(
            f"The id ({identifier}) is {kind}, in which no new id can be drawn: give weakened='leave_out', or ids of "
            f"the type {', '.join(KINDS)}."
        )
    return kind


def list_given_ids(
    con: duckdb.DuckDBPyConnection, table: str, rows: str, *, identifier: str, kind: str, series: str, step: int
) -> None:
    """Store the ids of the records that are given another one, with it.

    Parameters
    ----------
    rows
        The records with the number of their id: the first one is their own.
    """
    own = exp.column(identifier, table="t", quoted=True)
    number = exp.cast(exp.column("sdc__number", table="r"), "VARCHAR")
    given = exp.cast(call("sdc__given_id", own, number, series, str(step), kind), exp.DataType.build(kind))
    asked = exp.select("*").from_(name_table(rows)).where("sdc__stands AND sdc__number > 1")
    source = exp.alias_(exp.Table(this=call("query_table", table)), "t", table=True)
    listed = exp.select(exp.alias_(own, "sdc__id"), exp.alias_(given, "sdc__given")).from_(source)
    same = match_bytes(own.copy(), exp.column("sdc__id", table="r"))
    store_rows(con, GIVEN, listed.join(asked.subquery("r"), on=same))


def give_ids(con: duckdb.DuckDBPyConnection, target: exp.Table, identifier: str) -> None:
    """Give new ids in a table, and put these records at its end, in the order of the new ids."""
    own = exp.column(identifier, table="t", quoted=True)
    given = exp.alias_(exp.column("sdc__given", table="g"), identifier, quoted=True)
    moved = exp.select(exp.Column(this=exp.Star(replace=[given]), table=exp.to_identifier("t")))
    moved = moved.from_(exp.alias_(target.copy(), "t", table=True))
    same = match_bytes(own, exp.column("sdc__id", table="g"))
    store_rows(con, MOVED, moved.join(exp.alias_(name_table(GIVEN), "g", table=True), on=same))
    former = exp.select(call("sdc__by_bytes", exp.column("sdc__id"))).from_(name_table(GIVEN))
    identified = call("sdc__by_bytes", exp.column(identifier, quoted=True))
    back = exp.select("*").from_(name_table(MOVED)).order_by(exp.column(identifier, quoted=True))
    with translate_errors():
        gone = exp.Delete(this=target.copy()).where(exp.In(this=identified, query=former.subquery()))
        execute(con, gone).fetchall()
        execute(con, exp.Insert(this=target.copy(), expression=back)).fetchall()
    drop_tables(con, MOVED)


def exchange_ids(rows: exp.Select, identifier: str) -> exp.Select:
    """Return a query of released records in which those that are given another id have it."""
    own = exp.column(identifier, table="r", quoted=True)
    given = exp.func("coalesce", exp.column("sdc__given", table="g"), own.copy())
    chosen = [
        exp.alias_(given.copy() if name == identifier else exp.column(name, table="r", quoted=True), name, quoted=True)
        for name in (c.alias_or_name for c in rows.selects)
    ]
    same = match_bytes(own, exp.column("sdc__id", table="g"))
    table = exp.alias_(name_table(GIVEN), "g", table=True)
    return exp.select(*chosen).from_(rows.subquery("r")).join(table, on=same, join_type="left")
