"""The original with the labels of the released file: what was recoded is compared, or looked for, in its classes."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute
from sdc_sql.db.files.csv_file import create_from_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import duckdb

    from sdc_sql.microdata import Microdata
    from sdc_sql.release.reading.plan import Plan

NAME = "sdc_relabelled"


@contextmanager
def relabel_original(original: Microdata, released: Microdata, plan: Plan, columns: Iterable[str]) -> Iterator[str]:
    """Yield the original, or a view of it in which those columns that a step makes coarser have their released labels.

    A value gets the label that most of its records have, as whoever knows the classes gives it; one that no released
    record shows any more stays as it is. Without an id nothing is recoded.
    """
    coarser = {column for step in plan.steps if step.coarsens for column in step.columns}
    there = {column.lower() for column in released.columns}
    recoded = [c for c in dict.fromkeys(columns) if c in coarser and c.lower() in there]
    if not recoded or plan.roles.id is None:
        yield original.table
        return
    con, labels = original.con, [f"{NAME}_{i}" for i in range(len(recoded))]
    try:
        for table, name in zip(labels, recoded, strict=True):
            _create(con, table, "TABLE", _select_labels(original, released, plan.roles.id, name))
        _create(con, NAME, "VIEW", _select_relabelled(original, recoded, labels))
        yield NAME
    finally:
        con.execute(f"DROP VIEW IF EXISTS temp.{NAME}")
        for table in labels:
            con.execute(f"DROP TABLE IF EXISTS temp.{table}")


def _create(con: duckdb.DuckDBPyConnection, name: str, kind: str, rows: exp.Select) -> None:
    execute(con, create_from_rows(name, kind, rows, temporary=True))


def _select_relabelled(original: Microdata, recoded: list[str], labels: list[str]) -> exp.Select:
    rows = exp.select().from_(query.call_macro("query_table", original.table).subquery("o"))
    chosen: list[exp.Expr] = []
    for name in original.columns:
        value = exp.column(name, "o", quoted=True)
        if name not in recoded:
            chosen.append(value)
            continue
        i = recoded.index(name)
        same = exp.NullSafeEQ(this=_read_bytes(value.copy()), expression=exp.column("value", f"m{i}"))
        rows = rows.join(exp.to_table(labels[i]).as_(f"m{i}"), on=same, join_type="left")
        label = exp.func("coalesce", exp.column("label", f"m{i}"), exp.cast(value.copy(), "VARCHAR"))
        chosen.append(exp.alias_(label, name, quoted=True))
    return rows.select(*chosen)


def _select_labels(original: Microdata, released: Microdata, person: str, name: str) -> exp.Select:
    """Return the query of each value of a column with its commonest label; of two as common the first."""
    sides = [
        query.call_macro("query_table", data.table).subquery(side) for data, side in ((original, "o"), (released, "r"))
    ]
    mine, its = (_read_bytes(exp.column(person, side, quoted=True)) for side in "or")
    label = _read_bytes(exp.cast(exp.column(name, "r", quoted=True), "VARCHAR"))
    counted = (
        exp.select(
            exp.alias_(_read_bytes(exp.column(name, "o", quoted=True)), "value"), exp.alias_(label, "label"),
            exp.alias_(exp.Count(this=exp.Star()), "records"),
        )
        .from_(sides[0]).join(sides[1], on=mine.eq(its))
        .where(exp.not_(exp.column(name, "r", quoted=True).is_(exp.null())))
        .group_by(exp.column("value"), exp.column("label"))
    )  # fmt: skip
    order = [exp.Ordered(this=exp.column("records"), desc=True), exp.Ordered(this=exp.column("label"), desc=False)]
    place = exp.Window(this=exp.RowNumber(), partition_by=[exp.column("value")], order=exp.Order(expressions=order))
    placed = exp.select("value", "label", exp.alias_(place, "place")).from_(counted.subquery("c"))
    return exp.select("value", "label").from_(placed.subquery("p")).where(exp.column("place").eq(1))


def _read_bytes(value: exp.Expr) -> exp.Anonymous:
    """Return a value whose texts are compared by their bytes: no collation joins two ids, or two categories."""
    return exp.Anonymous(this="sdc__by_bytes", expressions=[value])
