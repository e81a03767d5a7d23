"""Data shuffling: all values released, relations of ranks kept, and nothing of a record's own value beyond the given.

Bounds are 4.5 standard deviations (once in 150,000 a normal variate lies outside): a correlation of n independent pairs
has one of 1 / sqrt(n).
"""

from __future__ import annotations

from collections import Counter
from statistics import NormalDist

import numpy as np
import pytest
from sdc_sql.udfs.shuffling import compute_normal_scores, relations, shuffle_places

import sdc_sql
from sdc_sql import InputError
from sdc_sql.cli import main

KEY = "vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U"
N = 3000
BOUND = 4.5 / np.sqrt(N)


def made(n=N):
    """Return two confidential columns and two given ones, of normal relations under other margins, and a text."""
    rng = np.random.default_rng(8)
    size, sex = rng.normal(size=n), rng.integers(0, 3, n)
    x = 0.7 * size + 0.4 * (sex == 1) + 0.6 * rng.normal(size=n)
    y = 0.5 * x - 0.3 * size + 0.8 * rng.normal(size=n)
    return np.exp(x), np.floor(100 * y), np.exp(size), sex


def design(size, sex):
    return np.column_stack([np.ones(len(sex)), compute_normal_scores(size), sex == 1, sex == 2])


def beyond(values, given):
    """Return what of the normal scores of values least squares does not predict."""
    scores = compute_normal_scores(values)
    return scores - given @ np.linalg.lstsq(given, scores, rcond=None)[0]


def correlation(a, b):
    return float(np.corrcoef(a, b)[0, 1])


@pytest.fixture(scope="module")
def k(connect):
    with connect() as con:
        con.execute("SET VARIABLE sdc_key = ?", [KEY])
        x, y, size, sex = made()
        con.execute('CREATE TABLE k (id BIGINT, f DOUBLE, "Select" DECIMAL(12, 2), "it\'s" DOUBLE, sex VARCHAR)')
        con.register("made", {"x": x, "y": y, "size": size, "sex": sex})
        con.execute("INSERT INTO k SELECT row_number() OVER (), x, y, size, 's' || sex FROM made")
        yield con


GIVEN = "['it''s', 'sex'], 'id'"


def released(con, more=GIVEN, columns="['f', 'SELECT']", table="k"):
    query = f"SELECT f, \"Select\"::DOUBLE FROM sdc_data_shuffling('{table}', {columns}, {more}) ORDER BY id"
    return np.array(con.execute(query).fetchall()).T


def test_all_values_and_relations_of_ranks_are_kept(k):
    x, y, size, sex = made()
    f, g = released(k)
    assert (np.sort(f) == np.sort(x)).all()
    assert (np.sort(g) == np.sort(y)).all()
    others = {"size": size, "one": sex == 1, "two": sex == 2}
    for name, other in others.items():
        # the released column differs from the prediction by its draws alone, the original one by its own values
        for new, old in ((f, x), (g, y)):
            found, wanted = (
                correlation(compute_normal_scores(v), compute_normal_scores(other * 1.0)) for v in (new, old)
            )
            assert abs(found - wanted) < BOUND, name
    found, wanted = (correlation(compute_normal_scores(a), compute_normal_scores(b)) for a, b in ((f, g), (x, y)))
    assert abs(found - wanted) < 2**0.5 * BOUND + 0.001  # both are drawn; the root has three decimals


def test_beyond_the_given_columns_nothing_of_a_value_is_told(k):
    x, y, size, sex = made()
    given = design(size, sex)
    f, g = released(k)
    for new, old in ((f, x), (f, y), (g, x), (g, y)):
        assert abs(correlation(beyond(new, given), beyond(old, given))) < BOUND
    # what is tested can be seen: rank swapping leaves nearly all of it
    k.execute("CREATE OR REPLACE TEMP TABLE swapped AS FROM sdc_rank_swap('k', 'f', 5, 'id')")
    swapped = np.array(k.execute("SELECT f FROM swapped ORDER BY id").fetchall())[:, 0]
    assert correlation(beyond(swapped, given), beyond(x, given)) > 0.9


