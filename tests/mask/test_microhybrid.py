"""Microhybrid: what is kept in each group, what is drawn, what k allows, and what groups tell."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest
from sdc_sql.udfs.microaggregation.partitions import partition_by_blocks, standardise_columns
from sdc_sql.udfs.microhybrid import Generator, microhybrid

import sdc_sql
from sdc_sql import Microdata

KEY = "vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U"
N, K = 300, 12
COLUMNS = ["f", "it's", "Select"]


@pytest.fixture(scope="module")
def k(connect):
    """Return a connection with a table `k`: two columns that depend on one another, and one of which half are zeros."""
    rng = np.random.default_rng(6)
    f = rng.gamma(3, 10, N)
    zeros = np.where(rng.random(N) < 0.5, 0, f + rng.gamma(2, 10, N))
    columns = {"id": np.arange(N), "f": f, "it's": 1e4 - 3 * f + rng.normal(0, 9, N), "Select": zeros,
               "part": np.arange(N) % 2}  # fmt: skip
    with connect() as con:
        con.execute("SET VARIABLE sdc_key = ?", [KEY])
        con.register("made", pa.table(columns))
        con.execute("CREATE TABLE k AS FROM made")
        con.unregister("made")
        yield con


def values(con, table, where="true"):
    return np.array(con.execute(f'SELECT f, "it\'s", "Select" FROM {table} WHERE {where} ORDER BY id').fetchall())


def masked(con, columns=COLUMNS, size=K, **named):
    con.execute("DROP TABLE IF EXISTS mixed")
    Microdata(con, "k", id="id").mask.microhybrid(columns, size, into="mixed", **named)
    return values(con, "k"), values(con, "mixed")


def covariances(x):
    return (x - x.mean(axis=0)).T @ (x - x.mean(axis=0)) / len(x)


@pytest.mark.parametrize("named", [{}, {"generator": "hybrid", "alpha": 0.4}])
def test_means_and_covariances_of_each_group_and_of_the_file_are_kept_exactly(k, named):
    old, new = masked(k, **named)
    groups = partition_by_blocks(standardise_columns(old), K, 1)
    assert np.bincount(groups).min() >= K
    size = old.std(axis=0)
    for number in [*range(groups.max() + 1), None]:
        own, drawn = (x if number is None else x[groups == number] for x in (old, new))
        assert (np.abs(own.mean(axis=0) - drawn.mean(axis=0)) / size).max() < 1e-9
        assert (np.abs(covariances(own) - covariances(drawn)) / np.outer(size, size)).max() < 1e-9
        if number is None:
            continue
        left, kept = own - own.mean(axis=0), drawn - drawn.mean(axis=0)
        # of hybrid the released residuals have alpha of their own ones, exactly; of IPSO they are drawn
        if named:
            products = left.T @ left
            assert np.abs(left.T @ kept - 0.4 * products).max() < 1e-8 * max(np.abs(products).max(), 1)
    steps = 2.0 ** (np.rint(np.log2(size)) - 34)
    assert (new / steps == np.rint(new / steps)).all()
    assert (new != old)[:, :2].all()
    if not named:
        within = [x - np.array([x[groups == g].mean(axis=0) for g in groups]) for x in (old, new)]
        assert abs(np.corrcoef(within[0][:, 0], within[1][:, 0])[0, 1]) < 4.5 / math.sqrt(N - N / K)


def test_given_columns_are_kept_with_what_is_drawn(k):
    """Covariances with the given columns too; groups of 100, in which nobody lies far out."""
    old, new = masked(k, ["it's"], 100, given=["f"])
    assert (old[:, [0, 2]] == new[:, [0, 2]]).all()
    size = old.std(axis=0)[:2]
    found, own = covariances(new[:, :2]), covariances(old[:, :2])
    assert (np.abs(found - own) / np.outer(size, size)).max() < 1e-9
    assert (new[:, 1] != old[:, 1]).all()


@pytest.mark.slow
@pytest.mark.whole
def test_by_the_bootstrap_a_group_is_kept_in_expectation():
    rng = np.random.default_rng(5)
    y = rng.normal(size=(8, 2)) @ [[2.0, 1.0], [0.0, 1.0]]
    how, runs = Generator("bootstrap", smoothing=0.5), 3000
    drawn = [microhybrid(y, np.empty((8, 0)), 8, how, (rng.normal(size=(8, 2)), rng.random(8))) for _ in range(runs)]
    every = np.concatenate(drawn)
    error = y.std(axis=0) / math.sqrt(8 * runs)
    assert (np.abs(every.mean(axis=0) - y.mean(axis=0)) < 4.5 * error).all()
    assert np.abs(covariances(every) - covariances(y)).max() < 0.05 * covariances(y).max()


@pytest.mark.slow
@pytest.mark.whole
def test_an_outlier_is_not_copied_and_lies_anywhere_on_the_sphere_of_its_group():
    """Its residual turned at random in k - 1 dimensions: the cosine with its own has the variance 1 / (k - 1)."""
    rng = np.random.default_rng(9)
    y = np.r_[rng.normal(0, 1, 11), 1000.0][:, np.newaxis]
    drawn = np.array([
        microhybrid(y, np.empty((12, 0)), 12, Generator("ipso"), (rng.normal(size=(12, 1)), np.zeros(12)))[:, 0]
        for _ in range(2000)
    ])  # fmt: skip
    centred = y[:, 0] - y.mean()
    cosines = (drawn - y.mean()) @ centred / (centred @ centred)
    assert abs(cosines.mean()) < 4.5 / math.sqrt(11 * 2000)
    assert 11 * cosines.var() == pytest.approx(1, abs=0.15)
    assert (np.abs(drawn - 1000) > 1e-6).all()


def test_a_changed_source_draws_everybody_anew(k):
    _, before = masked(k)
    k.execute("CREATE OR REPLACE TEMP TABLE nudged AS SELECT * REPLACE (f + (id = 3)::INTEGER * 1e-9 AS f) FROM k")
    k.execute("DROP TABLE IF EXISTS again")
    Microdata(k, "nudged", id="id").mask.microhybrid(COLUMNS, K, into="again")
    assert (before != values(k, "again"))[:, :2].all()


@pytest.mark.slow
def test_in_strata_and_whole_numbers_and_from_the_macro_as_from_python(k):
    k.execute("CREATE OR REPLACE TABLE typed AS SELECT * REPLACE (f::INTEGER AS f) FROM k")
    Microdata(k, "typed", id="id").mask.microhybrid(COLUMNS, K, stratum="PART", blocks=2, into="parted")
    call = "sdc_microhybrid('typed', ['SELECT', 'f', 'it''s'], 12, 'id', stratum := 'part', blocks := 2)"
    assert k.execute(f"FROM {call} ORDER BY id").fetchall() == k.execute("FROM parted ORDER BY id").fetchall()
    assert k.table("parted").types == k.table("typed").types
    for part in (0, 1):
        old, new = (values(k, table, f"part = {part}")[:, 1:] for table in ("typed", "parted"))
        assert covariances(new) == pytest.approx(covariances(old), rel=1e-8, abs=1e-6)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("where", "call", "message"),
    [
        ("true", {"k": 3}, "k"),
        ("true", {"k": 4, "columns": [*COLUMNS, "part"]}, "at least 5 records"),
        ("true", {"k": 5, "generator": "hybrid"}, "at least 7 records"),
        ("true", {"k": 5, "columns": ["f", "part"], "given": ["Select", "it's"]}, "at least 7 records"),
        ("true", {"k": 8, "columns": ["it's"], "given": ["f"]}, "lie so far out of their group"),
        ("true", {"generator": "bootstrap", "columns": ["f"], "given": ["part"]}, "given goes with"),
        ("true", {"generator": "none"}, "generator"),
        ("true", {"alpha": 1}, "alpha"),
        ("true", {"smoothing": 0}, "smoothing"),
        ("true", {"blocks": 99}, "blocks"),
        ("id < 9", {}, "9 records; expected at least k = 12"),
        ("true", {"columns": ["none"]}, "300 records have NULL or NaN"),
        ("true", {"given": ["f"]}, "which is drawn anew"),
        ("id < 0", {}, "has no rows"),
    ],
)
def test_refused(k, where, call, message):
    k.execute(f"CREATE OR REPLACE TABLE few AS SELECT *, NULL::DOUBLE AS none FROM k WHERE {where}")
    with pytest.raises(sdc_sql.InputError, match=message):
        Microdata(k, "few", id="id").mask.microhybrid(**{"columns": COLUMNS, "k": K, **call})
