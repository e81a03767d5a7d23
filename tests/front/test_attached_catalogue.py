"""All macros by the catalogue in the cache folder: the same functions, the user's own tables, no folder of others."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from functools import partial
from types import SimpleNamespace

import duckdb
import pytest
from masked_tables import KEY

import sdc_sql
from sdc_sql.db.catalogue import attached
from sdc_sql.db.catalogue.macros import example_tables, list_macros, read_catalogue
from sdc_sql.db.files.cache_folder import find_cache_folder

pytestmark = pytest.mark.skipif(not hasattr(os, "getuid"), reason="this system does not say whose a folder is")
COUNTS = "FROM sdc_frequency_counts('{}', ['age', 'sex'])"
EXPECTED = [(1, 1), (2, 1)]
ROWS = "FROM (VALUES (30, 'f'), (30, 'f'), (41, 'm')) AS t(age, sex)"
PUBLIC = """SELECT function_name, parameters, function_type FROM duckdb_functions()
    WHERE starts_with(function_name, 'sdc_') AND NOT starts_with(function_name, 'sdc__') AND database_name = 'temp'
    ORDER BY ALL"""
DATABASES = "SELECT count(*) FROM duckdb_databases() WHERE database_name = 'sdc_sql'"


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Return a cache folder with a catalogue: it takes longer to write than all these tests."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch, duckdb.connect() as con:
        patch.setenv("SDC_CACHE", str(folder))
        sdc_sql.load(con)
    return folder


@pytest.fixture
def folder(written, monkeypatch):
    monkeypatch.setenv("SDC_CACHE", str(written))
    return written


def is_attached(con: duckdb.DuckDBPyConnection) -> bool:
    return con.execute(DATABASES).fetchall() == [(1,)]


def test_each_public_macro_passes_all_its_arguments_on():
    for macro in read_catalogue():
        head, call = attached._write_public(macro.name).split(attached._HOME)
        assert macro.name in head
        passed = [argument.partition(":=")[0].strip() for argument in call[call.index("(") + 1 : -1].split(",")]
        assert passed == ([p.name for p in macro.parameters] or [""])


def test_no_name_that_a_query_gives_to_its_own_rows_is_taken_for_a_macro():
    # ", sdc__steps(a, b) AS (" names the columns of a common table expression
    own = re.compile(rf"{attached._HOME}\w+\([\w\s,]*\) AS (?:(?:NOT )?MATERIALIZED )?\(")
    assert [name for name in list_macros() if own.search(attached._write_stored(name))] == []


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_every_example_answers_alike_by_the_catalogue_and_without(monkeypatch):
    examples = [macro.example.removesuffix(";") for macro in read_catalogue() if macro.example]
    with duckdb.connect() as con, duckdb.connect() as today:
        sdc_sql.load(con)
        monkeypatch.setenv("SDC_CACHE", "")
        sdc_sql.load(today)
        assert (is_attached(con), is_attached(today)) == (True, False)
        answers = [[*map(partial(_answer, c), examples)] for c in (con, today)]
    assert dict(zip(examples, answers[0], strict=True)) == dict(zip(examples, answers[1], strict=True))


def _answer(con: duckdb.DuckDBPyConnection, example: str) -> list[str]:
    if not con.execute("SELECT getvariable('sdc_key') IS NOT NULL").fetchall()[0][0]:
        con.execute(example_tables())
        con.execute("SET VARIABLE sdc_key = ?", [KEY])
        con.execute("SET threads = 1")
    return sorted(map(repr, con.execute(example).fetchall()))


def counts(con: duckdb.DuckDBPyConnection, table: str = "persons") -> list[tuple[int, int]]:
    return con.execute(COUNTS.format(table)).fetchall()


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_the_functions_are_the_same(monkeypatch):
    with duckdb.connect() as con, duckdb.connect() as today:
        found = sdc_sql.load(con).execute(PUBLIC).fetchall()
        monkeypatch.setenv("SDC_CACHE", "")
        assert sdc_sql.load(today).execute(PUBLIC).fetchall() == found
        assert is_attached(con)
        assert not is_attached(today)


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_tables_are_the_users_and_his_schema_stays():
    with duckdb.connect() as con:
        con.execute(f"CREATE SCHEMA own; USE own; CREATE TABLE persons AS {ROWS}")
        where = "SELECT current_schema(), current_database(), current_setting('search_path')"
        before = con.execute(where).fetchall()
        assert counts(sdc_sql.load(con)) == EXPECTED
        assert con.execute(where).fetchall() == before
        con.execute(f"CREATE TEMP TABLE passing AS {ROWS}")
        assert counts(con, "passing") == EXPECTED
        assert con.execute(f"WITH few AS ({ROWS}) {COUNTS.format('few')}").fetchall() == EXPECTED
        con.execute("CREATE TABLE made AS SELECT 1 AS a; USE main")
        assert counts(con, "own.persons") == EXPECTED  # whatever schema is used later
        assert con.execute("SELECT schema_name FROM duckdb_tables() WHERE table_name = 'made'").fetchall() == [("own",)]
        with pytest.raises(duckdb.Error, match="does not exist"):
            counts(con, "persons")


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_kernels_masks_and_errors_are_there():
    with duckdb.connect() as con:
        con.execute("CREATE TABLE one AS SELECT range AS id, range AS x FROM range(9)")
        con.execute("SET VARIABLE sdc_key = 'vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U'")
        sdc_sql.load(con)
        assert con.execute("SELECT count(*) FROM sdc_noise('one', ['x'], 0.1, 'id')").fetchall() == [(9,)]
        data = sdc_sql.Microdata(con, "one", keys=["x"], id="id")
        assert data.risk.theta(0.1).n1 == 9
        data.mask.noise("x", 0.1)
        with pytest.raises(duckdb.Error, match="is not a column"):
            con.execute("FROM sdc_theta('one', ['nowhere'], 0.1)")
        with con.cursor() as cursor:
            with pytest.raises(duckdb.CatalogException):
                cursor.execute("FROM sdc_theta('one', ['x'], 0.1)")
            assert sdc_sql.load(cursor).execute("FROM sdc_theta('one', ['x'], 0.1)").fetchall()


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_two_databases_of_one_process_and_one_that_is_read_only(tmp_path):
    with duckdb.connect(tmp_path / "a.duckdb") as con:
        con.execute(f"CREATE TABLE persons AS {ROWS}")
    with duckdb.connect(tmp_path / "a.duckdb", read_only=True) as con, duckdb.connect() as other:
        other.execute(f"CREATE TABLE persons AS {ROWS}")
        assert counts(sdc_sql.load(con)) == counts(sdc_sql.load(other)) == EXPECTED
        assert is_attached(con)
        assert is_attached(other)
    with duckdb.connect(tmp_path / "a.duckdb") as con:
        assert con.execute("SELECT count(*) FROM duckdb_functions() WHERE function_name ^@ 'sdc_'").fetchall() == [(0,)]


REOPENED = """
import sys, duckdb
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from sdc_sql.db.catalogue.attached import _attach
file = Path(sys.argv[1])
duckdb.connect(file).close()
stays = duckdb.connect()
assert _attach(stays, file)
for _ in range(100):
    with duckdb.connect() as con:
        assert _attach(con, file)
        assert _attach(con.cursor(), file)
