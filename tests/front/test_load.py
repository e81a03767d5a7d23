"""Macros on a connection, and macros in a database file."""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import re
from pathlib import Path

import duckdb
import pytest

import sdc_sql
from sdc_sql.db.catalogue.macros import SqlFile, example_tables, list_needed_macros, read_catalogue, sql_files

MODULE = importlib.import_module("sdc_sql.db.catalogue.load")  # the package's own name `load` is the function
COUNTS = "FROM sdc_frequency_counts('persons', ['age', 'sex'])"
EXPECTED = [(1, 1), (2, 1)]
TABLE = "CREATE TABLE persons AS FROM (VALUES (30, 'f'), (30, 'f'), (41, 'm')) AS t(age, sex)"
OURS = "SELECT count(*) FROM duckdb_functions() WHERE starts_with(function_name, 'sdc_') AND database_name = ?"


def _closed(macros: tuple[str, ...]) -> tuple[SqlFile, ...]:
    """Return the files of some macros, with those that they call."""
    found: set[str] = set(macros)
    for file in reversed(sql_files()):
        if found & set(file.defines):
            found |= file.calls
    return tuple(file for file in sql_files() if found & set(file.defines))


FEW = _closed(list_needed_macros(f"{COUNTS}, sdc_theta, sdc__rows"))


@pytest.fixture
def few(monkeypatch):
    """Let a tenth of the files be all there are: how they are stored and registered does not depend on their number."""
    monkeypatch.setattr(MODULE, "sql_files", lambda: FEW)
    monkeypatch.setattr(MODULE, "list_macros", lambda: tuple(macro for file in FEW for macro in file.defines))


def counts(con: duckdb.DuckDBPyConnection) -> list[tuple[int, int]]:
    return con.execute(COUNTS).fetchall()


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def database(tmp_path):
    """Return the path of a database with the table `persons`."""
    path = tmp_path / "survey.duckdb"
    with duckdb.connect(path) as con:
        con.execute(TABLE)
    return path


@pytest.mark.usefixtures("few")
def test_load_returns_the_connection():
    with duckdb.connect() as con:
        assert sdc_sql.load(con) is con


@pytest.mark.slow
def test_twice_does_no_harm():
    with duckdb.connect() as con:
        con.execute(TABLE)
        once = sdc_sql.load(con).execute(OURS, ["temp"]).fetchone()
        assert sdc_sql.load(con).execute(OURS, ["temp"]).fetchone() == once
        assert counts(con) == EXPECTED


@pytest.mark.usefixtures("few")
def test_loaded_macros_are_temporary(database):
    before = digest(database)
    with duckdb.connect(database) as con:
        assert counts(sdc_sql.load(con)) == EXPECTED
        assert con.execute(OURS, ["survey"]).fetchone() == (0,)
    assert digest(database) == before
    assert [p.name for p in database.parent.iterdir()] == [database.name]
    with duckdb.connect(database) as con, pytest.raises(duckdb.CatalogException):
        counts(con)


@pytest.mark.usefixtures("few")
def test_load_on_a_read_only_database(database):
    with duckdb.connect(database, read_only=True) as con:
        assert counts(sdc_sql.load(con)) == EXPECTED


@pytest.mark.usefixtures("few")
def test_load_leaves_an_open_transaction_open_and_commit_keeps_it(database):
    with duckdb.connect(database) as con:
        con.begin()
        con.execute("CREATE TABLE kept AS SELECT 1")
        assert counts(sdc_sql.load(con)) == EXPECTED
        con.commit()
        assert counts(con) == EXPECTED
        assert con.execute("FROM kept").fetchall() == [(1,)]


