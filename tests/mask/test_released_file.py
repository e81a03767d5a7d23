"""What is handed over holds no bytes of the originals, and is there whole or not at all."""

from __future__ import annotations

import math
import os
import re
import struct
from typing import TYPE_CHECKING

import duckdb
import pytest

import sdc_sql
from sdc_sql import ParameterError, TableError
from sdc_sql.cli import main
from sdc_sql.db.files import released_file, rewritten

if TYPE_CHECKING:
    from pathlib import Path

N = 400
KEY = "of these tests alone, 0123456789abcdef0123456789"
SHAPE = (
    "SELECT table_name, sql FROM duckdb_tables() WHERE table_name <> 'sdc_steps' ORDER BY ALL",
    "SELECT view_name, sql FROM duckdb_views() WHERE NOT internal ORDER BY ALL",
    "SELECT index_name, sql FROM duckdb_indexes() ORDER BY ALL",
    "SELECT function_name, macro_definition FROM duckdb_functions() WHERE NOT internal ORDER BY ALL",
    "SELECT table_name, constraint_text FROM duckdb_constraints() WHERE table_name <> 'sdc_steps' ORDER BY ALL",
)


def text(i: int) -> str:
    return f"original-{i * 7919:06d}-{i}"


def number(i: int) -> float:
    return math.sqrt(2 + i) * 1e5 + 1 / 3  # no multiple of the base, which would stay


@pytest.fixture
def file(tmp_path, monkeypatch):
    """Return a database with texts and doubles that are found in bytes, and with all that hangs on a table."""
    monkeypatch.setenv("SDC_KEY", KEY)
    path = tmp_path / "survey.duckdb"
    with duckdb.connect(path) as con:
        con.execute("CREATE TABLE persons (id INTEGER PRIMARY KEY, name VARCHAR NOT NULL, x DOUBLE CHECK (x > -1e9))")
        con.executemany("INSERT INTO persons VALUES (?, ?, ?)", [[i, text(i), number(i)] for i in range(N)])
        con.execute("CREATE INDEX by_x ON persons (x); CREATE VIEW few AS FROM persons WHERE id < 9")
        con.execute("CREATE MACRO twice(a) AS 2 * a; CREATE SCHEMA s; CREATE TABLE s.other AS SELECT 1 AS y")
        sdc_sql.install(con)
    return path


def found(path: Path) -> int:
    """Count the originals in the bytes of a file, its .wal, or of all files of a folder."""
    files = [p for p in path.rglob("*") if p.is_file()] if path.is_dir() else [path]
    held = b"".join(p.read_bytes() for p in files)
    wanted = [w for i in range(N) for w in (text(i).encode(), struct.pack("<d", number(i)))]
    return sum(w in held for w in wanted)


def shape(path: Path) -> list[object]:
    with duckdb.connect(path) as con:
        return [[tuple(map(in_order, row)) for row in con.execute(query).fetchall()] for query in SHAPE]


_EXCLUDED = r'EXCLUDE \(((?:"[^"]*"|[^()])*)\)'


def in_order(sql: object) -> object:
    """Return SQL in which what is excluded stands in order: DuckDB writes that in another one from copy to copy."""
    return re.sub(_EXCLUDED, lambda m: str(sorted(m[1].split(", "))), sql) if isinstance(sql, str) else sql


def mask(con: duckdb.DuckDBPyConnection) -> sdc_sql.Microdata:
    data = sdc_sql.Microdata(con, "persons", id="id")
    data.mask.pram_retention("name", 0.0)
    con.execute("UPDATE persons SET name = 'n' || (id % 7)")
    data.mask.round("x", 1000)
    return data


@pytest.mark.slow
def test_masking_in_place_leaves_the_originals_in_the_file_and_says_so(file):
    with duckdb.connect(file) as con:
        data = mask(con)
        step = data.mask.round("x", 2000)
        assert "hand over a fresh file" in step.remains
        assert "hand over a fresh file" in str(step)
        copied = data.mask.round("x", 2000, into="copied")
        assert copied.remains == ""
        assert "remains" not in str(copied)
        con.execute("CHECKPOINT")
    assert found(file) > N / 2  # why the rest of this file is