with duckdb.connect() as con, ThreadPoolExecutor() as many:
    assert any(many.map(lambda cursor: _attach(cursor, file), [con.cursor() for _ in range(8)]))
    assert _attach(con, file)  # one that came while it was half done was told that it is not there
print("all are there")
"""


@pytest.mark.slow
def test_a_connection_that_stays_lets_others_be_closed_and_opened(tmp_path):
    # with IF NOT EXISTS, DuckDB waits without end for one that was closed: after some ten
    run = [sys.executable, "-c", REOPENED, str(tmp_path / "it's.duckdb")]
    assert subprocess.run(run, capture_output=True, text=True, timeout=120, check=True).stdout == "all are there\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    "before",
    ["BEGIN", "ATTACH ':memory:' AS sdc_sql", "SET enable_external_access = false", "SET lock_configuration = true"],
)
@pytest.mark.usefixtures("folder")
def test_where_it_cannot_be_attached_the_macros_are_there_all_the_same(before):
    with duckdb.connect() as con:
        con.execute(f"CREATE TABLE persons AS {ROWS}")
        con.execute(before)
        assert counts(sdc_sql.load(con)) == EXPECTED
        assert con.execute("SELECT current_database(), current_schema()").fetchall() == [("memory", "main")]


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_a_catalogue_that_fails_after_the_functions_are_registered_asks_once_which_are_there(monkeypatch):
    asked = []
    list_registered = attached.kernels.list_registered

    def count(con):
        asked.append(con)
        return list_registered(con)

    monkeypatch.setattr(attached.kernels, "list_registered", count)
    monkeypatch.setattr(attached, "_PARSED", duckdb.extract_statements("FROM no_such_table"))
    with duckdb.connect() as con:
        con.execute(f"CREATE TABLE persons AS SELECT row_number() OVER () AS id, * {ROWS}")
        assert counts(sdc_sql.load(con)) == EXPECTED
        averaged = "SELECT DISTINCT round(age, 2) FROM sdc_microaggregate('persons', ['age'], 3, 'id')"  # by a kernel
        assert con.execute(averaged).fetchall() == [(34,)]
    assert len(asked) == 1


def test_a_folder_that_others_can_reach_is_none(tmp_path, monkeypatch):
    place = tmp_path / "cache"
    monkeypatch.setenv("SDC_CACHE", str(place))
    assert find_cache_folder() == place
    assert place.stat().st_mode & 0o777 == 0o700
    for mode in (0o701, 0o740, 0o777):
        place.chmod(mode)
        assert find_cache_folder() is None
    place.chmod(0o700)
    tmp_path.chmod(0o777)  # others may rename it, and put theirs in its place
    assert find_cache_folder() is None
    tmp_path.chmod(0o700)
    (tmp_path / "link").symlink_to(place)
    for other in (tmp_path / "link", "relative", tmp_path / "file" / "cache"):
        (tmp_path / "file").write_text("no folder")
        monkeypatch.setenv("SDC_CACHE", str(other))
        assert find_cache_folder() is None
    monkeypatch.setenv("SDC_CACHE", str(place))
    monkeypatch.setattr(os, "getuid", lambda: place.stat().st_uid + 1)  # it is another user's
    assert find_cache_folder() is None


def test_it_stands_in_the_cache_folder_of_the_user(tmp_path, monkeypatch):
    monkeypatch.delenv("SDC_CACHE")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert find_cache_folder() == tmp_path / ".cache" / "sdc-sql"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "other"))
    assert find_cache_folder() == tmp_path / "other" / "sdc-sql"


@pytest.fixture
def small(monkeypatch):
    """Let a few macros be all there are, in a folder of their own."""
    names = attached.list_macros()[:40]
    monkeypatch.setattr(attached, "list_macros", lambda: tuple(n for n in names if not n.startswith("sdc__kernel_")))
    monkeypatch.setattr(attached, "_FAILED", set())
    known = (attached.list_public_macros, attached._list_names)
    for cached in known:
        cached.cache_clear()
    yield
    for cached in known:
        cached.cache_clear()


@pytest.mark.usefixtures("small")
def test_what_is_not_as_it_was_written_is_not_attached(tmp_path):
    tmp_path.chmod(0o700)
    file = attached._write_file(tmp_path)
    assert file is not None
    assert attached._find_file(tmp_path) == file
    assert [p.name for p in tmp_path.iterdir()] == [file.name]  # nothing beside it is left
    file.chmod(0o622)
    assert attached._find_file(tmp_path) is None
    file.chmod(0o600)
    with file.open("ab") as end:
        end.write(b"x")
    assert attached._find_file(tmp_path) is None
    (tmp_path / "of.long_ago.duckdb").write_text("")
    os.utime(tmp_path / "of.long_ago.duckdb", (0, 0))
    assert attached._write_file(tmp_path) == attached._find_file(tmp_path)  # a good one is written
    assert not (tmp_path / "of.long_ago.duckdb").exists()


def test_another_kernel_makes_another_catalogue(tmp_path, monkeypatch):
    """Whether its modules are files or not."""
    module = tmp_path / "kernel.py"
    spec = SimpleNamespace(submodule_search_locations=[str(tmp_path)])
    monkeypatch.setattr(attached.kernels, "find_spec", lambda _: spec)
    declared = next(iter(attached.kernels.list_functions().values()))
    names = []
    for text in (None, "a = 1", "a = 2"):
        if text:
            module.write_text(text)
        names.append(attached._name_contents.__wrapped__())
    module.unlink()
    monkeypatch.setattr(attached.kernels, "list_functions", lambda: {declared.name: declared})
    names.append(attached._name_contents.__wrapped__())
    assert len(set(names)) == 4


@pytest.mark.usefixtures("small")
def test_a_folder_that_cannot_be_written_is_tried_once(tmp_path, monkeypatch):
    tried = []
    monkeypatch.setattr(attached.duckdb, "connect", lambda: tried.append(1) or (_ for _ in ()).throw(OSError))
    assert attached._write_file(tmp_path) is attached._write_file(tmp_path) is None
    assert tried == [1]


@pytest.mark.usefixtures("folder")
def test_what_computes_a_kernel_is_imported_when_it_is_called():
    code = """
