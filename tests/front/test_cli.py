"""The command line, in process: figures, exit codes, and one line for whoever gave it something wrong."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import duckdb
import pytest

import sdc_sql
from sdc_sql import Microdata, risk_report
from sdc_sql.cli import main, parser
from sdc_sql.db.files.storage import CHOSEN

if TYPE_CHECKING:
    from pathlib import Path

DONE, BAD_INPUT, LIMIT_EXCEEDED = 0, 2, 3
ROWS = """
    FROM (VALUES
        (1, 30, 'f', 'north', 10.0, 1, 0.1), (2, 30, 'f', 'north', 15.0, 1, 0.1), (3, 41, 'm', 'north', 20.0, 1, 0.1),
        (4, 41, 'm', 'south', 20.0, 2, 0.2), (5, 41, 'm', 'south', 12.5, 2, 0.2), (6, NULL, 'f', 'south', 30.0, 3, 0.2),
        (7, 67, NULL, 'south', 8.0, 3, 0.2), (8, 25, 'm', 'south', 11.0, 3, 0.2)
    ) AS t(id, age, sex, region, weight, household, fraction)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with the same persons as Parquet, CSV and a database, and with odd names."""
    path = tmp_path_factory.mktemp("survey")
    with duckdb.connect(path / "survey.duckdb") as con:
        con.execute(f"CREATE TABLE persons AS {ROWS}")
        con.execute(f"COPY persons TO '{path / 'persons.parquet'}'")
        con.execute(f"COPY persons TO '{path / 'persons.csv'}'")
        con.execute(f"""COPY (SELECT age AS "age, in years", sex AS "s""ex", * FROM persons)
                        TO '{path / "odd.parquet"}'""")
        con.execute("CREATE SCHEMA other; CREATE TABLE other.persons AS FROM persons LIMIT 4")
    return path


@pytest.fixture
def parquet(folder):
    """Return the path of the Parquet file."""
    return str(folder / "persons.parquet")


def figures(capsys, *arguments: str) -> dict:
    """Return what --json prints."""
    assert main(["risk", *arguments, "--json"]) == DONE
    out, err = capsys.readouterr()
    assert err == ""
    return json.loads(out)


def refused(capsys, *arguments: str) -> str:
    """Return the one line on standard error of a command that is refused."""
    assert main(list(arguments)) == BAD_INPUT
    out, err = capsys.readouterr()
    assert out == ""
    assert "Traceback" not in err
    assert re.fullmatch(r"sdc-sql: [^\n]+\n", err)
    return err.removeprefix("sdc-sql: ").rstrip("\n")


def approximately(value: object) -> object:
    if isinstance(value, dict):
        return {k: approximately(v) for k, v in value.items()}
    if isinstance(value, list):
        return [approximately(v) for v in value]
    return pytest.approx(value) if isinstance(value, float) else value


def in_python(folder: Path, options: dict | None = None, **roles) -> dict:
    with duckdb.connect(folder / "survey.duckdb", read_only=True) as con:
        report = risk_report(Microdata(con, "persons", **{"keys": ["age", "sex"], **roles}), **(options or {}))
    return json.loads(json.dumps(report.to_dict(), default=str))


# --- risk: the figures


@pytest.mark.slow
@pytest.mark.parametrize("name", ["persons.parquet", "persons.csv", "survey.duckdb"])
def test_json_is_the_report_of_python(capsys, folder, name):
    source = str(folder / name)
    table = ["--table", "persons"] if name.endswith("duckdb") else []
    found = figures(
        capsys, source, *table, "--keys", "age,sex", "--weight", "weight", "--sampling-fraction", "0.1",
        "--household", "household", "--stratum", "region", "--k", "3", "--top", "2", "--confidence", "0.9",
    )  # fmt: skip
    expected = in_python(
        folder,
        {"k": 3, "top": 2, "confidence": 0.9},
        weight="weight",
        sampling_fraction=0.1,
        household="household",
        stratum="region",
    )
    assert found.pop("exceeded") == []
    shown = found.pop("table")
    assert shown == source if not table else shown.startswith(f"{source}: ")
    expected.pop("table")
    assert found == approximately(expected)


@pytest.mark.slow
def test_text_is_the_report_of_python(capsys, parquet):
    assert main(["risk", parquet, "--keys", "age,sex", "--weight", "weight"]) == DONE
    with duckdb.connect() as con:
        report = str(risk_report(Microdata(con, parquet, keys=["age", "sex"], weight="weight")))
    assert capsys.readouterr() == (f"{report}\n", "")


def test_the_least_that_can_be_said(capsys, parquet):
    found = figures(capsys, parquet, "--keys", "age,sex")
    assert {n for n, v in found.items() if v is None} == {
        "weight",
        "theta",
        "theta_by",
        "global_risk",
        "household_global_risk",
        "l_diversity",
        "t_closeness",
        "likeness",
        "suda_summary",
        "risk_distribution",
    }
    assert found["frequency_summary"]["records"] == 8


@pytest.mark.slow
def test_a_number_as_weight(capsys, parquet, folder):
    found = figures(capsys, parquet, "--keys", "age,sex", "--weight", "25")
    assert found["weight"] == 25
    assert found["global_risk"] == approximately(in_python(folder, weight=25)["global_risk"])


def test_a_sampling_fraction_weighs_where_there_is_no_weight(capsys, parquet):
    found = figures(capsys, parquet, "--keys", "age,sex", "--sampling-fraction", "0.1")
    assert found["weight"] == 10
    assert found["theta"]["n1"] == 3


def test_a_column_of_fractions_with_strata(capsys, parquet):
    found = figures(capsys, parquet, "--keys", "age,sex", "--stratum", "region", "--sampling-fraction", "fraction")
    assert found["theta"] is None
    assert [(t["stratum"], t["sampling_fraction"]) for t in found["theta_by"]] == [("north", 0.1), ("south", 0.2)]


@pytest.mark.slow
def test_special_uniques(capsys, parquet):
    # by hand: alone on age are ids 6 (NULL), 7 and 8, and on sex 7 (NULL); one pair, (30, f)
    given = [parquet, "--keys", "age,sex", "--sampling-fraction", "0.1", "--suda"]
    found = figures(capsys, *given)["suda_summary"]
    assert (found["records_with_msu"], found["msus"], found["total_score"], found["max_score"]) == (3, 4, 4, 2)
    largest = 1 / (1 + 2 * 0.9 / 0.1 / (2**1.3 * (2 + 2**-1.3)))
    assert found["max_dis_suda"] == pytest.approx(largest)
    assert main(["risk", *given, "--fail-if", "suda_summary.max_dis_suda > 0.1"]) == LIMIT_EXCEEDED
    assert "Special uniques (SUDA)" in capsys.readouterr().out
    assert main(["risk", *given, "--fail-if", f"suda_summary.max_dis_suda > {largest + 1e-6}"]) == DONE
    assert (
        main(["risk", *given[:-1], "--fail-if", "suda_summary.max_dis_suda > 0.1"]) == LIMIT_EXCEEDED
    )  # measured for it
    capsys.readouterr()


@pytest.mark.slow
def test_nulls_as_wildcards(capsys, parquet, folder):
    found = figures(capsys, parquet, "--keys", "age,sex", "--weight", "weight", "--nulls", "wildcard")
    assert found["k_anonymity"] == in_python(folder, nulls="wildcard", weight="weight")["k_anonymity"]
    assert found["k_anonymity"] != in_python(folder, weight="weight")["k_anonymity"]


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    "keys", ['"age, in years",sex', 'sex,"age, in years"', ' "age, in years" , sex ', '"AGE, IN YEARS",Sex']
)
def test_a_comma_in_the_name_of_a_key(capsys, folder, keys):
    found = figures(capsys, str(folder / "odd.parquet"), "--keys", keys)
    assert sorted(found["keys"]) == ["age, in years", "sex"]


@pytest.mark.slow
def test_a_quote_in_the_name_of_a_key(capsys, folder):
    assert figures(capsys, str(folder / "odd.parquet"), "--keys", 's"ex,age')["keys"] == ['s"ex', "age"]
    assert figures(capsys, str(folder / "odd.parquet"), "--keys", '"s""ex",age')["keys"] == ['s"ex', "age"]


def test_case_and_spaces_of_keys(capsys, parquet):
    assert figures(capsys, parquet, "--keys", " AGE , Sex")["keys"] == ["age", "sex"]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("table", ["persons", "main.persons", "PERSONS"])
def test_a_table_of_a_database(capsys, folder, table):
    found = figures(capsys, str(folder / "survey.duckdb"), "--table", table, "--keys", "age")
    assert found["frequency_summary"]["records"] == 8


def test_a_table_in_a_schema(capsys, folder):
    found = figures(capsys, str(folder / "survey.duckdb"), "--table", "other.persons", "--keys", "age")
    assert found["frequency_summary"]["records"] == 4


def test_patterns(capsys, folder):
    assert figures(capsys, str(folder / "pers*.parquet"), "--keys", "age")["frequency_summary"]["records"] == 8


def test_memory_and_threads(capsys, parquet):
    found = figures(capsys, parquet, "--keys", "age,sex", "--memory-limit", "1GB", "--threads", "1")
    assert found["frequency_summary"]["records"] == 8


@pytest.mark.slow
def test_nothing_is_written(capsys, folder):
    before = {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in folder.iterdir()}
    for name in ("persons.parquet", "persons.csv"):
        figures(capsys, str(folder / name), "--keys", "age")
    figures(capsys, str(folder / "survey.duckdb"), "--table", "persons", "--keys", "age")
    refused(capsys, "risk", str(folder / "survey.duckdb"), "--table", "nowhere", "--keys", "age")
    assert {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in folder.iterdir()} == before


def test_values_that_json_has_no_number_for(capsys, tmp_path):
    path = tmp_path / "odd.parquet"
    with duckdb.connect() as con:
        con.execute(f"""
            COPY (SELECT unnest(['nan'::DOUBLE, 'inf', '-inf', 1.5]) AS x, DATE '2020-01-01' AS born,
                         1.50::DECIMAL(4, 2) AS price, '\\xAA'::BLOB AS bytes, {{'a': [1]}} AS nested)
            TO '{path}'
        """)
    assert main(["risk", str(path), "--keys", "x,born,price,bytes,nested", "--json"]) == DONE
    found = json.loads(capsys.readouterr().out, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
    assert len(found["riskiest_keys"]) == 4
    assert {row["born"] for row in found["riskiest_keys"]} == {"2020-01-01"}


# --- risk: limits


def test_a_limit_that_holds(capsys, parquet):
    assert main(["risk", parquet, "--keys", "age", "--fail-if", "frequency_summary.records > 8"]) == DONE
    assert capsys.readouterr().err == ""


def test_limits_are_repeated_and_each_that_is_exceeded_is_told(capsys, parquet):
    limits = ["k_anonymity.2.records > 0", "frequency_summary.records > 8", "theta.upper_bound > 0.1 OR theta.n1 > 9"]
    arguments = [a for limit in limits for a in ("--fail-if", limit)]
    assert main(["risk", parquet, "--keys", "age,sex", "--sampling-fraction", "0.1", *arguments]) == LIMIT_EXCEEDED
    out, err = capsys.readouterr()
    assert out.startswith("Disclosure risk of")
    assert err == f"sdc-sql: limit exceeded: {limits[0]}\nsdc-sql: limit exceeded: {limits[2]}\n"


def test_exceeded_limits_stand_in_the_json(capsys, parquet):
    limit = "k_anonymity.2.records > 0"
    assert main(["risk", parquet, "--keys", "age,sex", "--json", "--fail-if", limit]) == LIMIT_EXCEEDED
    out, err = capsys.readouterr()
    assert json.loads(out)["exceeded"] == [limit]
    assert err == f"sdc-sql: limit exceeded: {limit}\n"


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "limit",
    ["theta.upper_bound > 0.1", "household_global_risk.percent > 1", "household_risk.percent > 1", "nonsense", ""],
)
def test_a_limit_that_cannot_be_checked_is_bad_input(capsys, parquet, limit):
    exceeded = ["--fail-if", "frequency_summary.records > 1"]
    said = refused(capsys, "risk", parquet, "--keys", "age", *exceeded, "--fail-if", limit)
    assert repr(limit) in said or f"{limit.partition('.')[0]} needs" in said


# --- risk: progress


def test_progress_is_told_on_standard_error(capsys, parquet):
    assert main(["risk", parquet, "--keys", "age", "--progress", "--json"]) == DONE
    out, err = capsys.readouterr()
    json.loads(out)
    lines = err.splitlines()
    assert all(re.fullmatch(r" *\d+\.\d s  [a-z -]+ \.\.\.", line) for line in lines)
    assert [line.split(" s  ")[1] for line in lines] == [
        f"{measure} ..."
        for measure in (
            "opening",
            "frequencies",
            "k-anonymity",
            "theta",
            "global risk",
            "household risk",
            "distributions",
            "riskiest keys",
        )
    ]


@pytest.mark.parametrize("option", [[], ["--no-progress"]])
def test_no_progress_where_nobody_looks(capsys, parquet, option):
    assert main(["risk", parquet, "--keys", "age", *option]) == DONE
    assert capsys.readouterr().err == ""


def test_progress_by_default_on_a_terminal(capsys, parquet, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    assert main(["risk", parquet, "--keys", "age"]) == DONE
    assert "opening ..." in capsys.readouterr().err
    assert main(["risk", parquet, "--keys", "age", "--no-progress"]) == DONE
    assert capsys.readouterr().err == ""


# --- risk: what is refused


@pytest.mark.one_in(8)
@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--keys", "age,aeg"], "'aeg' is not a column"),
        (["--keys", "age,aeg"], "Did you mean 'age'"),
        (["--keys", "age,AGE"], "named twice: age"),
        (["--keys", ""], "list of keys is empty"),
        (["--keys", ","], "is not a column"),
        (["--keys", "age,"], "is not a column"),
        (["--keys", "x'); DROP TABLE data; --"], "is not a column"),
        (["--keys", "age", "--weight", "wieght"], "Did you mean 'weight'"),
        (["--keys", "age", "--weight", "0"], "must be positive and finite"),
        (["--keys", "age", "--weight=-1"], "must be positive and finite"),
        (["--keys", "age", "--weight", "nan"], "must be positive and finite"),
        (["--keys", "age", "--weight", "inf"], "must be positive and finite"),
        (["--keys", "age", "--weight", "sex"], "sex"),
        (["--keys", "age", "--weight", "fraction"], "not normalised ones"),
        (["--keys", "age", "--household", "hh"], "'hh' is not a column"),
        (["--keys", "age", "--household", "sex"], "NULL for household"),
        (["--keys", "age", "--stratum", "regio"], "Did you mean 'region'"),
        (["--keys", "age", "--sampling-fraction", "fractoin"], "Did you mean 'fraction'"),
        (["--keys", "age", "--sampling-fraction", "0"], "sampling fraction"),
        (["--keys", "age", "--sampling-fraction", "1"], "strictly between 0 and 1"),
        (["--keys", "age", "--sampling-fraction=-0.1"], "sampling fraction"),
        (["--keys", "age", "--sampling-fraction", "nan"], "sampling fraction"),
        (["--keys", "age", "--stratum", "region", "--sampling-fraction", "weight"], "strictly between 0 and 1"),
        (["--keys", "age", "--stratum", "sex", "--sampling-fraction", "fraction"], "constant in each stratum"),
        (["--keys", "age", "--k", "1"], "k is 1"),
        (["--keys", "age", "--k", "-5"], "k is -5"),
        (["--keys", "age", "--top", "0"], "--top is 0"),
        (["--keys", "age", "--threads", "0"], "--threads is 0"),
        (["--keys", "age", "--memory-limit", "plenty"], ""),
        (["--keys", "age", "--sampling-fraction", "0.1", "--confidence", "1"], "confidence"),
        (["--keys", "age", "--sampling-fraction", "0.1", "--confidence", "nan"], "confidence is nan"),
        (["--keys", "age", "--table", "persons"], "leave the table out"),
    ],
)
def test_bad_input_is_one_line(capsys, parquet, options, words):
    assert words in refused(capsys, "risk", parquet, *options)


def test_a_message_names_the_file_and_not_our_own_table(capsys, parquet):
    message = refused(capsys, "risk", parquet, "--keys", "age,aeg")
    assert "of data" not in message
    assert "persons.parquet" in message


def test_a_missing_file_and_a_missing_table(capsys, folder):
    assert "There is no file nowhere.parquet" in refused(capsys, "risk", "nowhere.parquet", "--keys", "age")
    assert "is a directory" in refused(capsys, "risk", str(folder), "--keys", "age")
    database = str(folder / "survey.duckdb")
    assert "has 2 tables (persons, other.persons): name one with --table" in refused(
        capsys, "risk", database, "--keys", "age"
    )
    assert "has no table 'nowhere'" in refused(capsys, "risk", database, "--table", "nowhere", "--keys", "age")


def test_a_file_without_records(capsys, tmp_path):
    path = tmp_path / "empty.csv"
    path.write_text("age,sex\n")
    assert "has no rows" in refused(capsys, "risk", str(path), "--keys", "age")


# --- how it is called


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["nonsense"],
        ["risk"],
        ["risk", "x.parquet"],
        ["risk", "--keys", "age"],
        ["risk", "x.parquet", "--keys", "age", "--nonsense"],
        ["risk", "x.parquet", "--keys", "age\nsex"],
        ["risk", "x.parquet", "y.parquet", "--keys", "age"],
        ["risk", "x.parquet", "--keys", "age", "--nulls", "ignore"],
        ["risk", "x.parquet", "--keys", "age", "--k", "three"],
        ["risk", "x.parquet", "--keys", "age", "--k", "2.5"],
        ["risk", "x.parquet", "--keys", "age", "--top", "many"],
        ["risk", "x.parquet", "--keys", "age", "--threads", "all"],
        ["risk", "x.parquet", "--keys", "age", "--confidence", "high"],
        ["risk", "x.parquet", "--keys", "age", "--fail-if"],
        ["macros", "--nonsense"],
        ["macros", "x"],
        ["install"],
        ["install", "x.duckdb", "--nonsense"],
    ],
)
def test_usage_errors_exit_with_2(capsys, arguments):
    with pytest.raises(SystemExit) as raised:
        main(arguments)
    assert raised.value.code == BAD_INPUT
    out, err = capsys.readouterr()
    assert out == ""
    assert "Traceback" not in err
    assert re.fullmatch(r"sdc-sql: [^\n]+\n", err)


@pytest.mark.parametrize("arguments", [["--help"], ["risk", "--help"], ["macros", "--help"], ["install", "--help"]])
def test_help(capsys, arguments):
    with pytest.raises(SystemExit) as raised:
        main(arguments)
    assert raised.value.code == DONE
    assert capsys.readouterr().out.startswith("usage: sdc-sql")


@pytest.mark.slow
@pytest.mark.whole
def test_help_tells_every_option_and_the_exit_codes(capsys):
    with pytest.raises(SystemExit):
        main(["risk", "--help"])
    out = capsys.readouterr().out
    names = [a.option_strings for a in parser()._subparsers._group_actions[0].choices["risk"]._actions]
    assert all(option in out for options in names for option in options)
    for option in ("--keys", "--weight", "--sampling-fraction", "--fail-if", "--memory-limit", "--progress"):
        assert option in out
    assert "0 done; 2 bad input" in out
    assert "3 a --fail-if limit is exceeded" in out


def test_version(capsys):
    with pytest.raises(SystemExit) as raised:
        main(["--version"])
    assert raised.value.code == DONE
    assert capsys.readouterr().out == f"sdc-sql {sdc_sql.__version__} (duckdb {duckdb.__version__})\n"


# --- macros and install


def test_macros_prints_the_bundle(capsys):
    assert main(["macros"]) == DONE
    assert capsys.readouterr() == (sdc_sql.bundle(), "")


@pytest.mark.slow
def test_install_into_a_database(capsys, tmp_path):
    path = tmp_path / "d.duckdb"
    with duckdb.connect(path, config={"storage_compatibility_version": CHOSEN}) as con:
        con.execute(f"CREATE TABLE persons AS {ROWS}")
    for _ in range(2):
        assert main(["install", str(path)]) == DONE
        assert capsys.readouterr() == (f"{path}: the macros are stored\n", "")
    with duckdb.connect(path, read_only=True) as con:
        assert con.execute("SELECT n1 FROM sdc_theta('persons', ['age', 'sex'], 0.1)").fetchone() == (3,)


@pytest.mark.slow
def test_install_says_who_reads_a_newer_file(capsys, tmp_path, monkeypatch):
    """As of a file of DuckDB 2.0, where the macros would be content with 1.5."""
    monkeypatch.setattr("sdc_sql.db.files.storage.CHOSEN", "v1.4.0")
    path = tmp_path / "d.duckdb"
    with duckdb.connect(path, config={"storage_compatibility_version": "v1.5.0"}):
        pass
    assert main(["install", str(path)]) == DONE
    stored, newer, *left = capsys.readouterr().out.splitlines()
    assert stored == f"{path}: the macros are stored"
    assert newer.startswith("Only DuckDB 1.5.0 and later read this file.")
    assert left == []
    assert main(["install", str(path), "--remove"]) == DONE
    assert capsys.readouterr().out == f"{path}: the macros are removed\n"


@pytest.mark.slow
def test_install_takes_the_macros_out_again(capsys, tmp_path):
    path = tmp_path / "d.duckdb"
    assert main(["install", str(path), "--create"]) == DONE
    assert main(["install", str(path), "--remove"]) == DONE
    assert capsys.readouterr().out.endswith(f"{path}: the macros are removed\n")
    with duckdb.connect(path, read_only=True) as con:
        left = "SELECT count(*) FROM duckdb_functions() WHERE starts_with(function_name, 'sdc_')"
        assert con.execute(left).fetchone() == (0,)
    assert "exclude each other" in refused(capsys, "install", str(path), "--create", "--remove")


@pytest.mark.slow
def test_install_makes_no_file_unless_told(capsys, tmp_path):
    path = tmp_path / "new.duckdb"
    assert "give --create" in refused(capsys, "install", str(path))
    assert not path.exists()
    assert main(["install", str(path), "--create"]) == DONE
    with duckdb.connect(path, read_only=True) as con:
        assert con.execute("SELECT 1 FROM duckdb_functions() WHERE function_name = 'sdc_theta'").fetchone() == (1,)


@pytest.mark.slow
def test_install_with_create_keeps_what_is_there(tmp_path):
    path = tmp_path / "d.duckdb"
    with duckdb.connect(path) as con:
        con.execute("CREATE TABLE kept AS SELECT 1")
    assert main(["install", str(path), "--create"]) == DONE
    with duckdb.connect(path) as con:
        assert con.execute("FROM kept").fetchall() == [(1,)]


@pytest.mark.parametrize("name", ["persons.parquet", "persons.csv", "persons.json", "prose.txt", "empty.duckdb"])
def test_install_into_what_is_no_database(capsys, tmp_path, name):
    # DuckDB opens some data files as if they were databases: nothing would be stored
    path = tmp_path / name
    if name.endswith(("parquet", "csv", "json")):
        with duckdb.connect() as con:
            con.execute(f"COPY ({ROWS}) TO '{path}'")
    else:
        path.write_text("no database\n" * 100 if name == "prose.txt" else "")
    before = path.read_bytes()
    refused(capsys, "install", str(path))
    assert path.read_bytes() == before


def test_install_where_nothing_can_be_written(capsys, tmp_path):
    refused(capsys, "install", str(tmp_path))
    refused(capsys, "install", str(tmp_path / "nowhere" / "d.duckdb"), "--create")


def test_install_into_a_database_in_use(capsys, tmp_path):
    path = tmp_path / "d.duckdb"
    script = f"import duckdb, sys; con = duckdb.connect({str(path)!r}); print('open', flush=True); sys.stdin.read()"
    holder = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert holder.stdout.readline().strip() == b"open"
        assert "is open in another program" in refused(capsys, "install", str(path))
        assert "is open in another program" in refused(capsys, "risk", str(path), "--keys", "age")
    finally:
        holder.communicate()


# --- as a program


def run(*arguments: str, **options) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-m", "sdc_sql", *arguments], capture_output=True, check=False, **options)


@pytest.mark.slow
def test_as_a_module():
    done = run("--version", text=True)
    assert (done.returncode, done.stderr) == (DONE, "")
    assert done.stdout.startswith("sdc-sql ")


@pytest.mark.slow
def test_bad_input_as_a_program():
    done = run("risk", "nowhere.parquet", "--keys", "age", text=True)
    assert (done.returncode, done.stdout) == (BAD_INPUT, "")
    assert done.stderr == "sdc-sql: There is no file nowhere.parquet.\n"


def test_a_reader_that_goes_away_is_no_error():
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "sdc_sql", "macros"], stdout=writing, stderr=subprocess.PIPE, check=False
        )
    finally:
        os.close(writing)
    assert done.stderr == b""
    assert done.returncode in (DONE, -13, 141)


@pytest.mark.slow
def test_output_is_utf8_whatever_the_locale(tmp_path):
    path = tmp_path / "ünï.csv"
    path.write_text("âge\n1\n", encoding="utf-8")
    done = run("risk", str(path), "--keys", "âge", env={**os.environ, "LC_ALL": "C.UTF-8", "PYTHONUTF8": "1"})
    assert done.returncode == DONE
    assert "âge" in done.stdout.decode("utf-8")
