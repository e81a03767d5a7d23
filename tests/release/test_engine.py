"""`engine = "spark"` of a release file: what cannot run there is refused when the file is read, with its reason."""

from __future__ import annotations

import subprocess
import sys

import duckdb
import pytest

import sdc_sql
from sdc_sql import ReleaseFileError
from sdc_sql.cli import main
from sdc_sql.db.catalogue.elsewhere import ON_SPARK, WHY_NOT, find_scope
from sdc_sql.db.catalogue.macros import read_catalogue

FILE = """
engine = "{engine}"
release = "one"
[source]
{source}
[roles]
id = "id"
{roles}
[[scenarios]]
name = "neighbour"
keys = ["age", "sex"]
limits = ["k_anonymity.2.records <= 100"]
{steps}
[output]
path = "released.parquet"
"""
ROUND = '[[steps]]\nmask = "round"\ncolumn = "age"\nbase = 5\n'


@pytest.fixture
def read(tmp_path):
    """Read a release file of a small Parquet table; return the problems, or the plan where there are none."""
    with duckdb.connect() as con:
        con.execute(
            "CREATE TABLE persons AS SELECT i AS id, i % 7 AS age, 'f' AS sex, i / 2 AS income, i // 2 AS home, "
            "TIME '10:00' AS hour, i::UBIGINT AS large FROM range(20) AS r(i)"
        )
        con.execute(f"COPY persons TO '{tmp_path}/persons.parquet'")
        con.execute(f"COPY persons TO '{tmp_path}/persons.csv'")
        (tmp_path / "parts").mkdir()
        for part in (0, 1):
            con.execute(f"COPY (FROM persons WHERE id % 2 = {part}) TO '{tmp_path}/parts/part-{part}.parquet'")
        con.execute(f"COPY persons TO '{tmp_path}/cut' (FORMAT parquet, PARTITION_BY (age))")
    (tmp_path / "empty").mkdir()

    def found(steps=ROUND, *, source='path = "persons.parquet"', roles="", engine="spark", more=""):
        left = [n for n in ("income", "home", "hour", "large") if f'"{n}"' not in steps + roles]
        roles += f"\nreleased_as_collected = {left}".replace("'", '"')
        file = tmp_path / "release.toml"
        file.write_text(FILE.format(engine=engine, source=source, roles=roles, steps=steps) + more)
        try:
            return sdc_sql.read_release(file)
        except ReleaseFileError as error:
            return error.problems

    return found


def test_records_and_cells_run_on_spark(read):
    assert read().engine == "spark"
    assert read(engine="duckdb").engine == "duckdb"
    steps = [
        '[[steps]]\nmask = "noise"\ncolumn = "income"\nstandard_deviation = 2\n',
        '[[steps]]\nmask = "multiplicative_noise"\ncolumn = "income"\nsize = 0.1\n',
        '[[steps]]\nmask = "pram_retention"\ncolumns = ["sex", "age"]\nretention = 0.9\n',
        '[[steps]]\nmask = "drop_identifiers"\ncolumn = "home"\n',
        '[[steps]]\nmask = "top_bottom_code"\ncolumn = "income"\nunit = "quantile"\ntop = 0.9\n',
        '[[steps]]\nmask = "local_suppression"\nscenario = "neighbour"\nk = 2\n',
        '[[steps]]\nmask = "local_suppression"\nkeys = ["sex"]\nk = 2\nhousehold = "home"\nunit = "household"\n',
    ]
    assert len(read("".join(steps)).steps) == len(steps)


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ('[[steps]]\nmask = "rank_swap"\ncolumn = "income"\np = 5\n', "rank_swap does not run on Spark: it compares"),
        ('[[steps]]\nmask = "noise"\ncolumn = "income"\nalpha = 0.1\n', "noise does not run on Spark: it takes the"),
        (
            '[[steps]]\nmask = "multiplicative_noise"\ncolumn = "income"\nsize = 0.1\nmethod = "hoehne"\n',
            "multiplicative_noise does not run on Spark: it compares all",
        ),
        ('[[steps]]\nmask = "sample"\nfraction = 0.5\n', "sample does not run on Spark: records leave the table by it"),
        (ROUND + "where = 'age < 3'\n", "where = masks a part of the records, which DuckDB alone does"),
        (ROUND + "where = 'age > 3'\n", "Take another method, or leave engine = "),
        (ROUND + "at_random = true\nunit = 'household'\nhousehold = 'home'\n", "unit = draws by household"),
        (
            '[[steps]]\nmask = "noise"\ncolumn = "income"\nstandard_deviation = 2\nhousehold = "home"\n',
            "noise does not run on Spark: household = looks at who lives with whom",
        ),
    ],
)  # fmt: skip
def test_what_does_not_run_there_is_refused_with_its_step_and_reason(read, steps, said):
    (problem,) = read(steps)
    assert problem.startswith("steps[0]: ")
    assert said in problem


