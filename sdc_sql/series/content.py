"""What a table holds, for the chain of a series: a digest under its key, found together with those of its ids."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute
from sdc_sql.series.kept_values import fetch_arrow
from sdc_sql.series.ledger import DIGEST

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

FORM = "2 "  # of a content; one without a form is that of sdc_content_digest


def digest_records(con: duckdb.DuckDBPyConnection, table: str, identifier: str, series: str) -> tuple[pa.Array, str]:
    """Return the digests of the ids, and that of the whole content, in whatever order its records stand."""
    told = query.call_macro("sdc__series_records", table, identifier, series)
    records = fetch_arrow(con, told)
    ids, contents = (records[name].combine_chunks().cast(DIGEST) for name in ("sdc__digest", "sdc__content"))
    halves = np.frombuffer(contents.buffers()[1], np.uint64, 2 * len(contents), 16 * contents.offset).reshape(-1, 2)
    joined = np.bitwise_xor.reduce(halves, axis=0).tobytes().hex()
    ((declared, width),) = execute(con, query.call_macro("sdc__declared_columns", table)).fetchall()
    parts = [str(width), str(declared), str(len(contents)), joined]
    return ids, FORM + hashlib.sha256("".join(f"{len(p)}:{p}" for p in parts).encode()).hexdigest()


def digest_as_before(con: duckdb.DuckDBPyConnection, table: str, recorded: str, content: str) -> str:
    """Return the digest of the content in the form in which that of a release was recorded."""
    if recorded.startswith(FORM):
        return content
    return str(execute(con, query.call_macro("sdc_content_digest", table)).fetchall()[0][0])
