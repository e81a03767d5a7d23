"""The propensity score by trees: against all cuts tried one by one, its null in closed form, and files that differ."""

from __future__ import annotations

from itertools import combinations

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from sdc_sql import Microdata
from sdc_sql.errors import ColumnError, InputError, ParameterError, WeightError


@pytest.fixture
def con(connect):
    return connect()


def make_table(con, name, **columns):
    given = pa.table({key: pa.array(list(values)) for key, values in columns.items()})
    con.register("given", given)
    con.execute(f"CREATE OR REPLACE TABLE {name} AS FROM given")


def score(con, columns, **options):
    return Microdata(con, "f").loss.tree_propensity("k", columns, **options)


def gini_fall(right, released, w):
    """Return by how much a cut lowers the sum of squares about the mean."""
    return sum(
        w[part].sum() * (np.average(released[part], weights=w[part]) - np.average(released, weights=w)) ** 2
        for part in (right, ~right)
    )


@pytest.mark.parametrize("weight", [None, "w"])
def test_the_one_cut_is_the_best_of_all(con, weight):
    """Of 50 records and leaves of 20 there is one cut: here all of a number and of a variable with names are tried."""
    for seed in range(3):
        draw = np.random.default_rng(seed)
        n, m = 28, 22
        x, g, w = draw.integers(0, 30, n + m), draw.choice(list("abcde"), n + m), draw.uniform(0.5, 3, n + m)
        make_table(con, "k", x=x[:n], g=g[:n], w=w[:n])
        make_table(con, "f", x=x[n:], g=g[n:], w=w[n:])
        released, weights = np.repeat([0.0, 1.0], [n, m]), np.ones(n + m) if weight is None else w
        cuts = [x <= at for at in range(30)]
        cuts += [np.isin(g, names) for size in range(1, 5) for names in combinations("abcde", size)]
        best = max(gini_fall(cut, released, weights) for cut in cuts if 20 <= cut.sum() <= 30)
        found = score(con, ["g", "x"], continuous=["x"], weight=weight, size=20, permutations=2)
        assert (found.records, found.leaves) == (50, 2)
        assert found.pmse == pytest.approx(best / weights.sum(), rel=1e-9)
        c = np.average(released, weights=weights)
        assert found.share == pytest.approx(found.pmse / (c * (1 - c)))


def test_the_null_is_that_of_permuted_labels(con):
    """Of 3 f and 5 m, 4 are released: 1 or 2 f by 60 of the 70 ways, 0 or 3 by the other 10."""
    make_table(con, "k", sex="ffmm")
    make_table(con, "f", sex="fmmm")
    near = (3 * (1 / 3 - 1 / 2) ** 2 + 5 * (3 / 5 - 1 / 2) ** 2) / 8
    far = (3 * (1 / 2) ** 2 + 5 * (4 / 5 - 1 / 2) ** 2) / 8
    found = score(con, ["sex"], size=3, permutations=1_500)
    mean, deviation = (6 * near + far) / 7, np.sqrt(6 / 49) * (far - near)
    assert found.pmse == pytest.approx(near)
    assert found.null_mean == pytest.approx(mean, abs=4 * deviation / np.sqrt(1_500))
    assert found.null_deviation == pytest.approx(deviation, rel=0.1)
    assert found.ratio == pytest.approx(near / found.null_mean)
    assert found.z == pytest.approx((near - found.null_mean) / found.null_deviation)


def draw_pair(draw, n):
    x = draw.normal(size=n)
    return x, 0.8 * x + 0.6 * draw.normal(size=n), draw.choice(["a", "b", "c"], n)


@pytest.mark.slow
@pytest.mark.whole
def test_a_fresh_sample_is_a_draw_from_the_null(con):
    """Labels of two samples of one population are exchangeable: z has mean 0, its deviation sqrt(1 + 1/20) and more."""
    found = []
    for seed in range(4):
        draw = np.random.default_rng(seed)
        for name, n in (("k", 240), ("f", 160)):
            x, y, g = draw_pair(draw, n)
            make_table(con, name, x=x, y=y, g=g)
        found.append(score(con, ["x", "y", "g"], continuous=["x", "y"]))
    assert abs(np.mean([f.z for f in found])) < 4 * 1.1 / np.sqrt(4)
    assert all(abs(f.z) < 4.5 for f in found)
    assert all(0.8 < f.ratio < 1.2 for f in found)


def test_lost_connections_are_seen_where_main_effects_see_nothing(con):
    """The margins are exactly what they were, so that no first cut tells anything, as in a file of swapped values."""
    draw = np.random.default_rng(4)
    x, y, _ = draw_pair(draw, 1_000)
    make_table(con, "k", x=x, y=y)
    make_table(con, "f", x=x, y=draw.permutation(y))
    found = score(con, ["x", "y"], continuous=["x", "y"], size=50)
    assert found.ratio > 4
    assert found.z > 10
    released = Microdata(con, "f")
    assert released.loss.propensity("k", ["x", "y"], continuous=["x", "y"], pairs=False).share < 1e-9


