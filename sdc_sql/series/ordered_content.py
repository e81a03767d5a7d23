"""The digest of what a table holds, column by column in the order of the ids.

By record, as ``sdc_content_digest`` makes it, it costs a SHA-256 of each record and a sort of their digests. Where the
ids are unique the records have an order, and each column is one stream of bytes: numbers, dates and times as they are,
all else as its canonical text, with its length. Two tables of one digest have, here too, two texts of one SHA-256.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import load_macros
from sdc_sql.series.persons import ascend
from sdc_sql.series.temporary import call

if TYPE_CHECKING:
    import duckdb

KIND = "columns "  # before the digits, so that it is not taken for one by record
_PLAIN = {
    "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT",
    "FLOAT", "DOUBLE", "DATE", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE",
}  # fmt: skip
# as a file keeps it (content_digest.sql)
_KEPT = {"TIMESTAMP_S": "TIMESTAMP", "TIMESTAMP_MS": "TIMESTAMP", '"NULL"': "INTEGER", "NULL": "INTEGER"}
_RECORDS = 200_000  # so many are read at a time


class _UnorderedError(Exception):
    """The records do not stand in the order of their ids."""


def digest_in_order(con: duckdb.DuckDBPyConnection, table: str, identifier: str) -> str:
    """Return the digest of a table whose ids are unique, whatever the order of its records.

    Parameters
    ----------
    table
        Its name, as DuckDB reads it.
    identifier
        The column of the ids.

    Examples
    --------
    >>> import duckdb, sdc_sql
    >>> con = sdc_sql.load(duckdb.connect())
    >>> _ = con.execute("CREATE TABLE t AS SELECT i AS id, i / 3 AS x FROM range(9) r(i)")
    >>> _ = con.execute("CREATE TABLE u AS FROM t ORDER BY x DESC")
    >>> digest_in_order(con, "t", "id") == digest_in_order(con, "u", "id")
    True
    >>> _ = con.execute("UPDATE u SET x = 0.5 WHERE id = 4")
    >>> digest_in_order(con, "t", "id") == digest_in_order(con, "u", "id")
    False
    """
    source = exp.Table(this=call("query_table", table))
    read = con.sql(exp.select("*").from_(source.copy()).sql("duckdb"))
    types = {name: _name_kept(str(kind)) for name, kind in zip(read.columns, read.types, strict=True)}
    values = {name: _write_value(name, kind) for name, kind in types.items()}
    # (named by their place: a name may be one that the query has)
    select = exp.select(*(exp.alias_(value, f"sdc__c{j}") for j, value in enumerate(values.values()))).from_(source)
    place = [name.lower() for name in types].index(identifier.lower())
    head = "".join(f"{len(part)}:{part}" for pair in types.items() for part in pair)
    try:
        return KIND + _digest_rows(con, select, head, place)
    except _UnorderedError:
        order = exp.Ordered(this=exp.column(f"sdc__c{place}"), desc=False, nulls_first=True)
        return KIND + _digest_rows(con, exp.select("*").from_(select.subquery("t")).order_by(order), head)


def _name_kept(kind: str) -> str:
    return "VARCHAR" if kind.startswith("ENUM") and not kind.endswith("]") else _KEPT.get(kind, kind)


def _write_value(name: str, kind: str) -> exp.Expression:
    column = exp.column(name, quoted=True)
    if kind in _PLAIN:
        return exp.cast(column, exp.DataType.build(kind, dialect="duckdb"))
    return call("sdc__by_bytes", exp.cast(call("sdc__canonical", column), "VARCHAR"))


def _digest_rows(con: duckdb.DuckDBPyConnection, select: exp.Select, head: str, place: int | None = None) -> str:
    """Return the digest of records that a query gives in order; with the place of the ids it is seen to."""
    written = query.write_sql(select)
    load_macros(con, written)
    columns: list[_Column] = []
    last: Any = None
    records = 0
    with con.sql(written).to_arrow_reader(_RECORDS) as batches:  # closed where the records are in no order
        for batch in batches:
            columns = columns or [_Column() for _ in batch.columns]
            if place is not None and len(batch):
                ids = batch.column(place)
                ids = ids if last is None else pa.concat_arrays([last, ids])
                if not ascend(ids):
                    raise _UnorderedError
                last = ids[-1:]
            records += len(batch)
            for column, values in zip(columns, batch.columns, strict=True):
                column.add(values)
    whole = hashlib.sha256(f"{head};{records};".encode())
    for column in columns:
        whole.update(column.digest())
    return whole.hexdigest()


class _Column:
    """The digest of a column, as its batches come, however it is cut into these."""

    def __init__(self) -> None:
        self._known, self._lengths, self._bytes = hashlib.sha256(), hashlib.sha256(), hashlib.sha256()

    def add(self, values: pa.Array) -> None:
        """Take the next values."""
        self._known.update(np.asarray(values.is_valid()).astype(np.uint8).data)
        if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
            texts = pc.fill_null(values.cast(pa.large_string()), "")
            ends = np.frombuffer(texts.buffers()[1], np.int64)[texts.offset : texts.offset + len(texts) + 1]
            self._lengths.update(np.diff(ends).astype(np.int64).data)
            if len(ends) and ends[-1] > ends[0]:
                self._bytes.update(memoryview(texts.buffers()[2])[ends[0] : ends[-1]])
            return
        numbers = values if pa.types.is_floating(values.type) else values.view(_whole(values.type))
        given = np.asarray(pc.fill_null(numbers, 0))
        if given.dtype.kind == "f":  # one zero, and one NaN
            given = np.where(np.isnan(given), given.dtype.type("nan"), given + given.dtype.type(0))
        self._bytes.update(np.ascontiguousarray(given).data)

    def digest(self) -> bytes:
        """Return it."""
        return b"".join(part.digest() for part in (self._known, self._lengths, self._bytes))


def _whole(kind: pa.DataType) -> pa.DataType:
    """Return the type of whole numbers that a plain type is kept in."""
    return kind if pa.types.is_integer(kind) else pa.int32() if kind.bit_width == 32 else pa.int64()  # noqa: PLR2004 - bits
