"""Where records lie among the boxes of a series: their places on each key, read where the table is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from sqlglot import exp

from sdc_sql.db.catalogue.load import execute
from sdc_sql.errors import SeriesError, TableError, translate_errors
from sdc_sql.series.boxes import IN_RANGES, IN_TREE
from sdc_sql.series.temporary import call, drop_tables, fetch_arrow, load_rows, name_table, store_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    import duckdb
    from numpy.typing import NDArray

    from sdc_sql.series.boxes import BoxKey

NAME = "sdc_series_texts"
NOWHERE = -2  # the place of a value that its hierarchy does not have


def read_places(  # noqa: PLR0917 - where records are, and of what
    con: duckdb.DuckDBPyConnection, table: str, identifier: str, series: str, step: int, keys: Sequence[BoxKey]
) -> tuple[pa.Table, NDArray[np.int64]]:  # fmt: skip
    """Return of each record its id, the digests of it and of its values, and its places, (n, d).

    Raises
    ------
    SeriesError
        Where a key has another type than in the first release.
    TableError
        Where a value has no row in its hierarchy.
    """
    source = exp.alias_(exp.Table(this=call("query_table", table)), "t", table=True)
    own = exp.column(identifier, table="t", quoted=True)
    select = exp.select(
        exp.alias_(own, "sdc__id"),
        exp.alias_(call("sdc__series_id", call("sdc__checked_id", own.copy()), series), "sdc__person"),
    ).from_(source)
    with translate_errors():
        _refuse_other_types(con, source, keys)
        for j, key in enumerate(keys):
            select = _join_places(con, select, j, key)
            value = exp.column(key.name, table="t", quoted=True)
            digest = call("sdc__series_value", own.copy(), value, series, str(step), key.name)
            select = select.select(exp.alias_(digest, f"sdc__d{j}"))
        rows = fetch_arrow(con, select)
        drop_tables(con, *(f"{NAME}_{j}" for j in range(len(keys))))
    places = np.column_stack([np.asarray(rows[f"sdc__p{j}"]).astype(np.int64) for j in range(len(keys))])
    for j, key in enumerate(keys):
        if n := int((places[:, j] == NOWHERE).sum()):
            raise TableError(
                f"{n:,} records have a value of {key.name} that has no row in its hierarchy: give it in the "
                "hierarchies of the first release of a series, all that there may be."
            )
    return rows.drop_columns([f"sdc__p{j}" for j in range(len(keys))]), places


def _refuse_other_types(con: duckdb.DuckDBPyConnection, source: exp.Expr, keys: Sequence[BoxKey]) -> None:
    named = exp.select(*(exp.column(key.name, quoted=True) for key in keys)).from_(source.copy())
    for key, (_, kind, *_) in zip(keys, execute(con, exp.Describe(this=named)).fetchall(), strict=True):
        if kind != key.type:
            raise SeriesError(
                f"{key.name} has the type {kind}, and had {key.type} in the first release, by which its boxes are cut: "
                "cast it, or begin another series."
            )


def _join_places(con: duckdb.DuckDBPyConnection, select: exp.Select, j: int, key: BoxKey) -> exp.Select:
    """Return the query with the place of each record on a key."""
    value = exp.column(key.name, table="t", quoted=True)
    load_rows(
        con, f"{NAME}_{j}", pa.table({"sdc__text": pa.array(key.texts, pa.string()), "sdc__n": range(len(key.texts))})
    )
    text, n = exp.column("sdc__text", table=f"c{j}"), exp.column("sdc__n", table=f"c{j}")
    beside = exp.alias_(name_table(f"{NAME}_{j}"), f"c{j}", table=True)
    if key.kind != IN_RANGES:
        other = exp.Literal.number(NOWHERE if key.kind == IN_TREE else -1)
        own = call("sdc__by_bytes", exp.cast(value, "VARCHAR"))
        select = select.join(beside, on=exp.NullSafeEQ(this=own, expression=text), join_type="left")
        return select.select(exp.alias_(exp.func("coalesce", n, other), f"sdc__p{j}"))
    first = exp.Literal.number(int(None in key.texts))  # NULL lies below the first value
    cut = exp.cast(text, exp.DataType.build(key.type, dialect="duckdb"))
    cuts = exp.select(exp.alias_(cut.copy(), "sdc__cut"), n.copy()).from_(beside).where(exp.not_(text.is_(exp.null())))
    store_rows(con, f"{NAME}_{j}", cuts)
    below = exp.Join(
        this=beside.copy(), method="ASOF", side="LEFT",
        on=exp.GT(this=value, expression=exp.column("sdc__cut", table=f"c{j}")),
    )  # fmt: skip
    select.append("joins", below)
    place = exp.func("coalesce", exp.Add(this=n, expression=exp.Literal.number(1)), first)
    missing = exp.If(this=value.copy().is_(exp.null()), true=exp.Literal.number(0))
    return select.select(exp.alias_(exp.Case(ifs=[missing], default=place), f"sdc__p{j}"))
