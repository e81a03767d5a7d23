"""A CSV or JSON file in Python: read as on the command line, so that no two codes become one."""

from __future__ import annotations

from pathlib import Path

import pytest

from sdc_sql import ColumnError, Microdata, SdcError, TableError

FILE = (
    "id,code,income,flag,w,fraction,house\n01,1.1,10.50,TRUE,2.50,0.10,1\n02,1.10,20,true,3,0.1,01\n"
    "003,1.2,31,t,40,0.1,1\n"
)
JSON = '[{"id": "01", "code": "1.1", "on": "2024-1-2"}, {"id": "1", "code": "1.10", "on": "2024-01-02"}]'
MATRIX = "from,to,probability\n" + "".join(f"{a},{b},{p}\n" for a, b, p in [
    ("1.1", "1.10", "1.0"), ("1.10", "1.2", "1"), ("1.2", "1.1", "1"),
])  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("f.csv").write_text(FILE)
    Path("f.json").write_text(JSON)
    Path("matrix.csv").write_text(MATRIX)
    return tmp_path


@pytest.fixture
def db(con):
    con.execute("SET VARIABLE sdc_key = ?", ["of these tests alone, 0123456789abcdef0123456789"])
    return con


@pytest.mark.one_in(5)
@pytest.mark.whole
@pytest.mark.parametrize("name", ["f.csv", '"f.csv"', "f*.csv", "f.tsv", "f.csv.gz", "{folder}/f.csv"])
def test_codes_that_are_equal_as_numbers_are_two_cells(con, name, folder):
    con.execute("COPY (FROM read_csv('f.csv', all_varchar = true)) TO 'f.tsv' (DELIMITER '\t')")
    con.execute("COPY (FROM read_csv('f.csv', all_varchar = true)) TO 'f.csv.gz'")
    data = Microdata(con, name.format(folder=folder), keys=["code"])
    assert data.risk.frequency_summary().cells == 3
    assert len(data.risk.cells().fetchall()) == 3


@pytest.mark.slow
def test_roles_of_a_csv_file(con):
    data = Microdata(con, "f.csv", keys=["code"], weight="w", household="house", id="id", sampling_fraction="fraction")
    assert data.risk.global_risk().records == 3  # 2.50 and 0.10 are numbers
    assert data.risk.household_global_risk().households == 2  # 1 and 01
    assert len(data.risk.theta_by("flag")) == 3  # TRUE, true and t
    assert data.weighing(3).risk.frequency_summary().cells == 3
    Path("f.csv").write_text(FILE.replace("2.50", "n/a"))
    with pytest.raises(ColumnError, match=r'Column "w": 1 of 3 values are no numbers'):
        Microdata(con, "f.csv", keys=["code"], weight="w")
    assert Microdata(con, "f.csv", keys=["w"]).risk.frequency_summary().cells == 3  # what failed left nothing behind


def test_a_json_file(con):
    data = Microdata(con, "f.json", keys=["on"], id="id")
    assert data.risk.frequency_summary().cells == 2
    Path("nested.ndjson").write_text('{"a": [1], "b": {"c": "1.10"}, "d": 1}\n{"a": [2], "b": {"c": "1.1"}, "d": 1}\n')
    assert Microdata(con, "nested.ndjson", keys=["b"]).risk.frequency_summary().cells == 2
    assert Microdata(con, "nested.ndjson", keys=["d"]).risk.frequency_summary().cells == 1


@pytest.mark.slow
def test_other_tables_are_read_alike(db):
    data = Microdata(db, "f.csv", keys=["code"], id="id", sampling_fraction=0.5)
    Path("all.csv").write_text("code\n1.1\n1.1\n1.10\n1.10\n1.2\n1.2\n")
    assert data.risk.k_map("all.csv", 2).records == 0
    assert data.risk.population_risk("all.csv").sample_uniques == 3
    assert data.mask.pram("code", "matrix.csv", into="released").changed == 3
    assert db.sql("SELECT code FROM released ORDER BY id").fetchall() == [("1.1",), ("1.10",), ("1.2",)]
    assert db.sql("SELECT source, parameters->>'matrix' FROM sdc_steps").fetchall() == [("f.csv", "matrix.csv")]
    assert data.risk.theta_misclassified({"code": "matrix.csv"}).theta == 0
    assert [e.released for e in data.mask.pram_estimate("code", "matrix.csv")] == [1, 1, 1]


@pytest.mark.slow
def test_what_is_masked_as_a_number(db):
    with pytest.raises(SdcError, match="masks numbers"):
        Microdata(db, "f.csv", id="id").mask.round("income", 10, into="released")
    data = Microdata(db, "f.csv", id="id", numbers=["income"])
    data.mask.round("income", 10, into="released")
    columns = "id, income, code, flag, w"
    assert db.sql(f"SELECT {columns} FROM released ORDER BY id").fetchall() == [
        ("003", 30, "1.2", "t", "40"), ("01", 10, "1.1", "TRUE", "2.50"), ("02", 20, "1.10", "true", "3"),
    ]  # fmt: skip
    with pytest.raises(TableError, match=r"^f\.csv is no table of the database \(a file"):
        data.mask.round("income", 10)


def test_the_file_itself_is_what_the_user_reads_and_it_is_read_anew(con):
    Microdata(con, "f.csv", keys=["code"])
    Path("f.csv").write_text(FILE + "4,1.1,1,t,1,0.1,1\n")
    assert con.sql("SELECT count(*) FROM 'f.csv'").fetchall() == [(4,)]
    assert Microdata(con, "f.csv", keys=["code"]).risk.frequency_summary().records == 4


@pytest.mark.parametrize(("name", "made"), [
    ("f.csv", "CREATE SCHEMA f; CREATE TABLE f.csv AS SELECT 1.1 AS code"),
    ('"f.csv"', 'CREATE TABLE "f.csv" AS SELECT 1.1 AS code'),
])  # fmt: skip
def test_a_table_that_has_the_name_of_a_file(con, name, made):
    con.execute(made)
    assert Microdata(con, name, keys=["code"]).risk.frequency_summary().records == 1


def test_no_file_and_no_rows(con):
    with pytest.raises(TableError, match="nowhere"):
        Microdata(con, "nowhere.csv", keys=["code"])
    Path("header.csv").write_text("code\n")
    with pytest.raises(TableError, match=r"header\.csv.* has no rows"):
        Microdata(con, "header.csv", keys=["code"])
