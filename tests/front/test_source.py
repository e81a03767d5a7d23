"""What a command line names is told by its content, read, and not written."""

from __future__ import annotations

import hashlib
from pathlib import Path

import duckdb
import pytest

from sdc_sql import Microdata, TableError
from sdc_sql.db.files.source import open_source
from sdc_sql.errors import InputError, translate_errors

ROWS = "FROM (VALUES (1, 30, 'f'), (2, 30, 'f'), (3, 41, 'm')) AS t(id, age, sex)"
NAMES = ["k", "Select", "it's", "a.b", "sdc__x", "x.parquet", "données", "x y", "data", "counts", "table"]
QUERY_TABLE_READS_QUOTES = not duckdb.__version__.startswith("1.")


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def records(source: object, table: str | None = None) -> int:
    """Return how many records of a source are seen where the macros read it."""
    with open_source(str(source), table) as (con, name), translate_errors():
        literal = name.replace("'", "''")
        ((number,),) = con.execute(f"SELECT count(*) FROM query_table('{literal}') WHERE age > 0").fetchall()
        return number


def copied(path: Path, how: str = "FORMAT parquet", rows: str = ROWS) -> Path:
    with duckdb.connect() as con:
        con.execute(f"COPY ({rows}) TO '{str(path).replace(chr(39), chr(39) * 2)}' ({how})")
    return path


def database(path: Path, *statements: str) -> Path:
    with duckdb.connect(path) as con:
        for statement in statements:
            con.execute(statement)
    return path


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@pytest.mark.parametrize("name", ["p.parquet", "p.csv", "no_ending", "it's.parquet", "a b.parquet", "ünï.parquet"])
def test_parquet_is_told_by_content(tmp_path, name):
    assert records(copied(tmp_path / name)) == 3


@pytest.mark.parametrize("name", ["p.csv", "no_ending", "p.duckdb", "it's.csv"])
def test_csv_is_told_by_content(tmp_path, name):
    assert records(copied(tmp_path / name, "FORMAT csv")) == 3


def test_a_csv_file_of_its_header_alone_has_no_records(tmp_path):
    """With odd names DuckDB calls the columns column0, column1, ... and their names a record."""
    (tmp_path / "empty.csv").write_text('id,f,Select,"a""b",it\'s,sex age,income\n', encoding="utf-8")
    with pytest.raises(TableError, match=r"empty\.csv has no records: it is one line"):
        records(tmp_path / "empty.csv")


@pytest.mark.parametrize("name", ["p.duckdb", "p.db", "no_ending", "p.parquet", "p.csv"])
def test_a_database_is_told_by_content(tmp_path, name):
    if name.endswith((".parquet", ".csv")):
        made = database(tmp_path / "made", f"CREATE TABLE p AS {ROWS}")
        made.rename(tmp_path / name)
    else:
        database(tmp_path / name, f"CREATE TABLE p AS {ROWS}")
    assert records(tmp_path / name) == 3


@pytest.mark.parametrize("how", ["FORMAT csv, DELIMITER '\t'", "FORMAT csv, DELIMITER ';'", "FORMAT csv, QUOTE '\"'"])
def test_csv_of_other_dialects(tmp_path, how):
    assert records(copied(tmp_path / "p.txt", how)) == 3


def test_a_compressed_csv(tmp_path):
    assert records(copied(tmp_path / "p.csv.gz", "FORMAT csv, COMPRESSION gzip")) == 3


def test_a_csv_is_read_with_the_types_of_all_its_rows(tmp_path):
    path = tmp_path / "late.csv"
    path.write_text("age,sex\n" + "1,f\n" * 30_000 + "unknown,m\n")
    with open_source(str(path), None) as (con, name):
        assert Microdata(con, name, keys=["age"]).risk.frequency_counts() == {30_000: 1, 1: 1}


@pytest.mark.parametrize("pattern", ["part-*.parquet", "part-?.parquet", "part-[12].parquet", "*.parquet"])
def test_patterns_of_parquet(tmp_path, pattern):
    for i in (1, 2):
        copied(tmp_path / f"part-{i}.parquet")
    assert records(tmp_path / pattern) == 6


