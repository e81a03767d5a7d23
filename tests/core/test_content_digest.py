"""The digest of a table's content: what changes it, and what does not."""

from __future__ import annotations

import hashlib
import itertools

import duckdb
import pytest

import sdc_sql

# A column of each type that a file may hold, as (type, value, another value): NULL is tried in the place of both.
TYPES = [
    ("BOOLEAN", "true", "false"),
    ("INTEGER", "1", "2"),
    ("HUGEINT", "170141183460469231731687303715884105727", "170141183460469231731687303715884105726"),
    ("DOUBLE", "0.1", "0.10000000000000002"),
    ("DOUBLE", "'nan'", "'inf'"),
    ("FLOAT", "0.1", "0.10000001"),
    ("DECIMAL(38, 9)", "12345678901234567890.123456789", "12345678901234567890.123456788"),
    ("DECIMAL(9, 4)", "1.5000", "1.5001"),
    ("VARCHAR", "''", "' '"),
    ("VARCHAR", "'NULL'", "'-'"),
    ("VARCHAR", "'1:a1:b'", "'é'"),
    ("VARCHAR", "'é'", "'e' || chr(769)"),  # two texts that look alike
    ("DATE", "'2024-02-29'", "'2024-03-01'"),
    ("TIMESTAMP", "'2024-02-29 12:00:00.000001'", "'2024-02-29 12:00:00'"),
    ("TIMESTAMPTZ", "'2024-02-29 12:00:00+00'", "'2024-02-29 12:00:00+01'"),
    ("TIME", "'12:00:00'", "'12:00:01'"),
    ("INTERVAL", "'1 month'", "'30 days'"),
    ("UUID", "'5d41402a-bc4b-2a76-b971-9d911017c592'", "'5d41402a-bc4b-2a76-b971-9d911017c593'"),
    ("BLOB", "'\\x5Cx41'", "'A'"),
    ("VARCHAR[]", "['a, b']", "['a', 'b']"),
    ("VARCHAR[]", "['NULL']", "[NULL]"),
    ("STRUCT(a VARCHAR)", "{'a': 'NULL'}", "{'a': NULL}"),
    ("MAP(VARCHAR, VARCHAR)", "map {'a': 'b=c'}", "map {'a=b': 'c'}"),
]


def digest(con: duckdb.DuckDBPyConnection, query: str) -> str:
    con.execute(f"CREATE OR REPLACE TABLE content AS {query}")
    ((found, _, _),) = con.execute("FROM sdc_content_digest('content')").fetchall()
    return found


def by_hand(columns: list[tuple[str, str]], rows: list[list[str | None]]) -> str:
    """Return the digest as the header defines it, of values in their canonical texts."""

    def part(text: str | None) -> str:
        return "-" if text is None else f"{len(text)}:{text}"

    def sha(text: str) -> str:
        return hashlib.sha256(text.encode()).hexdigest()

    records = sorted(sha("".join(map(part, row))) for row in rows)
    buckets = [sha("".join(of)) for _, of in itertools.groupby(records, lambda d: d[:3])]
    declared = "".join(part(name) + part(kind) for name, kind in columns)
    return sha(f"sdc_content_digest 1;{len(columns)};{declared};{len(rows)};{''.join(buckets)}")


def test_it_is_what_the_header_says(con):
    con.execute("CREATE TABLE persons AS FROM (VALUES (30, 'f'), (41, 'm')) AS t(age, sex)")
    ((found, records, columns),) = con.execute("FROM sdc_content_digest('persons')").fetchall()
    assert (records, columns) == (2, 2)
    assert found == by_hand([("age", "INTEGER"), ("sex", "VARCHAR")], [["30", "f"], ["41", "m"]])


@pytest.mark.slow
def test_it_is_what_the_header_says_of_many_records(con):
    found = digest(
        con, "SELECT i % 977 AS a, CASE WHEN i % 3 > 0 THEN 'x' || i % 50 END AS \"b ü\" FROM range(9000) t(i)"
    )
    rows = [[str(i % 977), f"x{i % 50}" if i % 3 else None] for i in range(9000)]
    assert found == by_hand([("a", "BIGINT"), ("b ü", "VARCHAR")], rows)


@pytest.mark.slow
def test_it_is_what_the_header_says_of_several_slices(con):
    """Above two million records the buckets are sorted in slices, one after the other: the digest is the same."""
    found = digest(con, "SELECT i % 1999993 AS a FROM range(2000100) t(i)")
    assert found == by_hand([("a", "BIGINT")], [[str(i % 1999993)] for i in range(2000100)])


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("kind", "one", "other"), TYPES)
def test_each_value_counts(con, kind, one, other):
    found = {digest(con, f"SELECT {value}::{kind} AS x, 1 AS y") for value in (one, other, "NULL")}
    assert len(found) == 3


@pytest.mark.parametrize(
    "other",
    [
        "SELECT 1 AS a, 'x' AS b UNION ALL SELECT 1, 'x' UNION ALL SELECT 1, 'x'",  # a record once more
        "SELECT 1 AS a, 'x' AS b",  # once less: in pairs they would vanish from an XOR
        "SELECT 1 AS a, 'x' AS b UNION ALL SELECT 1, 'y'",
        "SELECT 1::BIGINT AS a, 'x' AS b UNION ALL SELECT 1::BIGINT, 'x'",
        "SELECT 1 AS a, 'x' AS c UNION ALL SELECT 1, 'x'",
        "SELECT 1 AS A, 'x' AS b UNION ALL SELECT 1, 'x'",
        "SELECT 'x' AS b, 1 AS a UNION ALL SELECT 'x', 1",
        "SELECT 1 AS a, 'x' AS b, NULL AS c UNION ALL SELECT 1, 'x', NULL",
        "SELECT 1 AS a UNION ALL SELECT 1",
    ],
)
def test_records_names_types_and_order_of_columns_count(con, other):
    assert digest(con, other) != digest(con, "SELECT 1 AS a, 'x' AS b UNION ALL SELECT 1, 'x'")


