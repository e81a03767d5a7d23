"""``sdc-sql measure``: the measures of the catalogue on a file."""

from __future__ import annotations

import json

import duckdb
import pytest

from sdc_sql.cli import main
from sdc_sql.db.catalogue.macros import read_catalogue

PERSONS = "1,f,30,10\n2,f,30,11\n3,m,41,50\n4,m,41,49\n5,m,52,900\n"


@pytest.fixture
def files(tmp_path):
    """Write a table `k` with a column `Select` as CSV, Parquet and in a database, where it has a masked copy."""
    csv = tmp_path / "k.csv"
    csv.write_text(f"id,Select,f,income\n{PERSONS}")
    with duckdb.connect(str(tmp_path / "k.duckdb")) as con:
        con.execute(f"CREATE TABLE k AS FROM '{csv}'")
        con.execute('CREATE TABLE "it\'s" AS SELECT * REPLACE (income + 1 AS income) FROM k')
        con.execute(f"COPY k TO '{tmp_path / 'k.parquet'}'")
    return {ending: str(tmp_path / f"k.{ending}") for ending in ("csv", "parquet", "duckdb")}


def measured(capsys, *given):
    assert main(["measure", *given, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_file_is_measured_as_in_sql(con, files, capsys):
    expected = con.sql(f"FROM sdc_neighbourhood('{files['parquet']}', ['income'], width := 0.2)")
    expected = dict(zip(expected.columns, expected.fetchall()[0], strict=True))
    for source, more in (("parquet", []), ("csv", ["--numbers", "income"]), ("duckdb", ["--table", "k"])):
        found = measured(capsys, "neighbourhood", files[source], "income", "width=0.2", *more)
        assert found == {"neighbourhood": expected, "exceeded": []}


@pytest.mark.slow
def test_a_second_table_is_a_file_or_of_the_same_database(files, capsys):
    of_a_file = measured(capsys, "sdc_perceived_risk", files["parquet"], files["parquet"], "income", "id", "5")
    of_a_table = measured(
        capsys,
        "perceived_risk",
        files["duckdb"],
        "released=it's",
        "columns=income",
        "id=id",
        "spread=5",
        "--table",
        "k",
    )
    assert of_a_file["perceived_risk"]["records"] == of_a_table["perceived_risk"]["records"] == 5


def test_a_limit_is_exceeded_or_not(files, capsys):
    given = ["measure", "neighbourhood", files["parquet"], "income", "width=0.2"]
    assert main([*given, "--fail-if", "neighbourhood.isolated > 100"]) == 2  # no such figure
    assert "isolated" in capsys.readouterr().err
    assert main([*given, "--fail-if", "neighbourhood.below_k > 0"]) == 3
    told = capsys.readouterr()
    assert told.err == "sdc-sql: limit exceeded: neighbourhood.below_k > 0\n"
    assert "below_k" in told.out
    assert main([*given, "--fail-if", "neighbourhood.below_k > 5"]) == 0


def test_rows_are_shown_up_to_a_screen(files, capsys, tmp_path):
    assert main(["measure", "frequencies", files["csv"], "Select,f"]) == 0
    assert capsys.readouterr().out.splitlines()[0].startswith("id\tSelect\tf")
    long = tmp_path / "long.parquet"
    duckdb.sql("SELECT i AS a FROM range(100) t(i)").write_parquet(str(long))
    assert main(["measure", "cells", str(long), "a"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 42
    assert "--json prints all" in lines[-1]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["nothing", "{csv}"], "no measure nothing"),
        (["noise", "{csv}"], "It is a mask: see sdc-sql mask"),
        (["swap_posterior", "{csv}"], "use it in SQL"),
        (["theta", "{csv}"], "needs keys, sampling_fraction too"),
        (["theta", "{csv}", "Select", "0.5", "1", "2", "3"], "has no place for"),
        (["theta", "nowhere.csv", "Select", "0.5"], "no file nowhere.csv"),
        (
            ["perceived_risk", "{csv}", "released=nowhere.csv", "columns=income", "id=id", "spread=1"],
            "no file nowhere.csv",
        ),
        (
            ["perceived_risk", "{csv}", "released={duckdb}", "columns=income", "id=id", "spread=1"],
            "is a DuckDB database: give released as",
        ),
        (["theta", "{csv}", "nowhere", "0.5"], "nowhere"),
    ],
)
def test_bad_input_is_one_line(files, capsys, given, words):
    assert main(["measure", *(text.format(**files) for text in given)]) == 2
    told = capsys.readouterr().err
    assert words in told
    assert told.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", [d.name for d in read_catalogue() if d.is_table and not d.is_step])
def test_every_measure_has_its_place(files, capsys, name):
    assert main(["measure", name, files["parquet"]]) in {0, 2}
    told = capsys.readouterr().err
    assert told.count("\n") <= 1
    assert "There is no measure" not in told
