"""A release file on Spark: the content, the figures and the certificate of DuckDB's; killed, it leaves nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from importlib.metadata import version
from typing import TYPE_CHECKING

import duckdb
import pytest
from spark_sessions import MARKS, open_session

import sdc_sql
from sdc_sql import TableError
from sdc_sql.cli import main
from sdc_sql.db.catalogue.macros import index_catalogue, read_catalogue

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession


pytestmark = MARKS

KEY = "vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U"
# an odd table: names that are words of SQL or have signs, values that are missing or that SQL calls equal
ODD = """
    CREATE TABLE k AS
    SELECT 'p' || i AS id, CASE WHEN i % 9 = 0 THEN NULL ELSE ['f', 'm', 'it''s'][1 + i % 3] END AS "Select",
           CASE WHEN i % 7 = 0 THEN NULL ELSE (i * i % 83)::SMALLINT END AS "a.`ge",
           CASE i % 11 WHEN 0 THEN '-0.0'::DOUBLE WHEN 2 THEN NULL ELSE i / 8 END AS "in come",
           CASE i % 3 WHEN 0 THEN '-0.0'::FLOAT WHEN 1 THEN 'nan' ELSE 2 END AS sign,
           (i * 0.25)::DECIMAL(9, 2) AS rent, i::UTINYINT AS small, DATE '2020-01-01' + (i % 90)::INTEGER AS day,
           TIMESTAMP '2024-02-03 04:05:06' + to_days((i * 7)::INTEGER) AS f, i % 4 = 0 AS yes, i % 3 AS part
    FROM range(200) AS r(i)
"""
ODD_FILE = """
release = "odd"
{engine}
[source]
{source}
[roles]
id = "id"
released_as_collected = ["part"]
[[scenarios]]
name = "one"
keys = ["Select", "day"]
nulls = "category"
limits = ["k_anonymity.2.records <= 1000", "derived_values_summary.exact_givers <= 100"]
[[steps]]
mask = "recode"
column = "day"
period = "month"
[[steps]]
mask = "pram_retention"
columns = ["Select"]
retention = 0.6
[[steps]]
mask = "recode"
column = "f"
period = "quarter"
[[steps]]
mask = "pram_retention"
columns = ["sign", "yes"]
retention = 0.5
[[steps]]
mask = "pram"
column = "Select"
matrix = "matrix.csv"
[[steps]]
mask = "round"
columns = ["a.`ge", "rent"]
base = 4
at_random = true
[[steps]]
mask = "local_suppression"
keys = ["Select", "day"]
k = 2
[[steps]]
mask = "noise"
columns = ["in come", "small"]
standard_deviation = 3
lower = [-5, 0]
[[steps]]
mask = "microaggregate"
columns = ["rent"]
k = 4
stratum = "part"
[[steps]]
mask = "multiplicative_noise"
columns = ["in come"]
size = 0.1
[[steps]]
mask = "top_bottom_code"
column = "rent"
unit = "quantile"
top = 0.9
replacement = "median"
[[steps]]
mask = "mondrian"
keys = ["a.`ge", "yes"]
k = 20
[output]
path = "{name}.parquet"
ids = "recode"
certificate = "{name}.json"
public_certificate = "{name}-public.json"
"""


@pytest.fixture(scope="module")
def spark(tmp_path_factory) -> Iterator[SparkSession]:
    with open_session(tmp_path_factory) as session:
        yield session


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("SDC_KEY", KEY)


@pytest.fixture
def couples(tmp_path, fixtures):
    """Return the release files of the couples, the one on Spark and the same in DuckDB, with their outputs apart."""
    text = (fixtures / "cps_couples_spark.toml").read_text("utf-8")
    text = text.replace('path = "cps_couples.parquet"', f'path = "{fixtures / "cps_couples.parquet"}"')
    files = {}
    for engine in ("spark", "duckdb"):
        folder = tmp_path / engine
        folder.mkdir()
        files[engine] = folder / "release.toml"
        files[engine].write_text(text.replace('engine = "spark"', f'engine = "{engine}"'))
    return files


def digests(file: Path) -> dict[str, str]:
    """Return the digests of a certificate: of what came in and of what goes out."""
    said = json.loads(file.read_text())
    return {name: said[name]["digest"] for name in ("input", "output")}


def found(outcome: sdc_sql.release.running.outcome.Outcome) -> dict:
    """Return all that was found but what is of the run: the digest of the file, and versions."""
    told = {name: value for name, value in outcome.to_dict().items() if name not in {"digests", "versions", "date"}}
    for scenario in told["scenarios"]:  # the names of the files
        del scenario["before"]["table"], scenario["after"]["table"]
    return told


@pytest.mark.usefixtures("spark")
def test_the_couples_have_one_content_by_either_engine_from_python_and_the_command(couples, capsys):
    outcomes = {engine: sdc_sql.run_release(file) for engine, file in couples.items()}
    assert all(outcome.accepted for outcome in outcomes.values())
    assert found(outcomes["spark"]) == found(outcomes["duckdb"])
    first, second = (file.parent for file in couples.values())
    assert digests(first / "couples-spark-certificate.json") == digests(second / "couples-spark-certificate.json")
    versions = json.loads((first / "couples-spark-certificate.json").read_text())["versions"]
    assert versions["pyspark"] == version("pyspark")
    name = "couples-spark-released.parquet"
    assert (first / name).read_bytes() == (second / name).read_bytes()
    assert main(["release", str(couples["spark"]), "--output-folder", str(first / "again")]) == 0
    assert "accepted" in capsys.readouterr().out
    again = first / "again" / "couples-spark-certificate.json"
    assert digests(again) == digests(second / "couples-spark-certificate.json")
    released = first / "again" / name
    assert main(["verify", str(again), "--released", str(released), "--release", str(couples["spark"])]) == 0
    assert "verified" in capsys.readouterr().out


@pytest.fixture
def odd(tmp_path, spark):
    """Write an odd table as one Parquet file and in parts, and put it into Spark's catalogue."""
    with duckdb.connect() as con:
        con.execute(ODD)
        con.execute(f"COPY k TO '{tmp_path}/k.parquet'")
        (tmp_path / "a [b]{c} part").mkdir()
        for part in range(3):
            con.execute(f"COPY (FROM k WHERE id[-1]::INT % 3 = {part}) TO '{tmp_path}/a [b]{{c}} part/{part}.parquet'")
        labels = ["f", "m", "it's", ""]
        rows = [f"{a},{b},{0.7 if a == b else 0.1}" for a in labels for b in labels]
        (tmp_path / "matrix.csv").write_text("\n".join(["from,to,probability", *rows]))
        spark.sql("CREATE DATABASE IF NOT EXISTS survey")
        spark.sql("DROP TABLE IF EXISTS survey.persons")
        # what Spark has no unsigned type for is signed there, for DuckDB too
        spark.read.parquet(str(tmp_path / "k.parquet")).repartition(3).write.saveAsTable("survey.persons")

    def run(name: str, source: str, *, engine: str = 'engine = "spark"') -> sdc_sql.release.running.outcome.Outcome:
        file = tmp_path / f"{name}.toml"
        file.write_text(ODD_FILE.format(engine=engine, source=source, name=name))
        return sdc_sql.run_release(file)

    return run


