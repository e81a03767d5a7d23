"""A release that Spark masks: each step reads Parquet and writes Parquet, beside the database in which it is measured.

Spark computes the masked values, step by step, of the columns that steps name. DuckDB, in the process that runs the
release, reads what Spark has written and keeps the released table with it: the checks of a step, its log, the measures
and the digests are those of any release. Nothing of a record passes through Python in that process.
"""

from __future__ import annotations

import glob
import os
import shutil
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession, types
from pyspark.sql import functions as F  # noqa: N812 - as everyone calls it
from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute
from sdc_sql.db.files import work
from sdc_sql.errors import SdcError, TableError, translate_errors
from sdc_sql.spark import ONE_AT_A_TIME, worker
from sdc_sql.spark.cells import RECORDS, find_most_cells
from sdc_sql.spark.frame import Frame, raised, resolve_frame

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import duckdb
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from sdc_sql.db.masking.masking import Masking

# what a column of a Parquet file is to Spark, by its type for DuckDB (a DECIMAL has its digits besides)
TYPES: dict[str, types.DataType] = {
    "BOOLEAN": types.BooleanType(), "TINYINT": types.ByteType(), "SMALLINT": types.ShortType(),
    "INTEGER": types.IntegerType(), "BIGINT": types.LongType(), "UTINYINT": types.ShortType(),
    "USMALLINT": types.IntegerType(), "UINTEGER": types.LongType(), "FLOAT": types.FloatType(),
    "DOUBLE": types.DoubleType(), "VARCHAR": types.StringType(), "DATE": types.DateType(),
    "TIMESTAMP": types.TimestampNTZType(),
}  # fmt: skip
_LIKE_SPARK = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "BOOLEAN", "FLOAT", "DOUBLE", "VARCHAR", "DATE", "TIMESTAMP")
_GLOB = str.maketrans({sign: f"\\{sign}" for sign in "\\{}[]*?"})


def find_session() -> tuple[SparkSession, bool]:
    """Return the session of Spark that there is, or a new one by Spark's own settings; and whether it is new.

    A new one takes ``spark-defaults.conf`` and what ``spark-submit`` sets; its workers run this Python.
    """
    active = SparkSession.getActiveSession()
    if active is not None:
        return active, False
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("sdc-sql").config("spark.ui.showConsoleProgress", "false")
    try:
        session = builder.getOrCreate()
    except (PySparkException, RuntimeError, OSError) as error:
        raise TableError(f"Spark could not be started: {str(error).splitlines()[0]}") from None
    session.sparkContext.setLogLevel("ERROR")
    return session, True


def describe_spark_table(table: str) -> dict[str, str]:
    """Return the columns of a table of Spark's catalogue, with their types as DuckDB calls them.

    Raises
    ------
    TableError
        Where there is no such table.
    """
    session, is_new = find_session()
    try:
        schema = resolve_frame(session, table).schema
        return {field.name: _name_type(field.dataType) for field in schema}
    finally:
        if is_new:
            session.stop()


@contextmanager
def open_staged_release(
    con: duckdb.DuckDBPyConnection,
    source: str | Sequence[str],
    columns: Sequence[str],
    used: Mapping[str, str],
    *,
    draws: bool,
) -> Iterator[StagedRelease]:
    """Yield what masks the records of a release on Spark; what was written meanwhile is gone afterwards.

    Parameters
    ----------
    con
        The connection on which the release runs, with the secret key.
    source
        The name of a table of Spark's catalogue, or Parquet files.
    columns
        The columns of the release.
    used
        Those that steps name, with their types as DuckDB calls them.
    draws
        Whether a step draws with the secret key.
    """
    session, is_new = find_session()
    try:
        with work.make_work_folder() as place:
            yield StagedRelease(session, con, place, source, columns=columns, used=used, draws=draws)
    finally:
        if is_new:
            session.stop()


@contextmanager
def translate_spark_errors() -> Iterator[None]:
    """Raise what Spark raises as an error of ours, without its text: a value of the data may stand in it."""
    try:
        yield
    except SdcError:
        raise
    except Exception as error:  # of several kinds: of Spark, of its JVM, of the connection to that
        kind = error.getCondition() if isinstance(error, PySparkException) else None
        raise TableError(
            f"Spark did not finish ({kind or type(error).__name__}): its log says why. Nothing is released."
        ) from error


