"""Hybrid masking: the two combinations, nearest pairs, and what is refused because it would release the own values."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest
from sdc_sql.udfs.hybrid_masking import Combination, hybrid_masking, pair_nearest
from sdc_sql.udfs.latin_hypercube import latin_hypercube

import sdc_sql
from sdc_sql import Microdata

KEY = "vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U"
N = 300
COLUMNS = ["f", "it's", "Select"]


@pytest.fixture(scope="module")
def k(connect):
    """Return a connection with a table `k` of three columns above 0 that depend on one another."""
    rng = np.random.default_rng(6)
    f = rng.gamma(3, 10, N) + 1
    columns = {"id": np.arange(N), "f": f, "it's": 1e4 - 3 * f + rng.normal(0, 30, N),
               "Select": np.exp(rng.normal(0, 1, N)) * f, "part": np.arange(N) % 2}  # fmt: skip
    with connect() as con:
        con.execute("SET VARIABLE sdc_key = ?", [KEY])
        con.register("made", pa.table(columns))
        con.execute("CREATE TABLE k AS FROM made")
        con.unregister("made")
        yield con


def values(con, table):
    return np.array(con.execute(f'SELECT f, "it\'s", "Select" FROM {table} ORDER BY id').fetchall())


def drawn(seed=1, n=N, p=3):
    return np.random.default_rng(seed).random((n, 2 * p + 1))


@pytest.mark.parametrize("method", ["additive", "multiplicative"])
@pytest.mark.parametrize("size", [1, 5])
def test_each_record_is_combined_with_the_nearest_of_the_synthetic_ones(k, method, size):
    """The formulas of section 3.4.7.9, with the nearest by brute force; of products the logarithms are paired."""
    old, draws, alpha = values(k, "k"), drawn(), 0.3
    new = hybrid_masking(old, draws, Combination(method, alpha, size), 0.05, 10, COLUMNS)
    own = np.log(old) if method == "multiplicative" else old
    synthetic = latin_hypercube(own, draws[:, :6], 0.05, 10, COLUMNS)[np.argsort(draws[:, 6])[: N // size]]
    apart = np.square((own[:, np.newaxis] - synthetic) / own.std(axis=0)).sum(axis=2)
    nearest = synthetic[apart.argmin(axis=1)]
    if method == "additive":
        expected, error = alpha * old + (1 - alpha) * nearest, 2.0**-20 * old.std(axis=0)
    else:
        expected = old**alpha * np.exp(nearest) ** (1 - alpha)
        error = 2.0**-23 * expected
    assert (np.abs(new - expected) <= error).all()
    if method == "additive":
        steps = 2.0 ** (np.rint(np.log2(old.std(axis=0))) - 20)
        assert (new / steps == np.rint(new / steps)).all()
    else:
        fractions = np.frexp(new)[0] * 2**24
        assert (fractions == np.rint(fractions)).all()


def test_the_nearest_are_those_of_brute_force():
    rng = np.random.default_rng(3)
    x, synthetic = rng.normal(size=(200, 2)) * [1, 100], rng.normal(size=(50, 2)) * [1, 100]
    apart = np.square((x[:, np.newaxis] - synthetic) / x.std(axis=0)).sum(axis=2)
    assert (pair_nearest(x, synthetic) == synthetic[apart.argmin(axis=1)]).all()


def test_what_would_release_the_own_values_is_refused_and_fewer_synthetic_records_help():
    """In one column the nearest of n lies about 1 / (2 n) of the ranks away, and the correlation is 1 for any alpha."""
    x = np.random.default_rng(4).normal(size=(N, 1))
    for alpha in (0.0, 0.9):
        with pytest.raises(ValueError, match=r"would explain 0\.99\d+ of its own|would explain 1\.0000"):
            hybrid_masking(x, drawn(p=1), Combination("additive", alpha), 0.05, 10, ["a"])
    new = hybrid_masking(x, drawn(p=1), Combination("additive", 0.0, 100), 0.05, 10, ["a"])
    assert len({*new[:, 0]}) == 3  # of 300 records, 100 for each
    assert np.corrcoef(x[:, 0], new[:, 0])[0, 1] ** 2 < 0.99


def test_the_greatest_is_not_copied_and_a_changed_source_or_alpha_draws_all_anew(k):
    k.execute("CREATE OR REPLACE TEMP TABLE rich AS SELECT * REPLACE (f + (id = 7)::INTEGER * 1e3 AS f) FROM k")
    call = "FROM sdc_hybrid_masking('{}', ['f', 'it''s', 'Select'], {}, 'id', k := 5)"
    old = values(k, "rich")
    first, second = (values(k, f"({call.format('rich', alpha)})") for alpha in (0.1, 0.10001))
    assert abs(first[7, 0] - old[7, 0]) > 1
    assert not {*old.ravel()} & {*first.ravel()}
    # with the same synthetic records the difference of both would be (X - X_S) / 1e5, and X follow from it
    found = first[:, 0] + (1 - 0.1) * (second - first)[:, 0] / 1e-5
    assert np.median(np.abs(found - old[:, 0])) > 10 * old[:, 0].std()
    k.execute("CREATE OR REPLACE TEMP TABLE nudged AS SELECT * REPLACE (f + (id = 3)::INTEGER * 1e-9 AS f) FROM rich")
    assert (values(k, f"({call.format('nudged', 0.1)})") != first).mean() > 0.99


@pytest.mark.slow
def test_the_mean_of_many_releases_follows_the_own_values(k):
    """As the header says: it tends to a function that rises with the own value, though each release is drawn."""
    old = values(k, "k")
    call = "(FROM sdc_hybrid_masking('k', ['f', 'it''s', 'Select'], 0.2, 'id', k := 10, release := '{}'))"
    released = [values(k, call.format(r))[:, 0] for r in range(8)]
    one = np.corrcoef(old[:, 0], released[0])[0, 1]
    assert np.corrcoef(old[:, 0], np.mean(released, axis=0))[0, 1] > one


@pytest.mark.slow
def test_in_strata_and_whole_numbers_and_from_the_macro_as_from_python(k):
    k.execute("CREATE OR REPLACE TABLE typed AS SELECT * REPLACE (f::INTEGER AS f) FROM k")
    data = Microdata(k, "typed", id="id")
    data.mask.hybrid_masking(COLUMNS, 0.2, stratum="PART", method="multiplicative", k=4, into="parted")
    call = "'typed', ['SELECT', 'f', 'it''s'], 0.2, 'id', stratum := 'part', method := 'multiplicative', k := 4"
    by_macro = k.execute(f"FROM sdc_hybrid_masking({call}) ORDER BY id").fetchall()
    assert by_macro == k.execute("FROM parted ORDER BY id").fetchall()
    assert k.table("parted").types == k.table("typed").types
    old, new = values(k, "typed"), values(k, "parted")
    assert (np.abs(new.mean(axis=0) - old.mean(axis=0)) < 6 * old.std(axis=0) / math.sqrt(N / 4)).all()


@pytest.mark.one_in(5)
@pytest.mark.whole
@pytest.mark.parametrize(
    ("where", "call", "message"),
    [
        ("true", {"alpha": 1}, "alpha"),
        ("true", {"alpha": -0.1}, "alpha"),
        ("true", {"k": 0}, "k"),
        ("true", {"method": "none"}, "method"),
        ("true", {"columns": ["f"]}, "would explain"),
        ("true", {"columns": [*COLUMNS, "part"], "method": "multiplicative"}, "150 values of part are 0 or less"),
        ("true", {"columns": ["none"]}, "300 records have NULL or NaN"),
        ("id < 9", {}, "9 records"),
        ("id < 0", {}, "has no rows"),
    ],
)
def test_refused(k, where, call, message):
    k.execute(f"CREATE OR REPLACE TABLE few AS SELECT *, NULL::DOUBLE AS none FROM k WHERE {where}")
    with pytest.raises(sdc_sql.InputError, match=message):
        Microdata(k, "few", id="id").mask.hybrid_masking(**{"columns": COLUMNS, "alpha": 0.3, **call})
