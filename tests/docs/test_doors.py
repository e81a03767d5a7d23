"""The example of a function's page runs at every door that the page shows."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tomllib
import warnings
from importlib.util import find_spec
from pathlib import Path

import duckdb
import pytest
from sdc_docs import doors
from sdc_docs.calls import read_call

import sdc_sql
from sdc_sql.cli import main
from sdc_sql.db.catalogue.macros import index_catalogue, read_catalogue
from sdc_sql.figures.registry import list_all_measures

ROOT = Path(__file__).resolve().parents[2]
_NOT_IN_A_WORD = {"tables", "combinations", "levels", "lists of columns"}
TABLES = [d for d in read_catalogue() if d.is_table and d.name != "sdc_help"]


def at(write):
    return [d.name for d in read_catalogue() if write(d)]


def is_nested(value):
    """Return whether an argument is no word of a shell: lists in a list."""
    return isinstance(value, dict) or (isinstance(value, list) and any(isinstance(v, list | dict) for v in value))


def test_a_door_is_shown_where_the_function_has_it():
    assert {d.name for d in TABLES} == {*at(doors.write_dbt)}
    measured = {d.name for d in TABLES if not d.is_step and d.parameters[0].type == "table"}
    nested = {name for name in measured if any(map(is_nested, read_call(index_catalogue()[name]).given.values()))}
    several = {d.name for d in TABLES if any(p.type in _NOT_IN_A_WORD for p in d.parameters)}
    assert measured - several - nested <= {*at(doors.write_shell)}
    nulls = {"sdc_ipso", "sdc_data_distortion"}  # whose example leaves out what a command asks for
    assert {d.name for d in TABLES if d.is_step} - {*at(doors.write_shell)} == nulls
    on_spark = {d.name for d in TABLES if not d.masks and not d.not_compiled}
    assert on_spark <= {*at(doors.write_spark)}
    for name in at(doors.write_spark):
        assert index_catalogue()[name].masks or name in on_spark, name


def test_what_a_door_says_is_what_the_header_says():
    theta, noise = index_catalogue()["sdc_theta"], index_catalogue()["sdc_noise"]
    assert doors.write_shell(theta) == "sdc-sql measure theta persons.parquet age,sex 0.1"
    assert doors.write_release(theta).splitlines()[:2] == ["[roles]", "sampling_fraction = 0.1"]
    assert doors.write_release(noise) == '[[steps]]\nmask = "noise"\ncolumns = ["income"]\nalpha = 0.1'
    assert doors.write_spark(noise).startswith('released = sdc.mask.noise("persons", ["income"], 0.1, id="id")')
    assert "sdc.noise(ref('persons'), ['income'], 0.1, 'id')" in doors.write_dbt(noise)
    assert doors.write_python(theta).startswith(">>> import sdc_sql")


@pytest.mark.slow
@pytest.mark.parametrize("name", at(doors.write_shell))
def test_the_command_runs(there, capsys, name):
    command = doors.write_shell(index_catalogue()[name]).replace("\\\n", " ")
    program, *given = shlex.split(command)
    assert program == "sdc-sql"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert main(given) == 0, capsys.readouterr().err
    assert (there / "masked.parquet").is_file() == ("mask" in given[:1])
    assert capsys.readouterr().out


def whole(text, source, columns):
    """Return a release file around what a page shows."""
    said = tomllib.loads(text)
    head, _, rest = text.partition("\n\n") if "roles" in said else ("", "", text)
    roles = {"id": "id", **said.get("roles", {})}
    if "scenarios" not in said:
        key = next(c for c in ("sex", "region", "age") if c in columns)
        rest += f'\n[[scenarios]]\nname = "neighbour"\nkeys = ["{key}"]\nlimits = ["k_anonymity.2.records <= 99"]\n'
        said = tomllib.loads(f"{head}\n\n{rest}")
    named = {v for value in roles.values() for v in (value if isinstance(value, list) else [value])}
    for row in (*said["scenarios"], *said.get("steps", [])):
        for value in row.values():
            named |= {v for v in (value if isinstance(value, list) else [value]) if isinstance(v, str)}
    roles |= {"released_as_collected": [c for c in columns if c not in named]}
    lines = "\n".join(f"{n} = {json.dumps(v)}" for n, v in roles.items())
    head = f'title = "x"\nrelease = "r"\n[source]\npath = "{source}.parquet"\n[roles]\n{lines}'
    return f'{head}\n\n{rest}\n\n[output]\npath = "out.parquet"\n'


@pytest.mark.slow
@pytest.mark.parametrize("name", [d.name for d in TABLES if d.is_step or d.name[4:] in list_all_measures()])
def test_the_release_file_is_read(there, name):
    if not doors.write_release(index_catalogue()[name]):
        return  # a release file cannot say it, and the page has no such tab
    source = read_call(index_catalogue()[name]).tables[0]
    columns = [c for c, *_ in duckdb.sql(f"DESCRIBE FROM '{source}.parquet'").fetchall()]
    file = there / "release.toml"
    file.write_text(whole(doors.write_release(index_catalogue()[name]), source, columns))
    assert sdc_sql.read_release(file)


DRIVER = """
import json, sys
from dbt.cli.main import dbtRunner
found = {}
for command in ("deps", "run", "test"):
    done = dbtRunner().invoke([command, "--no-use-colors"])
    if command != "deps":
        assert done.result, done.exception
        found |= {r.node.name: [str(r.status), r.message] for r in done.result.results}