def test_an_odd_table_is_masked_alike_whatever_it_is_read_from(odd, tmp_path, spark):
    expected = odd("one", 'path = "k.parquet"', engine="")
    assert expected.accepted
    for name, source in (("two", 'path = "k.parquet"'), ("three", 'path = "a [b]{c} part"')):
        assert found(odd(name, source)) == found(expected), name
        assert digests(tmp_path / f"{name}.json") == digests(tmp_path / "one.json")
        assert (tmp_path / f"{name}.parquet").read_bytes() == (tmp_path / "one.parquet").read_bytes()
    of_table = odd("four", 'table = "survey.persons"')
    assert [step.changed for step in of_table.steps] == [step.changed for step in expected.steps]
    spark.table("survey.persons").write.parquet(str(tmp_path / "table"))
    odd("five", 'path = "table/*.parquet"', engine="")
    assert digests(tmp_path / "four.json") == digests(tmp_path / "five.json")


APART = {
    "data_shuffling": (["income", ["age"]], {}),
    "microaggregate": ([["income", "age"], 3], {}),
    "microaggregate_categorical": ([["sex", "region"], 4], {"scale": "nominal"}),
    "multiplicative_noise": ([["income", "age"], 0.1], {"method": "hoehne"}),
    "noise": ([["income", "age"], 0.1], {"method": "correlated"}),
    "rank_swap": (["income", 5], {}),
    "rank_swap_correlated": (["income"], {"correlation": 0.9}),
    "resample": (["income", 3], {}),
}


