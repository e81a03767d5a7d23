"""Masking on Spark: DuckDB's released values, whatever the partitions; the key in no plan; errors of ours."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

import duckdb
import pytest

import sdc_sql

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame, SparkSession

pytest.importorskip("pyspark", reason="masking on Spark is tested where pyspark is")
if shutil.which("java") is None:
    pytest.skip("masking on Spark is tested where Java is", allow_module_level=True)

pytestmark = [
    pytest.mark.integration,
    # said by pyspark of the pandas that is there, which nothing here uses
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    # sockets that pyspark leaves to the garbage collector
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
    pytest.mark.xdist_group("spark"),
]

KEY = "a key that must be seen nowhere"
MATRIX = [[0.8, 0.2, 0.0], [0.1, 0.8, 0.1], [0.3, 0.0, 0.7]]
LABELS = ["north", "south", "west"]


@pytest.fixture(scope="module")
def events(tmp_path_factory):
    return tmp_path_factory.mktemp("events")


@pytest.fixture(scope="module")
def spark(events, tmp_path_factory) -> Iterator[SparkSession]:
    from pyspark.sql import SparkSession  # noqa: PLC0415 - where it is known to be there

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]").appName("sdc-sql")
    options = {
        "spark.ui.enabled": "false",
        "spark.sql.ansi.enabled": "true",
        "spark.sql.shuffle.partitions": "2",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": events.as_uri(),
        "spark.eventLog.compress": "false",
        "spark.sql.warehouse.dir": tmp_path_factory.mktemp("warehouse").as_uri(),
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": "localhost",
    }
    for name, value in options.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
    del os.environ["PYSPARK_PYTHON"]


@pytest.fixture(scope="module")
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        sdc_sql.load(connection)
        connection.execute("SET VARIABLE sdc_key = ?", [KEY])
        connection.execute(
            """
            CREATE TABLE persons AS
            SELECT i AS person, 'p' || i AS code, ['north', 'south', 'west'][1 + i * 7 % 3] AS region,
                   CASE WHEN i % 50 = 0 THEN NULL ELSE ['f', 'm'][1 + i * 11 % 2] END AS sex,
                   CASE WHEN i % 40 = 0 THEN NULL ELSE 1000 + i * 37 % 911 + i / 7 END::DOUBLE AS "in come",
                   (i * i % 83)::INTEGER AS age, (i * 0.25)::DECIMAL(9, 2) AS "a.`m",
                   DATE '2020-01-01' + (i % 90)::INTEGER AS day, i % 2 AS "age band"
            FROM range(600) AS r(i)
            """
        )
        connection.execute(
            """
            CREATE TABLE region_matrix AS
            SELECT region, f AS "from", t AS "to",
                   CASE WHEN f IS NOT DISTINCT FROM t THEN 0.6 ELSE 0.2 END AS probability
            FROM (VALUES ('north'), ('south'), ('west')) AS r(region), (VALUES ('f'), ('m'), (NULL)) AS a(f),
                 (VALUES ('f'), ('m'), (NULL)) AS b(t)
            """
        )
        yield connection


@pytest.fixture(scope="module")
def persons(spark, con) -> DataFrame:
    frame = spark.createDataFrame(con.table("persons").to_arrow_table()).repartition(3).cache()
    frame.createOrReplaceTempView("persons")
    matrix = con.table("region_matrix").to_arrow_table()
    spark.createDataFrame(matrix).createOrReplaceTempView("region_matrix")
    return frame


@pytest.fixture(scope="module")
def sdc(spark):
    from sdc_sql.spark import load  # noqa: PLC0415

    return load(spark, key=KEY)


def rows(frame: DataFrame) -> list[tuple]:
    return sorted(tuple(row) for row in frame.collect())


def expected(con, verb: str, *arguments, id: str = "person", **named) -> list[tuple]:  # noqa: A002
    con.execute("DROP TABLE IF EXISTS released")
    getattr(sdc_sql.Microdata(con, "persons", id=id), verb)(*arguments, into="released", **named)
    return con.sql("FROM released ORDER BY person").fetchall()


CROSSED = [(region, band) for region in LABELS for band in (0, 1)]
CROSSING = [[0.7 if i == j else 0.06 for j in range(6)] for i in range(6)]
EXACT = {
    "pram": ("pram", ["region", MATRIX], {"labels": LABELS}),
    "pram by stratum": ("pram", ["sex", "region_matrix"], {"stratum": "region"}),
    "crossing": ("pram", [["region", "age band"], CROSSING], {"labels": CROSSED}),
    "retention": ("pram_retention", [["region", "sex"], 0.7], {}),
    "retention by stratum": ("pram_retention", ["age", 0.7], {"stratum": "sex"}),
    "guaranteed": ("pram_guaranteed", [0.8], {"keys": ["region", "sex"], "within": ["region"]}),
    "round": ("round_to_base", [["in come", "a.`m"], 50], {}),
    "random round": ("round_to_base", [["age", "in come"], 10], {"at_random": True}),
    "multiplicative": ("multiplicative_noise", [["in come", "age"], 0.1], {}),
    "noise by stratum": ("noise", [["in come", "age"], 0.1], {"method": "nonlinear", "stratum": "region"}),
    "rank swap": ("rank_swap", ["day", 5], {"stratum": "region"}),
    "microaggregation": ("microaggregate", [["in come", "age"], 3], {"stratum": "region"}),
    "resampling": ("resample", ["in come", 3], {"stratum": "sex"}),
}


@pytest.mark.parametrize("method", EXACT)
def test_what_is_released_is_what_duckdb_releases(sdc, persons, con, method):
    verb, arguments, named = EXACT[method]
    released = getattr(sdc, verb)(persons, *arguments, id="person", **named)
    assert released.schema == persons.schema
    assert rows(released) == expected(con, verb, *arguments, **named)


NOISE = {
    "uncorrelated": (["in come", 0.1], {}),
    "correlated": ([["in come", "age", "a.`m"], 0.2], {"method": "correlated", "lower": [None, 0, None]}),
    "linear": ([["in come", "age"], 0.1], {"method": "linear", "stratum": "sex"}),
    "bounded": ([["age", "in come"], 0.3], {"lower": [0, None], "upper": [None, 2500], "stratum": "region"}),
}


@pytest.mark.parametrize("method", NOISE)
def test_noise_by_pooled_moments_is_duckdbs_to_the_last_digits(sdc, persons, con, method):
    arguments, named = NOISE[method]
    found = rows(sdc.noise(persons, *arguments, id="person", **named))
    for ours, theirs in zip(found, expected(con, "noise", *arguments, **named), strict=True):
        for value, right in zip(ours, theirs, strict=True):
            assert value == (pytest.approx(right, rel=1e-12) if isinstance(right, float) else right)