def test_patterns_of_csv(tmp_path):
    for i in (1, 2):
        copied(tmp_path / f"part-{i}.csv", "FORMAT csv")
    assert records(tmp_path / "part-*.csv") == 6


def test_a_file_whose_own_name_is_a_pattern(tmp_path):
    copied(tmp_path / "survey[1].parquet")
    assert records(tmp_path / "survey[1].parquet") == 3


@pytest.mark.parametrize("name", ["nothing.parquet", "nothing.csv", "nothing.duckdb", "nothing", "x'); --", ""])
def test_a_missing_file(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TableError):
        records(name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("pattern", ["nothing-*.parquet", "nothing-*.csv"])
def test_a_pattern_that_nothing_matches(tmp_path, pattern):
    with pytest.raises(TableError, match="nothing-"):
        records(tmp_path / pattern)


def test_a_folder(tmp_path):
    with pytest.raises(TableError, match="is a directory: name a file in it"):
        records(tmp_path)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.csv", b""),
        ("header.csv", b"age,sex\n"),
        ("prose.txt", b'Dear colleague,\n\nhere is no table at all; only\n"an unclosed quotation.\n'),
        ("binary", bytes(range(256)) * 40),
        ("torn.parquet", b"PAR1" + bytes(100)),
        ("torn.duckdb", bytes(8) + b"DUCK" + bytes(100)),
        ("head.duckdb", bytes(8) + b"DUCK"),
        ("page.html", b"<!DOCTYPE html><html><body>404</body></html>"),
    ],
)
def test_a_file_that_holds_no_such_table(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError), open_source(str(path), None) as (con, table):
        Microdata(con, table, keys=["age", "sex"])


@pytest.mark.parametrize("name", ["p.parquet", "p.csv"])
def test_a_table_of_a_file_that_is_one_table_is_refused(tmp_path, name):
    path = copied(tmp_path / name, f"FORMAT {name.partition('.')[2]}")
    with pytest.raises(TableError, match="leave the table out"):
        records(path, "persons")


def test_a_database_without_tables(tmp_path):
    with pytest.raises(TableError, match=r"has 0 tables \(none\)"):
        records(database(tmp_path / "d"))
    with pytest.raises(TableError, match="has no table 'p'"):
        records(tmp_path / "d", "p")


@pytest.mark.parametrize("table", [None, "p", "P", "main.p", "Main.P"])
def test_a_database_with_one_table(tmp_path, table):
    assert records(database(tmp_path / "d", f"CREATE TABLE p AS {ROWS}"), table) == 3


def test_a_database_with_two_tables(tmp_path):
    path = database(tmp_path / "d", f"CREATE TABLE p AS {ROWS}", f"CREATE TABLE q AS {ROWS} LIMIT 2")
    with pytest.raises(TableError, match=r"has 2 tables \(p, q\): name one with --table"):
        records(path)
    assert records(path, "p") == 3
    assert records(path, "q") == 2
    with pytest.raises(TableError, match="its tables are p, q"):
        records(path, "r")


def test_macros_and_temporary_tables_are_no_tables(tmp_path):
    path = database(tmp_path / "d", "CREATE MACRO one() AS TABLE SELECT 1", f"CREATE TABLE p AS {ROWS}")
    assert records(path) == 3


def test_schemas(tmp_path):
    path = database(
        tmp_path / "d",
        "CREATE SCHEMA s; CREATE SCHEMA t",
        f"CREATE TABLE p AS {ROWS}",
        f"CREATE TABLE s.p AS {ROWS} LIMIT 2",
        f"CREATE TABLE s.q AS {ROWS} LIMIT 1",
        f"CREATE TABLE s.r AS {ROWS} LIMIT 1",
        f"CREATE TABLE t.r AS {ROWS} LIMIT 2",
    )
    assert records(path, "p") == 3  # the one of main
    assert records(path, "main.p") == 3
    assert records(path, "s.p") == 2
    assert records(path, "S.P") == 2
    assert records(path, "q") == 1  # the only one
    assert records(path, "t.r") == 2
    with pytest.raises(TableError, match="or several"):
        records(path, "r")
    with pytest.raises(TableError, match=r"p, s\.p, s\.q, s\.r, t\.r"):
        records(path)


