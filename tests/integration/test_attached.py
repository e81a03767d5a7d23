"""Databases of another kind that are attached to DuckDB: measured, masked into a table of DuckDB, never in place."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, files

import duckdb
import pytest
import test_postgres

import sdc_sql
from sdc_sql import TableError
from sdc_sql.db.masking import targets

KEY = "vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U"
ROWS = "SELECT i::INTEGER AS id, (i % 3)::INTEGER AS f, (i * 1.5)::DOUBLE AS n FROM range(30) AS t(i)"


def extension(name: str) -> str:
    """Return the file of an extension that stands on PyPI, for the DuckDB of its version alone."""
    try:
        found = files(f"duckdb-extension-{name}") or ()
    except PackageNotFoundError:
        pytest.skip(f"no extension of DuckDB's on this machine: pip install duckdb-extension-{name}")
    path = next(str(file.locate()) for file in found if file.name.endswith(".duckdb_extension"))
    try:
        duckdb.connect(config={"allow_unsigned_extensions": "false"}).execute(f"LOAD '{path}'")
    except duckdb.Error as error:
        pytest.skip(f"the extension is of another DuckDB: {str(error).splitlines()[0]}")
    return path


@pytest.fixture
def lake(tmp_path) -> tuple[str, str, str]:
    return extension("ducklake"), f"ATTACH 'ducklake:{tmp_path}/meta' AS far (DATA_PATH '{tmp_path}/data')", "main"


server = test_postgres.server


@pytest.fixture
def postgres(request) -> tuple[str, str, str]:
    loaded = extension("postgres-scanner")
    host = request.getfixturevalue("server").info.host
    return loaded, f"ATTACH 'host={host} user=sdc dbname=postgres' AS far (TYPE postgres)", "public"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["lake", "postgres"])
def test_its_tables_are_measured_and_masked_into_a_table_of_duckdb(request, kind):
    loaded, attach, schema = request.getfixturevalue(kind)
    with duckdb.connect() as con:
        sdc_sql.load(con).execute("SET VARIABLE sdc_key = ?", [KEY])
        con.execute(f"LOAD '{loaded}'").execute(attach)
        table = f"far.{schema}.persons"
        con.execute(f"CREATE TABLE {table} AS {ROWS}")
        con.execute(f"CREATE TABLE persons AS {ROWS}")
        data, own = (sdc_sql.Microdata(con, name, keys=["f"], id="id") for name in (table, "persons"))
        assert str(data.risk.k_anonymity(11)) == str(own.risk.k_anonymity(11))
        data.mask.noise("n", 0.1, into="memory.main.released")
        own.mask.noise("n", 0.1)
        assert con.execute("FROM released ORDER BY id").fetchall() == con.execute("FROM persons ORDER BY id").fetchall()
        for into in (None, f"far.{schema}.released", "far.released"):
            with pytest.raises(TableError, match="far is a database of another kind that is attached"):
                data.mask.noise("n", 0.1, into=into)
            with pytest.raises(TableError, match="far is a database of another kind"):
                data.mask.sample(fraction=0.5, into=into, in_place=into is None)
        # the connection is sound, also for what is masked next, and nothing was left behind
        data.mask.local_suppression(2, into="suppressed")
        assert con.execute(f"FROM {table} ORDER BY id").fetchall() == con.execute(f"{ROWS} ORDER BY id").fetchall()
        names = "SELECT table_name FROM duckdb_tables() WHERE database_name = 'far' AND schema_name = ?"
        assert con.execute(names, [schema]).fetchall() == [("persons",)]
        con.execute(f"USE far.{schema}")
        with pytest.raises(TableError, match="The database in use is none of DuckDB's own: USE one that is"):
            sdc_sql.Microdata(con, "persons", keys=["f"])
        con.execute("USE memory")
        con.execute(f"DROP TABLE {table}")


@pytest.mark.slow
def test_another_kind_of_database_is_refused_before_the_work(monkeypatch):
    monkeypatch.setattr(targets, "DUCKDB", "another kind")
    with duckdb.connect() as con:
        con.execute(f"ATTACH ':memory:' AS far; CREATE TABLE far.persons AS {ROWS}")
        data = sdc_sql.Microdata(con, "far.main.persons", keys=["f"], id="id")
        for into in (None, "far.released", "FAR.main.released"):
            with pytest.raises(TableError, match="is a database of another kind that is attached"):
                data.mask.round("n", 5, into=into)
        assert con.execute("SELECT table_name FROM duckdb_tables() WHERE NOT temporary").fetchall() == [("persons",)]
        data.mask.round("n", 5, into="released")
