"""A part of the records is masked as if it were all there is; the others stay."""

from __future__ import annotations

import json

import duckdb
import pytest
from masked_tables import METHODS, N, made, rows, steps

import sdc_sql
from sdc_sql.cli import main

PART = "id % 5 < 2 AND n > 4"  # NULL where n is: those records are not of the part
OTHERS = "(id % 5 < 2 AND n > 4) IS NOT TRUE"


@pytest.mark.one_in(18)
@pytest.mark.parametrize("into", [None, "released"], ids=["in-place", "into"])
@pytest.mark.parametrize("method", METHODS)
def test_the_part_is_masked_like_a_table_of_its_own_and_the_others_stay(keyed, method, into):
    made(keyed)
    keyed.execute(f"CREATE TABLE alone AS FROM t WHERE {PART}")
    others = keyed.execute(f"FROM t WHERE {OTHERS} ORDER BY id").fetchall()
    mask = METHODS[method][1]
    step = mask(sdc_sql.Microdata(keyed, "t", id="id").where(PART), into=into)
    mask(sdc_sql.Microdata(keyed, "alone", id="id"))
    # read by id: the condition may hold of other records afterwards
    of_part = keyed.execute(f"FROM {into or 't'} WHERE id IN (SELECT id FROM alone) ORDER BY id").fetchall()
    beside = keyed.execute(f"FROM {into or 't'} WHERE id NOT IN (SELECT id FROM alone) ORDER BY id").fetchall()
    assert of_part == rows(keyed, "alone")
    assert beside == others
    assert (step.records, step.parameters["where"], step.parameters["part_records"]) == (N, PART, len(of_part))
    assert json.loads(steps(keyed)[0][4])["where"] == PART
    assert keyed.execute("SELECT table_name FROM duckdb_tables() WHERE temporary").fetchall() == []


def test_labels_stand_beside_the_values_of_the_others(persons):
    data = sdc_sql.Microdata(persons, "persons", keys=["age", "sex"], id="id")
    data.where("region = 'north'").mask.recode("age", breaks=[0, 40, 80])
    found = persons.execute("SELECT age FROM persons ORDER BY id").fetchall()
    assert [v for (v,) in found] == ["0-39", "0-39", "40-79", "41", "41", None, "67", "25"]


@pytest.mark.slow
def test_what_is_suppressed_is_counted_in_the_part(persons):
    data = sdc_sql.Microdata(persons, "persons", keys=["age", "sex"], id="id")
    step = data.where("region = 'north'").mask.local_suppression(2, guarantee="wildcard")
    found = persons.execute("SELECT id, age, sex FROM persons ORDER BY id").fetchall()
    assert found[:2] == [(1, 30, "f"), (2, 30, "f")]
    assert found[2] == (3, None, None)  # the only one of 41 in the part: two more are in the other region
    assert found[3:] == [(4, 41, "m"), (5, 41, "m"), (6, None, "f"), (7, 67, None), (8, 25, "m")]
    assert step.parameters["below_wildcard"] == 0


def test_after_pram_of_a_part_no_true_risk_is_told(keyed):
    made(keyed)
    data = sdc_sql.Microdata(keyed, "t", keys=["cat", "grade"], id="id")
    data.where(PART).mask.pram_retention("cat", 0.5)
    assert "a part of the records only" in str(data.after_pram())


@pytest.mark.slow
def test_parts_of_parts_and_names_that_are_odd(con):
    con.execute("""CREATE TABLE k AS SELECT range AS id, range % 4 AS "Select", range * 10 AS "a'b" FROM range(12)""")
    data = sdc_sql.Microdata(con, "k", id="id")
    part = data.where('"Select" >= 2').where("""NOT "a'b" > 60""")
    part.mask.round("a'b", 100)
    assert con.execute("""SELECT "a'b" FROM k ORDER BY id""").fetchall() == [
        (v,) for v in (0, 10, 0, 0, 40, 50, 100, 70, 80, 90, 100, 110)
    ]
    con.execute("ALTER TABLE k ADD COLUMN f BOOLEAN")
    con.execute("UPDATE k SET f = id = 1 WHERE id < 3")
    sdc_sql.Microdata(con, "k", id="id").where("f").mask.round("a'b", 1000)
    assert con.execute("""SELECT "a'b" FROM k WHERE id < 3 ORDER BY id""").fetchall() == [(0,), (0,), (0,)]


WRONG = {
    "id": "of the type BIGINT",
    "nobody = 1": "'nobody' is not a column of t",
    "n > 1000": "holds for no record",
    "n > (SELECT 1)": "holds Subquery",
    "n >": "cannot be read",
    "": "must be a column of truth values",
    "sdc__secret_key() = 'a'": "holds",
}


@pytest.mark.parametrize("condition", WRONG)
def test_what_is_no_condition_is_refused(con, condition):
    made(con)
    before = rows(con)
    with pytest.raises(sdc_sql.InputError, match=WRONG[condition].replace("(", r"\(")):
        sdc_sql.Microdata(con, "t", id="id").where(condition).mask.round("x", 5)
    assert rows(con) == before


def test_an_id_that_has_come_twice_and_a_column_for_all_are_refused(con):
    made(con)
    part = sdc_sql.Microdata(con, "t", id="id").where("id < 10")
    con.execute("INSERT INTO t FROM t WHERE id = 200")
    with pytest.raises(sdc_sql.InputError, match="is the same on 2 records"):
        part.mask.round("x", 5)
    with pytest.raises(sdc_sql.InputError, match="removed from all records"):
        part.mask.drop_identifiers("cat")


@pytest.mark.slow
def test_command_line(tmp_path, capsys):
    source, output = tmp_path / "k.parquet", tmp_path / "out.parquet"
    duckdb.sql("SELECT range AS id, range * 10 AS x, range % 2 = 0 AS f FROM range(6)").write_parquet(str(source))
    options = ["--id", "id", "--columns", "x", "--base", "100", "--where", "f AND x > 0", "--output", str(output)]
    assert main(["mask", "round", str(source), *options]) == 0
    assert "part_records': 2" in capsys.readouterr().out
    released = duckdb.sql(f"SELECT x FROM '{output}' ORDER BY id").fetchall()
    assert [x for (x,) in released] == [0, 10, 0, 30, 0, 50]
