"""What runs beside the data: each Arrow table of records is masked by an in-process DuckDB with the same macros.

The same SQL on the same bits: what is released on Spark is what DuckDB releases. No formula stands here.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import load_macros
from sdc_sql.errors import translate_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

RECORDS, PLACES, RELEASED = "sdc_records", "sdc_places", "sdc_released"
# A call of a macro costs 30 to 90 ms, whatever the number of records.
CHUNK = 100_000


@dataclass(frozen=True)
class Task:
    """A macro that masks the records of ``sdc_records``, and what it needs beside them. The key is not in it."""

    macro: str
    arguments: tuple[Any, ...]
    id: str
    columns: tuple[str, ...]
    names: tuple[str, ...]  # the names of all columns of the table: on their way the columns have plain ones
    seen: tuple[str, ...]  # DuckDB is shown these columns: the id, the masked ones and what the macro reads besides
    tables: dict[str, pa.Table] = field(default_factory=dict)  # a matrix, or the cells of the whole file
    types: dict[str, pa.DataType] = field(default_factory=dict)  # the types of the columns that change their type
    proof: str = ""  # the macro that counts anew what is promised, of the records and of what is released of them


@cache
def connect_worker() -> duckdb.DuckDBPyConnection:
    """Return this process's DuckDB, with the macros on it; Spark runs the tasks in parallel, DuckDB need not."""
    con = duckdb.connect()
    con.execute("SET threads = 1")
    return con


def hand_over_key(con: duckdb.DuckDBPyConnection, key: str | None) -> None:
    """Hand over the secret key as a parameter: it stands in no SQL text."""
    con.execute("SET VARIABLE sdc_key = ?", [key])


@contextmanager
def hold_key(con: duckdb.DuckDBPyConnection, key: str | None) -> Iterator[None]:
    """Have the secret key at hand while a block runs."""
    hand_over_key(con, key)
    try:
        yield
    finally:
        hand_over_key(con, None)


def check_key(key: str | None) -> None:
    """Refuse draws without a key, in the words of the macros."""
    con = connect_worker()
    with hold_key(con, key):
        arrow(con, exp.select(exp.alias_(exp.Anonymous(this="sdc__secret_key"), "k")))


def mask_table(task: Task, key: str | None, table: pa.Table) -> pa.Table:
    """Return the records in their order, with the masked values in the place of their own."""
    if not table.num_rows:
        return table
    con = connect_worker()
    shown = table.select(list(task.seen))
    places = pa.table({"sdc_id": table[task.id], "sdc_place": pa.array(range(table.num_rows), pa.int64())})
    with registered(con, {**task.tables, RECORDS: shown, PLACES: places}), hold_key(con, key):
        found = arrow(con, _query(task))
        if task.proof:
            _prove(con, task, found.add_column(0, task.id, table[task.id]))
    result = table
    for name in task.columns:
        place = table.schema.get_field_index(name)
        schema = table.schema.field(place)
        schema = schema.with_type(task.types.get(name, schema.type))
        result = result.set_column(place, schema, found[name].cast(schema.type))
    return result


def _prove(con: duckdb.DuckDBPyConnection, task: Task, released: pa.Table) -> None:
    with registered(con, {RELEASED: released}):
        arrow(con, query.call_macro(f"sdc__{task.proof}", RECORDS, RELEASED, *task.arguments))


def digest_table(table: pa.Table, macro: str, arguments: tuple[Any, ...], key: str | None) -> pa.Table:
    """Return the digests that a macro makes of records, by the secret key where there is one."""
    con = connect_worker()
    with registered(con, {RECORDS: table}), hold_key(con, key):
        return arrow(con, query.call_macro(macro, RECORDS, *arguments))


def find_new_types(task: Task, empty: pa.Table) -> dict[str, pa.DataType]:
    """Return the types that a macro gives its columns; no record is masked."""
    con = connect_worker()
    places = pa.table({"sdc_id": empty[task.id], "sdc_place": pa.array([], pa.int64())})
    with registered(con, {**task.tables, RECORDS: empty.select(list(task.seen)), PLACES: places}):
        found = arrow(con, _query(task).limit(0)).schema
    return {name: found.field(name).type for name in task.columns}


def _query(task: Task) -> exp.Select:
    values = exp.alias_(query.call_macro(f"sdc__{task.macro}", RECORDS, *task.arguments).subquery(), "v", table=True)
    places = exp.alias_(exp.to_table(PLACES), "p", table=True)
    same = exp.column("sdc__id", table="v").eq(exp.column("sdc_id", table="p"))
    columns = (exp.column(c, table="v", quoted=True) for c in task.columns)
    return exp.select(*columns).from_(places).join(values, on=same).order_by(exp.column("sdc_place", table="p"))


def arrow(con: duckdb.DuckDBPyConnection, select: exp.Expression) -> pa.Table:
    """Return the rows of a query as an Arrow table; what is wrong as an error of ours."""
    with translate_errors():
        written = query.write_sql(select)
        load_macros(con, written)
        return con.sql(written).to_arrow_table()


class registered:  # noqa: N801 - reads as what it does
    """Tables that are there while a block runs."""

    def __init__(self, con: duckdb.DuckDBPyConnection, tables: dict[str, pa.Table]) -> None:
        self.con, self.tables = con, tables

    def __enter__(self) -> None:
        """Register them."""
        for name, table in self.tables.items():
            self.con.register(name, table)

    def __exit__(self, *_: object) -> None:
        """Take them away."""
        for name in self.tables:
            self.con.unregister(name)


def mask_chunks(
    task: Callable[[], Task], key: str | None
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return the function that masks the batches of a partition: each record by itself."""

    def masked(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for table in split_chunks(batches):
            yield from mask_table(task(), key, _rename_columns(task(), table)).to_batches(max_chunksize=CHUNK)

    return masked


def mask_groups(task: Callable[[], Task], key: str | None) -> Callable[[pa.Table], pa.Table]:
    """Return the function that masks a stratum: its records together."""

    def masked(table: pa.Table) -> pa.Table:
        return mask_table(task(), key, _rename_columns(task(), table))

    return masked


def _rename_columns(task: Task, table: pa.Table) -> pa.Table:
    return table.rename_columns(list(task.names))


def split_chunks(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Join small batches into tables of some size.

    Examples
    --------
    >>> batch = pa.record_batch({"a": list(range(60_000))})
    >>> [table.num_rows for table in split_chunks([batch] * 3)]
    [120000, 60000]
    """
    waiting: list[pa.RecordBatch] = []
    for batch in batches:
        waiting.append(batch)
        if sum(b.num_rows for b in waiting) >= CHUNK:
            yield pa.Table.from_batches(waiting)
            waiting = []
    if waiting:
        yield pa.Table.from_batches(waiting)
