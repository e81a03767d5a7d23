"""A Spark table or DataFrame that is to be masked: its columns checked, its masking planned."""

from __future__ import annotations

import re
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import functions as F  # noqa: N812 - as everyone calls it
from pyspark.sql import types
from pyspark.sql.pandas.types import from_arrow_type

from sdc_sql import errors
from sdc_sql.db import query
from sdc_sql.db.catalogue.elsewhere import asks_for_households
from sdc_sql.db.catalogue.macros import find_effect, index_catalogue
from sdc_sql.db.checks import text_for_message
from sdc_sql.db.masking.serial import admit_step
from sdc_sql.db.table import spell_column
from sdc_sql.errors import ColumnError, ParameterError, SeriesError, TableError
from sdc_sql.roles import spell_levels
from sdc_sql.series.step_form import refuse_method
from sdc_sql.spark import serial, worker
from sdc_sql.spark.by_cells import mask_by_cells
from sdc_sql.spark.cells import MOST_CELLS, RECORDS, count_cells

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from sdc_sql.db.masking.masking import Masking
    from sdc_sql.db.masking.subset import Subset
    from sdc_sql.db.query import Value

_READ_AGAIN = (
    "sdc_sql.errors.TableError: The DataFrame did not give the same ids when it was read again: store it first, with "
    "its id."
)
IDS = (types.ByteType, types.ShortType, types.IntegerType, types.LongType, types.StringType)
MASKED = ("tbl", "column_name", "id")


