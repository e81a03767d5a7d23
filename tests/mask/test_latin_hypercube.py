"""Latin hypercube sampling: rank correlations to the tolerance, distributions, and what a release tells of a record."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest
from sdc_sql.udfs.latin_hypercube import draw_values, latin_hypercube

import sdc_sql
from sdc_sql import Microdata

KEY = "vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U"
N = 1200
COLUMNS = ["f", "it's", "Select"]


@pytest.fixture(scope="module")
def k(connect):
    """Return a connection with a table `k`: a skew column, one that falls with it, and one of which half are zeros."""
    rng = np.random.default_rng(6)
    f = np.exp(rng.normal(3, 1, N))
    other = -np.sqrt(f) + rng.normal(0, 1, N)
    zeros = np.where(rng.random(N) < 0.5, 0, f + rng.gamma(2, 10, N))
    columns = {"id": np.arange(N), "f": f, "it's": other, "Select": zeros, "part": np.arange(N) % 2}
    with connect() as con:
        con.execute("SET VARIABLE sdc_key = ?", [KEY])
        con.register("made", pa.table(columns))
        con.execute("CREATE TABLE k AS FROM made")
        con.unregister("made")
        yield con


def values(con, table, where="true"):
    return np.array(con.execute(f'SELECT f, "it\'s", "Select" FROM {table} WHERE {where} ORDER BY id').fetchall())


def spearman(con, table, where="true"):
    """Return rank correlations by DuckDB: a rank is that of SQL, plus half of those that are equal."""
    ranks = ", ".join(
        f'rank() OVER (ORDER BY "{c}") + (count(*) OVER (PARTITION BY "{c}") - 1) / 2e0 AS r{i}'
        for i, c in enumerate(COLUMNS)
    )
    pairs = ", ".join(f"corr(r{i}, r{j})" for i in range(3) for j in range(i))
    return np.array(con.execute(f"SELECT {pairs} FROM (SELECT {ranks} FROM {table} WHERE {where})").fetchone())


@pytest.mark.parametrize("tolerance", [0.05, 0.002])
def test_rank_correlations_are_kept_to_the_tolerance_and_means_nearly(k, tolerance):
    k.execute("DROP TABLE IF EXISTS drawn")
    Microdata(k, "k", id="id").mask.latin_hypercube(COLUMNS, tolerance, into="drawn")
    assert np.abs(spearman(k, "drawn") - spearman(k, "k")).max() <= tolerance + 1e-12
    old, new = values(k, "k"), values(k, "drawn")
    assert (np.abs(new.mean(axis=0) - old.mean(axis=0)) < 5 * old.std(axis=0) / (10 * math.sqrt(N))).all()
    assert new.std(axis=0) == pytest.approx(old.std(axis=0), rel=0.02)
    assert abs((new[:, 2] == 0).sum() - (old[:, 2] == 0).sum()) <= 10  # zeros are kept, but for those of one group
    steps = 2.0 ** (np.rint(np.log2(old.std(axis=0))) - 34)
    assert (new / steps == np.rint(new / steps)).all()


def test_a_record_has_nothing_of_its_own_and_no_value_is_an_original(k):
    k.execute("DROP TABLE IF EXISTS drawn")
    Microdata(k, "k", id="id").mask.latin_hypercube(COLUMNS, 0.01, into="drawn")
    old, new = values(k, "k"), values(k, "drawn")
    assert not {*old.ravel()} & {*new.ravel()} - {0.0}
    assert max(abs(np.corrcoef(old[:, j], new[:, j])[0, 1]) for j in range(3)) < 4.5 / math.sqrt(N)
    k.execute("CREATE OR REPLACE TEMP TABLE nudged AS SELECT * REPLACE (f + (id = 3)::INTEGER * 1e-9 AS f) FROM k")
    Microdata(k, "nudged", id="id").mask.latin_hypercube(COLUMNS, 0.01, into="again")
    assert max(abs(np.corrcoef(new[:, j], values(k, "again")[:, j])[0, 1]) for j in range(3)) < 4.5 / math.sqrt(N)


def test_each_nth_part_of_a_group_has_one_value_and_groups_keep_mean_and_variance():
    """Exactly at the middles in the mean; a variance at the middles lacks 1 / n^2 of it (a sum of squares)."""
    column = np.random.default_rng(1).gamma(1, 5, 40)
    new, old = draw_values(column, np.full(40, 0.5), 10).reshape(4, 10), np.sort(column).reshape(4, 10)
    assert new.mean(axis=1) == pytest.approx(old.mean(axis=1), rel=1e-12)
    assert new.var(axis=1) == pytest.approx(old.var(axis=1) * (1 - 1 / 100), rel=1e-12)
    draws = np.random.default_rng(2).random((4000, 40))
    drawn = np.array([draw_values(column, u, 10) for u in draws]).reshape(4000, 4, 10)
    second = np.square(drawn - old.mean(axis=1)[:, np.newaxis]).mean(axis=(0, 2))  # the error is of order 1 / 200
    assert second == pytest.approx(old.var(axis=1), rel=0.02)


def test_columns_that_are_one_another_and_what_many_releases_tell_of_the_greatest():
    rng = np.random.default_rng(4)
    x = np.r_[rng.normal(0, 1, 199), 50.0]
    new = latin_hypercube(np.c_[x, -2 * x], rng.random((200, 4)), 1e-4, 10, ["a", "b"])
    assert (np.argsort(new[:, 0]) == np.argsort(new[:, 1])[::-1]).all()
    top = np.sort(x)[-10:]
    seen = np.array([np.sort(latin_hypercube(x[:, np.newaxis], rng.random((200, 2)), 0.5, 10, ["a"])[:, 0])[-1]
                     for _ in range(20)])  # fmt: skip
    most = top.mean() + math.sqrt(3) * top.std()  # what the header says that the outer group tells
    assert ((seen <= most + 1e-6) & (seen > most - 0.2 * math.sqrt(3) * top.std() - 1e-6)).all()
    assert (seen < 45).all()  # not the greatest itself


@pytest.mark.slow
def test_in_strata_and_whole_numbers_and_from_the_macro_as_from_python(k):
    k.execute("CREATE OR REPLACE TABLE typed AS SELECT * REPLACE (f::INTEGER AS f) FROM k")
    Microdata(k, "typed", id="id").mask.latin_hypercube(COLUMNS, 0.01, stratum="PART", size=5, into="parted")
    call = "sdc_latin_hypercube('typed', ['SELECT', 'f', 'it''s'], 0.01, 'id', stratum := 'part', size := 5)"
    assert k.execute(f"FROM {call} ORDER BY id").fetchall() == k.execute("FROM parted ORDER BY id").fetchall()
    assert k.table("parted").types == k.table("typed").types
    for part in (0, 1):  # rounded after it was measured, some ranks are equal
        apart = spearman(k, "parted", f"part = {part}") - spearman(k, "typed", f"part = {part}")
        assert np.abs(apart).max() < 0.012


@pytest.mark.one_in(5)
@pytest.mark.whole
@pytest.mark.parametrize(
    ("where", "call", "message"),
    [
        ("true", {"tolerance": 0}, "tolerance"),
        ("true", {"tolerance": float("nan")}, "tolerance"),
        ("true", {"size": 2}, "size"),
        ("true", {"size": 700}, "expected at least 1400"),
        ("id < 12", {"size": 3, "tolerance": 1e-6}, "came within .* give a greater one"),
        ("id < 30", {"columns": ["one"]}, "one is constant"),
        ("id < 30", {"columns": ["none"]}, "30 records have NULL or NaN"),
        ("true", {"columns": ["id"]}, "is the id"),
        ("id < 0", {}, "has no rows"),
    ],
)
def test_refused(k, where, call, message):
    k.execute(f"CREATE OR REPLACE TABLE few AS SELECT *, 1e0 AS one, NULL::DOUBLE AS none FROM k WHERE {where}")
    with pytest.raises(sdc_sql.InputError, match=message):
        Microdata(k, "few", id="id").mask.latin_hypercube(**{"columns": COLUMNS, "tolerance": 0.05, **call})
