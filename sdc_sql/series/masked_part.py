"""Some records of a table, masked by a method as if they were all there are: the batch of a release."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.series.kept_values import TEXT
from sdc_sql.series.temporary import fetch_arrow

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from sdc_sql.series.kept_values import Place

PART, LISTED, ROW = "sdc_series_part", "sdc_series_listed", "sdc__row"


@contextmanager
def hold_part(place: Place, own: pa.Table, rows: NDArray[np.int64]) -> Iterator[str]:
    """Give the name of a table of some records, with all their columns, as long as it is needed.

    Parameters
    ----------
    own
        The records of the table with their ids.
    rows
        The places of some of them there.
    """
    con = place.con
    con.register(LISTED, pa.table({"sdc__id": own["sdc__id"].take(pa.array(rows)), ROW: pa.array(rows)}))
    try:
        con.execute(f"CREATE OR REPLACE TEMP TABLE {LISTED}_ids AS FROM {LISTED}").fetchall()
    finally:
        con.unregister(LISTED)
    source = exp.Table(this=exp.Anonymous(this="query_table", expressions=[query.make_text_literal(place.table)]))
    select = exp.select("t.*").from_(exp.alias_(source, "t", table=True))
    select = select.join(
        _name_ids(), on=_match_ids(exp.column(place.identifier, table="t", quoted=True)), join_type="semi"
    )
    made = exp.Create(
        this=exp.table_(PART, db="main", catalog="temp", quoted=True), kind="TABLE", expression=select,
        properties=exp.Properties(expressions=[exp.TemporaryProperty()]), replace=True,
    )  # fmt: skip
    con.execute(query.write_sql(made)).fetchall()
    yield f"temp.{PART}"
    for name in (PART, f"{LISTED}_ids"):  # after an error the transaction is rolled back, and they are gone with it
        con.execute(f"DROP TABLE IF EXISTS temp.{name}")


def mask_part(
    place: Place,
    macro: str,
    table: str,
    columns: Sequence[str],
    arguments: Mapping[str, Any],
    *more: Any,  # noqa: ANN401
) -> pa.Table:
    """Return what a method gives for the records of a part: their rows, and by column the masked values as texts.

    Parameters
    ----------
    macro
        Its whole name.
    table
        The part, as :func:`hold_part` names it.
    more
        What the macro takes after the arguments of the mask.
    """
    given = {**arguments, "columns": tuple(columns)}
    masked = query.call_macro(macro, table, *given.values(), *more)
    texts = [
        exp.alias_(exp.cast(exp.column(c, table="d", quoted=True), "VARCHAR"), f"sdc__r{j}")
        for j, c in enumerate(columns)
    ]
    return find_rows(place, masked, texts)


def ask_part(place: Place, macro: str, table: str, columns: Sequence[str], arguments: Mapping[str, Any]) -> pa.Table:
    """Return of the records of a part whether they wait, by a macro of the method."""
    given = {**arguments, "columns": tuple(columns)}
    return find_rows(place, query.call_macro(macro, table, *given.values()), [exp.column("waits", table="d")])


def find_rows(place: Place, given: exp.Select, told: Sequence[exp.Expr]) -> pa.Table:
    """Return what a query of the records of a part says of each, by the row."""
    select = exp.select(exp.column(ROW, table="g"), *told).from_(given.subquery("d"))
    select = select.join(_name_ids(), on=_match_ids(exp.column("sdc__id", table="d")))
    return fetch_arrow(place.con, select)


def _name_ids() -> exp.Expr:
    return exp.alias_(exp.table_(f"{LISTED}_ids", db="main", catalog="temp", quoted=True), "g", table=True)


def _match_ids(column: exp.Expression) -> exp.Expr:
    own, listed = (
        exp.Anonymous(this="sdc__by_bytes", expressions=[c]) for c in (column, exp.column("sdc__id", table="g"))
    )
    return own.eq(listed)


def put_texts(texts: pa.Array, rows: pa.Array, new: pa.Array) -> pa.Array:
    """Return texts with new ones in some of the places."""
    found = texts.to_pylist()
    for row, text in zip(rows.to_pylist(), new.to_pylist(), strict=True):
        found[row] = text
    return pa.array(found, TEXT)