print(json.dumps(found))
"""


def gather_tests(names):
    """Return the tests that these pages show as one file: dbt reads of each model one entry."""
    import yaml  # noqa: PLC0415 - dbt brings it

    gathered = {}
    for name in names:
        (model,) = yaml.safe_load(doors.write_dbt_test(index_catalogue()[name]))["models"]
        gathered.setdefault(model["name"], []).extend(model["data_tests"])
    return yaml.safe_dump({"models": [{"name": name, "data_tests": its} for name, its in gathered.items()]})


@pytest.mark.slow
@pytest.mark.skipif(not find_spec("dbt"), reason="no dbt: pip install 'sdc-sql[dbt]'")
def test_the_models_run_and_the_tests_pass(there, request):
    """In one project: to start dbt takes seconds."""
    every = request.config.getoption("--every")
    chosen = at(doors.write_dbt)[:: max(1, every // 2)]
    tested = at(doors.write_dbt_test)
    models = there / "models"
    models.mkdir()
    for file in there.glob("*.parquet"):
        (models / f"{file.stem}.sql").write_text(f"select * from read_parquet('{file.resolve()}')")
    for name in chosen:
        (models / f"of_{name}.sql").write_text(doors.write_dbt(index_catalogue()[name]))
    (models / "tests.yml").write_text(gather_tests(tested))
    package = ROOT / "sdc_sql" / "dbt" / "package"
    (there / "packages.yml").write_text(f"packages:\n  - local: {package}\n")
    (there / "dbt_project.yml").write_text("name: pages\nprofile: pages\nversion: 1.0.0\nmodel-paths: [models]\n")
    (there / "profiles.yml").write_text(
        "pages:\n  target: dev\n  outputs:\n    dev:\n      type: duckdb\n      path: pages.duckdb\n      threads: 1\n"
        "      plugins:\n        - module: sdc_sql.dbt\n"
    )
    environment = {k: v for k, v in os.environ.items() if not k.startswith("DBT_")}
    done = subprocess.run(
        [sys.executable, "-c", DRIVER], cwd=there, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    told = json.loads(done.stdout.splitlines()[-1])
    assert {f"of_{name}" for name in chosen} <= told.keys()
    print(*told.items(), sep="\n")
    assert {name: said for name, said in told.items() if said[0] not in {"success", "pass"}} == {}
    passed = [name for name, said in told.items() if said[0] == "pass"]
    assert len(passed) == len(tested) > 10


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    """Return a Spark of one thread in this process's own Java machine."""
    if shutil.which("java") is None:
        pytest.skip("no Java on this machine: Spark needs it")
    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patched:
        patched.setenv("PYSPARK_PYTHON", sys.executable)
        warnings.simplefilter("ignore")
        sql = pytest.importorskip("pyspark.sql", reason="no pyspark: pip install pyspark")
        builder = sql.SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
        builder = builder.config("spark.sql.shuffle.partitions", "1").config("spark.driver.bindAddress", "127.0.0.1")
        session = builder.config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse"))).getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        yield session
        session.stop()


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # of pyspark's imports
@pytest.mark.parametrize("name", ["sdc_theta", *(n for n in at(doors.write_spark) if index_catalogue()[n].masks)])
def test_the_verb_runs_on_spark(spark, there, capsys, name):
    """Of measures one, whose arguments are those of the macro: tests/integration/test_spark.py runs them all."""
    from sdc_sql import spark as sdc_spark  # noqa: PLC0415 - needs pyspark

    for table in read_call(index_catalogue()[name]).tables:
        spark.read.parquet(str((there / f"{table}.parquet").resolve())).createOrReplaceTempView(table)
    exec(doors.write_spark(index_catalogue()[name]), {"sdc": sdc_spark.load(spark)})  # noqa: S102 - it is our own
    assert capsys.readouterr().out.startswith("+--")
