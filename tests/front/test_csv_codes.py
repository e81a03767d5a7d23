"""A CSV file on the command line: no two codes become one, and what was not asked for is written back as it was."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

import pytest

from sdc_sql.cli import main

if TYPE_CHECKING:
    from pathlib import Path

FILE = (
    "id,code,income,born,flag,plain,5\n"
    "01,1.1,10.50,01/02/2024,TRUE,7,2.50\n"
    "02,1.10,20,02/02/2024,false,8,3\n"
    "003,1.2,31,03/02/2024,t,,40\n"
)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SDC_KEY", "of these tests alone, 0123456789abcdef0123456789")
    (tmp_path / "f.csv").write_text(FILE)
    return tmp_path


def rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text().splitlines()))


def report(capsys, *arguments: str) -> dict:
    assert main(["risk", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_codes_that_are_equal_as_numbers_are_two_cells(capsys):
    assert report(capsys, "f.csv", "--keys", "code")["frequency_summary"]["cells"] == 3


def test_codes_of_the_population_are_read_alike(capsys, folder):
    (folder / "all.csv").write_text("code\n1.1\n1.1\n1.10\n1.10\n1.2\n1.2\n")
    found = report(capsys, "f.csv", "--keys", "code", "--population", "all.csv", "--k", "2")
    assert found["k_map"]["records"] == 0


@pytest.mark.slow
def test_columns_that_were_not_asked_for_are_written_back_as_they_were(folder):
    assert (
        main(["mask", "round", "f.csv", "--id", "id", "--columns", "income", "--base", "10", "--output", "o.csv"]) == 0
    )
    before, after = (rows(folder / name) for name in ("f.csv", "o.csv"))
    assert [float(r["income"]) for r in after] == [10, 20, 30]
    assert [{**r, "income": ""} for r in after] == [{**r, "income": ""} for r in before]


@pytest.mark.slow
def test_pram_of_codes(folder):
    command = ["mask", "pram_retention", "f.csv", "--id", "id", "--columns", "code", "--retention", "0.2"]
    assert main([*command, "--output", "o.csv"]) == 0
    assert {r["code"] for r in rows(folder / "o.csv")} <= {"1.1", "1.10", "1.2"}


@pytest.mark.parametrize("command", [
    ["mask", "round", "b.csv", "--id", "id", "--columns", "income", "--base", "10", "--output", "o.csv"],
    ["risk", "b.csv", "--keys", "code", "--weight", "income"],
])  # fmt: skip
def test_one_bad_value_that_makes_numbers_text_is_said(capsys, folder, command):
    (folder / "b.csv").write_text(FILE.replace("31,", "n/a,"))
    assert main(command) == 2
    error = capsys.readouterr().err
    assert 'Column "income": 1 of 3 values are no numbers' in error
    assert "n/a" not in error


@pytest.mark.slow
def test_a_number_that_is_a_column_too_is_refused(capsys):
    assert main(["risk", "f.csv", "--keys", "code", "--weight", "5"]) == 2
    assert "--weight 5 is a number, and 5 is also a column" in capsys.readouterr().err
    column = report(capsys, "f.csv", "--keys", "code", "--weight", '"5"')["global_risk"]
    number = report(capsys, "f.csv", "--keys", "code", "--weight", "5.00")["global_risk"]
    assert column["expected_reidentifications"] != number["expected_reidentifications"]
    assert main(["rules", "f.csv", "--keys", "code", "--weight", "5", "--threshold", "2"]) == 2
    assert "also a column" in capsys.readouterr().err
    assert main(["risk", "f.csv", "--keys", "code", "--sampling-fraction", "5"]) == 2
    assert "also a column" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("id,age,income\n1,30,100\n2,41,200\n3,5,1,2,secret\n4,50,400\n", "Line 4"),  # read as one column
        ("id;age;income\n1;2;3\n1;2\n4;5;6;7;secret\n", "Line 3"),  # read without a header
        ("id,age,income\n" + "1,2,3\n" * 3000 + "3001,44\n3002,44,secret,9,8\n", "Line 3,002"),  # no dialect found
        ('id,note,income\n1,"two\nlines",3\n4,secret\n', "Line 4"),
    ],
)
def test_a_line_with_too_many_or_too_few_fields_is_named(tmp_path, capsys, text, line):
    file = tmp_path / "broken.csv"
    file.write_text(text)
    assert main(["risk", str(file), "--keys=age"]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"sdc-sql: {line} of the CSV file cannot be read: it has ")
    assert "secret" not in said