def test_what_is_masked_stratum_by_stratum_is_duckdbs(spark, tmp_path):
    """Each mask whose header says `Strata: apart.`"""
    import sdc_sql.spark  # noqa: PLC0415

    assert APART.keys() == {d.name.removeprefix("sdc_") for d in read_catalogue() if d.effect.strata.kind == "apart"}
    sdc = sdc_sql.spark.load(spark, key=KEY)
    with duckdb.connect() as con:
        con.execute(
            "CREATE TABLE t AS SELECT i AS id, CASE WHEN i % 5 = 0 THEN NULL ELSE i % 4 END AS home, "
            "i * i % 7 AS age, ['f', 'm'][1 + i * 11 % 2] AS sex, ['n', 's', 'w'][1 + i * 7 % 3] AS region, "
            "(1000 + i * 37 % 911 + i / 7)::DOUBLE AS income FROM range(600) AS r(i)"
        )
        con.execute(f"COPY t TO '{tmp_path}/t.parquet'")
        con.execute("SET VARIABLE sdc_key = ?", [KEY])
        frame = spark.read.parquet(str(tmp_path / "t.parquet")).repartition(3)
        differ = {}
        for mask, (given, named) in APART.items():
            verb = index_catalogue()[f"sdc_{mask}"].verb
            con.execute("DROP TABLE IF EXISTS released")
            getattr(sdc_sql.Microdata(con, "t", id="id").mask, verb)(*given, stratum="home", into="released", **named)
            found = getattr(sdc.mask, verb)(frame, *given, stratum="home", id="id", **named)
            expected = con.sql("FROM released ORDER BY id").fetchall()
            differ[mask] = sum(
                a != b for a, b in zip(sorted(tuple(row) for row in found.collect()), expected, strict=True)
            )
    assert not any(differ.values()), differ


# who lives with whom, and a population beside: what one task, and the cells of another table, decide
HOMES_FILE = """
release = "homes"
engine = "{engine}"
[source]
path = "homes.parquet"
[roles]
id = "id"
weight = "w"
household = "home"
household_columns = ["region"]
[[scenarios]]
name = "one"
keys = ["region", "age", "sex"]
limits = ["k_anonymity.2.records <= 1000"]
[[steps]]
mask = "generalise"
keys = ["age"]
hierarchies = {{ age = "ages.csv" }}
k = 5
suppression = 0.1
population = "persons.csv"
population_k = 9
[[steps]]
mask = "local_suppression"
keys = ["region", "age", "sex"]
k = 14
[[steps]]
mask = "suppress_combinations"
keys = ["region", "sex", "job"]
threshold = 60
weight = 1
dimension = 2
[[steps]]
mask = "suppress_risky"
keys = ["region", "age", "job"]
max_risk = 0.0012
household = "group"
whole = "home"
[output]
path = "{engine}.parquet"
certificate = "{engine}.json"
"""


def test_suppression_by_household_and_a_population_in_a_release(tmp_path, spark):  # noqa: ARG001 - begun for it
    with duckdb.connect() as con:
        con.execute(
            """
            CREATE TABLE t AS
            SELECT i AS id, home, i // 3 AS "group", ['n', 's', 'w', 'e'][1 + home * home % 4] AS region,
                   i * i % 23 AS age, ['f', 'm'][1 + i * 7 % 2] AS sex, 'j' || (i * i % 7) AS job, 20.5 AS w
            FROM (SELECT i, i // 3 + (i * 7 % 5 = 0)::INTEGER AS home FROM range(1, 601) AS r(i))
            """
        )
        con.execute(f"COPY t TO '{tmp_path}/homes.parquet'")
        con.execute(f"COPY (SELECT age FROM t, range(2) WHERE age <> 4) TO '{tmp_path}/persons.csv'")
        con.execute(
            f"COPY (SELECT DISTINCT age, age // 2 AS pair, age // 6 AS six, '*' AS any FROM t)"
            f" TO '{tmp_path}/ages.csv' (DELIMITER ';', HEADER false)"
        )
    outcomes = {}
    for engine in ("duckdb", "spark"):
        file = tmp_path / f"{engine}.toml"
        file.write_text(HOMES_FILE.format(engine=engine))
        outcomes[engine] = sdc_sql.run_release(file)
    assert all(changed := [step.changed for step in outcomes["spark"].steps]), changed
    assert found(outcomes["spark"]) == found(outcomes["duckdb"])
    assert digests(tmp_path / "spark.json") == digests(tmp_path / "duckdb.json")
    assert (tmp_path / "spark.parquet").read_bytes() == (tmp_path / "duckdb.parquet").read_bytes()


def test_nothing_is_written_where_a_task_fails(odd, tmp_path):
    (tmp_path / "matrix.csv").write_text("from,to,probability\nf,f,1\n")  # a category of the table has no row
    before = sorted(tmp_path.iterdir())
    with pytest.raises(sdc_sql.ParameterError, match=r"steps\[4\] \(pram\): .*not in the PRAM matrix"):
        odd("two", 'path = "k.parquet"')
    assert sorted(p for p in tmp_path.iterdir() if p.suffix != ".toml") == before