class Frame:
    """A Spark table as the masks see it (:class:`sdc_sql.db.masking.apply.Maskable`): columns found, records masked."""

    homes = None  # one record a household, and a part of the records, are of DuckDB only
    part = None
    weight = None  # it is given with the verb
    small_weights = "error"
    is_proved_here = True  # what a mask promises is counted anew where it masks

    def __init__(
        self, spark: SparkSession, table: str | DataFrame, key: str | None, *, id: str, series: Any = None,  # noqa: A002, ANN401 - a release of a series
        most_cells: int = MOST_CELLS,
    ) -> None:  # fmt: skip
        self.spark, self._key, self.series, self.most_cells = spark, key, series, most_cells
        self.table = table if isinstance(table, str) else "the DataFrame"
        self.frame = resolve_frame(spark, table)
        self.columns = tuple(self.frame.columns)
        self.con = worker.connect_worker()  # the verbs put a matrix that is given as an array there
        self.keys: tuple[str, ...] = ()
        folded = [c.lower() for c in self.columns]
        twice = sorted({c for c in self.columns if folded.count(c.lower()) > 1})
        if twice:
            raise ColumnError(f"{self.table} has several columns called {', '.join(twice)}: rename them first.")
        reserved = [c for c in self.columns if c.lower().startswith("sdc__")]
        if reserved:
            raise ColumnError(f'"{reserved[0]}" has a name beginning with sdc__, which is reserved; rename it first.')
        self.id = self.spell_column("id", id)

    def spell_column(self, role: str, name: str) -> str:
        """Return a column's name as the table spells it."""
        return spell_column(self.table, self.columns, role, name)

    def read_table(self, table: str) -> str:
        """Return the name of another table, as it is: Spark knows it."""
        return table

    def checked_levels(self, levels: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
        """Return levels of identification with the columns as the table spells them."""
        return spell_levels(self.spell_column, levels)

    def require_role(self, role: str, given: Value = None) -> Any:  # noqa: ANN401 - a name or a number
        """Return the id, or what was given; a table of Spark's has no other roles."""
        if role == "id":
            return self.id
        if given:
            return given
        raise ParameterError(f"On Spark the {role} is given with the verb, as in keys=['age', 'sex'].")

    def masked(self, masking: Masking, *, into: str | None = None, subset: Subset | None = None) -> DataFrame:  # noqa: ARG002 - of DuckDB only
        """Return the masked records, computed when they are read; `into` saves them as a new table first."""
        scope = index_catalogue()[f"sdc_{masking.macro}"].scope
        if self.series is not None and scope is not None and scope.find_word(dict(masking.arguments)) == "cells":
            refuse_method(masking.macro, masking.arguments, self, subset=False)  # in its own words, where they are
            raise SeriesError(self.explain_unmasked(masking.macro))
        held = worker.hold_key(self.con, self._key) if self.series is not None else nullcontext()
        asked: Any = self  # a series asks it what it asks a table of DuckDB's
        with held, admit_step(asked, masking) as admitted:
            return self._mask(admitted, into)

    def _mask(self, masking: Masking, into: str | None) -> DataFrame:
        macro, self._retyped = masking.macro, masking.retyped
        if into is not None:
            self._check_new(into)
        self._records = self._check_id()
        if index_catalogue()[f"sdc_{macro}"].needs_key:
            worker.check_key(self._key)
        result = self._plan(macro, masking.columns, dict(masking.arguments))
        if into is None:
            return result
        with raised():
            result.write.mode("errorifexists").saveAsTable(into)
        return self.spark.table(into)

    def digest_content(self) -> str:
        """Return the digest of the content of the table, as DuckDB gives it."""
        with raised():
            return serial.digest_content(self.frame, self.columns)

    def digest_ids(self, series: str) -> pa.Array:
        """Return the digests of the ids for a series."""
        self._check_id()
        with raised():
            return serial.digest_ids(self.frame, self.id, series, self._key)

    def digest_beside(self, table: str) -> str:
        """Return the digest of the content of a matrix, mapping or hierarchy."""
        with worker.registered(self.con, {"sdc_beside": self.read_beside(table)}):
            digested = query.call_macro("sdc_content_digest", "sdc_beside")
            return str(worker.arrow(self.con, digested)["digest"][0].as_py())

    @staticmethod
    def explain_unmasked(method: str) -> str:
        """Return why a method is refused in a series on Spark."""
        return (
            f"{method} is refused in a series on Spark: what the ledger keeps of it, beside its parameters, is looked "
            "up in DuckDB. On Spark records are masked by themselves in a series (rounding, recoding, noise of a given "
            "standard_deviation, plain multiplicative noise, PRAM of one column by a given matrix): take one of these, "
            "or mask the table in DuckDB, with the same ledger, sdc_sql.Microdata(..., series=...)."
        )

    def _plan(self, macro: str, columns: tuple[str, ...], arguments: dict[str, Value]) -> DataFrame:
        scope = index_catalogue()[f"sdc_{macro}"].scope
        assert scope is not None  # noqa: S101 - for the type checker: every mask has one
        kind = scope.find_word(arguments)
        if kind == "record":  # these masks are exact whatever the partitions are
            return self._mask_by_record(macro, columns, arguments)
        if kind == "cells" and find_effect(macro).matrix.kind != "none":  # the mask is one of PRAM
            return self._mask_by_matrix(macro, columns, arguments)
        if kind == "cells" and asks_for_households(arguments):
            return self._mask_by_household(macro, columns, arguments)
        if kind == "cells":
            with raised():
                return mask_by_cells(self, macro, columns, arguments)
        return self._mask_by_group(macro, columns, arguments)

    def _mask_by_record(self, macro: str, columns: tuple[str, ...], arguments: dict[str, Value]) -> DataFrame:
        tables = {}
        beside = [p for p in index_catalogue()[f"sdc_{macro}"].parameters if p.name not in MASKED]
        for name in (p.name for p in beside if p.type == "table"):
            if arguments.get(name) is not None:
                tables[f"sdc_{name}"] = self.read_beside(str(arguments[name]))
                arguments[name] = f"sdc_{name}"
        others = [arguments[p.name] for p in beside if p.type == "column" and arguments.get(p.name)]
        task = self.make_task(macro, columns, arguments, others, tables)
        # the macro is tried here on one record of each kind: an error is raised now, with its usual words
        kinds = self.frame.select(*map(_quote_column, task.seen[1:]))
        if tables and (household := arguments.get("household")):  # there is one of each kind, not one a household
            rest = [c for c in task.seen[1:] if c != household]
            kinds = kinds.groupBy(*map(_quote_column, rest)).agg(
                F.min(_quote_column(str(household))).alias(str(household))
            )
        else:
            kinds = kinds.distinct() if tables else kinds.limit(1)
        worker.mask_table(task, self._key, self._number_records(kinds))
        return self.map_chunks(task)

    def _mask_by_matrix(self, macro: str, columns: tuple[str, ...], arguments: dict[str, Any]) -> DataFrame:
        within = arguments.get("within") or ([arguments["stratum"]] if arguments.get("stratum") else [])
        names = tuple(dict.fromkeys([*within, *columns]))
        counts = self.frame.groupBy(*map(_quote_column, names)).agg(F.count(F.lit(1)).alias("sdc__count"))
        cells = self._number_records(counts)
        numbers = pa.table({"sdc_id": cells[self.id], "sdc_count": cells["sdc__count"]})
        guaranteed = macro == "pram_guaranteed"
        named = list(within) or None
        tallied = query.call_macro(
            "sdc__pram_tallied_before", "sdc_cells", columns, self.id, named, "sdc_numbers", guaranteed
        )
        with worker.registered(self.con, {"sdc_cells": cells.drop_columns("sdc__count"), "sdc_numbers": numbers}):
            counted = worker.arrow(self.con, tallied)
        with worker.registered(self.con, {"sdc_tallied": counted}):
            if guaranteed:
                made = query.call_macro("sdc__pram_design", "sdc_tallied", arguments["xi"], named)
            else:
                made = query.call_macro(
                    "sdc__pram_staying", "sdc_tallied", arguments["retention"], arguments["stratum"]
                )
            staying = worker.arrow(self.con, made)
        with worker.registered(self.con, {"sdc_staying": staying}), worker.hold_key(self.con, self._key):
            drawn = [arguments["stream"], arguments["release"]]
            design = worker.arrow(self.con, query.call_macro("sdc__pram_keyed", "sdc_staying", columns, *drawn))
        given: dict[str, Any] = {"columns": columns, "design": "sdc_design", "id": self.id, "within": named}
        household = arguments.get("household")
        given |= {"unit": arguments["unit"], "household": household}
        others = [*within, household] if household else within
        return self.map_chunks(self.make_task("pram_by_design", columns, given, others, {"sdc_design": design}))

    def _mask_by_group(self, macro: str, columns: tuple[str, ...], arguments: dict[str, Value]) -> DataFrame:
        stratum = arguments.get("stratum")
        task = self.make_task(macro, columns, arguments, _list_read_columns(macro, arguments), {})
        carried, key = self._pack_task(task), self._key
        groups = self.rename_plainly().groupBy(*([f"c{self.columns.index(str(stratum))}"] if stratum else []))
        return groups.applyInArrow(worker.mask_groups(carried, key), self._schema(task))

    def _mask_by_household(self, macro: str, columns: tuple[str, ...], arguments: dict[str, Value]) -> DataFrame:
        """Mask all records in one task, which is given what the method reads and no other column."""
        proof = f"{macro}_held" if self.is_proved_here else ""
        task = self.make_task(macro, columns, arguments, _list_read_columns(macro, arguments), {})
        task = replace(task, names=task.seen, proof=proof)
        read = self.frame.select(*map(_quote_column, task.seen))
        places = {name: f"c{i}" for i, name in enumerate(task.seen)}
        masking = worker.mask_groups(self._pack_task(task), self._key)
        # (a column that Spark takes for one without NULLs may be suppressed)
        schema = types.StructType([types.StructField(f.name, f.dataType) for f in read.schema])
        masked = read.toDF(*places.values()).groupBy().applyInArrow(masking, schema).toDF(*places.values())
        rest = self.rename_plainly().toDF(*(f"r{i}" for i in range(len(self.columns))))
        own = f"r{self.columns.index(self.id)}"
        joined = rest.join(masked, rest[own] == masked[places[self.id]], "left")
        found = F.when(F.col(places[self.id]).isNull(), F.raise_error(F.lit(_READ_AGAIN))).otherwise(F.col(own))
        chosen = [
            found if c == self.id else F.col(places[c] if c in columns else f"r{i}") for i, c in enumerate(self.columns)
        ]
        return joined.select(*chosen).toDF(*self.columns)

    def map_chunks(self, task: worker.Task) -> DataFrame:
        """Return the records masked by tasks, chunk by chunk, when they are read."""
        return self.rename_plainly().mapInArrow(
            worker.mask_chunks(self._pack_task(task), self._key), self._schema(task)
        )

    def rename_plainly(self) -> DataFrame:
        """Return the records under names that pyspark's Arrow functions can take: c0, c1, ..."""
        return self.frame.toDF(*(f"c{i}" for i in range(len(self.columns))))

    def make_task(
        self, macro: str, columns: tuple[str, ...], arguments: dict[str, Value], others: Sequence[Any],
        tables: dict[str, pa.Table],
    ) -> worker.Task:  # fmt: skip
        """Return what is sent to the tasks; `others` are columns that the macro reads and does not mask."""
        seen = tuple(dict.fromkeys([self.id, *others, *columns]))
        # the columns keep the order of the table, apart from the id
        seen = (seen[0], *(c for c in self.columns if c in seen[1:]))
        task = worker.Task(macro, tuple(arguments.values()), self.id, columns, self.columns, seen, tables)
        if self._retyped:
            task.types.update(worker.find_new_types(task, self.frame.limit(0).toArrow()))
        return task

    def _schema(self, task: worker.Task) -> types.StructType:
        """Return the types of the masked records."""
        fields = [
            types.StructField(f.name, from_arrow_type(task.types[f.name]) if f.name in task.types else f.dataType)
            for f in self.frame.schema
        ]
        return types.StructType(fields)

    def _pack_task(self, task: worker.Task) -> Callable[[], worker.Task]:
        """Return what gives the task on the executors. It travels by itself: it may be large, and then lies on disk."""
        sent = self.spark.sparkContext.broadcast(task)
        return lambda: sent.value

    def _number_records(self, kinds: DataFrame) -> pa.Table:
        table = kinds.toArrow()
        kind = self.frame.schema[self.id].dataType
        numbers = pa.array(range(table.num_rows), pa.int64())
        return table.add_column(
            0, self.id, numbers.cast(pa.string()) if isinstance(kind, types.StringType) else numbers
        )

    def read_beside(self, name: str) -> pa.Table:
        """Return the table of a matrix, mapping or hierarchy: one that was given as values, or a table of Spark."""
        known = "SELECT 1 FROM duckdb_views() WHERE view_name = ? AND temporary"
        if self.con.execute(known, [name]).fetchall():
            return worker.arrow(self.con, query.call_macro("sdc__rows", name))
        return resolve_frame(self.spark, name).toArrow()

    def count_beside(self, name: str, keys: Sequence[str]) -> pa.Table:
        """Return the cells of another table of Spark's, a population, by the same keys."""
        other = resolve_frame(self.spark, name)
        theirs = [spell_column(name, tuple(other.columns), "key variable", key) for key in keys]
        with raised():
            counted = count_cells(other, theirs, self.most_cells, one_form=theirs)
        return counted.select([*theirs, RECORDS]).rename_columns([*keys, RECORDS])

    def _check_new(self, into: str) -> None:
        if not isinstance(into, str) or not into:
            raise TableError(f"into is {text_for_message(into)}: it must be the name of a new table.")
        if self.spark.catalog.tableExists(into):
            raise TableError(f"There is a table or view {into} already: drop it first, or give another name.")

    def _check_id(self) -> int:
        """Return the number of records, by one aggregate; refuse none, and an id that is NULL or repeated."""
        name = self.id
        kind = self.frame.schema[name].dataType
        if not isinstance(kind, IDS):
            raise ColumnError(
                f"The id ({name}) has type {kind.simpleString()}: on Spark it must be an integer or text, which every "
                "engine writes alike (the draws of a record depend on its id as text)."
            )
        count, identifier = F.col("sdc__count"), _quote_column(name)
        cells = self.frame.select(identifier).groupBy(identifier).agg(F.count(F.lit(1)).alias("sdc__count"))
        missing = F.sum(F.when(identifier.isNull(), count))
        row = cells.agg(F.sum(count), missing, F.count(F.when((count > 1) & identifier.isNotNull(), 1))).collect()[0]
        if not row[0]:
            raise TableError(f"The table {self.table} has no rows: there is nothing to measure.")
        if row[1]:
            raise ColumnError(f"{row[1]:,} records have NULL for id ({name}): every record must have one.")
        if row[2]:
            raise ColumnError(f"{row[2]:,} values of the id ({name}) occur in several records: it must be unique.")
        return int(row[0])


def _list_read_columns(macro: str, arguments: Mapping[str, Value]) -> list[Any]:
    """Return the columns that a macro reads beside the id and the masked ones, as the arguments name them."""
    declared = {p.name: p.type for p in index_catalogue()[f"sdc_{macro}"].parameters}
    named = [v for n, v in arguments.items() if n not in MASKED and v and declared.get(n, "").startswith("column")]
    found: list[Any] = []
    for value in named:  # ('column or number': a number names none)
        found += [value] if isinstance(value, str) else value if isinstance(value, (list, tuple)) else []
    return found


def _quote_column(name: str) -> Any:  # noqa: ANN401 - a Column
    quoted = name.replace("`", "``")
    return F.col(f"`{quoted}`")


def resolve_frame(spark: SparkSession, table: str | DataFrame) -> DataFrame:
    """Return a table by its name, or a DataFrame, with its texts compared by their bytes."""
    if not isinstance(table, str):
        if not hasattr(table, "mapInArrow"):
            raise TableError(
                f"table is {text_for_message(table)}: it must be the name of a Spark table, or a DataFrame."
            )
        return _compare_by_bytes(table)
    try:
        return _compare_by_bytes(spark.table(table))
    except AnalysisException as error:
        raise TableError(f"Spark has no table {table}: {str(error).splitlines()[0]}") from error


def _compare_by_bytes(frame: DataFrame) -> DataFrame:
    """Return the records without collations: what one calls equal ('A' and 'a') would be counted as alike."""
    kinds = [_remove_collation(field.dataType) for field in frame.schema]
    if kinds == [field.dataType for field in frame.schema]:
        return frame
    places = [f"c{i}" for i in range(len(kinds))]  # a name that stands twice is refused later, in words
    plain = frame.toDF(*places).select(*(F.col(c).cast(kind) for c, kind in zip(places, kinds, strict=True)))
    return plain.toDF(*frame.columns)


def _remove_collation(kind: types.DataType) -> types.DataType:
    if isinstance(kind, types.StringType):
        return types.StringType()
    if isinstance(kind, types.ArrayType):
        return types.ArrayType(_remove_collation(kind.elementType), kind.containsNull)
    if isinstance(kind, types.MapType):
        key, value = map(_remove_collation, (kind.keyType, kind.valueType))
        return types.MapType(key, value, kind.valueContainsNull)
    if isinstance(kind, types.StructType):
        return types.StructType([types.StructField(f.name, _remove_collation(f.dataType), f.nullable) for f in kind])
    return kind


# A task raised this error, as it stands in the traceback that Spark hands on.
_RAISED = re.compile(r"sdc_sql\.errors\.(\w+): (.*?)(?:\n\s*(?:at |JVM|\n)|\Z)", re.DOTALL)


class raised:  # noqa: N801 - reads as what it does
    """Raise what a task of Spark's raised as the error of ours that it was."""

    def __enter__(self) -> None:
        """Do nothing."""

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: object) -> None:
        """Look for an error of ours in what Spark says."""
        found = _RAISED.search(str(error)) if isinstance(error, PySparkException) else None
        if found:
            raise getattr(errors, found[1])(found[2].strip()) from error
