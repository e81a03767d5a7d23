"""Masking on Spark: DuckDB's released values, whatever the partitions; the key in no plan; errors of ours."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pytest
from spark_sessions import MARKS, open_session

import sdc_sql
from sdc_sql import ColumnError, ParameterError, TableError
from sdc_sql.compiler.definitions import load_definitions
from sdc_sql.db import query
from sdc_sql.methods import Methods

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame, SparkSession


pytestmark = MARKS

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "sdc_sql" / "spark" / "README.md"
KEY = "vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U"
MATRIX = [[0.8, 0.2, 0.0], [0.1, 0.8, 0.1], [0.3, 0.0, 0.7]]
LABELS = ["north", "south", "west"]


@pytest.fixture(scope="module")
def events(tmp_path_factory):
    return tmp_path_factory.mktemp("events")


@pytest.fixture(scope="module")
def spark(events, tmp_path_factory) -> Iterator[SparkSession]:
    with open_session(
        tmp_path_factory,
        {
            "spark.sql.ansi.enabled": "true",
            "spark.eventLog.enabled": "true",
            "spark.eventLog.dir": events.as_uri(),
            "spark.eventLog.compress": "false",
        },
    ) as session:
        yield session


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
    getattr(sdc_sql.Microdata(con, "persons", id=id).mask, verb)(*arguments, into="released", **named)
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
    "mapping": ("recode", ["age"], {"mapping": {i: f"a{i % 7}" for i in range(83)}}),
    "intervals": ("recode", ["in come"], {"breaks": [1200, 1500.5], "ends": "open"}),
    "classes": ("recode", ["age"], {"classes": 5, "method": "equal_count"}),
    "relative": ("recode", ["sex"], {"relative_to": "region"}),
    "dates": ("recode", ["day"], {"period": "month"}),
    "round": ("round", [["in come", "a.`m"], 50], {}),
    "random round": ("round", [["age", "in come"], 10], {"at_random": True}),
    "multiplicative": ("multiplicative_noise", [["in come", "age"], 0.1], {}),
    "noise by stratum": ("noise", [["in come", "age"], 0.1], {"method": "nonlinear", "stratum": "region"}),
    "text as id": ("noise", ["age", 0.1], {"method": "nonlinear", "id": "code"}),
    "data shuffling": ("data_shuffling", ["in come", ["age"]], {}),
    "rank swap, whole": ("rank_swap", ["in come", 5], {}),
    "rank swap": ("rank_swap", ["day", 5], {"stratum": "region"}),
    "microaggregation": ("microaggregate", [["in come", "age"], 3], {"stratum": "region"}),
    "categorical microaggregation": (
        "microaggregate_categorical",
        [["region", "sex"], 4],
        {"scale": "nominal", "stratum": "age band"},
    ),
    "resampling": ("resample", ["in come", 3], {"stratum": "sex"}),
}


@pytest.mark.parametrize("method", EXACT)
def test_what_is_released_is_what_duckdb_releases(sdc, persons, con, method):
    verb, arguments, named = EXACT[method]
    named = {"id": "person", **named}
    released = getattr(sdc.mask, verb)(persons, *arguments, **named)
    assert released.schema == persons.schema or (verb == "recode" and released.columns == persons.columns)
    assert rows(released) == expected(con, verb, *arguments, **named)


NOISE = {
    "uncorrelated": (["in come", 0.1], {}),
    "correlated": ([["in come", "age", "a.`m"], 0.2], {"method": "correlated", "lower": [None, 0, None]}),
    "linear": ([["in come", "age"], 0.1], {"method": "linear", "stratum": "sex"}),
    "absolute": (["in come"], {"standard_deviation": 12.5, "lower": 0}),
    "bounded": ([["age", "in come"], 0.3], {"lower": [0, None], "upper": [None, 2500], "stratum": "region"}),
}


@pytest.mark.parametrize("method", NOISE)
def test_noise_is_duckdbs_to_the_bit(sdc, persons, con, method):
    arguments, named = NOISE[method]
    assert rows(sdc.mask.noise(persons, *arguments, id="person", **named)) == expected(
        con, "noise", *arguments, **named
    )


def test_the_order_in_which_columns_are_named_does_not_matter(sdc, persons):
    for verb, argument in ((sdc.mask.pram_retention, 0.5), (sdc.mask.pram_retention, 0.9)):
        named = [rows(verb(persons, names, argument, id="person")) for names in (["region", "sex"], ["sex", "region"])]
        assert named[0] == named[1]
    guaranteed = [
        rows(sdc.mask.pram_guaranteed(persons, 0.8, keys=k, id="person"))
        for k in (["region", "sex"], ["sex", "region"])
    ]
    assert guaranteed[0] == guaranteed[1]


def test_partitions_and_order_change_nothing(sdc, persons, monkeypatch):
    from sdc_sql.spark import worker  # noqa: PLC0415

    monkeypatch.setattr(worker, "CHUNK", 100)  # several chunks
    verbs = {
        "retention": lambda frame: sdc.mask.pram_retention(frame, ["region", "sex"], 0.5, id="person"),
        "noise": lambda frame: sdc.mask.noise(frame, ["in come", "age"], 0.1, method="linear", id="person"),
    }
    arranged = [persons.coalesce(1).sortWithinPartitions("code"), persons.repartition(5, "day")]
    for verb in verbs.values():
        one, other = (rows(verb(frame)) for frame in arranged)
        assert one == other


def test_a_table_is_named_and_its_copy_saved(sdc, spark, persons, con):
    released = sdc.mask.round("persons", "age", 10, id="PERSON", into="rounded_persons")
    assert released.schema == persons.schema
    assert rows(spark.table("rounded_persons")) == expected(con, "round", "age", 10)
    with pytest.raises(TableError, match="There is a table or view rounded_persons already"):
        sdc.mask.round("persons", "age", 10, id="person", into="rounded_persons")


def test_the_key_stands_in_no_plan_no_event_log_and_no_file(sdc, spark, persons, events, capfd):
    frames = [
        sdc.mask.pram(persons, "region", MATRIX, labels=LABELS, id="person"),
        sdc.mask.noise(persons, "in come", 0.1, id="person"),
        sdc.mask.rank_swap(persons, "day", 5, stratum="region", id="person"),
    ]
    for frame in frames:
        frame.explain(extended=True)
        frame.explain(mode="formatted")
        assert KEY not in frame._jdf.queryExecution().toString()
        frame.count()
    shown = capfd.readouterr().out
    assert "InArrow" in shown
    assert KEY not in shown
    logs = [path.read_bytes() for path in events.rglob("*") if path.is_file()]
    assert any(b"MapInArrow" in log for log in logs)
    assert not [log for log in logs if KEY.encode() in log]
    local = Path(spark.conf.get("spark.local.dir"))
    files = [path.read_bytes() for path in local.rglob("*") if path.is_file()]
    assert files
    assert not [file for file in files if KEY.encode() in file]
    assert KEY not in repr(sdc)


def test_what_is_wrong_is_told_at_once_as_duckdb_tells_it(sdc, persons):
    with pytest.raises(ColumnError, match=r"'sax' is not a column .* Did you mean 'sex'"):
        sdc.mask.pram_retention(persons, "sax", 0.9, id="person")
    with pytest.raises(ColumnError, match="occur in several records: it must be unique"):
        sdc.mask.pram_retention(persons, "sex", 0.9, id="age")
    with pytest.raises(ColumnError, match="records have NULL for id"):
        sdc.mask.pram_retention(persons, "region", 0.9, id="sex")
    with pytest.raises(ColumnError, match=r"has type double: on Spark it must be an integer or text"):
        sdc.mask.pram_retention(persons, "sex", 0.9, id="in come")
    with pytest.raises(TableError, match="Spark has no table nowhere"):
        sdc.mask.pram_retention("nowhere", "sex", 0.9, id="person")
    with pytest.raises(TableError, match="has no rows"):
        sdc.mask.pram_retention(persons.where("false"), "sex", 0.9, id="person")
    with pytest.raises(ParameterError, match=r"The retention is 1\.5"):
        sdc.mask.pram_retention(persons, "sex", 1.5, id="person")
    with pytest.raises(ParameterError, match="A category is not in the PRAM matrix"):
        sdc.mask.pram(persons, "region", [[0.5, 0.5], [0.5, 0.5]], labels=["north", "south"], id="person")
    with pytest.raises(ColumnError, match="this method masks numbers"):
        sdc.mask.round(persons, "sex", 10, id="person")
    with pytest.raises(ParameterError, match="alpha is -1"):
        sdc.mask.noise(persons, "age", -1, id="person")
    with pytest.raises(ParameterError, match="given with the verb"):
        sdc.mask.pram_guaranteed(persons, 0.8, id="person")
    with pytest.raises(ColumnError, match="several columns called"):
        sdc.mask.noise(persons.withColumnRenamed("code", "age"), "day", 0.1, id="person")


def test_what_only_a_task_finds_out_is_an_error_of_ours_where_the_copy_is_saved(sdc, persons):
    from pyspark.errors import PythonException  # noqa: PLC0415

    few = persons.where("person < 4")
    with pytest.raises(
        ParameterError,
        match=r"4 records cannot form a group of k = 5: lower k, or join strata so that each has k records$",
    ):
        sdc.mask.microaggregate(few, "age", 5, id="person", into="too_few")
    with pytest.raises(PythonException, match=r"sdc_sql\.errors\.ParameterError"):
        sdc.mask.microaggregate(few, "age", 5, id="person").collect()


def test_without_a_key_nothing_is_drawn(spark, persons, monkeypatch):
    from sdc_sql.spark import load  # noqa: PLC0415

    monkeypatch.delenv("SDC_KEY", raising=False)
    with pytest.raises(ParameterError, match="No secret key is set"):
        load(spark).mask.noise(persons, "age", 0.1, id="person")
    with pytest.raises(ParameterError, match="can be guessed") as refused:
        load(spark, key="password" * 4).mask.noise(persons, "age", 0.1, id="person")
    assert "password" not in str(refused.value)
    assert load(spark).mask.microaggregate(persons, "age", 3, id="person").count() == 600


IN_SERIES = {
    "pram": (["region", MATRIX], {"labels": LABELS}),
    "noise": (["in come"], {"standard_deviation": 50}),
    "round": (["age", 5], {"at_random": True}),
    "multiplicative_noise": (["in come", 0.1], {}),  # a second draw on the column
    "recode": (["day"], {"period": "month"}),
}


def test_a_series_goes_on_from_one_engine_to_the_other(spark, sdc, persons, con, tmp_path):
    """October on Spark, November in DuckDB, December on Spark: one ledger, one chain, the bits of one engine."""
    con.execute('CREATE OR REPLACE TABLE november AS SELECT * REPLACE (CASE WHEN person = 7 THEN 99.5 ELSE "in come" '
                'END AS "in come") FROM persons WHERE person > 3 UNION ALL SELECT * REPLACE (person + 1000 AS person) '
                "FROM persons WHERE person < 5")  # fmt: skip
    later = spark.createDataFrame(con.table("november").to_arrow_table()).repartition(2)

    def on_spark(name: str, frame: DataFrame, after: str) -> tuple[str, list[tuple]]:
        with sdc_sql.Series(tmp_path / "l", "persons", name, after=after) as series:
            for verb, (given, named) in IN_SERIES.items():
                frame = getattr(sdc.mask, verb)(frame, *given, id="person", series=series, **named)
        return series.head, rows(frame)

    def in_duckdb(name: str, table: str, after: str) -> tuple[str, list[tuple]]:
        con.execute(f"CREATE OR REPLACE TABLE tonight AS FROM {table}")
        with sdc_sql.Series(tmp_path / "l", "persons", name, after=after) as series:
            data = sdc_sql.Microdata(con, "tonight", id="person", series=series)
            for verb, (given, named) in IN_SERIES.items():
                getattr(data.mask, verb)(*given, **named)
        return series.head, con.sql("FROM tonight ORDER BY person").fetchall()

    october, first = on_spark("october", persons, "")
    assert in_duckdb("october", "persons", "") == (october, first)  # the recorded release again: its bits, its head
    november, second = in_duckdb("november", "november", october)
    assert on_spark("november", later.repartition(5), october) == (november, second)
    december, third = on_spark("december", later, november)
    assert third == second
    assert len({october, november, december}) == 3
    before, after = ({row[0]: row for row in found} for found in (first, second))
    assert {i for i in before if i in after and before[i] != after[i]} == {7}
    with pytest.raises(sdc_sql.SeriesError, match="goes on after that release"):
        on_spark("january", later, november)
    with pytest.raises(sdc_sql.SeriesError, match="was of another table"):
        on_spark("december", persons, november)


@pytest.mark.parametrize(
    ("verb", "given", "said"),
    [
        ("noise", ["in come", 0.1], "up in DuckDB. On Spark records are masked by themselves"),
        ("microaggregate", ["in come", 3], "or mask the table in DuckDB, with the same ledger"),
        ("rank_swap", ["in come", 5], "rank_swap is refused in a series on Spark: what the ledger keeps of it"),
    ],
)
def test_what_is_not_of_the_record_alone_is_refused_in_a_series(sdc, persons, tmp_path, verb, given, said):  # noqa: PLR0917
    series = sdc_sql.Series(tmp_path / "l", "persons", "one")
    with pytest.raises(sdc_sql.SeriesError, match=re.escape(said)):
        getattr(sdc.mask, verb)(persons, *given, id="person", series=series)
    assert not (tmp_path / "l").exists()
    with pytest.raises(sdc_sql.SeriesError, match="nothing to record"):
        series.record()


def test_the_verbs_take_the_arguments_of_microdatas(sdc):
    for room in (sdc.risk, sdc.mask, sdc.linkage, sdc.loss):
        for name in [n for n in vars(type(room)) if not n.startswith("_")]:
            ours = list(inspect.signature(getattr(type(room), name)).parameters)
            if ours[1] != "table":  # a measure
                assert ours == ["self", *load_definitions()[f"sdc_{name}"].parameters]
            else:
                theirs = list(inspect.signature(getattr(Methods, name)).parameters)
                assert ours == ["self", "table", *theirs[1:], "id", "series"]
            assert "returns a DataFrame" in getattr(type(room), name).__doc__


def test_a_verb_without_its_room_is_told_where_it_is(sdc):
    with pytest.raises(AttributeError, match=r"write risk\.theta\("):
        _ = sdc.theta
    with pytest.raises(AttributeError, match="no verb thetas on Spark"):
        _ = sdc.thetas


def test_a_measure_takes_its_arguments_by_name_and_each_once(sdc, persons):
    named = {"keys": ["region"], "sampling_fraction": 0.1}
    assert sdc.risk.theta(tbl=persons, **named).collect() == sdc.risk.theta(persons, ["region"], 0.1).collect()
    with pytest.raises(ParameterError, match="sdc_theta is given keys twice"):
        sdc.risk.theta(persons, ["region"], **named)
    with pytest.raises(ParameterError, match="sdc_theta takes 4 arguments"):
        sdc.risk.theta(persons, ["region"], 0.1, 0.9, "weight")


def test_without_pyspark_the_import_says_what_to_install():
    code = "import sys; sys.modules['pyspark'] = None; import sdc_sql.spark"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "ModuleNotFoundError: Masking on Spark needs pyspark 4 or later: pip install 'sdc-sql[spark]'" in done.stderr


@pytest.mark.usefixtures("spark")
def test_the_example_of_readme(monkeypatch, capsys):
    (code,) = re.findall(r"^```python\n([^`]*pyspark.*?)^```$", README.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("SDC_KEY", KEY)
    exec(compile(code, "README.md", "exec"), {})  # noqa: S102 - README's own code
    assert "earnings" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("verb", "arguments"),
    [
        ("theta", (["region", "sex", "age band"], 0.1)),
        ("theta_by", (["sex", "age"], "region", 0.1)),
        ("individual_risk", (["region", "sex"], "weight")),
        ("k_anonymity", (["region", "age"], 3)),
        ("l_diversity", (["region", "age band"], "sex")),
        ("likeness", (["region"], "sex")),
        ("threshold_rule_records", (["region", "sex"], 3)),
        ("minimal_sample_uniques", (["region", "age"],)),
    ],
)
def test_a_measure_answers_as_in_duckdb(sdc, con, persons, verb, arguments):
    frame = persons.selectExpr("*", "2.5e0 + age as weight")
    frame.createOrReplaceTempView("weighed")
    con.execute("CREATE OR REPLACE VIEW weighed AS SELECT *, 2.5e0 + age AS weight FROM persons")
    call = query.write_sql(query.call_macro(f"sdc_{verb}", "weighed", *arguments))
    expected = con.execute(call).fetchall()
    found = getattr(sdc.risk, verb)("weighed" if verb == "theta" else frame, *arguments)  # by its name, or itself
    assert found.columns == [name for name, *_ in con.description]

    def ordered(answers):
        return sorted(tuple(float(f"{v:.12g}") if isinstance(v, float) else str(v) for v in row) for row in answers)

    assert [repr(r) for r in ordered(tuple(r) for r in found.collect())] == [repr(r) for r in ordered(expected)]


def test_a_measure_of_two_tables(sdc, persons):
    sample = persons.where("person % 3 = 0")
    (row,) = sdc.risk.population_risk(sample, persons, ["region", "age"]).collect()
    assert row.sample_records == sample.count()


def test_a_measure_refuses_in_the_words_of_the_macro(sdc, persons):
    with pytest.raises(sdc_sql.ColumnError, match='"aeg" is not a column of the table'):
        sdc.risk.theta(persons, ["aeg"], 0.1)
    with pytest.raises(sdc_sql.TableError, match="Spark has no table nowhere"):
        sdc.risk.theta("nowhere", ["age"], 0.1)
    with pytest.raises(Exception, match="has no rows: there is nothing to measure"):
        sdc.risk.theta(persons.where("false"), ["age"], 0.1).collect()