def test_the_mean_of_many_releases_tells_no_more_than_one():
    x, _, size, sex = made()
    given = design(size, sex)
    codes = np.column_stack([np.unique(size, return_inverse=True)[1], sex])
    rng, found = np.random.default_rng(2), []
    for _ in range(20):
        places = shuffle_places(x[:, None], codes, np.array([0, 1]), rng.normal(size=(N, 1)), ["x"])
        found.append(compute_normal_scores(x[places[:, 0]]))
    mean = np.mean(found, axis=0)
    assert abs(correlation(beyond(mean, given), beyond(x, given))) < BOUND
    predicted = correlation(compute_normal_scores(x) - beyond(x, given), compute_normal_scores(x))
    assert correlation(mean, compute_normal_scores(x)) < predicted + BOUND


def test_a_release_is_a_function_of_the_given_columns_and_of_the_values_as_a_whole(k):
    """Who in a cell of the given columns has which of its values changes no released one, and nor does a draw."""
    k.execute(
        'CREATE OR REPLACE TEMP TABLE named AS SELECT id, sex, f, "Select",'
        " row_number() OVER (PARTITION BY sex ORDER BY id) AS i,"
        " row_number() OVER (PARTITION BY sex ORDER BY f) AS j FROM k"
    )
    k.execute(
        'CREATE OR REPLACE TEMP TABLE others AS SELECT a.id, a.sex, b.f, b."Select"'
        " FROM named a JOIN named b ON a.sex = b.sex AND a.i = b.j"
    )
    one, other = (released(k, "['sex'], 'id'", table=t) for t in ("k", "others"))
    assert (one == other).mean() > 0.999  # but for the rounding of sums
    alone, of_others = (released(k, "NULL, 'id', release := 'b'", table=t) for t in ("k", "others"))
    assert (alone == of_others).all()  # given nothing
    assert (alone == one).mean() < 0.05


def test_what_it_does_not_withstand(k):
    """The values are there: a record more shows its value, a rank known its value, and so the greatest one."""
    k.execute("CREATE OR REPLACE TEMP TABLE before AS FROM k WHERE id <> 77")
    more, before = (released(k, "['sex'], 'id'", table=t)[0] for t in ("k", "before"))
    ((value,),) = k.execute("SELECT f FROM k WHERE id = 77").fetchall()
    assert list((Counter(more) - Counter(before)).elements()) == [value]
    x, *_ = made()
    assert (np.sort(more)[np.argsort(np.argsort(x))] == x).all()  # who knows all ranks has all values


def test_what_is_drawn_from_is_least_squares_on_normal_scores():
    x, y, size, sex = made(200)
    codes = np.column_stack([np.unique(size, return_inverse=True)[1], sex, sex])  # a column twice changes nothing
    found = relations(np.column_stack([x, y]), codes, np.array([0, 1, 1]), ["x", "y"])
    rest = np.column_stack([beyond(v, design(size, sex)) for v in (x, y)])
    scores = np.column_stack([compute_normal_scores(v) for v in (x, y)])
    np.testing.assert_allclose(found.predictions, scores - rest, atol=1e-9)
    np.testing.assert_allclose(found.explained, 1 - rest.var(axis=0) / scores.var(axis=0), atol=1e-9)
    covariances = rest.T @ rest / 200
    np.testing.assert_allclose(found.root @ found.root.T, covariances, atol=3e-3 * np.diag(covariances).max())
    quantile = NormalDist().inv_cdf
    assert compute_normal_scores([5.0, np.nan, 1.0, 5.0])[[0, 2]] == pytest.approx([quantile(2 / 3), quantile(1 / 6)])