def test_a_table_that_there_is_not_is_told(odd):
    with pytest.raises(sdc_sql.ReleaseFileError, match=r"source\.table: Spark has no table survey.nobody"):
        odd("two", 'table = "survey.nobody"')


def test_types_of_a_table_that_duckdb_does_not_read_alike_are_refused(spark, odd):
    spark.sql("DROP TABLE survey.persons")
    spark.sql("CREATE TABLE survey.persons AS SELECT 1 AS id, array(1) AS `Select`, current_timestamp() AS day")
    with pytest.raises(sdc_sql.ReleaseFileError) as refused:
        odd("two", 'table = "survey.persons"')
    told = "\n".join(refused.value.problems)
    assert "Select is of the type array<int>, which Spark does not write as DuckDB does" in told
    assert "day is of the type timestamp, which" in told


def test_too_many_cells_end_a_release_with_their_number(couples, spark):
    spark.conf.set("spark.sdc.mostCells", "5")
    try:
        with pytest.raises(
            sdc_sql.InputError, match=r"combinations of values .* 5 are the most .* spark\.sdc\.mostCells"
        ):
            sdc_sql.run_release(couples["spark"])
    finally:
        spark.conf.unset("spark.sdc.mostCells")
    assert [path.name for path in couples["spark"].parent.iterdir()] == ["release.toml"]


def test_what_spark_writes_out_of_sight_is_an_error(odd, monkeypatch):
    from sdc_sql.spark import staged  # noqa: PLC0415

    monkeypatch.setattr(staged.StagedRelease, "_write", staticmethod(lambda _frame, folder: folder.mkdir()))
    with pytest.raises(TableError, match=r"\(TMPDIR\) must be one that Spark's executors"):
        odd("two", 'path = "k.parquet"')


def test_records_that_are_lost_on_the_way_are_an_error(odd, monkeypatch):
    from sdc_sql.spark import staged  # noqa: PLC0415

    write = staged.StagedRelease._write
    some = staticmethod(lambda frame, folder: write(frame.limit(150), folder))
    monkeypatch.setattr(staged.StagedRelease, "_write", some)
    with pytest.raises(TableError, match="is not all there for this machine"):
        odd("two", 'path = "k.parquet"')


RUN = """
import sys, sdc_sql
from sdc_sql.spark import staged
write = staged.StagedRelease._write
def slowly(frame, folder):
    print("writing", flush=True)
    write(frame, folder)
staged.StagedRelease._write = staticmethod(slowly)
sdc_sql.run_release(sys.argv[1])
print("done", flush=True)
"""


@pytest.mark.parametrize("whom", ["the process", "its Java"])
def test_a_job_that_is_killed_leaves_nothing_half_written(tmp_path, fixtures, whom):
    """While Spark writes a step: what is left is among the temporary files, for the owner alone, and is found."""
    places, out = tmp_path / "tmp", tmp_path / "out"
    places.mkdir()
    out.mkdir()
    text = (fixtures / "cps_couples_spark.toml").read_text("utf-8")
    text = text.replace('path = "cps_couples.parquet"', f'path = "{fixtures / "cps_couples.parquet"}"')
    (out / "release.toml").write_text(text)
    source = (fixtures / "cps_couples.parquet").read_bytes()
    more = {"TMPDIR": str(places), "SDC_KEY": KEY, "PYSPARK_SUBMIT_ARGS": "--master local[1] pyspark-shell"}
    job = subprocess.Popen(
        [sys.executable, "-c", RUN, str(out / "release.toml")],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **more},
    )  # fmt: skip
    assert job.stdout is not None
    assert job.stdout.readline() == "writing\n"
    time.sleep(0.2)
    asked = ["ps", "-o", "pid=,comm=", "--ppid", str(job.pid)]
    children = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    java = next(int(line.split()[0]) for line in children.splitlines() if "java" in line)
    os.kill(job.pid if whom == "the process" else java, signal.SIGKILL)
    said, errors = job.communicate(timeout=120)
    assert "done" not in said
    assert [p.name for p in out.iterdir()] == ["release.toml"]
    assert (fixtures / "cps_couples.parquet").read_bytes() == source
    left = [p for p in places.iterdir() if p.name.startswith("sdc-sql-")]
    if whom == "the process":
        assert job.returncode == -signal.SIGKILL
        assert left
        assert all(p.stat().st_mode & 0o777 == 0o700 for p in left)
    else:
        assert "Spark did not finish" in errors
        assert not left
