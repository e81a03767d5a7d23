"""The content of a table in the chain of a series: its records and columns, in whatever order the records stand."""

from __future__ import annotations

import pytest
from series_world import KEY

import sdc_sql
from sdc_sql.errors import ColumnError, SeriesError
from sdc_sql.series.content import digest_records

pytestmark = pytest.mark.slow


@pytest.fixture
def con(connect):
    with connect() as con:
        con.execute("SET VARIABLE sdc_key = ?", [KEY])
        con.execute("""
            CREATE TABLE t AS SELECT i AS id, i * 1.5::DOUBLE AS x, CASE WHEN i % 3 > 0 THEN 'a' || i END AS "Select"
            FROM range(50) r(i)""")
        yield con


@pytest.mark.parametrize(
    ("select", "same"),
    [
        ("FROM t ORDER BY id DESC", True),
        ("FROM t WHERE id <> 7", False),
        ("FROM t UNION ALL SELECT 50, 1, NULL", False),
        ('SELECT id, x + (id = 9)::INT AS x, "Select" FROM t', False),
        ("SELECT id, x, coalesce(\"Select\", '') AS \"Select\" FROM t", False),
        ('SELECT id, CASE id WHEN 0 THEN 1.5 WHEN 1 THEN 0 ELSE x END AS x, "Select" FROM t', False),
        ('SELECT id, x AS y, "Select" FROM t', False),
        ('SELECT id, x::DECIMAL(9, 1) AS x, "Select" FROM t', False),
        ('SELECT id, "Select", x FROM t', False),
        ("SELECT *, 1 AS more FROM t", False),
    ],
)  # fmt: skip
def test_what_counts(con, select, same):
    con.execute(f"CREATE TABLE other AS {select}")
    (ids, content), (others, theirs) = (digest_records(con, name, "id", "s") for name in ("t", "other"))
    assert (content == theirs) is same
    if len(ids) == len(others):
        assert {*ids.to_pylist()} == {*others.to_pylist()}
    assert digest_records(con, "t", "id", "another")[1] != content


def test_a_repeated_id_is_refused(con):
    con.execute("INSERT INTO t VALUES (3, 1, NULL)")
    with pytest.raises(Exception, match="must be unique") as raised:
        digest_records(con, "t", "id", "s")
    assert "ColumnError" in str(raised.value) or isinstance(raised.value, ColumnError)


def test_a_release_that_was_recorded_in_the_former_form_is_repeated(con, tmp_path, monkeypatch):
    """A ledger of before has the digest of anybody's content in it, and is compared by that."""
    former = con.execute("SELECT digest FROM sdc_content_digest('t')").fetchone()[0]

    def release(into):
        with sdc_sql.Series(tmp_path / "l", "s", "one") as series:
            sdc_sql.Microdata(con, "t", id="id", series=series).mask.round("x", 10, at_random=True, into=into)

    with monkeypatch.context() as patched:
        patched.setattr("sdc_sql.series.series.digest_records", lambda *a: (digest_records(*a)[0], former))
        release("first")
    release("second")
    assert con.execute("FROM first EXCEPT FROM second").fetchall() == []
    con.execute("UPDATE t SET x = 5 WHERE id = 4")
    with pytest.raises(SeriesError, match="was of another table"):
        release("third")
