"""Direct identifiers removed: those that are named and nothing else, all or nothing, logged, from every door."""

from __future__ import annotations

import json

import duckdb
import pytest

import sdc_sql
from sdc_sql.cli import main
from sdc_sql.errors import ColumnError


@pytest.fixture
def people(con):
    con.execute(
        """CREATE TABLE "k" AS SELECT i AS id, 'n' || i AS "Select", i AS f, 1.5 * i AS income, 'x' || i % 2 AS "it's"
        FROM range(30) AS r(i)"""
    )
    return sdc_sql.Microdata(con, "k", id="id", keys=["f"])


def columns(con, table: str) -> list[str]:
    return [row[0] for row in con.execute(f'DESCRIBE "{table}"').fetchall()]


def test_into_a_copy_that_lacks_them_and_keeps_all_else(people):
    con = people.con
    step = people.mask.drop_identifiers(["SELECT", "it's"], into="r")
    assert (step.columns, step.records, step.changed, step.remains) == (("Select", "it's"), 30, 30, "")
    kept = "SELECT id, f, income FROM k ORDER BY id"
    assert con.execute("FROM r ORDER BY id").fetchall() == con.execute(kept).fetchall()
    assert con.execute("DESCRIBE r").fetchall() == con.execute(f"DESCRIBE {kept}").fetchall()
    logged = con.execute("SELECT method, columns, target FROM sdc_steps").fetchall()
    assert logged == [("drop_identifiers", ["Select", "it's"], "r")]
    sql = con.execute("FROM sdc_drop_identifiers('k', ['select', 'it''s'], 'ID') ORDER BY id").fetchall()
    assert sql == con.execute("FROM r ORDER BY id").fetchall()


@pytest.mark.slow
@pytest.mark.usefixtures("secret")
def test_in_place_and_masked_afterwards(people):
    con = people.con
    con.execute("CREATE VIEW v AS SELECT id, income FROM k")
    before = con.execute('SELECT id, f, income, "it\'s" FROM k ORDER BY id').fetchall()
    assert people.mask.drop_identifiers("Select").columns == ("Select",)
    assert con.execute("FROM k ORDER BY id").fetchall() == before
    assert people.mask.noise(["income", "f"], 0.1).changed == 30  # described before the column was gone
    after = con.execute("FROM k ORDER BY id").fetchall()
    assert [(row[0], row[3]) for row in after] == [(row[0], row[3]) for row in before]
    with pytest.raises(sdc_sql.errors.InputError, match="not a column"):
        people.mask.drop_identifiers("Select")
    assert con.execute("SELECT count(*) FROM v").fetchone() == (30,)


@pytest.fixture
def secret(con):
    con.execute("SET VARIABLE sdc_key = 'q8Zr1vLx0Tn5Wm2Kc7Yd4Hb9Jf3Gs6Pa'")
    yield
    con.execute("RESET VARIABLE sdc_key")


def test_a_database_file_keeps_the_old_bytes_and_the_step_says_so(tmp_path):
    with duckdb.connect(str(tmp_path / "p.duckdb")) as con:
        con.execute("CREATE TABLE t AS SELECT i AS id, 'n' || i AS name FROM range(5) AS r(i)")
        step = sdc_sql.Microdata(con, "t", id="id").mask.drop_identifiers("name")
        assert "still holds the old values" in step.remains


def test_what_cannot_be_dropped_is_told_and_nothing_is(people):
    con = people.con
    for wrong, words in (
        ("id", "is the id, by which"),
        (["it's", "ID"], "is the id, by which"),
        ("f", "described as the table's keys"),
        ("nowhere", "nowhere"),
        ([], "empty"),
    ):
        with pytest.raises(ColumnError, match=words):
            people.mask.drop_identifiers(wrong)
    con.execute('CREATE INDEX by_name ON k("Select")')
    with pytest.raises(ColumnError, match=r"it's cannot be removed .* into='name'"):
        people.mask.drop_identifiers(["it's", "Select"])
    assert columns(con, "k") == ["id", "Select", "f", "income", "it's"]
    assert con.execute("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'sdc_steps'").fetchone() == (0,)
    for wrong, words in (
        ("['id']", '"id" is the id'),
        ("['nowhere']", '"nowhere" is not a column'),
        ("[]", "the list of columns is empty"),
        ("['f', 'F']", "a column is named twice"),
        ("[NULL]", "holds a NULL where a name should be"),
        ("'f'", "no list: write"),
        ("0.1", "no list: write"),
    ):
        with pytest.raises(duckdb.Error, match=words):
            con.execute(f"FROM sdc_drop_identifiers('k', {wrong}, 'id')").fetchall()


def test_within_a_transaction_of_the_callers(people):
    con = people.con
    con.execute("BEGIN")
    people.mask.drop_identifiers("Select")
    con.execute("ROLLBACK")
    assert columns(con, "k") == ["id", "Select", "f", "income", "it's"]
    assert people.mask.drop_identifiers("Select").records == 30


@pytest.mark.usefixtures("secret")
def test_a_column_of_which_the_steps_tell(people):
    """What was masked and then removed: the log keeps both, and risks after PRAM say what is gone."""
    people.mask.pram_retention("it's", 0.9)
    people.mask.drop_identifiers("it's")
    methods = people.con.execute("SELECT method FROM sdc_steps ORDER BY step").fetchall()
    assert methods == [("pram_retention",), ("drop_identifiers",)]
    assert people.after_pram() is None


@pytest.mark.slow
def test_on_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with duckdb.connect("p.duckdb") as own:
        own.execute("CREATE TABLE t AS SELECT i AS id, 'zebra' || i AS name, '0' || i AS code FROM range(50) AS r(i)")
        own.execute("COPY t TO 't.csv'")
    command = ["mask", "drop_identifiers", "--id", "id", "--columns", "name"]
    assert main([*command, "p.duckdb", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["columns"] == ["name"]
    assert b"zebra7" not in (tmp_path / "p.duckdb").read_bytes()  # the file was written anew
    assert main([*command, "t.csv", "--output", "r.csv"]) == 0
    assert (tmp_path / "r.csv").read_text(encoding="utf-8").splitlines()[:2] == ["id,code", "0,00"]
    assert main([*command, "t.csv", "--output", "s.csv", "--columns", "id"]) == 2
