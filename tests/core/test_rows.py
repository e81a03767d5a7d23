"""Where the rows come from: tables, views, CTEs and files under any name; and that there are some."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import pytest
from every_macro import CALLS, READERS, complaint, query, rounded_rows

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", CALLS)
def test_an_empty_table_is_refused(people, name):
    people.execute("CREATE OR REPLACE TABLE nobody AS FROM persons LIMIT 0")
    assert "The table nobody has no rows: there is nothing to measure." in complaint(
        people, query(name, tbl="'nobody'")
    )


@pytest.mark.one_in(12)
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("rest", ["WHERE false", "LIMIT 0", "WHERE id IS NULL AND id = 1"])
def test_a_view_that_the_planner_knows_to_be_empty_is_refused(people, name, rest):
    people.execute(f"CREATE OR REPLACE VIEW no_one AS FROM persons {rest}")
    assert "The table no_one has no rows" in complaint(people, query(name, tbl="'no_one'"))


@pytest.mark.parametrize(("sample", "population"), [("nobody", "persons"), ("persons", "nobody")])
def test_an_empty_sample_or_population_is_refused(persons, sample, population):
    persons.execute("CREATE TABLE nobody AS FROM persons LIMIT 0")
    sql = f"FROM sdc_population_risk('{sample}', '{population}', ['age', 'sex'])"
    assert "The table nobody has no rows" in complaint(persons, sql)


@pytest.mark.one_in(5)
@pytest.mark.whole
@pytest.mark.parametrize("name", CALLS)
def test_a_table_that_is_not_there(people, name):
    with pytest.raises(duckdb.CatalogException, match="nowhere"):
        people.execute(query(name, tbl="'nowhere'"))


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", CALLS)
def test_one_row(people, name):
    people.execute("CREATE OR REPLACE VIEW one AS FROM persons WHERE id = 1")
    result = people.execute(query(name, tbl="'one'")).fetchall()
    # k-anonymity has a row for each k up to 3, the threshold rule one for each set of two keys, key uniques one for
    # each of them; one record is unique on each of its two keys
    several = {
        "sdc_k_anonymity": 2,
        "sdc_household_k_anonymity": 2,
        "sdc_key_uniques": 2,
        "sdc_minimal_sample_uniques": 2,
        "sdc_suda_contributions": 2,
        "sdc_suda_value_contributions": 2,
        "sdc_threshold_rule": 3,
        "sdc_threshold_rule_summary": 3,
    }
    assert len(result) == several.get(name.split()[0], 1)


TABLES = [
    ("CREATE TABLE k AS {rows}", "k"),
    ("CREATE TABLE sdc_cells AS {rows}", "sdc_cells"),
    ("CREATE TABLE sdc_theta AS {rows}", "sdc_theta"),
    ('CREATE TABLE "Select" AS {rows}', '"Select"'),
    pytest.param(
        'CREATE TABLE "we""ird" AS {rows}',
        '"we""ird"',
        marks=pytest.mark.skipif(duckdb.__version__ < "2", reason="query_table of DuckDB 1.5 cannot name it"),
    ),
    ('CREATE TABLE "it\'s" AS {rows}', "\"it''s\""),
    ('CREATE TABLE "two words" AS {rows}', '"two words"'),
    ('CREATE TABLE "a.b" AS {rows}', '"a.b"'),
    ("CREATE TABLE größe AS {rows}", "größe"),
    ("CREATE TABLE tbl AS {rows}", "tbl"),
    ("CREATE TABLE r AS {rows}", "r"),
    ("CREATE TABLE few AS {rows}", "few"),
    ("CREATE TEMP TABLE mine AS {rows}", "mine"),
    ("CREATE SCHEMA s; CREATE TABLE s.t AS {rows}", "s.t"),
    ('CREATE SCHEMA "my schema"; CREATE TABLE "my schema"."my table" AS {rows}', '"my schema"."my table"'),
    ("ATTACH ':memory:' AS other; CREATE TABLE other.t AS {rows}", "other.main.t"),
    ("CREATE VIEW v AS {rows}", "v"),
]


@pytest.mark.one_in(9)
@pytest.mark.parametrize(("create", "table"), TABLES)
def test_odd_table_names(persons, create, table):
    persons.execute(create.format(rows="SELECT * FROM persons"))
    for name in READERS:
        assert rounded_rows(persons, query(name, tbl=f"'{table}'")) == rounded_rows(persons, query(name)), name


@pytest.mark.parametrize("name", READERS)
def test_a_cte(persons, name):
    sql = query(name, tbl="'chosen'")
    chosen = "WITH chosen AS (SELECT * FROM persons WHERE region = 'south') "
    persons.execute("CREATE TABLE south AS SELECT * FROM persons WHERE region = 'south'")
    assert rounded_rows(persons, chosen + sql) == rounded_rows(persons, query(name, tbl="'south'"))


@pytest.mark.parametrize("name", READERS)
def test_a_parquet_file(persons, name, tmp_path: Path):
    file = tmp_path / "file with spaces.v1.parquet"
    persons.execute(f"COPY persons TO '{file}'")
    assert rounded_rows(persons, query(name, tbl=f"'{file}'")) == rounded_rows(persons, query(name))


def test_a_file_without_rows(persons, tmp_path: Path):
    persons.execute(f"COPY (FROM persons LIMIT 0) TO '{tmp_path / 'nobody.parquet'}'")
    for name in READERS:
        assert "has no rows" in complaint(persons, query(name, tbl=f"'{tmp_path / 'nobody.parquet'}'"))


@pytest.mark.parametrize("name", ["sdc_frequencies", "sdc_individual_risk", "sdc_household_risk", "sdc_sample_uniques"])
def test_a_view_that_changes_between_two_readings_is_noticed(con, name):
    con.execute(
        "CREATE VIEW restless AS SELECT random() AS age, 'f' AS sex, 2 AS weight, 1 AS household FROM range(100)"
    )
    assert "does not give the same rows each time it is read" in complaint(con, query(name, tbl="'restless'"))


SETTINGS = [
    "SET integer_division = true; SET old_implicit_casting = true; SET preserve_insertion_order = false",
    "SET default_null_order = 'NULLS_FIRST'; SET default_order = 'DESC'",
    "PRAGMA disable_optimizer",
    "SET threads = 4",
]


CROWD = """
    CREATE TABLE persons AS
    SELECT i AS id, CASE WHEN i % 13 > 0 THEN i * i % 1009 END AS age,
           CASE WHEN i % 17 > 0 THEN i * i * i % 3 END AS sex,
           i % 4 AS region, 1 + i % 5 AS weight, i // 3 AS household
    FROM range(5_000) t(i)
"""


@pytest.fixture(scope="module")
def crowd(connect) -> Iterator[duckdb.DuckDBPyConnection]:
    """Return a connection of one thread, with a table that is worth several."""
    with connect(threads=1) as connection:
        connection.execute(CROWD)
        yield connection


@pytest.fixture(scope="module", params=SETTINGS)
def elsewhere(connect, request) -> Iterator[duckdb.DuckDBPyConnection]:
    """Return a connection with other settings and the same table."""
    with connect() as connection:
        connection.execute(CROWD)
        connection.execute(request.param)
        yield connection


@pytest.mark.one_in(36)
@pytest.mark.parametrize("name", list(CALLS)[::2])  # of every one: tests/core/test_settings.py
def test_settings_of_the_session_change_nothing(crowd, elsewhere, name):
    assert rounded_rows(elsewhere, query(name)) == rounded_rows(crowd, query(name))
