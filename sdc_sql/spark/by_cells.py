"""Masks that need the cells of a table alone: Spark counts them, DuckDB searches here, the tasks mask their records.

What a method does is some macros beside its own, with the same arguments: ``..._design`` says of counted cells what
becomes of them, ``..._designed`` masks records by that, and ``..._proved``, where something is promised, looks at the
cells before and after. Records that are alike and do not all become the same (``..._apart`` finds them) are told apart
by the order of their ids, as in DuckDB.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import Window
from pyspark.sql import functions as F  # noqa: N812 - as everyone calls it

from sdc_sql.db import query
from sdc_sql.db.catalogue.macros import index_catalogue, list_macros
from sdc_sql.db.counted import COUNTED
from sdc_sql.db.counted import count_cells as measure_counted
from sdc_sql.spark import worker
from sdc_sql.spark.cells import count_cells

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pyspark.sql import DataFrame

    from sdc_sql.db.query import Value

CELLS, AFTER, DESIGN = "sdc_counted", "sdc_after", "sdc_design"
FROM, TO = "sdc__from", "sdc__to"
LEVELS = "sdc__levels"
COUNTED_BESIDE = {"population": "sdc__population_cells"}  # records too: their cells come, and what reads them so


def mask_by_cells(frame: Any, macro: str, columns: tuple[str, ...], arguments: dict[str, Value]) -> DataFrame:  # noqa: ANN401 - a Frame, which imports this
    """Return the records of a Spark table, masked as its cells say; what is promised is counted anew.

    Raises
    ------
    ParameterError
        Where the cells are too many.
    """
    weight = arguments.get("weight")
    named = weight if isinstance(weight, str) else None
    by = _list_counted(frame, macro, arguments)
    tables = _read_tables(frame, macro, arguments)
    cells = count_cells(frame.frame, by, frame.most_cells, named)
    beside = [reader for name, reader in COUNTED_BESIDE.items() if arguments.get(name) is not None]
    with worker.registered(frame.con, {CELLS: cells, **tables}), measure_counted(frame.con, beside):
        design = worker.arrow(frame.con, query.call_macro(f"sdc__{macro}_design", CELLS, *arguments.values()))
    if LEVELS in design.column_names:  # as they were found: what is promised is asked of these
        arguments["levels"] = design[LEVELS][0].as_py() if design.num_rows else arguments["levels"]
        design = design.drop_columns(LEVELS)
    others = [name for name in by if name not in columns]
    if f"sdc__{macro}_apart" in list_macros():
        design = _find_ids(frame, macro, [*others, *columns], arguments, design)
    given = {**arguments, DESIGN: DESIGN}
    masked: DataFrame = frame.map_chunks(frame.make_task(f"{macro}_designed", columns, given, others, {DESIGN: design}))
    if frame.is_proved_here and f"sdc__{macro}_proved" in list_macros():
        after = count_cells(masked, by, frame.most_cells, named)
        proof = query.call_macro(f"sdc__{macro}_proved", CELLS, AFTER, *arguments.values())
        with worker.registered(frame.con, {CELLS: cells, AFTER: after, **tables}), measure_counted(frame.con, COUNTED):
            worker.arrow(frame.con, proof)
    return masked


def _list_counted(frame: Any, macro: str, arguments: dict[str, Value]) -> tuple[str, ...]:  # noqa: ANN401 - a Frame
    """Return the columns by whose values the records are counted, in the order of the table."""
    named = arguments.get("columns")
    by = [named] if isinstance(named, str) else [*named]  # type: ignore[misc]
    for parameter in index_catalogue()[f"sdc_{macro}"].parameters:
        value = arguments.get(parameter.name)
        if parameter.type == "column" and parameter.name not in {"column_name", "id"} and isinstance(value, str):
            by.append(value)
    return tuple(name for name in frame.columns if name in by)


def _read_tables(frame: Any, macro: str, arguments: dict[str, Value]) -> dict[str, pa.Table]:  # noqa: ANN401 - a Frame
    """Return the tables that stand beside, and have the arguments name them as they are here."""
    tables = {}
    for parameter in index_catalogue()[f"sdc_{macro}"].parameters:
        if parameter.type == "table" and parameter.name != "tbl" and arguments.get(parameter.name) is not None:
            name = str(arguments[parameter.name])
            counted = parameter.name in COUNTED_BESIDE
            tables[f"sdc_{parameter.name}"] = (
                frame.count_beside(name, arguments["columns"]) if counted else frame.read_beside(name)
            )
            arguments[parameter.name] = f"sdc_{parameter.name}"
    return tables


def _find_ids(
    frame: Any, macro: str, names: Sequence[str], arguments: dict[str, Value], design: pa.Table  # noqa: ANN401 - a Frame
) -> pa.Table:  # fmt: skip
    """Return a design with the ids between which the records of a cell become the same: NULL where there is no end."""
    rows = design.select(["sdc__cell", "sdc__above", "sdc__upto"]).to_pylist()
    split = [row for row in rows if row["sdc__upto"]]
    found: dict[tuple[int, int], Any] = {}
    if split:
        places = {(row["sdc__cell"], row[at]) for row in split for at in ("sdc__above", "sdc__upto") if row[at]}
        call = (f"sdc__{macro}_apart", (*arguments.values(), DESIGN))
        found = _find_places(frame, names, call, design, places)
    kind = frame.frame.select(F.col(_quote(frame.id))).limit(0).toArrow().schema.field(0).type
    for end, at in ((FROM, "sdc__above"), (TO, "sdc__upto")):
        ids = [found[row["sdc__cell"], row[at]] if row[at] else None for row in rows]
        design = design.append_column(end, pa.array(ids, kind))
    return design


def _find_places(
    frame: Any, names: Sequence[str], call: tuple[str, tuple[Value, ...]], design: pa.Table,  # noqa: ANN401 - a Frame
    places: set[tuple[int, int]],
) -> dict[tuple[int, int], Any]:  # fmt: skip
    """Return the ids that stand at some places of their cells, in the order of ids."""
    seen = [c for c in frame.columns if c in {*names, frame.id}]
    plain = frame.frame.select(*(F.col(_quote(c)).alias(f"c{i}") for i, c in enumerate(seen)))
    kind = plain.schema[f"c{seen.index(frame.id)}"].dataType.simpleString()
    sent = frame.spark.sparkContext.broadcast({DESIGN: design})
    apart = plain.mapInArrow(_select_chunks(seen, call, lambda: sent.value), f"id {kind}, cell bigint")
    place = F.row_number().over(Window.partitionBy("cell").orderBy("id"))
    cells, ranks = (pa.array(numbers, pa.int64()) for numbers in zip(*sorted(places), strict=True))
    wanted = F.broadcast(frame.spark.createDataFrame(pa.table({"cell": cells, "place": ranks})))
    ids = apart.withColumn("place", place.cast("bigint")).join(wanted, ["cell", "place"]).toArrow()
    return {(row["cell"], row["place"]): row["id"] for row in ids.to_pylist()}


def _select_chunks(
    names: Sequence[str], call: tuple[str, tuple[Value, ...]], tables: Callable[[], dict[str, pa.Table]]
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return the function that gives the rows of a macro of each chunk of records."""

    def selected(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        con = worker.connect_worker()
        for table in worker.split_chunks(batches):
            with worker.registered(con, {worker.RECORDS: table.rename_columns(list(names)), **tables()}):
                found = worker.arrow(con, query.call_macro(call[0], worker.RECORDS, *call[1]))
            yield from found.rename_columns(["id", "cell"]).to_batches(max_chunksize=worker.CHUNK)

    return selected


def _quote(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