@pytest.mark.slow
@pytest.mark.one_in(6)
@pytest.mark.parametrize("kind", ["parquet", "csv", "duckdb"])
@pytest.mark.parametrize("release", ["", "2024"])
def test_a_written_file_has_the_released_records_only(file, tmp_path, kind, release):
    (tmp_path / "out").mkdir()
    (tmp_path / "spill").mkdir()
    out = tmp_path / "out" / f"released.{kind}"
    with duckdb.connect(file, config={"temp_directory": str(tmp_path / "spill")}) as con:
        data = mask(con)
        data.write(out, release=release)
        rows = con.execute("FROM persons ORDER BY id").fetchall()
        order = con.execute("SELECT id FROM persons").fetchall()
    assert found(tmp_path / "out") == found(tmp_path / "spill") == 0
    assert [p.name for p in (tmp_path / "out").iterdir()] == [out.name]
    with duckdb.connect(out if kind == "duckdb" else ":memory:") as con:
        read = "persons" if kind == "duckdb" else f"'{out}'"
        assert con.execute(f"SELECT * FROM {read} ORDER BY id").fetchall() == rows
        assert (con.execute(f"SELECT id FROM {read}").fetchall() == order) == (not release)
        if kind == "duckdb":
            assert con.execute("SELECT table_name FROM duckdb_tables()").fetchall() == [("persons",)]


def ids(data: sdc_sql.Microdata, path: Path, **how: str) -> list[object]:
    data.write(path, **how)
    return data.con.execute(f"SELECT id, name FROM '{path}'").fetchall()


@pytest.mark.slow
def test_the_order_is_that_of_the_key_and_the_release(file, tmp_path):
    with duckdb.connect(file) as con:
        data = sdc_sql.Microdata(con, "persons", id="id")
        first = ids(data, tmp_path / "1.parquet", release="a")
        con.execute("CREATE TABLE again AS FROM persons ORDER BY x DESC")
        assert ids(sdc_sql.Microdata(con, "again", id="id"), tmp_path / "2.parquet", release="a") == first
        second = ids(data, tmp_path / "3.parquet", release="b")
        con.execute("SET VARIABLE sdc_key = ?", [KEY[::-1]])
        third = ids(data, tmp_path / "4.parquet", release="a")
        for other in (second, third, sorted(first)):
            assert sum(a == b for a, b in zip(first, other, strict=True)) < 12  # of 400: one on average
        recoded = ids(data, tmp_path / "5.parquet", release="a", ids="recode")
        assert recoded == [(i + 1, name) for i, (_, name) in enumerate(third)]


@pytest.mark.slow
def test_ids_are_dropped_on_request(file, tmp_path):
    with duckdb.connect(file) as con:
        sdc_sql.Microdata(con, "persons", id="id").write(tmp_path / "o.csv", ids="drop")
        assert con.execute(f"SELECT * FROM '{tmp_path}/o.csv' LIMIT 0").description[0][0] == "name"


@pytest.mark.slow
@pytest.mark.one_in(3)
@pytest.mark.parametrize(("how", "words"), [
    ({"ids": "recode"}, "need a release"), ({"ids": "all"}, "ids is 'all'"), ({"release": 1}, "release is 1"),
])  # fmt: skip
def test_what_is_refused(file, tmp_path, how, words):
    with duckdb.connect(file) as con, pytest.raises(ParameterError, match=words):
        sdc_sql.Microdata(con, "persons", id="id").write(tmp_path / "o.csv", **how)


