"""No setting of the session, and no collation of a column, changes what a measure finds or a mask releases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import pytest
from every_macro import rounded_rows
from sqlglot import exp

import sdc_sql
from sdc_sql.db.catalogue.macros import read_catalogue
from sdc_sql.db.masking.identity import digest_columns

if TYPE_CHECKING:
    from collections.abc import Iterator

# Texts that differ in case or in accents only; NULL in the keys, and as a category of a matrix.
TABLES = """
    CREATE TABLE persons AS
    SELECT i AS id, CASE WHEN i % 13 > 0 THEN ['a', 'A', 'b', 'é', 'e'][1 + i * i % 5] || i % 3 END AS age,
           CASE WHEN i % 11 > 0 THEN ['f', 'F', 'é', 'e'][1 + i * i * i % 4] END AS sex,
           ['north', 'North', 'south', 'SOUTH'][1 + i % 4] AS region, 1e0 + i % 5 AS w,
           ['h', 'H'][1 + i % 2] || i // 6 AS household, (1000 + i * i % 977)::INTEGER AS income,
           ['p', 'P'][1 + i % 2] || i // 2 AS name, DATE '1950-01-01' + (i * 97)::INTEGER AS born,
           ['north', 'North', 'south', 'SOUTH'][1 + i % 3] AS birthplace
    FROM range(72) t(i);
    CREATE TABLE population AS FROM persons UNION ALL SELECT * REPLACE ('x' || name AS name) FROM persons;
    CREATE TABLE candidates AS FROM (VALUES (0.9, 0.2, 0.04), (0.8, 0.2, 0.06)) AS t(retention, risk, loss);
    CREATE TABLE sex_totals AS SELECT 'sex' AS variable, sex AS value, 1.5 * sum(w) AS total FROM persons GROUP BY sex;
    CREATE TABLE income_points AS SELECT unnest([0, 1500, 2000, 3000]) AS income;
    CREATE TABLE released AS SELECT * REPLACE (round(income, -2)::INTEGER AS income) FROM persons;
    CREATE TABLE held AS
    SELECT * REPLACE ('y' || name AS name, 'y' || household AS household, income + 7 AS income) FROM persons;
    CREATE TABLE estimates AS FROM (VALUES (2050.0, 910.0), (2010.0, 880.0)) AS t(mean_income, squared_error);
    CREATE TABLE sized AS
    SELECT id, name, household, count(*) OVER (PARTITION BY household) AS size FROM persons WHERE id % 7 > 1;
    CREATE TABLE people AS SELECT id, name || '@example.org' AS contact, age FROM persons;
    CREATE TABLE sexes AS
    SELECT a AS "from", b AS "to", CASE WHEN a IS NOT DISTINCT FROM b THEN 0.6 ELSE 0.1 END AS probability
    FROM (SELECT unnest(['f', 'F', 'é', 'e', NULL]) AS a), (SELECT unnest(['f', 'F', 'é', 'e', NULL]) AS b);
    CREATE TABLE whole AS
    SELECT a AS "from", b AS "to", CASE WHEN a = b THEN 0.7 ELSE 0.1 END AS probability
    FROM (SELECT unnest(['f', 'F', 'é', 'e']) AS a), (SELECT unnest(['f', 'F', 'é', 'e']) AS b);
    CREATE TABLE regions AS
    SELECT a AS "from", b AS "to", CASE WHEN a = b THEN 0.7 ELSE 0.1 END AS probability
    FROM (SELECT DISTINCT region AS a FROM persons), (SELECT DISTINCT region AS b FROM persons);
    CREATE TABLE crossings AS
    SELECT {'sex': s."from", 'region': r."from"} AS "from", {'sex': s."to", 'region': r."to"} AS "to",
           s.probability * r.probability AS probability
    FROM sexes AS s, regions AS r;
    CREATE TABLE answers AS SELECT name, income, id % 2 AS smokes FROM persons;
    CREATE TABLE costs AS FROM (VALUES ('correct', 'none', 10.0)) AS t(identification, inference, cost);
    CREATE TABLE outcomes AS SELECT name, costs.*, 0.5 AS probability FROM persons, costs;
    CREATE TABLE truth AS SELECT DISTINCT age, sex, 0.75 AS true_probability FROM persons;
    CREATE TABLE wider AS SELECT DISTINCT region AS "from", region[1:1] AS "to" FROM persons;
    CREATE TABLE areas AS SELECT DISTINCT region, region[1:1] AS area, lower(region[1:1]) AS country FROM persons;
    CREATE TABLE addresses AS SELECT id, name, region, region || '-' || id % 3 AS district FROM persons;
    CREATE TABLE addresses_released AS SELECT * REPLACE (CASE WHEN id % 7 > 0 THEN region END AS region) FROM addresses;
    CREATE TABLE age_levels AS SELECT DISTINCT age, age[1:1] AS letter, '*' AS everyone FROM persons;
    CREATE TABLE hierarchies AS
    SELECT 'age' AS variable, age AS value, unnest([0, 1, 2]) AS level,
           unnest(['age', 'letter', 'everyone']) AS level_name, unnest([age, letter, everyone]) AS label
    FROM age_levels
    UNION ALL
    SELECT variable, value, unnest([0, 1]), unnest([variable, 'everyone']), unnest([value, '*'])
    FROM (SELECT DISTINCT 'sex' AS variable, sex AS value FROM persons UNION SELECT 'region', region FROM persons);
