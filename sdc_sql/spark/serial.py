"""A release of a series on Spark: ids and records are digested by the tasks, and digests alone go to the ledger.

Records that are masked by themselves are masked there as in DuckDB, and the ledger keeps the parameters of the steps.
The digests are those that DuckDB makes: a series may go on from one engine to the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import functions as F  # noqa: N812 - as everyone calls it

from sdc_sql.db import query
from sdc_sql.spark import worker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pyspark.sql import DataFrame

    from sdc_sql.db.query import Value

BUCKETS = "sdc_buckets"


def digest_content(frame: DataFrame, names: tuple[str, ...]) -> str:
    """Return the digest of what a table holds: of each record by the tasks, of each bucket by Spark, of all here."""
    plain = frame.toDF(*(f"c{i}" for i in range(len(names))))
    of_records = plain.mapInArrow(_digest_batches(names, "sdc__record_digests", ()), "d string")
    bucket = F.conv(F.substring("d", 1, 3), 16, 10).cast("int")
    joined = F.sha2(F.array_join(F.sort_array(F.collect_list("d")), "").cast("binary"), 256)
    counted = of_records.groupBy(bucket.alias("sdc__bucket")).agg(
        joined.alias("sdc__of"), F.count(F.lit(1)).alias("sdc__k")
    )
    buckets = counted.toArrow()
    # one record, of which no more than the types are read: of an empty table there would be none
    first = frame.limit(1).toArrow().rename_columns(list(names))
    con = worker.connect_worker()
    with worker.registered(con, {worker.RECORDS: first, BUCKETS: buckets}):
        found = worker.arrow(con, query.call_macro("sdc__joined_digest", worker.RECORDS, BUCKETS))
    return str(found["digest"][0].as_py())


def digest_ids(frame: DataFrame, identifier: str, series: str, key: str | None) -> pa.Array:
    """Return the digests of the ids, made by the tasks."""
    ids = frame.select(F.col("`" + identifier.replace("`", "``") + "`").alias("c0"))
    digests = ids.mapInArrow(_digest_batches((identifier,), "sdc__series_ids", (identifier, series), key), "d binary")
    return digests.toArrow()["d"].combine_chunks().cast(pa.binary(16))


def _digest_batches(
    names: tuple[str, ...], macro: str, arguments: tuple[Value, ...], key: str | None = None
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return the function that digests the batches of a partition."""

    def digested(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for table in worker.split_chunks(batches):
            found: Any = worker.digest_table(table.rename_columns(list(names)), macro, arguments, key)
            yield from found.rename_columns(["d"]).to_batches(max_chunksize=worker.CHUNK)

    return digested
