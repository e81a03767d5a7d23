"""Every measure gives the same bits on 1, 2 and 8 threads and in any order of the records, and sums are exact."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import duckdb
import pytest
from every_macro import CALLS, query

import sdc_sql

if TYPE_CHECKING:
    from collections.abc import Iterator

RECORDS = 300_000  # several row groups
MATRIX = "sampling_fraction := 0.1, columns := ['sex'], matrices := ['matrix']"
OTHERS = {
    "sdc_theta_misclassified": f"FROM sdc_theta_misclassified({{tbl}}, {{keys}}, {MATRIX})",
    "sdc_pram_reversed": "FROM sdc_pram_reversed({tbl}, 'sex', 'matrix')",
    "sdc_data_intrusion_simulation": (
        "FROM sdc_data_intrusion_simulation({tbl}, {keys}, 'fraction', repetitions := 20000)"
    ),
    "sdc_public_use_file_rules": (
        "FROM sdc_public_use_file_rules({tbl}, {keys}, 'weight', indirect_regions := ['region'],"
        " province := 'household', municipality := 'age')"
    ),
    "sdc_sse_sst": "FROM sdc_sse_sst({tbl}, 'masked', ['weight', 'income'], 'id')",
}
QUICK = {"sdc_global_risk", "sdc_household_global_risk", "sdc_risk_threshold", "sdc_suda_summary", "sdc_sse_sst"}


@pytest.fixture(scope="module")
def large(connect) -> Iterator[duckdb.DuckDBPyConnection]:
    """Return a connection with 300,000 records in 60,000 cells, weights that are no binary fractions, households."""
    with connect() as con:
        con.execute("""
            CREATE TABLE persons AS
            SELECT i AS id, (i * 7919) % 29989 AS age, CASE WHEN i % 11 > 0 THEN chr(102 + (i % 2)::INTEGER) END AS sex,
                   'r' || i * i % 7 AS region, 1 + 37.3 * abs(sin(i)) AS weight, i // 3 AS household,
                   exp(9 * sin(i * 0.7)) AS income, 0.01 + (i % 5) * 0.03 AS fraction
            FROM range(?) AS t(i)""", [RECORDS])  # fmt: skip
        con.execute("CREATE TABLE shuffled AS FROM persons ORDER BY sin(id * 1.7)")
        con.execute(
            "CREATE TABLE masked AS SELECT * REPLACE (weight * 1.1 AS weight, income + sin(id) AS income) FROM persons"
        )
        con.execute("""
            CREATE TABLE matrix AS FROM (VALUES
                ('f', 'f', 0.7), ('f', 'g', 0.1), ('f', 'h', 0.2), ('g', 'g', 0.9), ('g', 'f', 0.1))
            AS t("from", "to", probability)""")
        yield con


def called(name: str, table: str) -> str:
    """Return the call of a measure on one of the tables."""
    if name in OTHERS:
        return OTHERS[name].format(tbl=f"'{table}'", keys="['age', 'sex']")
    return query(name, tbl=f"'{table}'")


def bits(con: duckdb.DuckDBPyConnection, name: str, table: str) -> object:
    """Return a digest of the rows, whatever their order: two DOUBLEs that differ in a bit have other texts."""
    digest = f"SELECT count(*), sum(hash(sdc_row::VARCHAR)::HUGEINT) FROM ({called(name, table)}) AS sdc_row"
    return con.execute(digest).fetchall()


@pytest.mark.one_in(10)
@pytest.mark.parametrize(
    "name", [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in [*CALLS, *OTHERS]]
)
def test_the_same_bits_on_any_threads_and_in_any_order(large, name):
    seen = set()
    for threads in (1, 2, 8):
        large.execute(f"SET threads = {threads:d}")
        for table in ("persons", "shuffled"):
            seen.add(repr(bits(large, name, table)))
    assert len(seen) == 1


@pytest.mark.slow
def test_a_total_of_weights_is_exact(large):
    (given,) = large.sql("SELECT list(weight) FROM persons").fetchall()[0]
    large.execute("CREATE OR REPLACE TEMP VIEW with_one AS SELECT 1 AS one, weight FROM persons")
    ((found,),) = large.sql("SELECT sdc__w FROM sdc__category_cells('with_one', ['one'], 'weight')").fetchall()
    assert found == float(sum(map(Fraction, given)))


@pytest.mark.slow
def test_ten_million_weights_of_3_7_lose_nothing(con):
    con.execute("CREATE TABLE weighed AS SELECT 1 AS one, 3.7::DOUBLE AS weight FROM range(10_000_000)")
    ((found,),) = con.sql("SELECT sdc__w FROM sdc__category_cells('weighed', ['one'], 'weight')").fetchall()
    assert found == float(10_000_000 * Fraction(3.7))


def test_a_large_weight_beside_small_ones(con):
    con.execute(
        "CREATE TABLE weighed AS SELECT 1 AS one, if(i = 0, 1e12, 1.1::DOUBLE) AS weight FROM range(1000) AS t(i)"
    )
    ((found,),) = con.sql("SELECT population_frequency FROM sdc_cell_risk('weighed', ['one'], 'weight')").fetchall()
    assert found == float(10**12 + 999 * Fraction(1.1))


@pytest.mark.parametrize("weight", [1e300, 5e-324, 1e-10, 1.1e15])
def test_a_weight_whose_sums_would_not_be_exact_is_refused(con, weight):
    con.execute(
        "CREATE TABLE weighed AS SELECT 1 AS one, CASE WHEN i = 0 THEN ? ELSE 1.0 END AS weight FROM range(3) AS t(i)",
        [weight],
    )
    with pytest.raises(duckdb.Error, match=r"weights must be positive and finite numbers from 1e-9 to 1e15"):
        con.sql("FROM sdc_frequencies('weighed', ['one'], 'weight')").fetchall()
    with pytest.raises(sdc_sql.WeightError, match="from 1e-9 to 1e15"):
        sdc_sql.Microdata(con, "weighed", keys=["one"], weight="weight")


@pytest.mark.parametrize("size", [1.0, 1e-100, 1e200])
def test_the_loss_of_masking_is_that_of_fractions_at_any_size(con, size):
    con.execute(
        "CREATE TABLE before AS SELECT i AS id, ?::DOUBLE * (1e6 + sin(i)) AS x FROM range(1000) AS t(i)", [size]
    )
    con.execute("CREATE TABLE after AS SELECT id, x * (1 + 1e-7 * cos(id)) AS x FROM before")
    pairs = con.sql("SELECT before.x, after.x FROM before JOIN after USING (id)").fetchall()
    x, y = ([Fraction(v) for v in values] for values in zip(*pairs, strict=True))
    mean = sum(x) / len(x)
    wanted = sum((a - b) ** 2 for a, b in zip(x, y, strict=True)) / sum((a - mean) ** 2 for a in x)
    ((found,),) = con.sql("SELECT sse_sst FROM sdc_sse_sst('before', 'after', ['x'], 'id')").fetchall()
    assert found == pytest.approx(float(wanted), rel=1e-14)


@pytest.mark.parametrize("bad", ["inf", "-inf", "nan"])
def test_the_loss_of_infinite_values_is_an_error(con, bad):
    con.execute("CREATE TABLE before AS SELECT i AS id, i * 1.5e0 AS x FROM range(10) AS t(i)")
    con.execute("CREATE TABLE after AS SELECT id, CASE WHEN id = 3 THEN ?::DOUBLE ELSE x END AS x FROM before", [bad])
    for first, second in [("before", "after"), ("after", "before")]:
        with pytest.raises(duckdb.Error, match="A column holds NaN or infinite values"):
            con.sql(f"FROM sdc_sse_sst('{first}', '{second}', ['x'], 'id')").fetchall()