def test_nulls_strata_large_numbers_and_types(k):
    k.execute(
        "CREATE OR REPLACE TABLE t AS SELECT range AS id, 9007199254740992 + range AS b, range % 2 AS s,"
        " range % 3 AS h, CASE WHEN range % 5 > 0 THEN (range * 37 % 101)::FLOAT"
        " WHEN range % 10 = 0 THEN 'nan'::FLOAT END AS x,"
        " ['u', 'v', NULL][1 + range % 3] AS c FROM range(120)"
    )
    before = k.execute("FROM t ORDER BY id").fetchall()
    call = "FROM sdc_data_shuffling('t', ['x', 'b'], ['c', 'h'], 'id', stratum := 's') ORDER BY id"
    after = k.execute(call).fetchall()
    assert k.execute(f"DESCRIBE {call}").fetchall() == k.execute("DESCRIBE t").fetchall()
    for s in (0, 1):
        for j in (1, 4):
            assert Counter(str(r[j]) for r in after if r[2] == s) == Counter(str(r[j]) for r in before if r[2] == s)
    stays = [(str(r[4]), str(a[4])) for r, a in zip(before, after, strict=True) if r[0] % 5 == 0]
    assert {*stays} == {("nan", "nan"), ("None", "None")}
    assert sum(a[1] != r[1] for a, r in zip(after, before, strict=True)) > 100


@pytest.mark.one_in(8)
@pytest.mark.parametrize(("columns", "more", "words"), [
    (["x"], {"given": ["rare"]}, "1 records have a value of a given column that few have"),
    (["x"], {"given": ["c", "h", "many"]}, "expected at least"),
    (["x"], {"given": ["twin"]}, "explain 1.0000 of x by rank"),
    (["x"], {"given": ["gaps"]}, "given column gaps is NULL or NaN"),
    (["x"], {"given": ["X"]}, "given names .*a column is either drawn or released as it is"),
    (["x"], {"given": ["nowhere"]}, "nowhere"),
    (["c"], {"given": []}, "masks numbers"),
    (["x"], {"given": [], "stratum": "own"}, "1 records have all columns"),
])  # fmt: skip
def test_what_is_refused(k, columns, more, words):
    k.execute(
        "CREATE OR REPLACE TABLE t AS SELECT range AS id, range * 37 % 101 AS x, exp((range * 37 % 101) / 9) AS twin,"
        " 'v' || range % 3 AS c, range % 7 AS h, 'm' || range % 30 AS many, range AS own,"
        " CASE WHEN range = 5 THEN 'r' ELSE 'o' END AS rare, nullif(range % 9, 4) AS gaps FROM range(60)"
    )
    stratum = f", stratum := '{more['stratum']}'" if "stratum" in more else ""
    with pytest.raises(Exception, match=words):
        k.execute(f"FROM sdc_data_shuffling('t', {columns}, {more['given']}, 'id'{stratum})").fetchall()
    with pytest.raises(InputError):
        sdc_sql.Microdata(k, "t", id="id").mask.data_shuffling(columns, **more)
    assert (
        k.execute("SELECT sum(x) FROM t WHERE id < 30").fetchone()
        == k.execute("SELECT sum(range * 37 % 101) FROM range(30)").fetchone()
    )


@pytest.mark.slow
def test_in_place_and_by_the_command_line(k, tmp_path, monkeypatch):
    monkeypatch.setenv("SDC_KEY", KEY)
    wanted = released(k, "['it''s', 'sex'], 'id', stream := '2'")
    k.execute("CREATE OR REPLACE TABLE in_place AS FROM k")
    data = sdc_sql.Microdata(k, "in_place", id="id")
    data.mask.data_shuffling(["f"], None, into="one")
    step = data.mask.data_shuffling(["f", "select"], ["it's", "sex"], stream="2")
    x, y, size, sex = made()
    shares = [1 - beyond(v, design(size, sex)).var() / compute_normal_scores(v).var() for v in (x, y)]
    assert step.parameters["explained"] == pytest.approx(dict(zip(("f", "Select"), shares, strict=True)), abs=1e-6)
    assert (wanted == np.array(k.execute('SELECT f, "Select"::DOUBLE FROM in_place ORDER BY id').fetchall()).T).all()
    k.execute(f"COPY k TO '{tmp_path}/k.parquet'")
    assert main(["mask", "data_shuffling", f"{tmp_path}/k.parquet", "--id", "id", "--columns", "f,Select",
                 "--given", "it's,sex", "--stream", "2", "--output", f"{tmp_path}/o.parquet"]) == 0  # fmt: skip
    found = k.execute(f"SELECT f, \"Select\"::DOUBLE FROM '{tmp_path}/o.parquet' ORDER BY id").fetchall()
    assert (wanted == np.array(found).T).all()
