"""Spark runs what `compile` writes, and answers as DuckDB does, in ANSI mode."""

from __future__ import annotations

import shutil
import sys
import warnings
from typing import TYPE_CHECKING, Any

import duckdb
import engines
import masked_elsewhere
import pytest
from compiled import (
    EMPTY_VIEWS,
    EVERY,
    ODD,
    ODD_KEYS,
    ODD_TABLES,
    READERS,
    TABLES,
    TELLS_NAMES,
    WRONG,
    assert_answers_as_duckdb,
    assert_same,
    call,
    commanded,
    filtered,
    reference,
)

import sdc_sql
from sdc_sql.db import query
from sdc_sql.db.catalogue.macros import index_catalogue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

# pyspark's imports warn of the versions of what stands beside it
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Return a Spark of two threads in this process's own Java machine."""
    if shutil.which("java") is None:
        pytest.skip("no Java on this machine: Spark needs it")
    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("ignore")
        sql = pytest.importorskip("pyspark.sql", reason="no pyspark: pip install pyspark")
        patch.setenv("PYSPARK_PYTHON", sys.executable)  # not what is first on the path
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


def stored(spark: Any, table: str, rows: str, folder: Path) -> None:
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
    for view in EMPTY_VIEWS:
        spark.sql(view.replace("CREATE VIEW", "CREATE OR REPLACE TEMP VIEW"))

    def ask(sql: str) -> tuple[list[str], list[Any]]:
        frame = spark.sql(sql)
        return frame.columns, [tuple(row) for row in frame.collect()]

    return ask


@pytest.fixture(scope="module")
def answered() -> dict[str, bool]:
    """Return what is known of the calls that were made: whether Spark answered as DuckDB does."""
    return {}


@pytest.mark.parametrize("name", EVERY)
def test_it_answers_as_duckdb(run, spark, answered, name):
    """Each measure as a verb, which compiles it and has Spark run it."""
    from sdc_sql.spark import load  # noqa: PLC0415 - where pyspark is known to be there

    assert run is not None  # the tables are there
    made = call(name)
    answered[name] = False
    room = getattr(load(spark), index_catalogue()[made.macro].room)
    frame = getattr(room, made.macro.removeprefix("sdc_"))(*made.arguments, **made.named)
    assert_answers_as_duckdb(lambda _: (frame.columns, [tuple(row) for row in frame.collect()]), "", made)
    answered[name] = True


def test_the_table_in_the_readme_says_which_it_answers_as_duckdb(answered):
    engines.check("Spark", answered)


@pytest.mark.parametrize("kind", ["DOUBLE", "FLOAT", "ARRAY<DOUBLE>"])
def test_values_that_it_calls_equal_and_a_file_tells_apart_are_an_error(run, spark, kind):
    """Three records of 0.0 and one of -0.0 are a cell of four to it."""
    zero = "array(CAST('{}' AS DOUBLE))" if kind.startswith("ARRAY") else f"CAST('{{}}' AS {kind})"
    values = ", ".join(f"({zero.format(v)}, '-0.0')" for v in ("0.0", "-0.0", "0.0", "0.0"))
    spark.sql(f"CREATE OR REPLACE TEMP VIEW equal_values AS SELECT * FROM VALUES {values} AS t(x, s)")
    assert run("SELECT count(*) FROM equal_values GROUP BY x")[1] == [(4,)]
    sql = sdc_sql.compile("cells", "equal_values", ["x", "s"], dialect="spark", columns=["x", "s"])
    with pytest.raises(Exception, match=r"The column x of .* a file tells apart"):
        run(sql)
    spark.sql(f"CREATE OR REPLACE TEMP VIEW equal_values AS SELECT {zero.format('7.5')} AS x, '-0.0' AS s")
    assert [n for *_, n in run(sql)[1]] == [1]


def test_texts_that_a_collation_calls_equal_are_an_error(run, spark):
    values = ", ".join(f"('{text}' COLLATE UTF8_LCASE, '{text}')" for text in ("a", "A", "a", "a"))
    spark.sql(f"CREATE OR REPLACE TEMP VIEW collated AS SELECT * FROM VALUES {values} AS t(x, s)")
    assert run("SELECT count(*) FROM collated GROUP BY x")[1] == [(4,)]
    count = {
        key: sdc_sql.compile("cells", "collated", [key], dialect="spark", columns=["x", "s"]) for key in ("x", "s")
    }
    with pytest.raises(Exception, match=r"The column x of .* a file tells apart"):
        run(count["x"])
    assert sorted(n for *_, n in run(count["s"])[1]) == [1, 3]


def test_a_population_that_has_values_in_another_form_is_an_error(run, spark):
    for name, zero in (("ones", "0.0"), ("others", "-0.0"), ("same", "0.0")):
        spark.sql(f"CREATE OR REPLACE TEMP VIEW {name} AS SELECT CAST('{zero}' AS DOUBLE) AS x FROM range(4)")
    other, same = (
        sdc_sql.compile("k_map", "ones", name, ["x"], 3, dialect="spark", columns=["x"]) for name in ("others", "same")
    )
    with pytest.raises(Exception, match=r"The column x of .*ones.* and .*others.* a file tells apart"):
        run(other)
    assert [tuple(row) for row in run(same)[1]] == [(3, 0, 0, 0, 4)]


