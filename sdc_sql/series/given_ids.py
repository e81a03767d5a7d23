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
MOVED = "sdc_series_moved"


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


def give_ids(
    con: duckdb.DuckDBPyConnection, target: exp.Table, rows: str, *, identifier: str, kind: str, series: str, step: int
) -> None:
    """Give new ids in a table, and put these records at its end, in the order of the new ids.

    Parameters
    ----------
    rows
        The records with the number of their id: the first one is their own.
    """
    own = exp.column(identifier, table="t", quoted=True)
    asked = exp.select("*").from_(name_table(rows)).where("sdc__stands AND sdc__number > 1")
    number = exp.cast(exp.column("sdc__number", table="r"), "VARCHAR")
    given = exp.cast(call("sdc__given_id", own, number, series, str(step), kind), exp.DataType.build(kind))
    every = exp.Star(replace=[exp.alias_(given, identifier, quoted=True)])
    moved = exp.select(exp.Column(this=every, table=exp.to_identifier("t")))
    moved = moved.from_(exp.alias_(target.copy(), "t", table=True))
    moved = moved.join(asked.subquery("r"), on=match_bytes(own.copy(), exp.column("sdc__id", table="r")))
    store_rows(con, MOVED, moved)
    former = asked.copy().select(call("sdc__by_bytes", exp.column("sdc__id")), append=False)
    identified = call("sdc__by_bytes", exp.column(identifier, quoted=True))
    back = exp.select("*").from_(name_table(MOVED)).order_by(exp.column(identifier, quoted=True))
    with translate_errors():
        gone = exp.Delete(this=target.copy()).where(exp.In(this=identified, query=former.subquery()))
        execute(con, gone).fetchall()
        execute(con, exp.Insert(this=target.copy(), expression=back)).fetchall()
    drop_tables(con, MOVED)