class StagedRelease:
    """The records of a release as Spark reads and masks them, in a folder of Parquet files for each step.

    ``staged`` is the folder in which Spark has written a table of its catalogue for DuckDB to read, once; None for
    files. ``reformed`` are the columns in which DuckDB gives values one form when it reads the source.
    """

    def __init__(
        self, session: SparkSession, con: duckdb.DuckDBPyConnection, place: Path, source: str | Sequence[str],
        *, columns: Sequence[str], used: Mapping[str, str], draws: bool,
    ) -> None:  # fmt: skip
        self.session, self.con, self.place, self.used = session, con, place, dict(used)
        self.draws = draws
        self.reformed: Mapping[str, int] = {}
        self.staged: Path | None = None
        self.steps = 0
        self._frame: DataFrame | None = None
        self._next: tuple[Path, types.StructType] | None = None
        if isinstance(source, str):
            self.staged = place / "source"
            chosen = resolve_frame(session, source).select(*map(quote_column, columns))
            with translate_spark_errors():
                self._write(chosen, self.staged)
            source = sorted(map(str, self.staged.glob("*.parquet")))
            self._check_written(len(source) > 0, self.staged)
        self.files = [Path(file) for file in source]
        self._seen = self._look_at_files()

    def mask_values(self, table: str, masking: Masking, values: exp.Select) -> exp.Select:
        """Mask the columns of a step on Spark; return the query of the masked values, by ``sdc__id``.

        Parameters
        ----------
        table
            The table that is masked, as the steps before have left it.
        masking
            What is masked, with all its arguments.
        values
            The query by which DuckDB would mask: the columns and types of the answer are its own. It is not run.
        """
        folder = self.place / f"step-{self.steps + 1}"
        shutil.rmtree(folder, ignore_errors=True)  # DuckDB repeats a transaction that another one was in the way of
        identifier = str(masking.arguments["id"])
        key = self._read_key() if self.draws else None
        with ONE_AT_A_TIME, translate_spark_errors(), raised():
            frame = _Staged(self.session, self._read_frame(), key, id=identifier, beside=self.con)
            masked = frame.masked(masking)
            self._write(masked, folder)
        written = query.call_macro("read_parquet", f"{glob.escape(str(folder))}/*.parquet")
        self._check_records(table, written, folder, identifier)
        self._next = folder, masked.schema
        return _select_values(self.con, values, written, identifier)

    def end_step(self) -> None:
        """Let the next step go on from what the last one has written, once that is in the released table."""
        if self._next is None:
            return
        folder, schema = self._next
        self._frame, self._next = self.session.read.schema(schema).parquet(_name_for_spark(folder)), None
        before = self.place / f"step-{self.steps}" if self.steps else self.staged
        self.steps += 1
        if before is not None:
            shutil.rmtree(before, ignore_errors=True)

    def _read_frame(self) -> DataFrame:
        """Return the records as the step before has left them: before the first one, the source's."""
        if self._frame is not None:
            return self._frame
        schema = types.StructType([types.StructField(name, _find_type(kind)) for name, kind in self.used.items()])
        frame = self.session.read.schema(schema).parquet(*map(_name_for_spark, self.files))
        return frame.select(*(self._choose_form(field) for field in schema))

    def _choose_form(self, field: types.StructField) -> Any:  # noqa: ANN401 - a Column
        """Return a column with one form of 0 and NaN, as DuckDB gives it (sql/core/one_form.sql), where it had more."""
        column = quote_column(field.name)
        if field.name not in self.reformed:
            return column
        zero, nan = (F.lit(value).cast(field.dataType) for value in (0.0, float("nan")))
        return F.when(column == zero, zero).when(F.isnan(column), nan).otherwise(column).alias(field.name)

    def _read_key(self) -> str:
        with translate_errors():
            ((key,),) = execute(self.con, exp.select(exp.Anonymous(this="sdc__secret_key"))).fetchall()
        return str(key)

    @staticmethod
    def _write(frame: DataFrame, folder: Path) -> None:
        """Write records beside their place, and put the folder there once all are written."""
        part = folder.with_name(f"{folder.name}.part")
        frame.write.parquet(_name_for_spark(part))
        if part.is_dir():  # or it is on another machine, which the count of its records tells
            part.rename(folder)

    def _check_records(self, table: str, written: exp.Select, folder: Path, identifier: str) -> None:
        """Refuse what is not all of the records: of the first step each id, of the others their number."""
        released = query.call_macro("query_table", table)
        if self.steps:
            (both,) = execute(self.con, exp.select(_count(written), _count(released))).fetchall()
            self._check_written(both[0] == both[1], folder)
            return
        self._check_written(any(folder.glob("*.parquet")), folder)
        ids = [exp.select(exp.column(identifier, quoted=True)).from_(rows.subquery("r")) for rows in
               (released, written)]  # fmt: skip
        missing = exp.Except(this=ids[0], expression=ids[1], distinct=True)
        ((left, ours, theirs),) = execute(
            self.con, exp.select(_count(missing), _count(released), _count(written))
        ).fetchall()
        self._check_written(not left and ours == theirs, folder)
        if self._look_at_files() != self._seen:
            raise TableError("The files of the source have changed while they were read: run the release again.")

    def _look_at_files(self) -> list[tuple[int, int]]:
        return [(found.st_size, found.st_mtime_ns) for found in (file.stat() for file in self.files)]

    def _check_written(self, is_whole: bool, folder: Path) -> None:
        if not is_whole:
            raise TableError(
                f"What Spark has written to {folder} is not all there for this machine: the folder of temporary files "
                "(TMPDIR) must be one that Spark's executors and this machine share, under the same name."
            )


