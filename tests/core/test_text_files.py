"""A CSV or JSON file by its name in SQL: two codes never become one because DuckDB took them for numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from every_macro import CALLS, READERS, complaint, query, rounded_rows

if TYPE_CHECKING:
    from pathlib import Path

    import duckdb

CODES = "nr,code,region,house,w,kind\na,1.1,7,1.1,2.5,x\nb,1.10,7.0,1.10,3,y\nc,1.2,2,2,4,x\n"


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.csv").write_text(CODES)
    return tmp_path


@pytest.fixture
def texts(persons) -> duckdb.DuckDBPyConnection:
    """Return persons whose codes no file makes numbers of."""
    persons.execute("CREATE TABLE texts AS SELECT * REPLACE ('a' || age AS age, 'h' || household AS household, "
                    "weight::DOUBLE AS weight) FROM persons")  # fmt: skip
    return persons


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("file", ["persons.csv", "persons.json"])
def test_a_file_whose_codes_are_texts(texts, name, file, folder):  # noqa: ARG001
    texts.execute(f"COPY texts TO '{file}'")
    assert rounded_rows(texts, query(name, tbl=f"'{file}'")) == rounded_rows(texts, query(name, tbl="'texts'"))


@pytest.mark.one_in(8)
@pytest.mark.parametrize("name", CALLS)
def test_a_key_that_is_guessed_is_refused(texts, name, folder):  # noqa: ARG001
    texts.execute("COPY (SELECT * REPLACE (id AS age) FROM texts) TO 'persons.csv'")
    message = complaint(texts, query(name, tbl="'persons.csv'"))
    assert "ColumnError: The type of the column age of persons.csv is guessed (BIGINT)" in message


@pytest.mark.parametrize("file", ["f.csv", "./f.csv", '"f.csv"', "*.csv", "f.tsv", "f.csv.gz", "f.json", "f.ndjson"])
def test_every_kind_of_file(con, file, folder):  # noqa: ARG001
    con.execute("CREATE TABLE f AS FROM 'f.csv'; COPY f TO 'f.tsv' (DELIMITER '\t'); COPY f TO 'f.csv.gz'")
    con.execute("COPY f TO 'f.json'; COPY f TO 'f.ndjson'")
    said = complaint(con, f"FROM sdc_frequencies('{file}', ['kind', 'code'])")
    assert (
        f"The type of the column code of {file} is guessed (DOUBLE)" in said or "No files found" in said
    )  # 1.5 reads no ./f.csv
    if "No files" not in said:
        assert len(con.execute(f"FROM sdc_cells('{file}', ['kind'])").fetchall()) == 2


ROLES = {
    "household": "FROM sdc_household_risk('f.csv', ['kind'], 'w', 'house')",
    "stratum": "FROM sdc_theta_by('f.csv', ['kind'], 'region', 0.1)",
    "sensitive variable": "FROM sdc_l_diversity('f.csv', ['kind'], 'code')",
    "sensitive variable of t": "FROM sdc_t_closeness('f.csv', ['kind'], 'code')",
    "id": "FROM sdc_round('f.csv', ['code'], 5, 'w')",
    "category": "FROM sdc_pram('f.csv', 'code', 'matrix', 'nr')",
    "category alone": "FROM sdc_pram_retention_matrix('f.csv', 'code', 0.8)",
    "cells of several": "FROM sdc_pram_retention('f.csv', ['kind', 'code'], 0.8, 'nr')",
    "regions": "FROM sdc_research_file_rules('f.csv', ['kind', 'region'], 'w', {'extremely': ['region'], "
    "'very': ['kind']}, inhabitants := 'w')",
    "areas": "FROM sdc_public_use_file_rules('f.csv', ['kind'], 'w', indirect_regions := ['region'])",
    "households of rules": "FROM sdc_public_use_file_rules('f.csv', ['kind'], 'w', 'house', ['kind'])",
    "population": "FROM sdc_population_risk('texts', 'f.csv', ['code'])",
    "simulated": "FROM sdc_data_intrusion_simulation('f.csv', ['code'], 0.1)",
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("role", ROLES)
def test_every_role(con, role, folder):  # noqa: ARG001
    con.execute("SET VARIABLE sdc_key = ?", ["of these tests alone, 0123456789abcdef0123456789"])
    con.execute("CREATE TABLE texts AS FROM read_csv('f.csv', all_varchar := true)")
    con.execute("""CREATE TABLE matrix AS SELECT unnest([1.1, 1.2]) AS "from", "from" AS "to", 1 AS probability""")
    assert "is guessed (DOUBLE)" in complaint(con, ROLES[role])


@pytest.mark.slow
def test_what_is_reckoned_with_is_a_number(con, folder):  # noqa: ARG001
    assert con.execute("FROM sdc_t_closeness('f.csv', ['kind'], 'w', distance := 'ordered')").fetchall()
    assert con.execute("SELECT w FROM sdc_round('f.csv', ['w'], 5, 'nr') ORDER BY nr").fetchall() == [(5,), (5,), (5,)]


@pytest.mark.parametrize(("name", "made"), [
    ("f.csv", "CREATE SCHEMA f; CREATE TABLE f.csv AS FROM stored"),
    ("F.Csv", "CREATE SCHEMA f; CREATE VIEW f.csv AS FROM stored"),
    ("f.json", "ATTACH ':memory:' AS f; CREATE TABLE f.json AS FROM stored"),
    ('"f.csv"', 'CREATE TABLE "f.csv" AS FROM stored'),
    ('"F.csv"', 'CREATE TEMP VIEW "f.csv" AS SELECT * FROM (VALUES (1.1), (1.2)) AS t(code)'),
])  # fmt: skip
def test_a_table_that_has_the_name_of_a_file(con, name, made, folder):  # noqa: ARG001
    con.execute(f"CREATE TABLE stored AS FROM (VALUES (1.1), (1.2)) AS t(code); {made}")
    try:
        assert len(con.execute(f"FROM sdc_frequencies('{name}', ['code'])").fetchall()) == 2
    finally:
        con.execute("USE memory; DETACH DATABASE IF EXISTS f")


def test_of_a_table_nothing_is_asked(con):
    con.execute("CREATE TABLE f AS SELECT 1.1 AS code")
    ((_, plan),) = con.execute("EXPLAIN FROM sdc_frequencies('f', ['code'])").fetchall()
    assert "DUCKDB_TABLES" not in plan.upper()