def test_values_of_two_columns_are_not_run_together(con):
    assert digest(con, "SELECT 'a' AS x, 'bc' AS y") != digest(con, "SELECT 'ab' AS x, 'c' AS y")
    assert digest(con, "SELECT NULL::VARCHAR AS x, 'a' AS y") != digest(con, "SELECT 'a' AS x, NULL::VARCHAR AS y")
    crossed = "SELECT unnest([1, 2]) AS x, unnest(['a', 'b']) AS y"
    assert digest(con, crossed) != digest(con, crossed.replace("'a', 'b'", "'b', 'a'"))


MIXED = """SELECT i AS id, i % 90 AS age, ['f', 'm', NULL, '', 'ü, "x"'][1 + i % 5] AS sex, i / 7 AS income,
    (i / 7)::FLOAT AS f, (i / 7)::DECIMAL(18, 3) AS price, DATE '1950-01-01' + i::INTEGER AS born, i % 2 = 0 AS married,
    TIMESTAMP '2020-01-01' + to_seconds(i) AS seen, ['low', 'high'][1 + i % 2]::ENUM('low', 'high') AS level
    FROM range(5000) t(i)"""


def test_order_threads_and_settings_do_not_count(con):
    found = digest(con, MIXED)
    for threads, order in ((1, "ORDER BY hash(id)"), (3, "ORDER BY id DESC")):
        con.execute(f"SET threads = {threads}")
        assert digest(con, f"FROM ({MIXED}) {order}") == found
    con.execute("RESET threads")


@pytest.mark.slow
def test_the_file_does_not_count(con, tmp_path):
    found = digest(con, MIXED)
    con.execute(f"COPY content TO '{tmp_path / 'c.parquet'}'")
    con.execute(f"COPY content TO '{tmp_path / 'c.csv'}'")
    types = dict(con.execute("SELECT column_name, column_type FROM (DESCRIBE content)").fetchall())
    read = f"FROM read_csv('{tmp_path / 'c.csv'}', header := true, allow_quoted_nulls := false, columns := {types})"
    assert digest(con, read) == found
    assert con.execute(f"FROM sdc_content_digest('{tmp_path / 'c.parquet'}')").fetchall()[0][0] == found
    con.execute(f"ATTACH '{tmp_path / 'c.duckdb'}' AS filed")
    con.execute("CREATE TABLE filed.content AS FROM content")
    assert con.execute("FROM sdc_content_digest('filed.content')").fetchall()[0][0] == found
    con.execute("DETACH filed")
    with pytest.raises(duckdb.Error, match=r"c\.csv are guessed.*read_csv\(file, columns"):
        con.execute(f"FROM sdc_content_digest('{tmp_path / 'c.csv'}')").fetchall()
    con.execute('CREATE SCHEMA "x"; CREATE TABLE x.csv AS FROM content')  # a table of that name is none
    assert con.execute("FROM sdc_content_digest('x.csv')").fetchall()[0][0] == found
    con.execute('DROP SCHEMA "x" CASCADE')


def test_the_digest_is_that_of_every_version(con):
    """Figures that DuckDB 1.5.5 and 2.0.0 gave alike, held by both: by hand above, and here of what only they write."""
    numbers = """SELECT (left(digits, 15) || 'e' || (i % 600 - 320))::DOUBLE AS d,
               (left(digits, 9) || 'e' || (i % 60 - 40))::FLOAT AS f
        FROM (SELECT i, translate(sha256(i::VARCHAR), 'abcdef', '123456') AS digits FROM range(20000) t(i))"""
    assert digest(con, numbers) == "5fb3cb5e7a16f61375cc45293b178ad728fc7022713e7425d1579faadd407e0b"
    nested = """SELECT [i, NULL] AS l, ['a, b', 'NULL', NULL, ''] AS t, {'a b': i / 3} AS s, map {'k': i} AS m
        FROM range(99) t(i)"""
    assert digest(con, nested) == "b2b5f7a937181e2065af16954667920f5905cee4f2f28efb86f3b7a4cbdf7e89"


def test_odd_tables(con):
    con.execute('CREATE TABLE k AS SELECT 1 AS f, 2 AS "Select", 3 AS "a\'b""c"')
    ((found, *_),) = con.execute("FROM sdc_content_digest('k')").fetchall()
    assert found == by_hand([("f", "INTEGER"), ("Select", "INTEGER"), ("a'b\"c", "INTEGER")], [["1", "2", "3"]])
    con.execute("CREATE TABLE nothing (a INTEGER)")
    with pytest.raises(duckdb.Error, match="has no rows"):
        con.execute("FROM sdc_content_digest('nothing')").fetchall()
    assert digest(con, "SELECT NULL AS a") == by_hand([("a", "INTEGER")], [[None]])


def test_python_gives_the_same(con):
    con.execute(f"CREATE TABLE mixed AS {MIXED}")
    found = sdc_sql.Microdata(con, "mixed", id="id").risk.content_digest()
    assert (found.digest, found.records, found.columns) == (digest(con, MIXED), 5000, 10)