def test_several_releases_are_tables_or_dataframes(run, spark):
    from sdc_sql.spark import load  # noqa: PLC0415

    assert run is not None
    verbs, given = load(spark), ([["sex"], ["age", "region"]], "id")
    named = verbs.risk.joint_releases(["persons", "persons_masked"], *given).collect()
    framed = verbs.risk.joint_releases([spark.table("persons"), spark.table("persons_masked")], *given).collect()
    assert {row.tbl for row in named} == {None, "persons", "persons_masked"}
    assert sorted((row.release or 0, *row[2:]) for row in named) == sorted(
        (row.release or 0, *row[2:]) for row in framed
    )
    with pytest.raises(sdc_sql.ParameterError, match="must be a list of tables or DataFrames"):
        verbs.risk.joint_releases("persons", *given)


def test_a_measure_that_spark_does_not_run_says_why(spark):
    from sdc_sql.spark import load  # noqa: PLC0415

    with pytest.raises(AttributeError, match="composition_risk does not run on Spark: a cell is a sorted list"):
        load(spark).risk.composition_risk("persons", ["age"], "weight", "household")


# (each query is compiled by Java anew, which takes seconds: those that say the most)
@pytest.mark.parametrize("name", [*READERS, "sdc_risk_threshold"])
def test_a_real_file_is_measured_as_in_duckdb(run, name):
    made = call(name, "many")
    assert_answers_as_duckdb(run, made.compiled("spark", reference()), made)


# (the wildcards read their table in the same way each; one of each way is tried with filters on a view)
@pytest.mark.parametrize("name", [n for n in EVERY if n in READERS or not n.endswith("wildcard")])
def test_an_empty_table_is_an_error(run, name):
    for sql in filtered(name, "none", "spark") if name in READERS else filtered(name, "nobody", "spark")[:1]:
        with pytest.raises(Exception, match=r"The table (nobody|none)(_masked)? has no rows: there is nothing to meas"):
            run(sql)


@pytest.mark.parametrize(("name", "table", "complaint"), WRONG)
def test_wrong_data_are_an_error_in_the_macros_words(run, name, table, complaint):
    made = call(name, table)
    with pytest.raises(duckdb.Error, match=complaint):
        reference().execute(made.sql).fetchall()
    with pytest.raises(Exception, match=complaint):
        run(made.compiled("spark", reference()))


@pytest.mark.parametrize(("name", "arguments", "named"), ODD)
def test_odd_names(run, name, arguments, named):
    call = query.call_macro(name, "odd", *arguments, **named)
    con = reference()
    expected = con.execute(query.write_sql(call)).fetchall()
    names = [column for column, *_ in con.description]
    others = [
        [c.swapcase() for c in keys] if isinstance(keys, list) and keys[0] == 'a"b' else keys for keys in arguments
    ]
    told = others if name not in TELLS_NAMES else arguments
    found, rows = run(sdc_sql.compile(name, "odd", *told, dialect="spark", con=con, **named))
    assert found == names
    assert_same(rows, expected, names)


@pytest.mark.parametrize("table", ODD_TABLES)
def test_a_table_with_an_odd_name_on_the_command_line(run, spark, table):
    expected = reference().sql(f"FROM sdc_k_anonymity('odd', {ODD_KEYS}, 3)").fetchall()
    spark.sql(f"CREATE OR REPLACE TEMP VIEW `{table}` AS SELECT * FROM odd")
    _, rows = run(commanded("k_anonymity", table, ",".join(ODD_KEYS), "3", dialect="spark"))
    assert rows == expected


def test_cells_are_counted_before_they_are_sent_around(run, spark):
    """The plan counts within each partition first: one row a cell and partition is shuffled, not the records."""
    assert run is not None  # the tables are there
    frame = spark.sql(call("sdc_theta", "many").compiled("spark", reference()))
    frame.collect()
    plan = frame._jdf.queryExecution().executedPlan().toString()
    shuffled = [n for n, line in enumerate(plan.splitlines()) if "Exchange hashpartitioning" in line]
    partial = [n for n, line in enumerate(plan.splitlines()) if "partial_count" in line]
    assert shuffled
    assert any(below > shuffled[0] for below in partial), plan


@pytest.fixture(scope="module")
def masked(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[list[str], list[Any]]]:
    """Return what runs a query in Spark, with a secret key and a table to be masked."""
    for table, found in masked_elsewhere.TABLES.items():
        reference().execute(f"CREATE OR REPLACE TABLE {table} AS {found}")
        stored(spark, table, f"FROM {table}", tmp_path_factory.mktemp(table))

    def ask(sql: str, key: str = masked_elsewhere.KEY) -> tuple[list[str], list[Any]]:
        spark.createDataFrame([(key,)], "sdc_key string").createOrReplaceTempView("sdc_key")
        frame = spark.sql(sql)
        rows = [tuple(row) for row in frame.collect()]
        assert key not in frame._jdf.queryExecution().toString()
        return frame.columns, rows

    return ask


TELLING = ["absolute, text ids", "bounds", "strata", "mapping", "mapping, others kept", "labels", "last digits"]


@pytest.mark.parametrize("name", [*(n for n in masked_elsewhere.CALLS if n not in masked_elsewhere.ODD), *TELLING])
def test_masked_values_are_those_of_duckdb(masked, name):
    masked_elsewhere.assert_alike(masked, name, "spark")


@pytest.mark.parametrize(("key", "words"), [(None, "No secret key"), ("k7Q-92hbnSxvE4t", "can be guessed")])
def test_noise_needs_a_key(masked, key, words):
    with pytest.raises(Exception, match=words):
        masked(masked_elsewhere.compiled("rounded", "spark"), key)
