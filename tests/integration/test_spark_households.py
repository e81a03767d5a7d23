"""Suppression by household on Spark: the records that DuckDB changes, and what is promised counted anew in the task."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import duckdb
import pytest
from spark_sessions import MARKS, open_session
from sqlglot import exp

import sdc_sql
from sdc_sql import ColumnError, InputError, ParameterError, TableError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame, SparkSession

pytestmark = [*MARKS, pytest.mark.filterwarnings("ignore::sdc_sql.RepeatedReleaseWarning")]

# 1,200 persons in households of one to five, some of nobody's; the region and the dwelling are the household's, but for
# an error in one
PERSONS = '''
CREATE TABLE k AS
SELECT i AS id, 'p' || i AS code, CASE WHEN i % 97 = 0 THEN NULL ELSE home END AS "the ""home""",
       CASE WHEN i = 400 THEN 'else' ELSE ['n', 's', 'w', 'é'][1 + home * home % 4] END AS "Select",
       CASE WHEN home % 13 = 0 THEN NULL ELSE home * 7 % 6 END AS dwelling,
       CASE WHEN i % 11 = 0 THEN NULL ELSE i * i % 9 END AS f, ['x', 'X', 'it`s'][1 + i * 7 % 3] AS sex,
       (1 + home % 3) * 40.5 AS w, home % 2 = 0 AS even, 'd' || (home * home % 4) AS district, i AS beside,
       i // 3 AS "group"