class _Staged(Frame):
    """A DataFrame of a release, whose ids DuckDB has checked; matrices and mappings are those of its connection."""

    is_proved_here = False  # DuckDB counts anew what was written

    def __init__(
        self, spark: SparkSession, frame: DataFrame, key: str | None, *, id: str, beside: duckdb.DuckDBPyConnection,  # noqa: A002 - the field's word for it
    ) -> None:  # fmt: skip
        super().__init__(spark, frame, key, id=id, most_cells=find_most_cells(spark))
        self._beside = beside

    def _check_id(self) -> int:
        return 1

    def count_beside(self, name: str, keys: Sequence[str]) -> pa.Table:
        """Return the cells of a population, a table of the release's database."""
        counted = worker.arrow(self._beside, query.call_macro("sdc__population_cells", name, keys))
        return counted.rename_columns([*counted.column_names[:-1], RECORDS])

    def read_beside(self, name: str) -> pa.Table:
        """Return the table of a matrix, mapping or hierarchy, which the step has put there."""
        return worker.arrow(self._beside, query.call_macro("sdc__rows", name))


def _select_values(
    con: duckdb.DuckDBPyConnection, values: exp.Select, written: exp.Select, identifier: str
) -> exp.Select:
    """Return what was written, with the names and the types that DuckDB's own query would give."""
    described = execute(con, values.copy().limit(0)).description or ()
    names = {str(name): str(kind) for name, kind, *_ in described}
    own = {"sdc__id": identifier}
    chosen = [
        exp.alias_(
            exp.cast(exp.column(own.get(name, name), quoted=True), exp.DataType.build(kind, "duckdb")),
            name,
            quoted=True,
        )
        for name, kind in names.items()
    ]
    return exp.select(*chosen).from_(written.subquery("w"))


def quote_column(name: str) -> Any:  # noqa: ANN401 - a Column
    """Return a column by its name, whatever signs are in it."""
    return F.col("`" + name.replace("`", "``") + "`")


def _count(rows: exp.Query) -> exp.Expression:
    """Return the number of rows of a query, as one value."""
    return exp.select(exp.Count(this=exp.Star())).from_(rows.copy().subquery("c")).subquery()


def _name_for_spark(path: Path) -> str:
    """Return a path of this machine as Spark reads it, whatever its own file system is; no sign is a pattern."""
    return f"file:{str(path.absolute()).translate(_GLOB)}"


def _find_type(kind: str) -> types.DataType:
    """Return the type of Spark's for one of DuckDB's, of those that both write alike."""
    name, _, digits = kind.partition("(")
    if name == "DECIMAL":
        width, scale = digits.rstrip(")").split(",")
        return types.DecimalType(int(width), int(scale))
    return TYPES[name]


def _name_type(kind: types.DataType) -> str:
    """Return DuckDB's name of a type of Spark's; of one that is not known there alike, Spark's."""
    if isinstance(kind, types.DecimalType):
        return f"DECIMAL({kind.precision},{kind.scale})"
    return next((name for name in _LIKE_SPARK if isinstance(kind, type(TYPES[name]))), kind.simpleString())
