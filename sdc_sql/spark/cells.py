"""The cells of a Spark table: counted there, and brought here where they are few enough."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import functions as F  # noqa: N812 - as everyone calls it
from pyspark.sql import types

from sdc_sql.db import query
from sdc_sql.db.checks import require_whole_number
from sdc_sql.errors import ColumnError, ParameterError
from sdc_sql.spark import worker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pyspark.sql import DataFrame, SparkSession


class TooManyCellsError(ParameterError):
    """There are more cells than are brought to one place."""


MOST_CELLS = 1_000_000
MOST_CELLS_SETTING = "spark.sdc.mostCells"  # of the session, where another bound is to hold
RECORDS, LEAST = "sdc__records", "sdc__least"
PARTS = ("sdc__low", "sdc__middle", "sdc__high")  # of the sum of the weights: sql/core/sums.sql


def find_most_cells(spark: SparkSession, given: int | None = None) -> int:
    """Return how many cells are brought to one place at most: what is given, the session's setting, or a million."""
    name = MOST_CELLS_SETTING if given is None else "most_cells"
    found = spark.conf.get(MOST_CELLS_SETTING, str(MOST_CELLS)) if given is None else given
    if isinstance(found, str) and found.strip().isdecimal():
        found = int(found)
    return require_whole_number(found, name, least=1, most=2**31)


def count_cells(
    frame: DataFrame, names: Sequence[str], most: int, weight: str | None = None, one_form: Sequence[str] = ()
) -> pa.Table:
    """Return the combinations of values of columns, each with its records and the exact sum of their weights.

    Raises
    ------
    TooManyCellsError
        Where there are more than `most`: it says how many, and none was fetched.
    ColumnError
        Where one of the columns `one_form` holds -0.0, which Spark counts as 0.0 and a file tells from it.
    """
    signs = [_quote(n) for n in one_form if isinstance(frame.schema[n].dataType, types.FloatType | types.DoubleType)]
    minus = [F.greatest(F.lit(0), F.lit(0), *(F.when(c.cast("string") == "-0.0", 1) for c in signs)).alias("sdc_minus")]
    columns = [*(_quote(name).alias(f"c{i}") for i, name in enumerate(names)), *(minus if signs else [])]
    plain = frame.select(*columns, *_list_weight(frame, weight))
    numbers: list[Any] = [F.count(F.lit(1)).alias(RECORDS)]
    if weight is not None:
        number = types.StructType(
            [*plain.schema.fields[:-1], *(types.StructField(p, types.LongType()) for p in PARTS),
             types.StructField(LEAST, types.DoubleType())]
        )  # fmt: skip
        plain = plain.mapInArrow(_weigh_batches(len(columns)), number)
        numbers += [F.sum(F.col(part).cast("decimal(20,0)")).alias(part) for part in PARTS]
        numbers.append(F.min(LEAST).alias(LEAST))
    if signs:
        numbers.append(F.max("sdc_minus").alias("sdc_minus"))
    cells = plain.groupBy(*(f"c{i}" for i in range(len(names)))).agg(*numbers).persist()
    try:
        number_of_cells = cells.count()
        if number_of_cells > most:
            raise TooManyCellsError(
                f"There are {number_of_cells:,} combinations of values of {', '.join(names)}, and {most:,} are the "
                f"most that are brought to one place: recode keys first, or give fewer; where its memory holds them, "
                f"set {MOST_CELLS_SETTING} of the Spark session, or load(spark, most_cells=...)."
            )
        found = cells.toArrow()
    finally:
        cells.unpersist()
    if signs:
        if any(found["sdc_minus"].to_pylist()):
            raise ColumnError(
                f"{', '.join(one_form)}: a value is -0.0, which SQL calls equal to 0.0 and a file tells apart: counted "
                "as one, they would make the risk look smaller than it is. Give each value one form first, x + 0."
            )
        found = found.drop_columns("sdc_minus")
    return _add_weights(found.rename_columns([*names, *found.column_names[len(names) :]]))


def _add_weights(cells: pa.Table) -> pa.Table:
    """Return the cells with the sums of the weights as numbers, too; NULL where there are none."""
    for name in (*PARTS, LEAST):
        if name not in cells.column_names:
            kind = pa.float64() if name == LEAST else pa.decimal128(30, 0)
            cells = cells.append_column(name, pa.nulls(cells.num_rows, kind))
    con = worker.connect_worker()
    with worker.registered(con, {worker.RECORDS: cells.select(PARTS)}):
        weights = worker.arrow(con, query.call_macro("sdc__joined_weights", worker.RECORDS))
    return cells.append_column("sdc__w", weights["sdc__w"])


def _quote(name: str) -> Any:  # noqa: ANN401 - a Column
    return F.col("`" + name.replace("`", "``") + "`")


def _list_weight(frame: DataFrame, weight: str | None) -> list[Any]:
    return [] if weight is None else [frame["`" + weight.replace("`", "``") + "`"].alias("sdc_weight")]


def _weigh_batches(kept: int) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return the function that puts whole numbers, which any engine adds up exactly, in the place of weights."""

    def weighed(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        con = worker.connect_worker()
        for table in worker.split_chunks(batches):
            with worker.registered(con, {worker.RECORDS: table.select(["sdc_weight"])}):
                parts = worker.arrow(con, query.call_macro("sdc__parted_weights", worker.RECORDS, "sdc_weight"))
            result = table.select(range(kept))
            for name in (*PARTS, LEAST):
                result = result.append_column(name, parts[name])
            yield from result.to_batches(max_chunksize=worker.CHUNK)

    return weighed