import sys, duckdb, sdc_sql
con = sdc_sql.load(duckdb.connect())
before = "sdc_sql.udfs.registry" in sys.modules
con.execute("CREATE TABLE t AS SELECT range AS id, (range * 7919) % 1000 AS a, (range * 31) % 900 AS b FROM range(60)")
con.execute("CREATE TABLE r AS SELECT * REPLACE (a + 1 AS a) FROM t")
found = con.execute("FROM sdc_linear_relations('t', 'r', 'id', ['a', 'b'])").fetchall()
print(before, "sdc_sql.udfs.registry" in sys.modules, len(found))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (run.stdout.split(), run.stderr) == (["False", "True", "2"], "")


@pytest.mark.slow
def test_processes_that_write_it_at_once_all_have_it(tmp_path):
    code = (
        "import duckdb, sdc_sql; con = sdc_sql.load(duckdb.connect());"
        f'print(con.execute("{DATABASES}").fetchone()[0], con.execute("SELECT sdc_posterior_risk(1, 1)").fetchone()[0])'
    )
    place = tmp_path / "cache"
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", code], env={**os.environ, "SDC_CACHE": str(place)}, stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    assert [run.communicate()[0] for run in runs] == ["1 1.0\n"] * 2
    assert not [p.name for p in place.iterdir() if p.name.startswith(".")]
