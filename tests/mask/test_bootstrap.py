"""The bootstrap from a smoothed distribution: what is kept in expectation, what is drawn, what outliers and releases tell."""  # noqa: E501

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest
from sdc_sql.udfs.bootstrap import bootstrap, smooth_numbers

import sdc_sql
from sdc_sql import Microdata

KEY = "vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U"
N, H = 4000, 0.4
COLUMNS, CATEGORIES = ["f", "it's", "Select", "born"], ["Select", "born"]


@pytest.fixture(scope="module")
def k(connect):
    """Return a connection with a table `k`: two numbers, a text with NULL and a date that depend on one another."""
    rng = np.random.default_rng(3)
    kind = rng.integers(0, 3, N)
    f = rng.normal(50, 10, N) + 20 * kind
    columns = {
        "id": np.arange(N), "f": f, "it's": 2 * f + rng.normal(0, 15, N),
        "Select": np.array(["a", "b", None], dtype=object)[kind], "day": (kind + rng.integers(0, 2, N)) % 3,
        "part": np.arange(N) % 2,
    }  # fmt: skip
    with connect() as con:
        con.execute("SET VARIABLE sdc_key = ?", [KEY])
        con.register("made", pa.table(columns))
        con.execute("CREATE TABLE k AS SELECT * EXCLUDE day, DATE '2001-01-01' + day::INTEGER AS born FROM made")
        con.unregister("made")
        yield con


def values(con, table, columns='f, "it\'s"'):
    return np.array(con.execute(f"SELECT {columns} FROM {table} ORDER BY id").fetchall())


def shares(con, table, columns):
    found = con.execute(f"SELECT ({columns})::VARCHAR, count(*) / {N} FROM {table} GROUP BY 1").fetchall()
    return {name: float(share) for name, share in found}


def test_means_covariances_and_margins_stay_within_sampling_error(k):
    """F' has them exactly: a sample of n errs by its standard error; so does what F' has of the relations."""
    Microdata(k, "k", id="id").mask.bootstrap(COLUMNS, CATEGORIES, smoothing=H, into="drawn")
    old, new = values(k, "k"), values(k, "drawn")
    error = old.std(axis=0) / math.sqrt(N)
    assert (np.abs(new.mean(axis=0) - old.mean(axis=0)) < 4.5 * error).all()
    own = np.cov(old.T)
    sizes = np.sqrt((np.outer(own.diagonal(), own.diagonal()) + own**2) / N)  # of a covariance, nearly normal
    assert (np.abs(np.cov(new.T) - own) < 6 * sizes).all()
    for column in ('row("Select")', "row(born)"):
        before, after = shares(k, "k", column), shares(k, "drawn", column)
        assert before.keys() == after.keys()
        assert all(abs(after[c] - p) < 4.5 * math.sqrt(p * (1 - p) / N) for c, p in before.items())
    joint, after = (shares(k, table, 'row("Select", born)') for table in ("k", "drawn"))
    one, other = (shares(k, "k", column) for column in ('row("Select")', "row(born)"))
    for a, p in one.items():
        for b, q in other.items():
            cell = f"({a.strip('(),')}, {b.strip('(),')})"  # DuckDB 2 writes (a,), 1.5 (a)
            expected = (1 - H) ** 2 * joint.get(cell, 0) + (1 - (1 - H) ** 2) * p * q
            assert abs(after.get(cell, 0) - expected) < 4.5 * math.sqrt(expected * (1 - expected) / N)
    # the mean of f among those of a category is nearer to that of all
    by_kind = "SELECT avg(f), count(*) FROM {} WHERE \"Select\" = 'a'"
    (mean, _), (found, count) = (k.execute(by_kind.format(t)).fetchone() for t in ("k", "drawn"))
    expected = old[:, 0].mean() + (1 - H) / math.sqrt(1 + H**2) * (mean - old[:, 0].mean())
    assert abs(found - expected) < 4.5 * old[:, 0].std() / math.sqrt(count)


def test_a_released_record_is_of_another_person_and_no_number_is_an_original(k):
    k.execute("CREATE OR REPLACE TABLE drawn AS FROM sdc_bootstrap('k', ['f', 'it''s'], NULL, 'id', smoothing := 0.05)")
    old, new = values(k, "k"), values(k, "drawn")
    assert not {*old.ravel()} & {*new.ravel()}
    assert max(abs(np.corrcoef(old[:, j], new[:, j])[0, 1]) for j in (0, 1)) < 4.5 / math.sqrt(N)
    noise = old.std(axis=0) * 0.05 / math.sqrt(1 + 0.05**2)
    steps = 2.0 ** (np.rint(np.log2(noise)) - 20)  # the last bits tell nothing
    assert (new / steps == np.rint(new / steps)).all()


