"""The digest of a table's content by one sort: for what a release writes and verifies, in two thirds of the time.

The macro (sql/core/content_digest.sql) reads its records again for each slice of buckets, and makes lists of them. Here
DuckDB sorts the digests of the records once, and spills where it must; they come back as Arrow has texts, one joined to
the next, which is what a bucket is the digest of. The digests of records, and that of all buckets, are the macro's.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute, load_macros
from sdc_sql.errors import translate_errors

if TYPE_CHECKING:
    from collections.abc import Iterable

    import duckdb
    import pyarrow as pa

_BUCKETS = "sdc_buckets"
_WIDTH = 64  # hexadecimal digits of a digest
_PREFIX = 3  # of them say which bucket it is in


def digest_by_sorting(con: duckdb.DuckDBPyConnection, table: str) -> tuple[str, int]:
    """Return the digest of a table's content and the number of its records, as ``sdc_content_digest`` gives them.

    Examples
    --------
    >>> import duckdb
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE persons AS FROM (VALUES (30, 'f'), (41, 'm')) AS t(age, sex)")
    >>> found = digest_by_sorting(con, "persons")
    >>> found == execute(con, "SELECT digest, records FROM sdc_content_digest('persons')").fetchone(), found[1]
    (True, 2)
    """
    import pyarrow as pa  # noqa: PLC0415 - which not every program needs

    digests = query.call_macro("sdc__record_digests", table)
    digests = digests.order_by(exp.Ordered(this=exp.column("sdc__digest"), desc=False))  # (the session may say DESC)
    with translate_errors():
        written = query.write_sql(digests)
        load_macros(con, written)
        buckets = _digest_buckets(con.sql(written).to_arrow_reader())
        if not buckets:  # no records are an error, which the macro has
            return _digest_by_macro(con, table)
        counts = pa.table(
            {
                "sdc__bucket": list(range(len(buckets))),  # they come in their order
                "sdc__of": [of.hexdigest() for of, _ in buckets.values()],
                "sdc__k": [k for _, k in buckets.values()],
            }
        )
        con.register(_BUCKETS, counts)
        try:
            ((found,),) = execute(con, query.call_macro("sdc__joined_digest", table, _BUCKETS)).fetchall()
        finally:
            con.unregister(_BUCKETS)
    return str(found), sum(k for _, k in buckets.values())


def _digest_by_macro(con: duckdb.DuckDBPyConnection, table: str) -> tuple[str, int]:
    ((digest, records, _),) = execute(con, query.call_macro("sdc_content_digest", table)).fetchall()
    return str(digest), int(records)


def _digest_buckets(batches: Iterable[pa.RecordBatch]) -> dict[bytes, tuple[Any, int]]:
    """Return by its prefix the digest of each bucket, with the number of its records; the digests come sorted."""
    import numpy as np  # noqa: PLC0415 - as above

    found: dict[bytes, tuple[Any, int]] = {}
    for batch in batches:
        joined = _join_texts(batch.column(0))
        # the first four letters of each text as a number, of which the lower three bytes are the first three
        prefixes = np.frombuffer(joined, dtype="<u4")[:: _WIDTH // 4] & (256**_PREFIX - 1)
        begins = np.flatnonzero(prefixes[1:] != prefixes[:-1]) + 1
        ends = [*begins.tolist(), len(prefixes)]
        for i, j in zip([0, *ends], ends, strict=False):
            if i == j:  # an empty batch
                continue
            prefix = bytes(joined[i * _WIDTH : i * _WIDTH + _PREFIX])
            of, k = found.get(prefix, (hashlib.sha256(), 0))
            of.update(joined[i * _WIDTH : j * _WIDTH])
            found[prefix] = (of, k + j - i)
    return found


def _join_texts(digests: pa.Array) -> memoryview:
    """Return texts of one width joined: the bytes in which Arrow holds them."""
    import pyarrow as pa  # noqa: PLC0415 - as above

    texts = digests.cast(pa.large_string())  # a setting of the session says which of Arrow's texts DuckDB gives
    _, places, data = texts.buffers()
    if data is None:
        return memoryview(b"")
    first = int.from_bytes(memoryview(places)[8 * texts.offset : 8 * texts.offset + 8], "little")
    return memoryview(data)[first : first + len(texts) * _WIDTH]