def test_a_view(tmp_path):
    path = database(tmp_path / "d", f"CREATE TABLE p AS {ROWS}", "CREATE VIEW v AS FROM p WHERE sex = 'f'")
    assert records(path, "v") == 2


def test_a_view_alone(tmp_path):
    assert records(database(tmp_path / "d", f"CREATE VIEW v AS {ROWS}")) == 3


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", NAMES)
def test_odd_names_of_tables(tmp_path, name):
    path = database(tmp_path / "d", f"CREATE TABLE {quoted(name)} AS {ROWS}")
    assert records(path) == 3
    assert records(path, name) == 3


def test_a_double_quote_in_the_name_of_a_table(tmp_path):
    path = database(tmp_path / "d", f"CREATE TABLE {quoted('a' + chr(34) + 'b')} AS {ROWS}")
    if QUERY_TABLE_READS_QUOTES:
        assert records(path) == records(path, 'a"b') == 3
    else:  # DuckDB 1's query_table cannot name it: an error, never another table
        with pytest.raises(TableError):
            records(path)


def test_odd_names_of_schemas(tmp_path):
    path = database(tmp_path / "d", 'CREATE SCHEMA "my schema"', f'CREATE TABLE "my schema"."it\'s" AS {ROWS}')
    assert records(path) == records(path, "it's") == records(path, "my schema.it's") == 3


def test_hostile_names_only_fail(tmp_path):
    path = database(tmp_path / "d", f"CREATE TABLE p AS {ROWS}")
    for name in ("x'); DROP TABLE p; --", 'p"; DROP TABLE p; --', ""):
        with pytest.raises(TableError):
            records(path, name)
    assert records(path) == 3


@pytest.mark.parametrize("statement", ["CREATE TABLE p", "CREATE VIEW p"])
def test_the_database_is_left_as_it_is(tmp_path, statement):
    path = database(tmp_path / "d.duckdb", f"{statement} AS {ROWS}")
    before = digest(path)
    assert records(path) == 3
    with pytest.raises(TableError):
        records(path, "nothing")
    assert digest(path) == before
    assert [p.name for p in tmp_path.iterdir()] == ["d.duckdb"]


def test_the_database_cannot_be_written(tmp_path):
    path = database(tmp_path / "d", f"CREATE TABLE p AS {ROWS}")
    with open_source(str(path), None) as (con, _), pytest.raises(duckdb.Error, match="read-only"):
        con.execute("DELETE FROM p")


def test_the_file_is_free_again_afterwards(tmp_path):
    path = database(tmp_path / "d", f"CREATE TABLE p AS {ROWS}")
    records(path)
    database(path, "DROP TABLE p")
    with pytest.raises(ZeroDivisionError), open_source(str(copied(tmp_path / "p.parquet")), None) as (con, _):
        raise ZeroDivisionError
    with pytest.raises(duckdb.ConnectionException):
        con.execute("SELECT 1")


def test_a_database_in_use_by_another_process_is_refused_with_a_reason(tmp_path):
    path = database(tmp_path / "d", f"CREATE TABLE p AS {ROWS}")
    with duckdb.connect(path), pytest.raises((TableError, duckdb.Error)):
        # within one process DuckDB refuses a second, read-only, opening
        records(path)


def test_memory_and_threads_are_set(tmp_path):
    path = copied(tmp_path / "p.parquet")
    with open_source(str(path), None, memory_limit="512MB", threads=1) as (con, _):
        assert con.execute("SELECT current_setting('threads')").fetchone() == (1,)
        assert con.execute("SELECT current_setting('memory_limit')").fetchone()[0].startswith("488")  # MiB


def test_no_progress_bar_is_drawn_into_what_is_printed(tmp_path):
    with open_source(str(copied(tmp_path / "p.parquet")), None) as (con, _):
        assert con.execute("SELECT current_setting('enable_progress_bar')").fetchone() == (False,)


def test_what_is_spilled_goes_to_a_folder_that_is_gone_afterwards(tmp_path):
    path = database(tmp_path / "d", f"CREATE TABLE p AS {ROWS}")
    with open_source(str(path), None) as (con, _):
        (spill,) = con.execute("SELECT current_setting('temp_directory')").fetchone()
        assert Path(spill).is_dir()
        assert tmp_path not in Path(spill).parents
    assert not Path(spill).exists()
