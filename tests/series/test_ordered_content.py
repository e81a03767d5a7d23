"""The digest of a table by its columns: the same for the same content, however it is stored, and for no other."""

from __future__ import annotations

import duckdb
import numpy as np
import pytest

import sdc_sql
from sdc_sql.series import ordered_content
from sdc_sql.series.ordered_content import digest_in_order

TYPES = {
    "whole": "(i % 5)::TINYINT", "large": "i::UBIGINT * 1000000007", "half": "i / 2", "single": "(i / 3)::FLOAT",
    "money": "(i / 7)::DECIMAL(9, 2)", "huge": "i::HUGEINT", "yes": "i % 3 = 0", "blob": "'x'::BLOB",
    "day": "DATE '2020-01-01' + i::INTEGER", "moment": "TIMESTAMP '2020-01-01' + to_hours(i)",
    "zone": "to_timestamp(i)", "text": "'é' || i", "Select": "nullif(i % 4, 1)", "list": "[i, NULL]",
    "clock": "TIME '10:00'",
    "f": "CASE i % 4 WHEN 0 THEN 'nan'::DOUBLE WHEN 1 THEN 0.0 WHEN 2 THEN NULL ELSE i END",
    "span": "to_days(i::INTEGER)", "struct": "{'a': i}", 'a"b': "i",
}  # fmt: skip


@pytest.fixture(scope="module")
def con():
    with duckdb.connect() as con:
        sdc_sql.load(con)
        columns = ", ".join(f'{value} AS "{name}"'.replace('a"b', 'a""b') for name, value in TYPES.items())
        con.execute(f"CREATE TABLE k AS SELECT i AS id, {columns} FROM range(60) t(i)")
        yield con


def copy(con, how: str, name: str = "u") -> str:
    con.execute(f"CREATE OR REPLACE TABLE {name} AS {how}")
    return name


@pytest.mark.parametrize("order", ["f DESC, id", "hash(id)", "id DESC"])
def test_the_order_of_the_records_is_no_content(con, order):
    assert digest_in_order(con, copy(con, f"FROM k ORDER BY {order}"), "id") == digest_in_order(con, "k", "ID")


@pytest.mark.parametrize("threads", [1, 4])
def test_nor_are_batches_threads_and_how_a_value_is_stored(con, threads, monkeypatch):
    whole = digest_in_order(con, "k", "id")
    monkeypatch.setattr(ordered_content, "_RECORDS", 7)
    con.execute(f"SET threads = {threads}")
    kinds = ", ".join(f"'é{i}'" for i in range(60))
    con.execute(f"CREATE OR REPLACE TYPE kind AS ENUM ({kinds})")
    other = "CASE WHEN f = 0 THEN -0.0 ELSE f END AS f, moment::TIMESTAMP_S AS moment, text::kind AS text"
    stored = copy(con, f"SELECT * REPLACE ({other}) FROM k")
    assert digest_in_order(con, stored, "id") == whole


@pytest.mark.one_in(3)
@pytest.mark.parametrize("column", ["id", *TYPES])
def test_each_value_and_each_null_is(con, column):
    """Of one record a column becomes NULL, or what it is in another record: each is another table."""
    whole = digest_in_order(con, "k", "id")
    name = column.replace('"', '""')
    if column == "id":
        assert digest_in_order(con, copy(con, "SELECT * REPLACE (id + id // 59 AS id) FROM k"), "id") != whole
        return
    for other in ("NULL", f'(SELECT "{name}" FROM k WHERE id = 17)'):
        changed = copy(con, f'SELECT * REPLACE (CASE WHEN id = 15 THEN {other} ELSE "{name}" END AS "{name}") FROM k')
        differs = con.execute(
            f'SELECT count(*) FROM u JOIN k USING (id) WHERE u."{name}" IS DISTINCT FROM k."{name}"'
        ).fetchall()
        assert (digest_in_order(con, changed, "id") != whole) is (differs == [(1,)])


def test_names_types_order_and_number_are_and_no_two_texts_run_together(con):
    seen = [
        "SELECT 1 AS id, 'ab' AS x, 'c' AS y", "SELECT 1 AS id, 'a' AS x, 'bc' AS y",
        "SELECT 1 AS id, 'c' AS y, 'ab' AS x",
        "SELECT 1 AS id, 'ab' AS x, 'c' AS z", "SELECT 1::BIGINT AS id, 'ab' AS x, 'c' AS y",
        "SELECT 1 AS id, 'ab' AS x, 'c' AS y LIMIT 0", "SELECT 1 AS id, NULL::VARCHAR AS x, 'abc' AS y",
        "SELECT 1 AS id, '' AS x, 'abc' AS y", "FROM (VALUES (1, 'ab', 'c'), (2, 'ab', 'c')) t(id, x, y)",
        "FROM (VALUES (1, 'a', 'c'), (2, 'bab', 'c')) t(id, x, y)", "SELECT 1 AS id, 1.5::DOUBLE AS x, 'c' AS y",
        "SELECT 1 AS id, 1.5::FLOAT AS x, 'c' AS y", "SELECT 1 AS id, 0 AS x, 'c' AS y",
        "SELECT 1 AS id, NULL::INTEGER AS x, 'c' AS y",
    ]  # fmt: skip
    assert len({digest_in_order(con, copy(con, how), "id") for how in seen}) == len(seen)


IDS = ["'p' || id", "id::DECIMAL(12, 3) / 8", "uuid()", "DATE '2020-01-01' + id::INTEGER", "-id"]


@pytest.mark.one_in(5)
@pytest.mark.whole
@pytest.mark.parametrize("ids", IDS)
def test_ids_of_any_type(con, ids):
    copy(con, f"SELECT * REPLACE ({ids} AS id) FROM k", "v")
    orders = ("half", "-half", "hash(half)")
    found = {digest_in_order(con, copy(con, f"FROM v ORDER BY {order}"), "id") for order in orders}
    assert len(found) == 1


def test_ids_that_are_not_unique_are_refused_elsewhere(con, tmp_path):
    con.execute("SET VARIABLE sdc_key = ?", ["vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U"])
    for twice in ("7", "NULL"):
        copy(con, f"SELECT * REPLACE (CASE WHEN id = 8 THEN {twice} ELSE id END AS id) FROM k", "twice")
        series = sdc_sql.Series(tmp_path / "l", "p", "one", disk_encrypted=True)
        with pytest.raises(sdc_sql.ColumnError, match="id"):
            sdc_sql.Microdata(con, "twice", id="id", series=series).mask.microaggregate("half", 3, into="m")


@pytest.mark.slow
@pytest.mark.whole
def test_a_random_table_is_digested_as_the_one_by_record_tells_it_apart(con):
    """Of tables of few values each pair is one table by both digests, or by neither."""
    rng = np.random.default_rng(1)
    by: dict[str, set[str]] = {}
    for _ in range(40):
        rows = ", ".join(f"({i}, {a}, {b})" for i, (a, b) in enumerate(rng.choice(["0", "1", "NULL"], (2, 2))))
        copy(con, f"FROM (VALUES {rows}) t(id, a, b)")
        con.execute("ALTER TABLE u ALTER a TYPE INTEGER; ALTER TABLE u ALTER b TYPE INTEGER")
        ((digest,),) = con.execute("SELECT digest FROM sdc_content_digest('u')").fetchall()
        by.setdefault(digest, set()).add(digest_in_order(con, "u", "id"))
    assert all(len(found) == 1 for found in by.values())
    assert len(set().union(*by.values())) == len(by) > 5
