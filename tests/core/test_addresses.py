"""Addresses with more dots than the name of a table has: files, read and masked by any DuckDB, in SQL and in Python."""

from __future__ import annotations

import duckdb
import pytest

import sdc_sql
from sdc_sql import TableError
from sdc_sql.db.names import parse_table_name, quote_address

ROWS = 'SELECT i AS id, i % 3 AS f, i % 2 AS "Select" FROM range(30) AS t(i)'


@pytest.mark.slow
def test_a_file_whose_address_has_several_dots_is_measured_and_masked(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "v1.2.3").mkdir()
    con = sdc_sql.load(duckdb.connect())
    for file in ("v1.2.3/x.parquet", "x.y.z.parquet", "v1.2.3/x.y.csv"):
        con.execute(f"COPY ({ROWS}) TO '{file}'")
        if file.endswith("parquet"):
            ((_, records, _), *_) = con.execute(f"FROM sdc_k_anonymity('{file}', ['f', 'Select'], 6)").fetchall()
            assert records == 0
        data = sdc_sql.Microdata(con, file, keys=["f", "Select"], id="id")
        assert data.risk.frequency_summary().records == 30
        con.execute("DROP TABLE IF EXISTS o")
        data.mask.round("f", 2, into="o")
        assert con.execute("SELECT count(*), max(f) FROM o").fetchone() == (30, 2)
        with pytest.raises(TableError, match="cannot be masked in place"):
            data.mask.round("f", 2)
    con.close()


@pytest.mark.parametrize("into", ["a.b.c.d", "v1.2.3/x.parquet"])
def test_no_table_is_made_of_such_a_name(into):
    con = duckdb.connect()
    con.execute(f"CREATE TABLE persons AS {ROWS}")
    with pytest.raises(TableError, match="is no name of a table"):
        sdc_sql.Microdata(con, "persons", id="id").mask.round("f", 2, into=into)


def test_names_are_left_as_they_are():
    for name in ("persons", "s.persons", "d.s.persons", '"a.b.c.d"', 'd."a.b.c.d"'):
        assert quote_address(name) == name
    assert parse_table_name("s3://bucket/v1.2.3/x.parquet").sql("duckdb") == '"s3://bucket/v1.2.3/x.parquet"'


def test_a_table_of_such_a_name_is_masked_by_the_macros():
    with duckdb.connect() as con:
        sdc_sql.load(con)
        con.execute('CREATE TABLE "a.b.c.d" AS SELECT range AS id, 3 * range AS x FROM range(9)')
        assert con.execute("SELECT max(x) FROM sdc_round('a.b.c.d', ['x'], 5, 'id')").fetchone() == (25,)