"""
COLLATED = "".join(
    f"ALTER TABLE {table} RENAME TO {table}_; CREATE TABLE {table} (id BIGINT, age VARCHAR COLLATE NOCASE.NOACCENT,"
    " sex VARCHAR COLLATE NOCASE.NOACCENT, region VARCHAR COLLATE NOCASE, w DOUBLE, household VARCHAR COLLATE NOCASE,"
    " income INTEGER, name VARCHAR COLLATE NOCASE, born DATE, birthplace VARCHAR COLLATE NOCASE);"
    f" INSERT INTO {table} FROM {table}_; DROP TABLE {table}_;"
    for table in ("persons", "population", "released", "held")
)
KEY = "SET VARIABLE sdc_key = 'ahV5eib9-Ohg2-uoX4ien-ooSh3iep-Quo7ma'"

NO_CASE = "SET default_collation = 'nocase.noaccent'"
BACKWARDS = "SET default_order = 'DESC'; SET default_null_order = 'NULLS_FIRST'"
NUMBERS = "SET integer_division = true; SET ieee_floating_point_ops = false; SET old_implicit_casting = true"
ELSEWHERE = "SET TimeZone = 'Asia/Kolkata'; SET Calendar = 'buddhist'"
FREE = (
    "SET preserve_insertion_order = false; SET preserve_identifier_case = false; SET threads = 3;"
    "SET scalar_subquery_error_on_multiple_rows = false; SET order_by_non_integer_literal = true"
)
ALL = f"{NO_CASE}; {BACKWARDS}; {NUMBERS}; {ELSEWHERE}; {FREE}"


# the example of a macro has a number of text here; another column takes its place
NUMBERS_IN = {
    "sdc_gamma_loss": ("'age'", "'id'"),
    "sdc_linear_relations": ("'age', 'income'", "'income', 'w'"),
    "sdc_data_shuffling": ("['sex']", "['w']"),  # of a sex, a region has too few records to predict from
    "sdc_data_distortion": ("NULL, 'id'", "['normal', 'uniform'], 'id'"),  # each family is tried by many samples
    "sdc_ipso": ("['age']", "['income']"),
    "sdc_hybrid_masking": ("'age'", "'w'"),
}


def _calls() -> dict[str, str]:
    """Return every example, ids that differ in case in the place of numbers; and what examples do not show."""
    calls = {}
    for macro in read_catalogue():
        if not macro.is_table or macro.name == "sdc_help":
            continue
        call = "SELECT * " + macro.example.removesuffix(";").replace("'id'", "'name'")
        call = call.replace("['age', 'income'], 3", "['income', 'w'], 3")  # numbers
        call = call.replace(*NUMBERS_IN.get(macro.name, ("", "")))
        if macro.file == "mask/pram_matrix.sql":
            call = call.replace("'sexes'", "'whole'")  # NULL is no category there
        calls[macro.name] = call
        names = [p.name for p in macro.parameters]
        for more, value in (
            ("nulls", "'wildcard'"), ("distance", "'ordered'"), ("stratum", "'region'"), ("guarantee", "'wildcard'"),
        ):  # fmt: skip
            takes_it = more in names and f"{more} :=" not in call
            if more in {"nulls", "distance"}:
                takes_it = any(p.name == more and value.strip("'") in p.choices for p in macro.parameters)
            if takes_it and not (more == "stratum" and (not macro.masks or macro.name.startswith("sdc_pram"))):
                calls[f"{macro.name} {value}"] = call[:-1] + f", {more} := {value})"
    calls["sdc_rank_swap of texts"] = "FROM sdc_rank_swap('persons', 'age', 25, 'name')"
    calls["sdc_theta_by of names"] = "FROM sdc_theta_by('persons', ['age', 'sex'], 'household', 0.1)"
    calls["sdc_household_risk by name"] = "FROM sdc_household_risk('persons', ['age'], 'w', 'household', 0.1)"
    return calls


CALLS = _calls()


def _connection(settings: str = "", *, collated: bool = False) -> duckdb.DuckDBPyConnection:
    con = duckdb.connect(config={"threads": 1})
    sdc_sql.load(con).execute(TABLES + (COLLATED if collated else "") + KEY)
    for setting in filter(None, settings.split(";")):
        con.execute(setting)
    return con


@pytest.fixture(scope="module")
def plain() -> Iterator[duckdb.DuckDBPyConnection]:
    """Return a connection as it is opened."""
    with _connection() as con:
        yield con


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[duckdb.DuckDBPyConnection]:
    """Return a connection with every setting changed."""
    with _connection(ALL) as con:
        yield con


@pytest.fixture(scope="module")
def collated() -> Iterator[duckdb.DuckDBPyConnection]:
    """Return a connection whose tables have collations."""
    with _connection(collated=True) as con:
        yield con


@pytest.mark.slow
@pytest.mark.one_in(216)
@pytest.mark.parametrize("name", CALLS)
def test_settings_and_collations_change_nothing(plain, elsewhere, collated, name):
    expected = rounded_rows(plain, CALLS[name])
    assert rounded_rows(elsewhere, CALLS[name]) == expected
    assert rounded_rows(collated, CALLS[name]) == expected


@pytest.mark.slow
def test_cells_are_told_apart_by_their_bytes(elsewhere, collated):
    """Four records, four cells: a collation would make two of them, and 7 rows of 4 records."""
    rows = "(VALUES ('a', 'x'), ('A', 'x'), ('b', 'x'), ('B', 'X')) AS t(age, sex)"
    for con in (elsewhere, collated):
        con.execute("CREATE OR REPLACE TABLE four (age VARCHAR COLLATE NOCASE, sex VARCHAR)")
        con.execute(f"INSERT INTO four FROM {rows}")
        found = con.execute("SELECT age, sample_frequency FROM sdc_frequencies('four', ['age', 'sex'])").fetchall()
        assert sorted(found) == [("A", 1), ("B", 1), ("a", 1), ("b", 1)]
        ((uniques,),) = con.execute("SELECT records_with_msu FROM sdc_suda_summary('four', ['age'])").fetchall()
        assert uniques == 4
        con.execute("DROP TABLE four")


@pytest.mark.slow
def test_texts_in_lists_need_a_session_without_a_collation(elsewhere, plain):
    for con in (elsewhere, plain):
        con.execute("CREATE OR REPLACE TABLE listed AS FROM (VALUES (['a']), (['A'])) AS t(langs)")
    assert plain.execute("SELECT sample_frequency FROM sdc_cells('listed', ['langs'])").fetchall() == [(1,), (1,)]
    for call in ("sdc_cells('listed', ['langs'])", "sdc_frequencies('listed', ['langs'])"):
        with pytest.raises(duckdb.Error, match=r"default collation of this session is nocase\.noaccent, and a column"):
            elsewhere.execute(f"FROM {call}").fetchall()


@pytest.mark.slow
def test_masking_in_place_tells_ids_and_values_apart_by_their_bytes(plain, elsewhere, collated):
    """Ids 'p0' and 'P0' are two records, and a change from 'f' to 'F' is one."""
    found = []
    for con in (plain, elsewhere, collated):
        con.execute("CREATE OR REPLACE TABLE mine AS FROM persons")
        sdc_sql.Microdata(con, "mine", keys=["age", "sex"], id="name").mask.pram("sex", matrix="sexes")
        found.append(sorted(con.execute("SELECT name, sex FROM mine").fetchall(), key=repr))
    assert found[1] == found[2] == found[0]
    ((kept,),) = collated.execute("SELECT sql FROM duckdb_tables() WHERE table_name = 'mine'").fetchall()
    assert "sex VARCHAR COLLATE NOCASE.NOACCENT" in kept


def test_digests_of_steps_are_the_hash_of_the_bytes(collated):
    """Steps that a former version has logged keep their digests; id and column may have two collations."""
    table = exp.to_table("memory.main.persons")
    found = digest_columns(collated, table, "name", ["sex", "income"])
    bare = collated.execute("SELECT sum(hash(name::BLOB, encode(sex))), sum(hash(name::BLOB, income)) FROM persons")
    assert [*found.values()] == [f"{duckdb.__version__}:{total}" for total in bare.fetchone()]
