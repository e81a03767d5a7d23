"""A database that `sdc-sql mask` has written anew lists no label that no record has any more."""

from __future__ import annotations

import duckdb
import pytest

from sdc_sql.cli import main

KEY = "vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U"
SUPPRESS = ["local_suppression", "--columns", "f", "--k", "3", "--guarantee", "strong"]


@pytest.fixture
def database(tmp_path, monkeypatch):
    """A type by name, which another table has too; one of its own; an index."""
    monkeypatch.setenv("SDC_KEY", KEY)
    with duckdb.connect(tmp_path / "d.duckdb") as con:
        con.execute("CREATE TYPE kinds AS ENUM ('z', 'it''s', 'aristocrat', 'never', 'a')")
        con.execute("CREATE TYPE shared AS ENUM ('x', 'y')")
        con.execute("""
            CREATE TABLE k AS SELECT i AS id, CASE WHEN i = 7 THEN 'aristocrat' WHEN i % 2 = 0 THEN 'it''s' ELSE 'z' END::kinds AS f,
                                     'x'::shared AS "Select", NULL::ENUM ('gone') AS n FROM range(20) t(i)
        """)  # fmt: skip  # noqa: E501
        con.execute("CREATE TABLE other AS SELECT 'y'::shared AS s")
        con.execute("CREATE INDEX by_id ON k (id)")
    return tmp_path / "d.duckdb"


def mask(database, *arguments):
    return main(["mask", arguments[0], str(database), "--table", "k", "--id", "id", *arguments[1:]])


@pytest.mark.slow
def test_suppressed_labels_leave_the_types(database):
    swap = ["data_swap", "--columns", "f", "--rate", "0.4"]
    assert mask(database, *swap) == 0
    assert b"never" not in database.read_bytes()
    assert mask(database, *SUPPRESS) == 0
    assert b"aristocrat" not in database.read_bytes()
    with duckdb.connect(database, read_only=True) as con:
        kinds = "SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = 'k' ORDER BY column_index"
        assert con.execute(kinds).fetchall()[1:] == [
            ("f", "ENUM('z', 'it''s')"), ("Select", "ENUM('x')"), ("n", "VARCHAR")
        ]  # fmt: skip
        named = "SELECT type_name, labels FROM duckdb_types() WHERE NOT internal ORDER BY ALL"
        assert con.execute(named).fetchall() == [("kinds", ["z", "it's"]), ("shared", ["x", "y"])]
        assert con.execute("SELECT count(f), count(*) FROM k").fetchone() == (19, 20)
        assert con.execute("SELECT index_name FROM duckdb_indexes()").fetchall() == [("by_id",)]
    assert mask(database, *swap) == 0  # the log still tells how the last steps left the column


@pytest.mark.slow
def test_what_stands_in_the_way_is_told_and_nothing_is_changed(database, capsys):
    with duckdb.connect(database) as con:
        con.execute("CREATE TABLE u (id INTEGER, v INTEGER, f ENUM ('a', 'b', 'hidden') UNIQUE)")
        con.execute("INSERT INTO u VALUES (1, 3, 'a'), (2, 4, 'b')")
    before = database.read_bytes()
    code = main(["mask", "round", str(database), "--table", "u", "--id", "id", "--columns", "v", "--base", "5"])
    said = capsys.readouterr().err
    assert code == 2
    assert "f of u is an ENUM, whose type still lists labels that no record has" in said
    assert "hidden" not in said
    assert database.read_bytes() == before