@pytest.mark.slow
def test_the_id_the_key_the_ending_and_a_free_name_are_needed(file, tmp_path, monkeypatch):
    monkeypatch.delenv("SDC_KEY")
    with duckdb.connect(file) as con:
        data = sdc_sql.Microdata(con, "persons")
        for how in ({"release": "a"}, {"ids": "drop"}):
            with pytest.raises(ParameterError, match="need the id"):
                data.write(tmp_path / "o.csv", **how)
        with pytest.raises(ParameterError, match="No secret key"):
            sdc_sql.Microdata(con, "persons", id="id").write(tmp_path / "o.csv", release="a")
        with pytest.raises(ParameterError, match="must end in"):
            data.write(tmp_path / "o.xls")
        (tmp_path / "o.csv").write_text("mine")
        with pytest.raises(TableError, match="already"):
            data.write(tmp_path / "o.csv")
        with pytest.raises(TableError, match="no folder"):
            data.write(tmp_path / "nowhere" / "o.csv")
        con.begin()
        with pytest.raises(TableError, match="open transaction"):
            data.write(tmp_path / "o.duckdb")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["o.csv", "survey.duckdb"]
    assert (tmp_path / "o.csv").read_text() == "mine"


COMMAND = ["mask", "round", "survey.duckdb", "--table", "persons", "--id", "id", "--columns", "x", "--base", "1000"]


def doubles(path: Path) -> int:
    held = path.read_bytes()
    return sum(struct.pack("<d", number(i)) in held for i in range(N))


@pytest.mark.slow
def test_the_command_line_writes_the_database_anew(file, monkeypatch):
    monkeypatch.chdir(file.parent)
    file.chmod(0o640)
    before = shape(file)
    assert doubles(file) > 0  # all of them, but for DuckDB 1.5, which stores most otherwise
    assert main(COMMAND) == 0
    assert doubles(file) == 0
    assert shape(file) == before
    assert file.stat().st_mode & 0o777 == 0o640
    assert [p.name for p in file.parent.iterdir()] == [file.name]  # no .wal, no parts
    with duckdb.connect(file) as con:
        assert con.execute("SELECT count(*), sum((x % 1000 <> 0)::INTEGER) FROM persons").fetchall() == [(N, 0)]
        assert con.execute("SELECT count(*) FROM sdc_steps").fetchall() == [(1,)]


@pytest.mark.slow
@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("module", "where"), [(rewritten, "_copy_database"), (released_file, "sync_file"), (rewritten, "replace_file")]
)
def test_an_interruption_leaves_the_old_file(file, monkeypatch, module, where):
    monkeypatch.chdir(file.parent)
    before = file.read_bytes()

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(module, where, interrupted)
    assert main(COMMAND) == 130
    assert file.read_bytes() == before
    assert [p.name for p in file.parent.iterdir()] == [file.name]


@pytest.mark.slow
def test_the_folder_is_synced_after_the_file_is_put_in_its_place(file, monkeypatch):
    calls = []
    monkeypatch.chdir(file.parent)
    monkeypatch.setattr(os, "replace", lambda a, b, old=os.replace: (calls.append("replace"), old(a, b)))
    monkeypatch.setattr(
        released_file, "sync_file", lambda p, old=released_file.sync_file: (calls.append(p.is_dir()), old(p))
    )
    assert main(COMMAND) == 0
    assert calls == [False, "replace", True]


@pytest.mark.slow
def test_an_enum_lists_only_the_values_that_are_released(tmp_path):
    con = duckdb.connect()
    sdc_sql.load(con)
    con.execute("CREATE TYPE kinds AS ENUM ('b', 'it''s', 'aristocrat', 'a')")
    con.execute(
        "CREATE TABLE k AS SELECT i AS id, [NULL, 'b', 'a', 'it''s'][1 + i % 4]::kinds AS \"Select\", NULL::kinds AS f"
        " FROM range(40) AS t(i)"
    )
    data = sdc_sql.Microdata(con, "k", id="id")
    data.write(tmp_path / "released.duckdb")
    data.write(tmp_path / "recoded.parquet", ids="drop")
    assert b"aristocrat" not in (tmp_path / "released.duckdb").read_bytes()
    with duckdb.connect(tmp_path / "released.duckdb", read_only=True) as released:
        assert [str(t) for t in released.table("k").types] == ["BIGINT", "ENUM('b', 'it''s', 'a')", "VARCHAR"]
        before, after = (c.execute('SELECT id, "Select"::VARCHAR, f FROM k').fetchall() for c in (con, released))
    assert before == after
