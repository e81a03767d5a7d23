"""Masking macros called from plain SQL refuse a table that cannot be masked, whatever part of the answer is asked for.

A filter or a projection is pushed down into a macro and must not take its complaint away: rows of a table with an id
on two records would be masked alike. (Of `WHERE false` DuckDB knows the answer, no rows, and asks nobody.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

MASKS = {
    "noise": "sdc_noise('{t}', ['x', 'n'], 0.1, 'id')",
    "noise by stratum": "sdc_noise('{t}', ['x'], 0.1, 'id', method := 'nonlinear', stratum := 'cat')",
    "multiplicative noise": "sdc_multiplicative_noise('{t}', ['x'], 0.1, 'id')",
    "pram": "sdc_pram('{t}', 'cat', 'matrix', 'id')",
    "pram crossing": "sdc_pram_crossing('{t}', ['cat'], 'crossing', 'id')",
    "pram retention": "sdc_pram_retention('{t}', ['cat', 'n'], 0.5, 'id')",
    "pram guaranteed": "sdc_pram_guaranteed('{t}', ['cat', 'n'], 0.8, 'id')",
    "rank swap": "sdc_rank_swap('{t}', 'x', 50, 'id')",
    "rank swap correlated": "sdc_rank_swap_correlated('{t}', 'x', 0.5, 'id')",
    "data shuffling": "sdc_data_shuffling('{t}', ['x', 'n'], ['cat'], 'id')",
    "ipso": "sdc_ipso('{t}', ['x'], NULL, 'id')",
    "hybrid": "sdc_hybrid('{t}', ['x'], 0.5, 'id')",
    "data distortion": "sdc_data_distortion('{t}', ['x'], NULL, 'id')",
    "bootstrap": "sdc_bootstrap('{t}', ['x', 'cat'], ['cat'], 'id')",
    "latin hypercube": "sdc_latin_hypercube('{t}', ['x'], 0.1, 'id', size := 3)",
    "microhybrid": "sdc_microhybrid('{t}', ['x'], 4, 'id')",
    "hybrid masking": "sdc_hybrid_masking('{t}', ['x'], 0, 'id', k := 20, size := 3)",
    "synthesise": "sdc_synthesise('{t}', ['x', 'cat'], 'id', k := 2)",
    "resample": "sdc_resample('{t}', 'x', 3, 'id')",
    "microaggregate": "sdc_microaggregate('{t}', ['x', 'n'], 3, 'id')",
    "microaggregate categorical": "sdc_microaggregate_categorical('{t}', ['cat'], 3, 'id')",
    "top bottom code": "sdc_top_bottom_code('{t}', 'n', 'quantile', 'id', top := 0.8, replacement := 'mean')",
    "round": "sdc_round('{t}', ['n'], 5, 'id')",
    "recode": "sdc_recode('{t}', 'cat', 'groups', 'id')",
    "recode intervals": "sdc_recode_intervals('{t}', 'x', [3], 'id', ends := 'open')",
    "recode classes": "sdc_recode_classes('{t}', 'x', 3, 'id')",
    "recode codes": "sdc_recode_keep_first('{t}', 'cat', 1, 'id')",
    "recode codes by the last": "sdc_recode_drop_last('{t}', 'pair', 1, 'id')",
    "recode dates": "sdc_recode_date('{t}', 'born', 'year', 'id')",
    "round points": "sdc_round_points('{t}', ['n'], 'points', 'id')",
    "recode level": "sdc_recode_level('{t}', 'cat', 'levels', 'id')",
    "recode relative": "sdc_recode_relative('{t}', 'cat', 'sex', 'id')",
    "random round": "sdc_round_at_random('{t}', ['n'], 5, 'id')",
}
OF_RECORDS = [
    "FROM {m}",
    "SELECT count(*) FROM {m}",
    "FROM {m} WHERE id = 3",
    "SELECT x FROM {m} WHERE cat = 'a' AND sex = 'f'",
    "SELECT x FROM {m} WHERE pair <= 'aa' AND born < '2000-01-01' AND n >= 0",
    "FROM {m} JOIN (SELECT 3::BIGINT AS id) USING (id)",
]
# of the table as a whole, without an id but for the proof
TABLES = {
    "pram proof": "sdc_pram_proof('{t}', ['cat', 'n'], 0.8, 'id')",
    "pram invariant": "sdc_pram_invariant('{t}', 'cat', 'matrix')",
    "pram pd alpha": "sdc_pram_pd_alpha('{t}', 'cat', 0.8, 0.5)",
    "pram retention matrix": "sdc_pram_retention_matrix('{t}', 'cat', 0.8)",
    "pram estimate": "sdc_pram_estimate('{t}', 'cat', 'matrix')",
    "pram estimate by batch": "sdc_pram_estimate_by_batch('{t}', 'cat', 'sex', 'by_sex')",
    "pram covariance": "sdc_pram_covariance('{t}', 'cat', 'matrix')",
    "pram estimate two way": "sdc_pram_estimate_two_way('{t}', 'cat', 'sex', 'matrix', 'sexes')",
}
OF_TABLES = [
    "FROM {m}",
    "SELECT count(*) FROM {m}",
    "SELECT 1 FROM {m} LIMIT 1",
    "FROM {m} WHERE COLUMNS(*) IS NOT NULL",
]
BAD = {"twice": "is the same on 2 records: it must be unique", "lacking": " is NULL", "nobody": "has no rows"}


@pytest.fixture(scope="module")
def db(connect) -> Iterator[duckdb.DuckDBPyConnection]:
    with connect() as con:
        con.execute("""
            SET VARIABLE sdc_key = 'vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U';
            CREATE TABLE good AS SELECT range AS id, (range * 37 % 101) / 7 AS x, (range * 31 % 7)::INTEGER AS n,
                ['a', 'b'][1 + range % 2] AS cat, cat || cat AS pair,
                DATE '1990-01-31' + range::INTEGER AS born, ['f', 'm'][1 + range // 2 % 2] AS sex FROM range(60);
            CREATE TABLE twice AS FROM good UNION ALL FROM good WHERE id = 7;
            CREATE TABLE lacking AS SELECT * REPLACE (CASE WHEN id <> 9 THEN id END AS id) FROM good;
            CREATE VIEW nobody AS FROM good WHERE id < 0;
            CREATE TABLE matrix AS FROM (VALUES ('a', 'a', 0.8), ('a', 'b', 0.2), ('b', 'a', 0.2), ('b', 'b', 0.8))
                AS m("from", "to", probability);
            CREATE TABLE sexes AS SELECT translate("from", 'ab', 'fm') AS "from", translate("to", 'ab', 'fm') AS "to",
                probability FROM matrix;
            CREATE TABLE by_sex AS FROM matrix, (VALUES ('f'), ('m')) AS s(sex);
            CREATE TABLE points AS FROM (VALUES (0), (5), (10)) AS p(n);
            CREATE TABLE groups AS FROM (VALUES ('a', 'z'), ('b', 'z')) AS m("from", "to");
            CREATE TABLE levels AS FROM (VALUES ('a', 'z'), ('b', 'z')) AS m(cat, letter);
            CREATE TABLE crossing AS SELECT {'cat': "from"} AS "from", {'cat': "to"} AS "to", probability FROM matrix;
        """)
        yield con


def assert_refused(con: duckdb.DuckDBPyConnection, query: str, words: str) -> None:
    with pytest.raises(duckdb.Error) as raised:
        con.execute(query).fetchall()
    assert words in str(raised.value), query


@pytest.mark.one_in(64)
@pytest.mark.parametrize("table", BAD)
@pytest.mark.parametrize("name", MASKS)
def test_no_part_of_the_records_is_given(db, name, table):
    assert len(db.execute(f"FROM {MASKS[name].format(t='good')}").fetchall()) == 60
    for query in OF_RECORDS:
        assert_refused(db, query.format(m=MASKS[name].format(t=table)), BAD[table])


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", TABLES)
def test_no_part_of_a_matrix_or_an_estimate_is_given(db, name):
    assert db.execute(f"FROM {TABLES[name].format(t='good')}").fetchall()
    for table in BAD if name == "pram proof" else ["nobody"]:
        for query in OF_TABLES:
            assert_refused(db, query.format(m=TABLES[name].format(t=table)), BAD[table])


@pytest.mark.one_in(12)
@pytest.mark.parametrize("name", MASKS)
def test_a_filter_gives_of_the_masked_table_what_it_gives_of_a_table(db, name):
    # masked first, then filtered: moments, ranks and groups are those of the whole table
    mask = MASKS[name].format(t="good")
    db.execute(f"CREATE OR REPLACE TEMP TABLE kept AS FROM {mask}")
    for where in ("id = 3", "cat = 'a' AND n > 2"):
        wanted = db.execute(f"FROM kept WHERE {where} ORDER BY id").fetchall()
        assert db.execute(f"FROM {mask} WHERE {where} ORDER BY id").fetchall() == wanted, where
