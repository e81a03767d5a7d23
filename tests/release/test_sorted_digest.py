"""The digest by one sort is that of the macro, whatever the session's settings, types, threads and memory."""

from __future__ import annotations

import duckdb
import pytest

import sdc_sql
from sdc_sql.db.catalogue.load import execute
from sdc_sql.release.certifying.content import digest_table
from sdc_sql.release.certifying.sorted_digest import digest_by_sorting

TYPES = """SELECT i % 700 AS id, ['f', 'm', NULL, '', 'ü, "x"'][1 + i % 5] AS sex, i / 7 AS income, NULL AS nothing,
    (i / 7)::FLOAT AS f, (i / 7)::DECIMAL(18, 3) AS price, DATE '1950-01-01' + i::INTEGER AS born, i % 2 = 0 AS married,
    TIMESTAMPTZ '2020-01-01 00:00:00+00' + to_seconds(i) AS seen, [i, NULL] AS pair, {'a': i % 4} AS record,
    ['low', 'high'][1 + i % 2]::ENUM('low', 'high') AS level, i::VARCHAR::BLOB AS bytes FROM range(1500) t(i)"""
SETTINGS = {
    "threads": "1",
    "arrow_large_buffer_size": "true",
    "produce_arrow_string_view": "true",
    "default_collation": "'NOCASE'",
    "default_order": "'DESC'",
}


def by_macro(con: duckdb.DuckDBPyConnection, table: str) -> tuple[str, int]:
    ((digest, records, _),) = execute(con, f"FROM sdc_content_digest('{table}')").fetchall()
    return digest, records


def test_it_is_what_the_macro_gives():
    """Of all types in many buckets; of few; of one record; of one bucket that comes in several batches."""
    con = duckdb.connect()
    for rows in (TYPES, f"FROM ({TYPES}) LIMIT 40", "SELECT 1 AS one", "SELECT 'x' AS a FROM range(5000)"):
        con.execute(f"CREATE OR REPLACE TABLE t AS {rows}")
        assert digest_by_sorting(con, "t") == by_macro(con, "t")


def test_no_setting_changes_it():
    con = duckdb.connect()
    con.execute("CREATE TABLE t AS SELECT i AS a, 'x' || i % 7 AS b FROM range(3000) t(i)")
    expected = by_macro(con, "t")
    for name, value in SETTINGS.items():
        con.execute(f"SET {name} = {value}")
        assert digest_by_sorting(con, "t") == expected
        con.execute(f"RESET {name}")


@pytest.mark.slow
def test_it_spills():
    """A million records, whose digests alone take 64 MB, in 60 MB; and of many batches."""
    con = duckdb.connect()
    con.execute("SET threads = 1")
    con.execute("CREATE TABLE t AS SELECT i % 499979 AS a, 'x' || i % 7 AS b FROM range(1000000) t(i)")
    expected = by_macro(con, "t")
    con.execute("SET memory_limit = '60MB'")
    assert digest_by_sorting(con, "t") == expected


def test_a_transaction_of_the_caller_stays_open():
    con = duckdb.connect()
    con.execute("BEGIN")
    con.execute("CREATE TABLE t AS SELECT i AS a FROM range(10) t(i)")
    found = digest_table(con, "t")
    con.execute("COMMIT")
    assert (found["digest"], found["records"]) == by_macro(con, "t")
    assert con.execute("SELECT count(*) FROM duckdb_views() WHERE view_name = 'sdc_buckets'").fetchone() == (0,)


def test_no_records_and_no_table_are_told():
    con = duckdb.connect()
    con.execute("CREATE TABLE t (a INTEGER)")
    with pytest.raises(sdc_sql.TableError, match="has no rows"):
        digest_by_sorting(con, "t")
    with pytest.raises(sdc_sql.TableError, match="nowhere"):
        digest_by_sorting(con, "nowhere")
