"""Swapping from the command line: the same records as from SQL, of a database and of a CSV file, and its errors."""

from __future__ import annotations

import csv

import duckdb
import pytest
from masked_tables import KEY

import sdc_sql
from sdc_sql.cli import main

DATA = ["data_swap", "--columns", "area", "--rate", "0.4", "--equal", "sex"]
HOMES = [
    "record_swap", "--columns", "area", "--rate", "0.2", "--household", "home", "--risk-keys", "sex,age", "--k", "2",
    "--profiles", "sex;age,sex", "--shortfall", "report",
]  # fmt: skip
OF_HOMES = "household := 'home', risk_keys := ['sex', 'age'], k := 2, profiles := [['sex'], ['age', 'sex']]"
CALLS = {
    "data_swap": (DATA, "sdc_data_swap('k', ['area'], 0.4, 'id', equal := ['sex'])"),
    "record_swap": (HOMES, f"sdc_record_swap('k', ['area'], 0.2, 'id', {OF_HOMES}, shortfall := 'report')"),
}


def command(method, source, *more):
    """Return the exit code of sdc-sql mask."""
    name, *options = CALLS[method][0]
    return main(["mask", name, str(source), "--id", "id", *options, *more])


@pytest.fixture
def database(tmp_path, monkeypatch):
    """Return a database with the table k, whose areas are codes that are numbers only in looks."""
    monkeypatch.setenv("SDC_KEY", KEY)
    path = tmp_path / "p.duckdb"
    with duckdb.connect(path) as con:
        con.execute("""
            CREATE TABLE k AS SELECT i AS id, i // 2 AS home, '0' || (i // 2 * 31 % 97 % 4) AS area,
                                     ['f', 'm'][1 + i % 2] AS sex, i * 613 % 1009 % 9 AS age
            FROM range(120) t(i)
        """)
    return path


@pytest.mark.one_in(2)
@pytest.mark.parametrize("method", CALLS)
def test_the_command_swaps_what_the_macro_swaps(database, tmp_path, capsys, method):
    with duckdb.connect(database) as con:
        sdc_sql.load(con, CALLS[method][1]).execute("SET VARIABLE sdc_key = ?", [KEY])
        expected = con.execute(f"FROM {CALLS[method][1]} ORDER BY id").fetchall()
        assert expected != con.execute("FROM k ORDER BY id").fetchall()
        con.execute(f"COPY k TO '{tmp_path / 'k.csv'}'")
    assert command(method, tmp_path / "k.csv", "--output", str(tmp_path / "out.csv")) == 0
    with (tmp_path / "out.csv").open() as file:
        rows = sorted((row for row in csv.DictReader(file)), key=lambda row: int(row["id"]))
    assert [tuple(row.values()) for row in rows] == [tuple(map(str, row)) for row in expected]
    assert command(method, database) == 0
    assert "swapped" in capsys.readouterr().out
    with duckdb.connect(database, read_only=True) as con:
        assert con.execute("FROM k ORDER BY id").fetchall() == expected
        ((logged,),) = con.execute("SELECT parameters FROM sdc_steps").fetchall()
        assert "partner" not in logged


@pytest.mark.slow
def test_a_shortfall_fails_and_changes_nothing(database, capsys):
    before = database.read_bytes()
    options = ["--columns", "area", "--rate", "1", "--different", "area,sex", "--equal", "home"]
    code = main(["mask", "data_swap", str(database), "--id", "id", *options])
    assert code != 0
    assert "0 records found a partner, and 120 were asked" in capsys.readouterr().err
    assert database.read_bytes() == before