@pytest.mark.slow
@pytest.mark.usefixtures("few")
def test_load_leaves_an_open_transaction_open_and_rollback_undoes_it(database):
    with duckdb.connect(database) as con:
        con.begin()
        con.execute("CREATE TABLE dropped AS SELECT 1")
        assert counts(sdc_sql.load(con)) == EXPECTED
        con.rollback()
        with pytest.raises(duckdb.CatalogException, match="dropped"):
            con.execute("FROM dropped")
        assert counts(sdc_sql.load(con)) == EXPECTED


@pytest.mark.slow
def test_a_described_table_survives_the_rollback_of_the_transaction_it_was_described_in(database):
    with duckdb.connect(database) as con:
        con.begin()
        data = sdc_sql.Microdata(con, "persons", keys=["age", "sex"])
        con.rollback()
        assert data.risk.frequency_counts() == dict(EXPECTED)


@pytest.mark.slow
@pytest.mark.usefixtures("few")
def test_another_macro_of_the_same_name_in_the_file_does_not_win(database):
    with duckdb.connect(database) as con:
        con.execute("CREATE MACRO sdc_frequency_counts(tbl, keys) AS TABLE SELECT 'an older one' AS frequency")
    with duckdb.connect(database) as con:
        assert con.execute(COUNTS).fetchall() == [("an older one",)]
        assert counts(sdc_sql.load(con)) == EXPECTED


@pytest.mark.slow
@pytest.mark.usefixtures("few")
def test_an_older_helper_in_the_file_is_not_called(database):
    with duckdb.connect(database) as con:
        sdc_sql.install(con)
        con.execute("CREATE OR REPLACE MACRO sdc__is_among(name, names) AS false")
        con.execute("CREATE OR REPLACE MACRO sdc__rows(tbl) AS TABLE SELECT 1 AS age, 2 AS sex")
    with duckdb.connect(database) as con:
        assert counts(sdc_sql.load(con)) == EXPECTED


@pytest.mark.usefixtures("few")
def test_beside_macros_in_the_file_a_described_table_gets_all(database):
    # an older one would call helpers of this version
    with duckdb.connect(database) as con:
        sdc_sql.install(con)
        con.execute("CREATE OR REPLACE MACRO sdc_theta(tbl) AS TABLE FROM sdc__rows(tbl)")
    with duckdb.connect(database) as con:
        con.begin()
        sdc_sql.Microdata(con, "persons", keys=["age", "sex"])
        con.rollback()
        sdc_sql.Microdata(con, "persons", keys=["age", "sex"])
        assert con.execute("SELECT n1 FROM sdc_theta('persons', ['age'], 0.1)").fetchall() == [(1,)]


@pytest.mark.usefixtures("few")
def test_load_in_another_schema():
    with duckdb.connect() as con:
        con.execute("CREATE SCHEMA s; USE s")
        con.execute(TABLE)
        assert counts(sdc_sql.load(con)) == EXPECTED


@pytest.mark.usefixtures("few")
def test_a_cursor_needs_a_load_of_its_own(database):
    with duckdb.connect(database) as con:
        sdc_sql.load(con)
        with con.cursor() as cursor:
            with pytest.raises(duckdb.CatalogException):
                counts(cursor)
            assert counts(sdc_sql.load(cursor)) == EXPECTED


@pytest.mark.slow
def test_install_stores_the_macros(database):
    with duckdb.connect(database) as con:
        assert sdc_sql.install(con) is None
    with duckdb.connect(database, read_only=True) as con:
        assert counts(con) == EXPECTED
        assert con.execute(OURS, ["survey"]).fetchone() == (sum(len(f.defines) for f in sql_files()),)
        with con.cursor() as cursor:
            assert counts(cursor) == EXPECTED


@pytest.mark.usefixtures("few")
def test_install_replaces(database):
    with duckdb.connect(database) as con:
        con.execute("CREATE MACRO sdc_frequency_counts(tbl, keys) AS TABLE SELECT 'an older one' AS frequency")
        sdc_sql.install(con)
        sdc_sql.install(con)
    with duckdb.connect(database) as con:
        assert counts(con) == EXPECTED


