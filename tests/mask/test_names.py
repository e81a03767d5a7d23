"""A table's name is read once, by DuckDB's rules: what is measured is what is masked."""

from __future__ import annotations

import contextlib

import duckdb
import pytest
from macros_file import ATTACHED

import sdc_sql
from sdc_sql import TableError
from sdc_sql.db.names import parse_table_name

ODD = ["$x", "@x", ":x", "'x'", "x ", " x", "x;", "x -- c", "x/*c*/", "x AS y", "(x)", "x\n", "x, y", "?", "{x}", "`x`"]
NO_NAMES = ["", '""', ".", '"x', 'x"y', "a..b", ".x", "x.", 'x."y', "a.b.c.d", '"x" y', '"x"y', '"x".']


@pytest.fixture
def both(con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """Return a connection with the table x."""
    return con.execute("CREATE TABLE x AS SELECT range AS id, range * 7 + 1 AS w FROM range(20)")


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def values(con: duckdb.DuckDBPyConnection, name: str) -> list[tuple[int]]:
    return con.execute(f"SELECT w FROM {quoted(name)} ORDER BY id").fetchall()


@pytest.mark.slow
@pytest.mark.one_in(16)
@pytest.mark.parametrize("name", ODD)
def test_the_table_that_is_read_is_the_one_that_is_masked(both, name):
    both.execute(f"CREATE TABLE {quoted(name)} AS SELECT id, w + 2 AS w FROM x")
    others, before = values(both, "x"), values(both, name)
    step = sdc_sql.Microdata(both, name, id="id").mask.round("w", 10)
    assert values(both, "x") == others
    assert step.changed == sum(a != b for a, b in zip(values(both, name), before, strict=True)) > 0


@pytest.mark.one_in(8)
@pytest.mark.parametrize("name", ODD)
def test_into_is_read_in_the_same_way(both, name):
    before = values(both, "x")
    sdc_sql.Microdata(both, "x", id="id").mask.round("w", 10, into=name)
    assert values(both, "x") == before != values(both, name)
    assert sdc_sql.Microdata(both, name, id="id").columns == ("id", "w")


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", NO_NAMES)
def test_what_is_no_name_is_refused(both, name):
    before = both.execute("FROM duckdb_tables() ORDER BY ALL").fetchall()
    with pytest.raises(TableError):
        sdc_sql.Microdata(both, name, id="id").mask.round("w", 10)
    with pytest.raises(TableError):
        sdc_sql.Microdata(both, "x", id="id").mask.round("w", 10, into=name)
    assert both.execute("FROM duckdb_tables() ORDER BY ALL").fetchall() == before


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    "name",
    [
        *ODD,
        "x",
        "X",
        "s.x",
        's."x.y"',
        '"a b".x',
        "memory.s.x",
        "x.parquet",
        "main.x",
        "memory.main.x",
        '"main"."x"',
        "Main.x",
        "select",
    ],
)
def test_the_parts_are_those_that_duckdb_reads(name):
    with duckdb.connect() as con:
        for part in (p.name for p in parse_table_name(name).parts[:-1] if p.name.lower() not in {"memory", "main"}):
            con.execute(f"CREATE SCHEMA {quoted(part)}")
        con.execute(f"CREATE TABLE {parse_table_name(name).sql('duckdb')} AS SELECT 1 AS x")
        literal = name.replace("'", "''")
        assert con.execute(f"FROM query_table('{literal}')").fetchall() == [(1,)]


@pytest.mark.skipif(not duckdb.__version__.startswith("1."), reason="DuckDB 2 reads quotes in quotes")
def test_quotes_in_quotes_are_refused_where_duckdb_drops_them(both):
    both.execute("CREATE TABLE weird AS FROM x")
    with pytest.raises(TableError, match=r'is read by DuckDB 1\..* as "weird"'):
        sdc_sql.Microdata(both, '"we""ird"', id="id").mask.round("w", 10)


@pytest.mark.slow
def test_a_schema_that_is_named_is_no_other(both):
    both.execute(
        "CREATE TEMP TABLE x AS SELECT id, w + 2 AS w FROM main.x; CREATE SCHEMA s; CREATE TABLE s.x AS FROM x"
    )
    for name in ("memory.main.x", "s.x", "temp.x", "main.x"):
        before = {t: both.execute(f"FROM {t} ORDER BY id").fetchall() for t in ("memory.main.x", "s.x", "temp.x")}
        read = both.execute(f"FROM query_table('{name}') ORDER BY id").fetchall()
        sdc_sql.Microdata(both, name, id="id").mask.round("w", 3)
        changed = [t for t, rows in before.items() if both.execute(f"FROM {t} ORDER BY id").fetchall() != rows]
        assert changed == [] or [before[t] for t in changed] == [read]


@pytest.mark.slow
def test_a_table_found_on_a_search_path_of_several_schemas_is_the_one_read_or_refused(both):
    both.execute("CREATE SCHEMA a; CREATE SCHEMA b; CREATE TABLE b.x AS SELECT id, w + 2 AS w FROM main.x")
    for path in ("a,b,main", "b,main", "main,b"):
        both.execute(f"SET search_path = '{path},{ATTACHED}.main'")
        before = {t: both.execute(f"FROM {t} ORDER BY id").fetchall() for t in ("main.x", "b.x")}
        read = both.execute("FROM query_table('x') ORDER BY id").fetchall()
        with contextlib.suppress(TableError):
            sdc_sql.Microdata(both, "x", id="id").mask.round("w", 3)
        for table, rows in before.items():
            if rows != read:
                assert both.execute(f"FROM {table} ORDER BY id").fetchall() == rows


@pytest.mark.parametrize("name", ["'x'", "x -- c", "$x", "x;"])
def test_a_compiled_query_reads_the_same_table(both, name):
    both.execute(f"CREATE TABLE {quoted(name)} AS SELECT id, 1 AS w FROM x")
    query = sdc_sql.compile("sdc_cells", name, ["w"], dialect="duckdb", columns=["id", "w"])
    assert both.execute(query).fetchall() == [(1, 20)]