FROM (SELECT i, i // 3 + (i * 7 % 5 = 0)::INTEGER AS home FROM range(1, 1201) AS r(i))
'''
HOME, KEYS = 'the "home"', ["select", "dwelling", "f", "sex"]
OF_HOME = ["Select", "dwelling"]
CASES: dict[str, tuple[str, list[Any], dict[str, Any]]] = {
    "by household": ("local_suppression", [4], {"household": HOME, "household_columns": OF_HOME}),
    "strong, ghosts, strata": (
        "local_suppression",
        [6],
        {
            "household": HOME, "household_columns": ["dwelling"], "guarantee": "strong", "stratum": "even",
            "ghosts": {"select": ["district"]}, "cost": "entropy", "id": "code",
        },
    ),
    "wildcard": (
        "local_suppression",
        [9],
        {"household": HOME, "household_columns": OF_HOME, "guarantee": "wildcard", "importance": [1, 2, 1, 3]},
    ),
    "k families": ("local_suppression", [3], {"household": "group", "unit": "household"}),
    "k families, by household": (
        "local_suppression",
        [3],
        {"household": "group", "household_columns": OF_HOME, "unit": "household"},
    ),
    "combinations": (
        "suppress_combinations",
        [12],
        {"dimension": 2, "whole": HOME, "household_columns": OF_HOME, "id": "code"},
    ),
    "combinations by weights": (
        "suppress_combinations",
        [900.0],
        {"weight": "w", "whole": HOME, "household_columns": ["select"], "guarantee": "wildcard"},
    ),
    "risky": ("suppress_risky", [0.01], {"weight": "w", "whole": HOME, "household_columns": OF_HOME}),
    "risky households": ("suppress_risky", [0.03], {"weight": "w", "household": "group"}),
}  # fmt: skip


@pytest.fixture(scope="module")
def spark(tmp_path_factory) -> Iterator[SparkSession]:
    with open_session(tmp_path_factory, {}) as session:
        yield session


@pytest.fixture(scope="module")
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        sdc_sql.load(connection)
        connection.execute(PERSONS)
        yield connection


@pytest.fixture(scope="module")
def frame(spark, con) -> DataFrame:
    return spark.createDataFrame(con.table("k").to_arrow_table()).repartition(3).cache()


@pytest.fixture(scope="module")
def sdc(spark):
    from sdc_sql.spark import load  # noqa: PLC0415

    return load(spark, most_cells=20)  # no cell is brought together


def sort_rows(rows: list[Any]) -> list[str]:
    return sorted(repr(tuple(row)) for row in rows)


@pytest.mark.parametrize("case", CASES)
def test_the_records_that_duckdb_changes_are_changed_alike(sdc, frame, con, case):
    verb, given, named = CASES[case]
    named = {"keys": KEYS, **named}
    identifier = named.pop("id", "id")
    released = getattr(sdc.mask, verb)(frame, *given, id=identifier, **named)
    con.execute("DROP TABLE IF EXISTS released")
    step = getattr(sdc_sql.Microdata(con, "k", id=identifier).mask, verb)(*given, into="released", **named)
    assert step.changed
    assert released.columns == con.table("released").columns
    assert sort_rows(released.collect()) == sort_rows(con.sql("FROM released").fetchall())


def test_the_task_is_given_what_the_method_reads_alone(sdc, frame):
    released = sdc.mask.local_suppression(
        frame, 4, keys=["dwelling", "f"], household=HOME, household_columns=["dwelling"], id="id"
    )
    plan = released._jdf.queryExecution().optimizedPlan().toString()
    (grouped,) = [line for line in plan.splitlines() if "FlatMapGroupsInArrow" in line]
    assert len(grouped.rpartition("[")[2].split(",")) == 4  # the id, the household and two keys


def test_a_column_without_missing_values_is_suppressed_too(sdc, spark, con, frame):
    """Spark calls a number that it counts, and what stands in for NULL, never NULL; it must read what is suppressed."""
    counted = "count(*) OVER (PARTITION BY f, {select}) AS many"
    query = f"SELECT id, {{group}}, coalesce(sex, 'none') AS sex, {counted} FROM {{table}}"
    frame.createOrReplaceTempView("people")
    whole = spark.sql(query.format(group="`group`", select="`Select`", table="people"))
    assert not whole.schema["sex"].nullable
    assert not whole.schema["many"].nullable
    con.execute("CREATE TABLE whole AS " + query.format(group='"group"', select='"Select"', table="k"))
    by = {"keys": ["sex", "many"], "household": "group", "unit": "household"}
    released = sdc.mask.local_suppression(whole, 40, id="id", **by)
    con.execute("DROP TABLE IF EXISTS released")
    sdc_sql.Microdata(con, "whole", id="id").mask.local_suppression(40, into="released", **by)
    assert sort_rows(released.collect()) == sort_rows(con.sql("FROM released").fetchall())
    assert released.where("many IS NULL").count() > 0


def test_an_id_that_is_made_as_it_is_read_is_an_error(sdc, frame):
    """Which records come back is not known: none is left out."""
    from pyspark.sql import functions as F  # noqa: N812, PLC0415 - as everyone calls it

    draw = F.udf(lambda: random.randrange(10**15), "bigint").asNondeterministic()  # noqa: S311
    made = frame.withColumn("id", draw())
    with pytest.raises(TableError, match="did not give the same ids when it was read again"):
        sdc.mask.local_suppression(
            made, 3, keys=["f", "sex"], household="group", unit="household", id="id", into="never"
        )


def test_a_household_by_which_nothing_is_masked_is_an_error(sdc, frame, con):
    for mask, more in ((sdc.mask, (frame,)), (sdc_sql.Microdata(con, "k", id="id").mask, ())):
        named = {"id": "id"} if more else {}
        with pytest.raises(ParameterError, match="nothing that is masked by it is named"):
            mask.suppress_combinations(*more, 12, keys=KEYS, whole=HOME, **named)
        with pytest.raises(ParameterError, match="nothing that is masked by it is named"):
            mask.local_suppression(*more, 3, keys=KEYS, household=HOME, **named)


def test_a_search_that_finds_too_little_is_found_out_in_the_task(monkeypatch, con):
    from sdc_sql.spark import worker  # noqa: PLC0415

    records = con.table("k").to_arrow_table()
    given = (tuple(KEYS), 4, "id", "identical", None, "equal", None, None, None, None, HOME, OF_HOME, "record")
    masked = ("Select", "dwelling", "f", "sex")
    names = tuple(records.column_names)
    task = worker.Task("local_suppression", given, "id", masked, names, names, proof="local_suppression_held")
    assert worker.mask_table(task, None, records)["f"].null_count > records["f"].null_count
    unmasked = exp.select(*(exp.column(c, quoted=True) for c in masked)).from_(worker.RECORDS)
    monkeypatch.setattr(worker, "_query", lambda _task: unmasked)
    with pytest.raises(TableError, match="without the guarantee 'identical'"):
        worker.mask_table(task, None, records)


def test_what_is_wrong_is_told_as_duckdb_tells_it(sdc, frame):
    by = {"household": HOME, "household_columns": OF_HOME}
    with pytest.raises(TableError, match="has no rows"):
        sdc.mask.local_suppression(frame.where("false"), 3, keys=KEYS, **by, id="id")
    with pytest.raises(InputError, match="fewer than k = 3"):
        sdc.mask.local_suppression(frame.limit(1), 3, keys=KEYS, **by, id="id", into="none")
    with pytest.raises(ColumnError, match="'nowhere' is not a column"):
        sdc.mask.local_suppression(frame, 3, keys=KEYS, household="nowhere", household_columns=OF_HOME, id="id")
    with pytest.raises(ParameterError, match="unit is household"):
        sdc.mask.local_suppression(frame, 3, keys=KEYS, household=HOME, unit="household", guarantee="strong", id="id")
