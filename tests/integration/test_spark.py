"""Spark runs what `compile` writes, and answers as DuckDB does, in ANSI mode."""

from __future__ import annotations

import shutil
import warnings
from typing import TYPE_CHECKING, Any

import pytest
from compiled import EVERY, TABLES, assert_answers_as_duckdb, call, reference

import sdc_sql

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

# pyspark's imports warn of the versions of what stands beside it
pytestmark = [pytest.mark.integration, pytest.mark.filterwarnings("default")]


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Return a Spark of two threads in this process's own Java machine."""
    if shutil.which("java") is None:
        pytest.skip("no Java on this machine: Spark needs it")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sql = pytest.importorskip("pyspark.sql", reason="no pyspark: pip install pyspark")
        builder = sql.SparkSession.builder.master("local[2]").appName("sdc-sql")
        settings = {
            "spark.sql.ansi.enabled": "true",
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.sql.shuffle.partitions": "2",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
            "spark.log.level": "OFF",
        }
        for name, value in settings.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        yield session
        session.stop()


def stored(spark: Any, table: str, rows: str, folder: Path) -> None:  # noqa: ANN401 - pyspark may not be there
    """Give DuckDB's rows to Spark as a view of a Parquet file."""
    file = str(folder / f"{table}.parquet")
    reference().sql(rows).write_parquet(file)
    spark.read.parquet(file).createOrReplaceTempView(table)


@pytest.fixture(scope="module")
def run(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[list[str], list[Any]]]:
    """Return what runs a query in Spark, with the tables there."""
    folder = tmp_path_factory.mktemp("tables")
    for name in TABLES:
        stored(spark, name, f"FROM {name}", folder)

    def ask(sql: str) -> tuple[list[str], list[Any]]:
        frame = spark.sql(sql)
        return frame.columns, [tuple(row) for row in frame.collect()]

    return ask


@pytest.mark.parametrize("table", ["persons", "many"])
@pytest.mark.parametrize("name", EVERY)
def test_a_measure_is_the_same_as_in_duckdb(run, name, table):
    try:
        call(name, table).compiled("spark", reference())
    except sdc_sql.Unsupported as reason:
        pytest.skip(str(reason))
    assert_answers_as_duckdb(run, "spark", call(name, table))