@pytest.mark.usefixtures("few")
def test_install_keeps_what_is_not_ours(database):
    with duckdb.connect(database) as con:
        con.execute("CREATE MACRO twice(x) AS 2 * x")
        sdc_sql.install(con)
        assert con.execute("SELECT twice(21), count(*) FROM persons").fetchone() == (42, 3)


@pytest.mark.slow
def test_install_on_a_connection_that_has_them_loaded(database):
    with duckdb.connect(database) as con:
        sdc_sql.install(sdc_sql.load(con))
    with duckdb.connect(database) as con:
        assert counts(con) == EXPECTED


@pytest.mark.usefixtures("few")
def test_install_is_all_or_nothing(database, monkeypatch):
    broken = SqlFile("broken.sql", "CREATE OR REPLACE MACRO sdc__broken(a) AS (", ("sdc__broken",), frozenset())
    monkeypatch.setattr(MODULE, "sql_files", lambda: (*FEW, broken))
    with duckdb.connect(database) as con:
        with pytest.raises(duckdb.ParserException):
            sdc_sql.install(con)
        assert con.execute(OURS, ["survey"]).fetchone() == (0,)
        con.begin()  # no transaction was left open
        con.rollback()


@pytest.mark.usefixtures("few")
def test_install_that_fails_keeps_the_older_macros(database, monkeypatch):
    with duckdb.connect(database) as con:
        con.execute("CREATE MACRO sdc_frequency_counts(tbl, keys) AS TABLE SELECT 'an older one' AS frequency")
        broken = SqlFile("broken.sql", "CREATE OR REPLACE MACRO sdc__broken(a) AS (", ("sdc__broken",), frozenset())
        monkeypatch.setattr(MODULE, "sql_files", lambda: (*FEW, broken))
        with pytest.raises(duckdb.ParserException):
            sdc_sql.install(con)
        assert con.execute(COUNTS).fetchall() == [("an older one",)]


@pytest.mark.usefixtures("few")
def test_install_on_a_read_only_database_is_refused_and_harms_nothing(database):
    before = digest(database)
    with duckdb.connect(database, read_only=True) as con:
        with pytest.raises(duckdb.Error, match="read-only"):
            sdc_sql.install(con)
        assert con.execute("SELECT count(*) FROM persons").fetchone() == (3,)
    assert digest(database) == before


@pytest.mark.usefixtures("few")
def test_install_does_not_ruin_an_open_transaction(database):
    # joined or refused: in either case what the user has not yet committed is still there to commit
    with duckdb.connect(database) as con:
        con.begin()
        con.execute("CREATE TABLE kept AS SELECT 1")
        with contextlib.suppress(duckdb.Error, sdc_sql.SdcError):
            sdc_sql.install(con)
        con.commit()
        assert con.execute("FROM kept").fetchall() == [(1,)]


@pytest.mark.usefixtures("few")
def test_install_never_commits_for_the_user(database):
    with duckdb.connect(database) as con:
        con.begin()
        con.execute("CREATE TABLE dropped AS SELECT 1")
        with contextlib.suppress(duckdb.Error, sdc_sql.SdcError):
            sdc_sql.install(con)
        con.rollback()
        with pytest.raises(duckdb.CatalogException):
            con.execute("FROM dropped")


