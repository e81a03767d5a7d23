"""The command line masks: in place in a database, or from a file into a new one; else exit 2, and nothing changed."""

from __future__ import annotations

import json

import duckdb
import pytest

from sdc_sql.cli import main

KEY = "k\u00e9y-vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U"
N = 300


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("SDC_KEY", KEY)
    monkeypatch.chdir(tmp_path)
    with duckdb.connect(tmp_path / "survey.duckdb") as con:
        con.execute(
            "CREATE TABLE persons AS SELECT range AS id, (range % 60)::INTEGER AS age, range * 1.5e0 AS income, "
            f"['f', 'm'][1 + range % 2] AS \"Se,lect\", range % 3 AS region FROM range({N})"
        )
        con.execute("COPY persons TO 'persons.parquet'")
        con.execute("COPY persons TO 'persons.csv'")
        con.execute("COPY (SELECT unnest(['f', 'f', 'm', 'm']) AS \"from\", unnest(['f', 'm', 'm', 'f']) AS \"to\", "
                    "unnest([0.9, 0.1, 0.9, 0.1]) AS probability) TO 'matrix.csv'")  # fmt: skip
    return tmp_path


def rows(folder, table="persons"):
    with duckdb.connect(folder / "survey.duckdb", read_only=True) as con:
        return con.execute(f"FROM {table} ORDER BY id").fetchall()


METHODS = {
    "pram by a matrix": ["pram", "--columns", '"Se,lect"', "--matrix", "matrix.csv"],
    "pram by a retention": ["pram_retention", "--columns", "region", "--retention", "0.5", "--stratum", "Se,lect"],
    "pram guaranteed": ["pram_guaranteed", "--columns", 'age,"Se,lect"', "--xi", "0.5", "--within", '"Se,lect"'],
    "noise": ["noise", "--columns", "income,age", "--alpha", "0.1", "--method", "linear", "--lower", "0"],
    "multiplicative": ["multiplicative_noise", "--columns", "income", "--size", "0.1", "--method", "hoehne"],
    "microaggregate": ["microaggregate", "--columns", "income,age", "--k", "3", "--centroid", "median"],
    "categorical": ["microaggregate_categorical", "--columns", '"Se,lect",region', "--k", "4", "--scale", "nominal"],
    "rank swap": ["rank_swap", "--columns", "income,age", "--p", "10"],
    "rank swap to a correlation": ["rank_swap", "--columns", "income", "--correlation", "0.9"],
    "round": ["round", "--columns", "income,age", "--base", "7"],
    "random round": ["round", "--columns", "income", "--base", "7", "--at-random"],
    "top bottom code": ["top_bottom_code", "--columns", "income,age", "--unit", "count", "--top", "9", "--bottom", "9"],
    "resample": ["resample", "--columns", "income", "--samples", "3"],
}


@pytest.mark.slow
@pytest.mark.parametrize("method", list(METHODS)[::3])  # one command for all, which have tests of their own
def test_in_place_and_into_a_file_are_the_same(folder, capsys, method):
    name, *options = METHODS[method]
    before = rows(folder)
    for source in ("persons.parquet", "persons.csv"):
        assert main(["mask", name, source, "--id", "id", *options, "--output", f"{source}.parquet"]) == 0
    assert rows(folder) == before, "a file is written to another"
    assert main(["mask", name, "survey.duckdb", "--id", "id", *options, "--into", "masked"]) == 0
    assert rows(folder) == before
    capsys.readouterr()
    assert main(["mask", name, "survey.duckdb", "--table", "persons", "--id", "id", *options, "--json"]) == 0
    steps = json.loads(capsys.readouterr().out)
    after = rows(folder)
    assert after == rows(folder, "masked") == rows(folder, "'persons.parquet.parquet'")
    # a CSV file has no types of its own: what it reads as is the same here
    assert after == rows(folder, "'persons.csv.parquet'")
    assert len(after) == N
    assert after != before
    assert [s["records"] for s in steps] == [N] * len(steps)
    changed = sum(a != b for a, b in zip(after, before, strict=True))
    assert max(s["changed"] for s in steps) <= changed <= sum(s["changed"] for s in steps)
    assert KEY not in json.dumps(steps, ensure_ascii=False)


@pytest.mark.slow
def test_output_as_csv(folder):
    assert main(["mask", "round", *FILE, "income", "--base", "5", "--output", "o.csv"]) == 0
    with duckdb.connect() as con:
        assert con.execute(f"SELECT count(*), sum((income % 5 <> 0)::INTEGER) FROM '{folder}/o.csv'").fetchall() == [
            (N, 0)
        ]


DATABASE = ["survey.duckdb", "--id", "id", "--columns"]
FILE = ["persons.csv", "--id", "id", "--columns"]
WRONG = {
    "no such column": (["noise", *DATABASE, "incme", "--alpha", "1"], "income"),
    "no such id": (["noise", "survey.duckdb", "--id", "nr", "--columns", "income", "--alpha", "1"], "not a column"),
    "id not unique": (["noise", "survey.duckdb", "--id", "age", "--columns", "income", "--alpha", "1"], "unique"),
    "negative variance": (["noise", *DATABASE, "income", "--alpha", "-1"], "alpha is -1"),
    "wrong type": (["noise", *DATABASE, '"Se,lect"', "--alpha", "1"], "VARCHAR"),
    "k too small": (["microaggregate", *DATABASE, "income", "--k", "1"], "at least 2"),
    "too few records": (["microaggregate", *DATABASE, "income", "--k", "301"], "301"),
    "category absent": (["pram", *DATABASE, "age", "--matrix", "matrix.csv"], "cannot be converted"),
    "second column wrong": (["rank_swap", *DATABASE, "age,nr", "--p", "5"], "not a column"),
    "a file in place": (["round", *FILE, "age", "--base", "5"], "--output"),
    "output there": (["round", *FILE, "age", "--base", "5", "--output", "persons.csv"], "already"),
    "output of no kind": (["round", *FILE, "age", "--base", "5", "--output", "o.xls"], ".parquet"),
    "into there": (["round", *DATABASE, "age", "--base", "5", "--into", "persons"], "already"),
    "within without xi": (["pram_retention", *DATABASE, "age", "--retention", "0.9", "--within", "region"], "--within"),
    "no threads": (["round", *DATABASE, "age", "--base", "5", "--threads", "0"], "at least 1"),
}  # fmt: skip


@pytest.mark.one_in(6)
@pytest.mark.parametrize("case", WRONG)
def test_wrong_input_is_one_line_and_nothing_is_changed(folder, capsys, case):
    arguments, words = WRONG[case]
    before, files = rows(folder), sorted(p.name for p in folder.iterdir())
    assert main(["mask", *arguments]) == 2
    out, error = capsys.readouterr()
    assert not out
    assert error.count("\n") == 1
    assert words in error
    assert rows(folder) == before
    assert sorted(p.name for p in folder.iterdir()) == files


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_without_a_key(capsys, monkeypatch):
    monkeypatch.delenv("SDC_KEY")
    assert main(["mask", "rank_swap", *DATABASE, "income", "--p", "5"]) == 2
    assert "SDC_KEY" in capsys.readouterr().err
    assert main(["mask", "round", *DATABASE, "income", "--base", "5"]) == 0