@pytest.mark.slow
@pytest.mark.whole
def test_a_weight_of_two_is_the_record_twice(con):
    draw = np.random.default_rng(5)
    for name, n, moved in (("k", 200, 0.0), ("f", 150, 0.7)):
        x, y, g = draw_pair(draw, n)
        make_table(con, name, x=x + moved, y=y, g=g, w=draw.integers(1, 3, n), two=np.full(n, 2))
    columns = {"columns": ["x", "y", "g"], "continuous": ["x", "y"]}
    alone = score(con, **columns, size=10)
    assert score(con, **columns, size=10, weight="two") == alone
    unequal = score(con, **columns, size=40, weight="w")
    for name in "kf":
        con.execute(f"CREATE OR REPLACE TABLE {name} AS SELECT {name}.* FROM {name}, range(2)")
    twice = score(con, **columns, size=20)
    assert (twice.records, twice.leaves) == (700, alone.leaves)
    assert twice.pmse == pytest.approx(alone.pmse)
    assert score(con, **columns, size=80, weight="w").pmse == pytest.approx(unequal.pmse)


def test_missing_values_tell_the_files_apart(con):
    con.execute("CREATE TABLE k AS SELECT i AS x, 'a' AS g FROM range(40) t(i)")
    con.execute("CREATE TABLE f AS SELECT if(x % 2 = 0, x, NULL) AS x, if(x >= 20, g, NULL) AS g FROM k")
    expected = (20 * 0.25 + 60 * (1 / 3 - 1 / 2) ** 2) / 80
    assert score(con, ["g"]).pmse == pytest.approx(expected)
    # one cut: the 20 missing numbers, which are surely released ones, from the others
    con.execute("UPDATE f SET x = 1 WHERE x IS NOT NULL")
    con.execute("UPDATE k SET x = 1")
    assert score(con, ["x"], continuous="x").pmse == pytest.approx(expected)


def test_the_figure_is_the_same_in_any_order(con):
    draw = np.random.default_rng(6)
    for name, n in (("k", 150), ("f", 90)):
        x, _, g = draw_pair(draw, n)
        make_table(con, name, Select=x, **{"it's": g}, w=draw.uniform(1, 9, n))
    options = {"columns": ["it's", "SELECT"], "continuous": ["select"], "weight": "W"}
    before = score(con, **options)
    for name in "kf":
        con.execute(f"CREATE OR REPLACE TABLE {name} AS FROM {name} ORDER BY hash(w)")
    assert score(con, **options) == before
    con.execute("UPDATE k SET w = w / 1e8; UPDATE f SET w = w / 1e8")
    assert score(con, **options).pmse == pytest.approx(before.pmse)


def test_what_tells_nothing_is_0(con):
    make_table(con, "k", g="a", x=[1.0])
    make_table(con, "f", g="b", x=[None])
    for size in (1, 5):
        found = score(con, ["g", "x"], size=size)
        assert found.leaves == (2 if size == 1 else 1)
        assert found.share == (1 if size == 1 else 0)
    make_table(con, "k", g="aaaaaa", x=[None] * 6)
    make_table(con, "f", g="aaaaa", x=[None] * 5)
    found = score(con, ["g"], size=1)
    assert (found.leaves, found.pmse, found.null_mean, found.ratio, found.z) == (1, 0, 0, None, None)
    make_table(con, "f", g="aaaaaaabbbbbbb")
    con.execute("CREATE OR REPLACE TABLE k AS FROM f")
    same = score(con, ["g"])
    assert (same.leaves, same.pmse, same.ratio) == (2, 0, 0)


def test_wrong_input_is_told(con):
    make_table(con, "k", g="ab", x=[1.0, 2.0], w=[1, 0])
    make_table(con, "f", g="ab", x=[1.0, 2.0], w=[1, 1])
    with pytest.raises(WeightError, match="weights must be"):
        score(con, ["g"], weight="w")
    with pytest.raises(ParameterError, match="size"):
        score(con, ["g"], size=0)
    with pytest.raises(ParameterError, match="permutations"):
        score(con, ["g"], permutations=1)
    with pytest.raises(ColumnError, match='continuous names "x"'):
        score(con, ["g"], continuous=["x"])
    with pytest.raises(ColumnError):
        score(con, ["g"], continuous=["g"])
    con.execute("DELETE FROM f")
    with pytest.raises(InputError, match="no rows"):
        score(con, ["g"])
    with pytest.raises(duckdb.Error, match="no rows"):
        con.execute("FROM sdc_tree_propensity('f', 'k', ['g'])").fetchall()