@pytest.mark.slow
def test_shared_macros_are_found_by_every_cursor_and_stand_in_no_file(database, monkeypatch):
    monkeypatch.setenv("SDC_KEY", "vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U")
    with duckdb.connect(database) as con:
        MODULE.load_shared(con)
        MODULE.load_shared(con)
        assert con.execute("SELECT current_database()").fetchall() == [("survey",)]
        cursors = [con.cursor(), con.cursor()]
        for cursor in cursors:
            MODULE.use_shared(cursor)
            MODULE.use_shared(cursor)
            assert counts(cursor) == EXPECTED
            # the Python functions and the key are there as well, and a new table goes where it did before
            masked = "SELECT count(*) FROM sdc_noise('persons', ['age'], 0.1, 'sex')"
            with pytest.raises(duckdb.Error, match="must be unique"):
                cursor.execute(masked).fetchall()
            cursor.execute("CREATE OR REPLACE TABLE one AS SELECT range AS id, range AS x FROM range(9)")
            assert cursor.execute("SELECT count(*) FROM sdc_noise('one', ['x'], 0.1, 'id')").fetchall() == [(9,)]
            cursor.execute("DROP TABLE one")
        assert con.execute(OURS, ["survey"]).fetchone() == con.execute(OURS, ["temp"]).fetchone() == (0,)
    with duckdb.connect(database, read_only=True) as con:
        assert con.execute(OURS, ["survey"]).fetchone() == (0,)
        MODULE.load_shared(con)
        MODULE.use_shared(cursor := con.cursor())
        assert counts(cursor) == EXPECTED


@pytest.mark.slow
def test_shared_macros_come_before_older_ones_of_the_database(database):
    with duckdb.connect(database) as con:
        sdc_sql.install(con)
        con.execute("CREATE OR REPLACE MACRO sdc_frequency_counts(tbl, keys) AS TABLE SELECT 'of long ago'")
        MODULE.load_shared(con)
        cursor = con.cursor()
        assert counts(cursor) == [("of long ago",)]
        MODULE.use_shared(cursor)
        assert counts(cursor) == EXPECTED


@pytest.mark.usefixtures("few")
def test_uninstall_takes_out_ours_alone(database):
    with duckdb.connect(database) as con:
        con.execute("CREATE MACRO sdc_of_the_user(x) AS x")
        con.execute("CREATE MACRO theirs(x) AS x")
        sdc_sql.install(con)
        sdc_sql.uninstall(con)
        left = """SELECT function_name FROM duckdb_functions()
            WHERE function_type IN ('macro', 'table_macro') AND database_name = current_database() ORDER BY ALL"""
        assert con.execute(left).fetchall() == [("sdc_of_the_user",), ("theirs",)]
        sdc_sql.uninstall(con)  # nothing to take out


def made(con: duckdb.DuckDBPyConnection) -> set[str]:
    """Return the names of the macros that are on a connection."""
    ours = "SELECT function_name FROM duckdb_functions() WHERE function_name ^@ 'sdc_' AND database_name = 'temp'"
    return {name for (name,) in con.execute(ours).fetchall()}


@pytest.mark.slow
@pytest.mark.usefixtures("few")
def test_a_connection_that_has_the_macros_is_asked_nothing(database, monkeypatch):
    with duckdb.connect(database) as con:
        data = sdc_sql.Microdata(con, "persons", keys=["age", "sex"])
        assert data.risk.frequency_counts() == dict(EXPECTED)
        monkeypatch.setattr(
            MODULE, "read_transaction_number", None
        )  # would fail, as would the question that follows it
        assert data.risk.frequency_counts() == dict(EXPECTED)
        monkeypatch.undo()
        sdc_sql.load(con)
        monkeypatch.setattr(MODULE, "read_transaction_number", None)
        assert data.risk.theta(0.1).n1 == 1
        assert sdc_sql.load(con) is con


@pytest.mark.slow
def test_a_described_table_gets_the_macros_that_are_called(database):
    with duckdb.connect(database) as con:
        data = sdc_sql.Microdata(con, "persons", keys=["age", "sex"])
        assert data.risk.frequency_counts() == dict(EXPECTED)
        assert "sdc_frequency_counts" in made(con)
        assert "sdc_theta" not in made(con)
        assert data.risk.theta(0.1).n1 == 1
        assert "sdc_theta" in made(con)
        every = {macro for file in sql_files() for macro in file.defines}
        assert made(sdc_sql.load(con)) >= {macro for macro in every if not macro.startswith("sdc__")}


