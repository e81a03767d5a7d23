"""An id made on request: numbers in stored order, in one transaction, and a message of every mask that says how."""

from __future__ import annotations

import duckdb
import pytest

import sdc_sql
from sdc_sql import ColumnError, Microdata, ParameterError, TableError
from sdc_sql.cli import main

MASKS = {
    "noise": lambda d: d.mask.noise("x", 0.1),
    "round": lambda d: d.mask.round("x", 5),
    "pram": lambda d: d.mask.pram_retention("s", 0.8),
    "rank_swap": lambda d: d.mask.rank_swap("x", 10),
    "top_bottom_code": lambda d: d.mask.top_bottom_code("x", "value", top=90),
    "microaggregate": lambda d: d.mask.microaggregate("x", 3),
    "recode": lambda d: d.mask.recode("x", breaks=[0, 50, 200]),
    "local_suppression": lambda d: d.mask.local_suppression(2),
}


@pytest.fixture
def table(keyed: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """Return a connection with a table without an id, some of whose rows were deleted."""
    keyed.execute("CREATE TABLE t AS SELECT 100 - i AS x, 's' || i % 3 AS s FROM range(100) AS r(i)")
    return keyed.execute("DELETE FROM t WHERE x % 7 = 0")


@pytest.mark.parametrize("mask", MASKS)
def test_a_mask_without_an_id_says_how_to_make_one(table, mask):
    with pytest.raises(ParameterError, match=r"No id was given.*data\.add_id\('record'\)") as error:
        MASKS[mask](Microdata(table, "t", keys=["s"]))
    assert "measure" not in str(error.value)


@pytest.mark.slow
def test_numbers_in_stored_order_and_nothing_else_changes(table):
    before = table.execute("FROM t").fetchall()
    data = Microdata(table, "t", keys=["s"])
    assert data.add_id("record") == data.id == "record"
    assert data.columns == ("x", "s", "record")
    assert table.execute("FROM t").fetchall() == [(*row, i) for i, row in enumerate(before, 1)]
    assert data.mask.round("x", 5).records == len(before)
    assert data.steps[0].id == "record"


@pytest.mark.one_in(9)
@pytest.mark.parametrize("name", ["k", "Select", 'a"b', "n", "two words", "ö", "'; DROP TABLE t; --"])
def test_odd_names(keyed, name):
    table = '"' + name.replace('"', "") + '"'  # 1.5 takes no quotes in the name of a table
    keyed.execute(f"CREATE TABLE {table} (f INTEGER PRIMARY KEY, g TEXT UNIQUE)")
    keyed.execute(f"INSERT INTO {table} VALUES (3, 'a'), (1, NULL), (2, 'b')")
    data = Microdata(keyed, table)
    data.add_id(name)
    assert data.columns == ("f", "g", name)
    assert keyed.execute(f"FROM {table}").fetchall() == [(3, "a", 1), (1, None, 2), (2, "b", 3)]
    data.mask.round("f", 10, into="r")


def test_in_another_schema_and_in_the_users_transaction(keyed):
    keyed.execute("CREATE SCHEMA s; CREATE TABLE s.t AS SELECT 5 AS x; CREATE TABLE t AS SELECT 6 AS x")
    keyed.begin()
    Microdata(keyed, "s.t").add_id()
    assert keyed.execute("FROM s.t").fetchall() == [(5, 1)]
    keyed.rollback()
    assert (keyed.execute("FROM s.t").fetchall(), keyed.execute("FROM t").fetchall()) == ([(5,)], [(6,)])


@pytest.mark.parametrize("name", ["X", "", None, 5, "sdc__id", "rowid", ["record"]])
def test_a_name_that_cannot_be_one(table, name):
    with pytest.raises(ColumnError, match=r"new id|already"):
        Microdata(table, "t").add_id(name)
    assert [c for c, *_ in table.execute("DESCRIBE t").fetchall()] == ["x", "s"]


def test_where_no_column_can_be_added(table, tmp_path):
    table.execute("CREATE VIEW v AS FROM t; CREATE TABLE r AS SELECT 1 AS rowid; CREATE TABLE e AS FROM t LIMIT 0")
    table.execute(f"COPY t TO '{tmp_path}/t.csv'; COPY t TO '{tmp_path}/t.parquet'")
    for name in ("v", f"{tmp_path}/t.csv", f"{tmp_path}/t.parquet"):
        with pytest.raises(TableError, match=r"(a view|a file).*CREATE TABLE stored AS") as error:
            Microdata(table, name).add_id()
        advised = str(error.value).partition("(")[2].partition("), and describe")[0]
        table.execute(advised)  # what the message says, works
        assert Microdata(table, "stored").add_id() == "record"
        table.execute("DROP TABLE stored")
    with pytest.raises(ColumnError, match="rowid"):
        Microdata(table, "r").add_id()
    with pytest.raises(TableError, match="no rows"):
        Microdata(table, "e").add_id()
    with pytest.raises(ColumnError, match="an id already, x"):
        Microdata(table, "t", id="x").add_id()
    with pytest.raises(TableError, match="add the id to the table"):
        Microdata(table, "t").where("x > 5").add_id()


def test_a_read_only_database(tmp_path):
    with duckdb.connect(tmp_path / "p.duckdb") as con:
        con.execute("CREATE TABLE t AS SELECT 5 AS x")
    with duckdb.connect(tmp_path / "p.duckdb", read_only=True) as con:
        with pytest.raises(TableError, match=r"read-only.*CREATE TEMP TABLE stored AS"):
            Microdata(con, "t").add_id()
        con.execute("CREATE TEMP TABLE stored AS FROM t")
        assert Microdata(con, "stored").add_id() == "record"


@pytest.mark.parametrize("kind", ["csv", "parquet", "duckdb"])
@pytest.mark.one_in(4)
def test_at_the_command_line(table, tmp_path, monkeypatch, capsys, kind):
    monkeypatch.chdir(tmp_path)
    source = f"t.{kind}"
    if kind == "duckdb":
        table.execute("ATTACH 't.duckdb' AS other; CREATE TABLE other.t AS FROM t; DETACH other")
    else:
        table.execute(f"COPY t TO '{source}'")
    call = ["mask", "round", source, "--columns", "x", "--base", "10"]
    assert main([*call, "--make-id", "record", "--output", "r.parquet"]) == 0
    rounded = table.execute("SELECT round(x / 10) * 10, s, row_number() OVER () FROM t").fetchall()
    assert table.execute("FROM 'r.parquet'").fetchall() == rounded
    assert main([*call, "--make-id", "X", "--output", "s.parquet"]) == 2
    assert "already" in capsys.readouterr().err
    for wrong in ([], ["--id", "x", "--make-id", "record"]):
        with pytest.raises(SystemExit):
            main([*call, *wrong, "--output", "s.parquet"])
        assert "--make-id" in capsys.readouterr().err
    if kind == "duckdb":
        assert main([*call, "--make-id", "record"]) == 0
        with duckdb.connect("t.duckdb", read_only=True) as con:
            assert con.execute("FROM t").fetchall() == rounded
            assert con.execute("SELECT id FROM sdc_steps").fetchall() == [("record",)]


def test_the_example_has_one():
    with pytest.raises(ColumnError, match="an id already, id"):
        sdc_sql.example().add_id()
