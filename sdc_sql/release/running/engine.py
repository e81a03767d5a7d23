"""What masks the records of a release in the place of DuckDB, where its file names another engine."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from sdc_sql.db.files.released_file import match_files
from sdc_sql.release.reading.engine_fields import list_used_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import duckdb

    from sdc_sql.release.reading.plan import Plan, Source
    from sdc_sql.spark.staged import StagedRelease


@contextmanager
def open_engine(
    con: duckdb.DuckDBPyConnection, plan: Plan, progress: Callable[[str], None]
) -> Iterator[StagedRelease | None]:
    """Yield what masks the records in the place of DuckDB, or None; what it has written is gone afterwards."""
    if plan.engine != "spark":
        yield None
        return
    # pyspark is an extra: a release in DuckDB does without
    from sdc_sql.spark.staged import open_staged_release  # noqa: PLC0415

    progress("starting Spark")
    columns = plan.columns
    used = list_used_columns(columns, plan.roles, plan.steps)
    source = str(plan.source.path) if plan.source.kind == "Spark" else _list_files(plan.source)
    draws = any(step.draws for step in plan.steps)
    with open_staged_release(con, source, [*columns], {n: columns[n] for n in used}, draws=draws) as found:
        yield found


def locate_source(plan: Plan, engine: StagedRelease | None) -> Source:
    """Return where DuckDB reads the records: of a table of Spark's, what Spark has written of it."""
    staged = None if engine is None else engine.staged
    return plan.source if staged is None else replace(plan.source, path=staged, kind="Parquet")


def _list_files(source: Source) -> list[str]:
    """Return the Parquet files of a source, so that Spark reads those that DuckDB reads."""
    if source.path.is_dir():
        return sorted(map(str, source.path.glob("*.parquet")))
    return [str(source.path)] if source.path.is_file() else sorted(match_files(str(source.path)))