def test_load_for_a_query(database):
    with duckdb.connect(database) as con:
        assert counts(sdc_sql.load(con, COUNTS)) == EXPECTED
        assert "sdc_theta" not in made(con)
        assert sdc_sql.load(con, "SDC_Theta").sql("SELECT n1 FROM sdc_theta('persons', ['age'], 0.1)").fetchall() == [
            (1,)
        ]
        assert sdc_sql.load(con, "SELECT 1") is con


def test_no_query_is_run_around_the_macros_that_it_calls():
    # what is written as a tree, or names a macro, is run by `execute`, which gets its macros; or asks for them before
    around = re.compile(r"\.(?:execute|sql)\(\s*(?:query\.text\(|f?\"[^\"]*\bsdc_\w+\()")
    folder = Path(sdc_sql.__file__).parent
    found = {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if around.search(line) and ">>>" not in line
    }
    # which read a table, or columns of no macro; or ask whether a macro or a table is there
    assert found <= {
        "compiler/__init__.py",
        "db/files/given.py",
        "release/running/formats.py",
        "db/catalogue/load.py",
        "db/masking/meanwhile.py",
    }


@pytest.mark.slow
def test_a_step_gets_the_kernel_that_it_calls_and_no_other(database):
    with duckdb.connect(database) as con:
        con.execute("CREATE TABLE one AS SELECT range AS id, range AS x FROM range(9)")
        con.execute("SET VARIABLE sdc_key = 'vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U'")
        data = sdc_sql.Microdata(con, "one", id="id")
        data.mask.noise("x", 0.1)
        once = made(con)
        assert {name for name in once if name.startswith("sdc__kernel_")} == {
            "sdc__kernel_noise",
            "sdc__kernel_noise_root",
        }
        data.mask.noise("x", 0.1, release="second")  # what was created in the transaction of the first is there
        assert made(con) == once


@pytest.mark.slow
def test_macros_of_a_transaction_are_there_until_it_ends_and_again_after(database, monkeypatch):
    created = []
    parsed = MODULE._parse_macro
    monkeypatch.setattr(MODULE, "_parse_macro", lambda con, name: (created.append(name), parsed(con, name))[1])
    with duckdb.connect(database) as con:
        for end in (con.rollback, con.commit):
            con.begin()
            data = sdc_sql.Microdata(con, "persons", keys=["age", "sex"])
            assert data.risk.frequency_counts() == dict(EXPECTED)
            assert "sdc_frequency_counts" in created
            created.clear()
            assert data.risk.frequency_counts() == dict(EXPECTED)
            assert not created  # nor are they created twice
            end()
            assert data.risk.frequency_counts() == dict(EXPECTED)
            con.begin()
            created.clear()
            assert data.risk.frequency_counts() == dict(EXPECTED)
            assert not created  # those of no transaction cannot be rolled back
            con.rollback()
            assert data.risk.frequency_counts() == dict(EXPECTED)
            MODULE._HAD.clear()


@pytest.mark.slow
def test_a_view_of_macros_in_a_database_is_described(database):
    with duckdb.connect(database) as con:
        sdc_sql.load(con, "sdc_posterior_risk").execute(
            "CREATE VIEW judged AS SELECT *, sdc_posterior_risk(1, 1) AS risk FROM persons"
        )
    with duckdb.connect(database) as con:
        assert sdc_sql.Microdata(con, "judged", keys=["age", "risk"]).risk.theta(0.1).n1 == 1


@pytest.mark.slow
@pytest.mark.parametrize("entry", [e for e in read_catalogue() if e.file.startswith("risk/")], ids=lambda e: e.name)
def test_a_query_has_all_macros_that_it_needs(entry):
    with duckdb.connect() as con:
        con.execute(example_tables())
        MODULE.execute(con, entry.example.replace("CALL", "FROM", 1)).fetchall()
