"""A table that is given as a path, a DataFrame, an Arrow table or a relation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import pyarrow as pa
import pytest

from sdc_sql import Microdata, TableError

if TYPE_CHECKING:
    from pathlib import Path

COLUMNS = {"person": [1, 2, 3, 4], "Select": ["a", "a", 'b"', "c"], "f": [1.5, 2.5, None, 0.5]}


def _frame(package: str) -> object:
    return pytest.importorskip(package).DataFrame(COLUMNS)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "relation", "relation of a frame"])
def test_an_object_is_copied_and_stays_as_it_is(con: duckdb.DuckDBPyConnection, kind: str) -> None:
    given = {
        "arrow": lambda: pa.table(COLUMNS),
        "relation": lambda: con.from_arrow(pa.table(COLUMNS)).filter("true"),
        "relation of a frame": lambda: con.from_df(_frame("pandas")),
    }.get(kind, lambda: _frame(kind))()
    data = Microdata(con, given, keys=["Select"], id="person")
    assert data.risk.k_anonymity(2)[0].records == 2
    data.mask.local_suppression(2)
    assert con.table(data.table).filter('"Select" IS NULL').aggregate("count(*)").fetchall() == [(2,)]
    rows = (
        given.fetchall() if isinstance(given, duckdb.DuckDBPyRelation) else con.from_arrow(pa.table(COLUMNS)).fetchall()
    )
    assert [row[1] for row in rows] == COLUMNS["Select"]
    assert con.execute(
        "SELECT count(*) FROM duckdb_views() WHERE NOT internal AND view_name NOT LIKE 'sdc_%'"
    ).fetchall() == [(0,)]


@pytest.mark.one_in(2)
@pytest.mark.whole
@pytest.mark.parametrize("kind", ["arrow", "relation"])
def test_a_variable_of_the_caller_by_its_name(con: duckdb.DuckDBPyConnection, kind: str) -> None:
    people = frame = query = pa.table(COLUMNS) if kind == "arrow" else con.from_arrow(pa.table(COLUMNS))
    for name in ("people", "frame", "query"):
        assert Microdata(con, name, keys=["Select"]).risk.k_anonymity(2)[0].records == 2
    data = Microdata(con, "people", keys=["Select"], id="person")
    data.mask.local_suppression(2)
    assert data.loss.il1("people", ["f"])[0].il1 == 0
    assert data.loss.il1(pa.table(COLUMNS), ["f"])[0].il1 == 0
    assert [row[1] for row in con.execute("FROM people").fetchall()] == COLUMNS["Select"]
    con.execute("SET python_enable_replacements = false")
    with pytest.raises(TableError, match="people"):
        Microdata(con, "people")
    con.execute("RESET python_enable_replacements")
    con.execute("CREATE TABLE people AS SELECT 1 AS one")  # a table comes first
    assert Microdata(con, "people").columns == ("one",)
    assert people is frame is query


def test_two_objects_are_two_tables(con: duckdb.DuckDBPyConnection) -> None:
    first, second = (Microdata(con, pa.table({"a": values}), keys=["a"]) for values in ([1], [1, 1]))
    assert first.table != second.table
    assert (first.risk.k_anonymity(2)[0].records, second.risk.k_anonymity(2)[0].records) == (1, 0)


def test_a_path(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    for ending in ("parquet", "csv"):
        con.from_arrow(pa.table(COLUMNS)).write_csv(str(tmp_path / "x.csv"))
        con.from_arrow(pa.table(COLUMNS)).write_parquet(str(tmp_path / "x.parquet"))
        path = tmp_path / f"x.{ending}"
        assert Microdata(con, path, keys=["Select"]).risk.k_anonymity(2) == Microdata(
            con, str(path), keys=["Select"]
        ).risk.k_anonymity(2)


def test_a_relation_of_another_database(con: duckdb.DuckDBPyConnection) -> None:
    other = duckdb.connect().from_arrow(pa.table(COLUMNS))
    with pytest.raises(TableError, match="another database"):
        Microdata(con, other.filter("true"), keys=["f"])


@pytest.mark.parametrize("given", [None, 3, b"x", [1], {"a": [1]}, object()], ids=lambda g: type(g).__name__)
def test_what_is_no_table(con: duckdb.DuckDBPyConnection, given: object) -> None:
    with pytest.raises(TableError, match="a path, a DataFrame"):
        Microdata(con, given, keys=["f"])


def test_an_empty_frame_is_refused_as_an_empty_table_is(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE OR REPLACE TEMP TABLE empty (a INT)")
    with pytest.raises(TableError) as stored:
        Microdata(con, "empty", keys=["a"])
    with pytest.raises(TableError) as given:
        Microdata(con, pa.table({"a": pa.array([], pa.int32())}), keys=["a"])
    assert str(given.value).split(" has ")[1] == str(stored.value).split(" has ")[1]
