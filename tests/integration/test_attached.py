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


PEOPLE = """SELECT 'p' || i AS id, CASE WHEN i % 17 = 0 THEN NULL ELSE ['f', 'm', 'it''s'][1 + i % 3] END AS "Select",
    (i * i % 41)::INTEGER AS f, ['N-1', 'N-2', 'S-1', 'S-2', 'S-3'][1 + (i * 7) % 5] AS region,
    (i // 3)::INTEGER AS home, (1 + i % 4 / 2)::DOUBLE AS w, (i * 37 % 1000)::DOUBLE AS n FROM range(300) AS t(i)"""
LEVELS = {"region": sdc_sql.Hierarchy([[r, r[0], "*"] for r in ("N-1", "N-2", "S-1", "S-2", "S-3")])}
# what the cells of the keys decide, in all its forms
MASKS = [
    lambda m, into: m.recode("region", mapping={"N-1": "N", "N-2": "N"}, others="keep", into=into),
    lambda m, into: m.recode("f", breaks=[0, 10, 20, 30], ends="open_above", into=into),
    lambda m, into: m.recode("f", classes=4, method="equal_count", into=into),
    lambda m, into: m.recode("region", keep_first=1, into=into),
    lambda m, into: m.recode("region", hierarchy=LEVELS["region"], level=1, into=into),
    lambda m, into: m.top_bottom_code("n", "quantile", top=0.95, bottom=0.05, replacement="mean", into=into),
    lambda m, into: m.generalise(LEVELS, keys=["region"], k=100, suppression=0.9, into=into),
    lambda m, into: m.mondrian(5, keys=["f", "n"], into=into),
    *(lambda m, into, g=g: m.local_suppression(3, guarantee=g, into=into) for g in ("identical", "strong", "wildcard")),
    lambda m, into: m.local_suppression(
        3, household="home", household_columns=["Select"], keys=["Select", "f"], into=into
    ),
    lambda m, into: m.suppress_combinations(2, dimension=2, into=into),
    lambda m, into: m.suppress_risky(0.2, weight="w", into=into),
    lambda m, into: m.data_swap("n", 0.2, equal=["region"], shortfall="report", into=into),
]
MEASURES = [
    lambda data: data.risk.suda(2).fetchall(),
    lambda data: data.risk.log_linear_risk(model="independence"),
    lambda data: sdc_sql.Microdata(data.con, data.table, keys=["region"], id="id").mask.preview_recodings(LEVELS),
    lambda data: sdc_sql.Microdata(data.con, "released_12").loss.distribution_distance(data.table, ["f", "region"]),
    lambda data: sdc_sql.Microdata(data.con, "released_12", id="id").loss.direct_distance(data.table, "n"),
]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["lake", "postgres"])
def test_what_cells_decide_is_decided_for_its_tables_as_for_ones_own(request, kind):
    loaded, attach, schema = request.getfixturevalue(kind)
    with duckdb.connect() as con:
        sdc_sql.load(con).execute("SET VARIABLE sdc_key = ?", [KEY])
        con.execute(f"LOAD '{loaded}'").execute(attach)
        table = f'far.{schema}."k it\'s"'
        con.execute(f"CREATE TABLE {table} AS {PEOPLE}")
        con.execute(f"CREATE TABLE k AS {PEOPLE}")
        keys = ["Select", "f", "region"]
        data, own = (sdc_sql.Microdata(con, name, keys=keys, id="id", weight="w") for name in (table, "k"))
        for i, mask in enumerate(MASKS):
            mask(data.mask, f"memory.main.released_{i}")
            mask(own.mask, f"own_{i}")
            released, expected = (
                con.execute(f"FROM {name}_{i} ORDER BY id").fetchall() for name in ("released", "own")
            )
            assert released == expected, i
            assert released != con.execute("FROM k ORDER BY id").fetchall(), i
        for i, measure in enumerate(MEASURES):
            assert str(measure(data)) == str(measure(own)), i
        assert con.execute(f"FROM {table} ORDER BY id").fetchall() == con.execute("FROM k ORDER BY id").fetchall()
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