def test_with_a_stratum_what_is_masked_stratum_by_stratum_runs(read):
    grouped = '[[steps]]\nmask = "microaggregate"\ncolumns = ["income"]\nk = 3\n'
    (problem,) = read(grouped)
    assert "(with a stratum = it runs, a task for each stratum)" in problem
    assert read(grouped + 'stratum = "sex"\n').engine == "spark"
    synthetic = '[[steps]]\nmask = "data_distortion"\ncolumns = ["income"]\nfamilies = ["normal"]\nstratum = "sex"\n'
    assert "data_distortion does not run on Spark" in read(synthetic)[0]


def test_every_problem_is_told_at_once(read):
    steps = '[[steps]]\nmask = "microaggregate"\ncolumns = ["income"]\nk = 3\n' + ROUND + "where = 'age > 3'\n"
    found = read(steps)
    assert [problem.partition(":")[0] for problem in found] == ["steps[0]", "steps[1]"]


def test_households_are_masked_together_in_duckdb(read):
    noise = '[[steps]]\nmask = "noise"\ncolumn = "income"\nstandard_deviation = 2\n'
    roles = 'household = "home"'
    (problem,) = read(noise, roles=roles)
    assert problem.startswith("steps[0]: noise does not run on Spark: the file has households (home)")
    assert read(ROUND, roles=roles).engine == "spark"  # like values become like ones
    # all members lose a value or none does: the household is read too
    suppressed = '[[steps]]\nmask = "local_suppression"\nscenario = "neighbour"\nk = 2\n'
    assert read(suppressed, roles=roles).engine == "spark"


def test_a_series_is_refused(read):
    found = read(more='[series]\nledger = "l"\nname = "persons"\n')
    assert any(problem.startswith("series: its ledger is asked in DuckDB") for problem in found)


def test_a_source_is_parquet_or_a_table_of_spark(read):
    assert "is of the kind CSV: Spark reads a source from Parquet" in read(source='path = "persons.csv"')[0]
    assert read(source='path = "persons.parquet"\ntable = "persons"')[0].startswith("source: with engine = ")
    assert read(source='database = "persons.duckdb"\ntable = "persons"')[0].startswith("source: with engine = ")
    assert "name it as a table of Spark's catalogue" in read(source='path = "s3://bucket/persons.parquet"')[0]
    assert "holds no Parquet file" in read(source='path = "empty"')[0]
    assert "as a table, and name that" in read(source='path = "cut"')[0]
    for path in ("parts", "parts/*.parquet"):
        assert [*read(source=f'path = "{path}"').columns][:2] == ["id", "age"]
    # a folder is of Spark alone, and a table of its catalogue too
    assert "is a directory" in read(source='path = "parts"', engine="duckdb")[0]
    assert read(source='table = "persons"', engine="duckdb")[0].startswith("source: give either path")


def test_types_that_the_two_do_not_write_alike_are_refused_where_a_step_needs_them(read):
    assert read().engine == "spark"  # a column of another type goes by
    recoding = '[[steps]]\nmask = "recode"\ncolumn = "{}"\nmapping = {{ "1" = "2" }}\n'
    (problem,) = read(recoding.format("large"))
    assert problem.startswith("steps[0]: large is of the type UBIGINT, which Spark does not write as DuckDB does")
    assert read(recoding.format("hour"))[0].startswith("steps[0]: hour is of the type TIME")


def test_an_id_is_an_integer_or_a_text(read, tmp_path):
    (file := tmp_path / "ids.parquet").unlink(missing_ok=True)
    duckdb.sql(f"COPY (SELECT * REPLACE (id::DOUBLE AS id) FROM '{tmp_path}/persons.parquet') TO '{file}'")
    (problem,) = read(source='path = "ids.parquet"')
    assert problem.startswith("roles.id: id is of the type DOUBLE: on Spark an id is an integer or a text")


def test_an_engine_that_there_is_not_is_a_problem(read):
    assert read(engine="flink") == ("engine: it is 'flink': it must be one of duckdb, spark.",)


def test_the_command_tells_each_problem(read, tmp_path, capsys):
    read('[[steps]]\nmask = "rank_swap"\ncolumn = "income"\np = 5\n')
    assert main(["release", str(tmp_path / "release.toml")]) == 2
    assert "steps[0]: rank_swap does not run on Spark" in capsys.readouterr().err


def test_the_plan_names_the_engine(read, tmp_path, capsys):
    read()
    assert main(["release", str(tmp_path / "release.toml"), "--plan"]) == 0
    assert "Engine: Spark" in capsys.readouterr().out


def test_every_scope_of_a_mask_runs_there_or_has_a_reason():
    scopes = {find_scope(mask, {}) for mask in read_catalogue() if mask.is_step}
    assert scopes <= {*ON_SPARK, *WHY_NOT}


@pytest.mark.slow
def test_a_file_is_read_without_pyspark_and_run_with_an_error_that_says_what_to_install(read, tmp_path):
    read()
    code = (
        "import sys; sys.modules['pyspark'] = None; import sdc_sql\n"
        f"plan = sdc_sql.read_release({str(tmp_path / 'release.toml')!r})\nprint(plan.engine)\n"
        "sdc_sql.run_release(plan)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "spark\n"
    assert "needs pyspark 4 or later: pip install 'sdc-sql[spark]'" in done.stderr
    assert not (tmp_path / "released.parquet").exists()