def test_a_record_more_and_another_smoothing_draw_everybody_anew(k):
    call = "sdc_bootstrap('{}', ['f'], [], 'id', smoothing := {})"
    k.execute("CREATE OR REPLACE TEMP TABLE more AS FROM k UNION ALL SELECT 9999, 5e1, 1e2, 'a', 0, DATE '2001-01-01'")
    before = values(k, call.format("k", 0.3), "f")[:, 0]
    for again in (call.format("more", 0.3), call.format("k", 0.2), call.format("k", 0.3)[:-1] + ", release := 'b')"):
        after = values(k, again, "f")[:N, 0]
        assert abs(np.corrcoef(before, after)[0, 1]) < 4.5 / math.sqrt(N)
    after = values(k, call.format("more", 0.3), "f")[:, 0]
    error = abs((N + 1) * after.mean() - N * before.mean() - 5e1)
    assert error > 0.001 * before.std() * math.sqrt(2 * N)  # the newcomer's value is lost among the draws


def test_an_outlier_is_not_copied_and_many_releases_tell_where_it_is():
    """As the header says: its draws lie h deviations beside its shrunk place, and their mean tells that place."""
    rng = np.random.default_rng(8)
    x = np.r_[rng.normal(0, 1, 499), 60.0][:, np.newaxis]
    seen = []
    for _ in range(60):
        digests = rng.integers(0, 256, (500, 32), dtype=np.uint8)
        (drawn,) = bootstrap(x, np.array([False]), H, digests, ["f"])
        seen += drawn[drawn > 30].tolist()
    mean, deviation = x.mean(), x.std()
    place = mean + (60 - mean) / math.sqrt(1 + H**2)
    spread = H / math.sqrt(1 + H**2) * deviation
    assert abs(len(seen) - 60) < 4.5 * math.sqrt(60)  # one a release, in the mean
    assert abs(np.mean(seen) - place) < 4.5 * spread / math.sqrt(len(seen))
    assert 0.6 < np.std(seen) / spread < 1.4


def test_columns_that_determine_one_another_still_do_and_missing_values_stay_with_their_record():
    rng = np.random.default_rng(5)
    x = rng.normal(3, 2, (200, 1))
    both = smooth_numbers(np.c_[x, 5 - 2 * x], rng.integers(0, 200, 200), rng.normal(size=(200, 2)), 0.3, ["a", "b"])
    assert np.abs(both[:, 1] + 2 * both[:, 0] - 5).max() < 1e-5
    x[:50] = np.nan
    places = rng.integers(0, 200, 200)
    new = smooth_numbers(x, places, rng.normal(size=(200, 1)), 0.3, ["a"])
    assert (np.isnan(new[:, 0]) == (places < 50)).all()


@pytest.mark.slow
def test_in_strata_and_from_the_macro_as_from_python(k):
    k.execute(
        'CREATE OR REPLACE TABLE typed AS SELECT * REPLACE (f::INTEGER AS f, part * 1000 + "it\'s" AS "it\'s") FROM k'
    )
    data = Microdata(k, "typed", id="id")
    data.mask.bootstrap(COLUMNS, CATEGORIES, stratum="PART", into="parted")
    drawn = "['SELECT', 'f', 'it''s', 'born'], ['born', 'select']"
    call = f"sdc_bootstrap('typed', {drawn}, 'id', stratum := 'part')"
    assert k.execute(f"FROM {call} ORDER BY id").fetchall() == k.execute("FROM parted ORDER BY id").fetchall()
    assert k.table("parted").types == k.table("typed").types
    low, high = (values(k, "parted", '"it\'s"')[part::2].ravel() for part in (0, 1))
    assert low.max() < high.min()


@pytest.mark.one_in(5)
@pytest.mark.whole
@pytest.mark.parametrize(
    ("where", "call", "message"),
    [
        ("true", {"smoothing": 0}, "smoothing"),
        ("true", {"smoothing": 1.5}, "smoothing"),
        ("true", {"smoothing": float("nan")}, "smoothing"),
        ("true", {"categories": None}, "this method masks numbers"),
        ("true", {"categories": ["part"]}, "not among the columns"),
        ("true", {"columns": ["id"], "categories": None}, "is the id"),
        ("id < 3", {}, "3 records; expected at least 4"),
        ("id < 0", {}, "has no rows"),
        ("f < 0 OR id < 9", {"columns": ["one", "Select"], "categories": "Select"}, "fewer than 2 different values"),
    ],
)
def test_refused(k, where, call, message):
    k.execute(f"CREATE OR REPLACE TABLE few AS SELECT *, 1e0 AS one FROM k WHERE {where}")
    with pytest.raises(sdc_sql.InputError, match=message):
        Microdata(k, "few", id="id").mask.bootstrap(**{"columns": COLUMNS, "categories": CATEGORIES, **call})
