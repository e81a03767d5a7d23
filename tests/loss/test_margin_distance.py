"""Margins and pairs compared: against sums in plain Python, with weights, missing values and odd names."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pyarrow as pa
import pytest

from sdc_sql import Microdata
from sdc_sql.errors import ColumnError, ParameterError, WeightError

COLUMNS = ["Select", "f", "it's", "k"]
NUMBERS = ["Select", "it's"]


def make_file(rng, n):
    """Return a file of two numbers, one of them heaped and partly missing, and two categories, one partly missing."""
    f = rng.choice(["a", "b", "c"], n, p=[0.5, 0.3, 0.2]).astype(object)
    wage = np.round(rng.gamma(2, 10, n) + 5 * (f == "a"))
    region = np.where(rng.random(n) < 0.1, None, rng.integers(0, 4, n).astype(object))
    heaped = np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n))
    return {"Select": wage, "f": f, "it's": heaped, "k": region, "w": rng.integers(1, 5, n) / 2}


def as_table(file):
    return pa.table({
        name: pa.array([None if v is None or v != v else v for v in np.asarray(values).tolist()])  # noqa: PLR0124
        for name, values in file.items()
    })  # fmt: skip


@pytest.fixture(scope="module")
def files(connect):
    """Return a connection with a table `k`, a released one of another size, and both as they were drawn."""
    rng = np.random.default_rng(11)
    before, after = make_file(rng, 300), make_file(rng, 211)
    after["Select"] = after["Select"] * 1.5
    with connect() as con:
        for name, file in (("k", before), ("released", after)):
            con.register("made", as_table(file))
            con.execute(f"CREATE TABLE {name} AS FROM made")
            con.unregister("made")
        yield con, before, after


def share_by_cell(file, columns, weights):
    found = {}
    for *cell, w in zip(*(file[c] for c in columns), weights, strict=True):
        found[tuple(cell)] = found.get(tuple(cell), 0) + w / weights.sum()
    return found


def total_variation(p, q):
    return sum(abs(p.get(c, 0) - q.get(c, 0)) for c in {*p, *q}) / 2


def cramer_v(p):
    rows, columns = {}, {}
    for (u, v), share in p.items():
        rows[u], columns[v] = rows.get(u, 0) + share, columns.get(v, 0) + share
    squares = sum((p.get((u, v), 0) - rows[u] * columns[v]) ** 2 / rows[u] / columns[v] for u in rows for v in columns)
    return math.sqrt(squares / (min(len(rows), len(columns)) - 1))


def integrate_gap(x, u, y, v):
    """Return the area between two distribution functions by their inverses: |F^-1 - G^-1| over the shares."""
    values, shares = [], []
    for z, w in ((x, u), (y, v)):
        order = np.argsort(z)
        values.append(z[order])
        shares.append(np.cumsum(w[order]) / w.sum())
    ends = np.unique(np.concatenate(shares))
    middle = (np.concatenate([[0], ends[:-1]]) + ends) / 2
    first, second = (z[np.minimum(np.searchsorted(s, middle), len(z) - 1)] for z, s in zip(values, shares, strict=True))
    return float((np.abs(first - second) * np.diff(ends, prepend=0)).sum())


@pytest.mark.parametrize("weight", [None, "w"])
def test_margins_against_sums_in_python(files, weight):
    con, before, after = files
    found = Microdata(con, "released").loss.margin_distance("k", COLUMNS, continuous=NUMBERS, weight=weight)
    assert [row.variable for row in found] == COLUMNS
    u, v = (file["w"] if weight else np.ones(len(file["w"])) for file in (before, after))
    for row in found:
        x, y = before[row.variable], after[row.variable]
        if row.variable not in NUMBERS:
            p, q = share_by_cell(before, [row.variable], u), share_by_cell(after, [row.variable], v)
            assert (row.ks, row.wasserstein) == (None, None)
            assert row.distance == row.total_variation == pytest.approx(total_variation(p, q))
            continue
        here, there = ~np.isnan(x), ~np.isnan(y)
        lowest = [np.where(ok, z, -1e9) for z, ok in ((x, here), (y, there))]
        steps = [
            abs((u * (lowest[0] <= at)).sum() / u.sum() - (v * (lowest[1] <= at)).sum() / v.sum())
            for at in np.concatenate(lowest)
        ]
        assert row.distance == row.ks == pytest.approx(max(steps))
        mean = np.average(x[here], weights=u[here])
        deviation = math.sqrt(np.average((x[here] - mean) ** 2, weights=u[here]))
        moved = integrate_gap(x[here], u[here], y[there], v[there])
        assert row.wasserstein == pytest.approx(moved / deviation)
        assert row.total_variation is None


def put_in_classes(x, file, weights, classes):
    """Return the classes of the values of a file, by the share of those of x below them; None of what is missing."""
    there = ~np.isnan(x)
    below = [(weights[there] * (x[there] < value)).sum() / weights[there].sum() for value in file]
    return [
        None if value != value else min(classes, 1 + math.floor(classes * b + 1e-12))  # noqa: PLR0124
        for value, b in zip(file, below, strict=True)
    ]


@pytest.mark.parametrize(("weight", "classes"), [(None, 10), ("w", 4)])
def test_pairs_against_sums_in_python(files, weight, classes):
    con, before, after = files
    released = Microdata(con, "released")
    found = released.loss.pair_distance("k", COLUMNS, continuous=NUMBERS, weight=weight, classes=classes)
    assert [row.columns for row in found] == [list(pair) for pair in itertools.combinations(COLUMNS, 2)]
    u, v = (file["w"] if weight else np.ones(len(file["w"])) for file in (before, after))
    old, new = ({**file, **{c: put_in_classes(before[c], file[c], u, classes) for c in NUMBERS}}
                for file in (before, after))  # fmt: skip
    for row in found:
        p, q = share_by_cell(old, row.columns, u), share_by_cell(new, row.columns, v)
        assert row.cells == len({*p, *q})
        assert row.total_variation == pytest.approx(total_variation(p, q))
        assert row.v_before == pytest.approx(cramer_v(p), abs=1e-9)
        assert row.v_after == pytest.approx(cramer_v(q), abs=1e-9)
        assert row.change == pytest.approx(abs(row.v_after - row.v_before))


def test_independent_margins_keep_each_variable_and_lose_the_pair(con):
    con.execute("CREATE TABLE o AS SELECT i % 3 AS a, i % 3 AS b FROM range(900) AS t(i)")
    con.execute("CREATE TABLE r AS SELECT i % 3 AS a, i // 3 % 3 AS b FROM range(900) AS t(i)")
    data = Microdata(con, "r")
    assert [row.distance for row in data.loss.margin_distance("o", ["a", "b"])] == [0, 0]
    [pair] = data.loss.pair_distance("o", ["a", "b"])
    assert (pair.v_before, pair.v_after, pair.change) == pytest.approx((1, 0, 1), abs=1e-12)
    assert pair.total_variation == pytest.approx(2 / 3)


def test_a_file_compared_with_itself_in_another_order_is_at_no_distance(files):
    con, *_ = files
    con.execute('CREATE OR REPLACE TABLE mixed AS SELECT K, F, "it\'s", "select", w FROM k ORDER BY hash(w, f, k)')
    data = Microdata(con, "mixed")
    found = data.loss.margin_distance("k", COLUMNS, continuous=NUMBERS, weight="w")
    assert {(row.distance, row.wasserstein or 0.0) for row in found} == {(0, 0)}
    assert {row.total_variation for row in data.loss.pair_distance("k", COLUMNS, continuous=NUMBERS)} == {0}


def test_constant_and_missing_columns(con):
    con.execute("CREATE TABLE o AS SELECT 5.0 AS c, NULL::DOUBLE AS none, 1e149 * i AS big FROM range(4) AS t(i)")
    con.execute("CREATE TABLE r AS SELECT 5.0 + i AS c, 1.0 AS none, 1e149 * i AS big FROM range(4) AS t(i)")
    columns = ["c", "none", "big"]
    constant, missing, large = Microdata(con, "r").loss.margin_distance("o", columns, continuous=columns)
    assert (constant.ks, constant.wasserstein) == (0.75, None)  # moved, by no standard deviation that there is
    assert (missing.ks, missing.wasserstein) == (1, None)
    assert (large.ks, large.wasserstein) == (0, 0)
    pairs = Microdata(con, "r").loss.pair_distance("o", columns, continuous=columns)
    assert (pairs[0].v_before, pairs[0].v_after) == (0, 0)
    assert all(math.isfinite(row.change) for row in pairs)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"columns": ["Select"]}, ColumnError, "at least two"),
        ({"columns": COLUMNS, "continuous": ["w"]}, ColumnError, "not among the columns measured"),
        ({"columns": COLUMNS, "continuous": ["f"]}, ColumnError, "numeric column"),
        ({"columns": COLUMNS, "classes": 1}, ParameterError, "classes"),
        ({"columns": COLUMNS, "weight": "it's"}, WeightError, "weight"),
    ],
)
def test_what_cannot_be_compared_is_an_error(files, arguments, error, words):
    con, *_ = files
    with pytest.raises(error, match=words):
        Microdata(con, "released").loss.pair_distance("k", **arguments)
