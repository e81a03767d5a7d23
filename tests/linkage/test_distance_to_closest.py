"""Distances to the closest record: by hand, by every pair, for copies, permuted columns, and files of other sizes."""

from __future__ import annotations

import statistics
from itertools import pairwise

import duckdb
import numpy as np
import pytest
from sdc_sql.udfs.linkage.functions import distance_to_closest

from sdc_sql import Microdata
from sdc_sql.errors import ColumnError, InputError, TableError

CATEGORIES, ORDINAL, CONTINUOUS = ["g", "Select"], ["o"], ["x", 'a"b']
COLUMNS = ["x", "g", "o", "Select", 'a"b']
WEIGHTS = {"x": 1, "g": 2, "o": 0.5, "Select": 0.25, 'a"b': 3}


def make(con, name, **columns):
    named = ", ".join(f'unnest(${i}) AS "{n.replace(chr(34), chr(34) * 2)}"' for i, n in enumerate(columns, 1))
    con.execute(f"CREATE OR REPLACE TABLE {name} AS SELECT {named}", [list(c) for c in columns.values()])


@pytest.mark.slow
def test_by_hand(con):
    """DCR 0, 1, 1 and NNDR 0/1, 1/1, 1/3; of the original DCR 1, 1, 2, 4 and NNDR 1/3, 1/2, 2/3, 4/6."""
    make(con, "k", x=[0, 1, 3, 7])
    make(con, "f", x=[0, 2, 6])
    found = Microdata(con, "f").linkage.distance_to_closest("k", ["x"], continuous=["x"], scaling="none")
    assert (found.records, found.copies, found.close, found.original_copies) == (3, 1, 1, 0)
    assert [found.dcr_minimum, found.dcr_p5, found.dcr_median, found.dcr_mean] == pytest.approx([0, 0.1, 1, 2 / 3])
    assert [found.nndr_minimum, found.nndr_median, found.nndr_mean] == pytest.approx([0, 1 / 3, 4 / 9])
    assert [found.original_dcr_minimum, found.original_dcr_p5, found.original_dcr_median] == pytest.approx([1, 1, 1.5])
    assert [found.original_dcr_mean, found.original_nndr_minimum] == pytest.approx([2, 1 / 3])
    assert [found.original_nndr_median, found.original_nndr_mean] == pytest.approx([7 / 12, 13 / 24])
    # the deviation of 0, 1, 3, 7 is sqrt(28.75 / 3), their range 7; a weight of 4 doubles a distance
    for scaling, divisor in (("standardised", (28.75 / 3) ** 0.5), ("range", 7)):
        scaled = Microdata(con, "f").linkage.distance_to_closest(
            "k", ["x"], continuous=["x"], scaling=scaling, weights=[4]
        )
        assert scaled.dcr_mean == pytest.approx(4 / 3 / divisor)
        assert scaled.nndr_mean == pytest.approx(4 / 9)
    # as ordered categories: 0 1 2 3 6 7 are six, so that a step is a fifth
    ranked = Microdata(con, "f").linkage.distance_to_closest("k", ["x"], ordinal=["x"])
    assert [ranked.dcr_mean, ranked.original_dcr_mean] == pytest.approx([2 / 15, (1 + 1 + 2 + 2) / 20])


def test_every_figure_by_hand():
    """Of 0, 1, 3, 7 there are 0 and twice 2 and 6: DCR 0, 1, 1, 1 and NNDR 0, 1, 1, 1/3; among themselves as above.

    As ranks 0 1 2 3 6 7 are six: 2 is a rank from 1 and 3, 6 from 7 and 3; 1 and 3 are two from one another.
    """
    numbers, before, after = (
        np.array([[0.0, 1, 3, 7, 2, 6]]),
        np.array([1.0, 1, 1, 1, 0, 0]),
        np.array([1.0, 0, 0, 0, 2, 1]),
    )

    def summed(values):
        return [min(values), *np.quantile(values, [0.05, 0.5]), sum(values) / len(values)]

    for scaling, unit in (("none", 1), ("range", 7), ("standardised", (28.75 / 3) ** 0.5)):
        found = distance_to_closest(numbers, 0, 0, before, after, np.array([4.0]), scaling)  # 4: twice as far
        dcr, own = [0, 1, 1, 1], [1, 1, 2, 4]
        assert found.tolist() == pytest.approx([
            4, 1, 1, *(2 / unit * f for f in summed(dcr)), *summed([0, 1, 1, 1 / 3]), 0,
            *(2 / unit * f for f in summed(own)), *summed([1 / 3, 1 / 2, 2 / 3, 4 / 6]),
        ])  # fmt: skip
    ranks = np.array([[1.0, 2, 4, 6, 3, 5]])
    found = distance_to_closest(ranks, 0, 1, before, after, np.array([1.0]), "none")
    assert found.tolist() == pytest.approx([
        4, 1, 1, *(f / 5 for f in summed([0, 1, 1, 1])), *summed([0, 1, 1, 1]), 0,
        *(f / 5 for f in summed([1, 1, 2, 2])), *summed([1 / 3, 1 / 2, 1, 1 / 2]),
    ])  # fmt: skip


def table(con, draw, name, n):
    """A table of all kinds of variables, with ties, copies and NULL among categories."""
    rows = {
        "x": draw.integers(0, 6, n).tolist(),
        "g": [[None, "u", "v", "w"][i] for i in draw.integers(0, 4, n)],
        "o": [[None, 1, 2, 10][i] for i in draw.integers(0, 4, n)],
        "Select": draw.integers(0, 3, n).tolist(),
        'a"b': np.round(draw.normal(size=n), 1).tolist(),
    }
    make(con, name, **rows)
    return [dict(zip(rows, row, strict=True)) for row in zip(*rows.values(), strict=True)]


def distances(original, released, scales):
    """The sorted distances of each released record to the original ones, from the definition."""
    every = [None, 1, 2, 10]
    found = []
    for r in released:
        of = []
        for s in original:
            if r is not s:
                total = sum(WEIGHTS[c] * (r[c] != s[c]) for c in CATEGORIES)
                total += sum(WEIGHTS[c] * ((every.index(r[c]) - every.index(s[c])) / 3) ** 2 for c in ORDINAL)
                total += sum(WEIGHTS[c] * ((r[c] - s[c]) / scales[c]) ** 2 for c in CONTINUOUS)
                of.append(total**0.5)
        found.append(sorted(of)[:2])
    return np.array(found)


@pytest.mark.parametrize("seed", range(2))
def test_as_by_every_pair(con, seed):
    draw = np.random.default_rng(seed)
    original, released = table(con, draw, "k", 90), table(con, draw, "f", 60)
    scales = {c: statistics.stdev(row[c] for row in original) for c in CONTINUOUS}
    found = Microdata(con, "f").linkage.distance_to_closest(
        Microdata(con, "k"), COLUMNS, ordinal=ORDINAL, continuous=["X", 'A"b'], weights=[WEIGHTS[c] for c in COLUMNS]
    )
    own = distances(original, original, scales)
    for pairs, prefix in ((distances(original, released, scales), ""), (own, "original_")):
        first, second = np.round(pairs, 9).T
        ratio = np.divide(first, second, out=np.ones(len(first)), where=second > 0)
        for name, values in (("dcr", first), ("nndr", ratio)):
            wanted = [values.min(), *np.quantile(values, [0.05, 0.5]), values.mean()]
            got = [getattr(found, f"{prefix}{name}_{which}") for which in ("minimum", "p5", "median", "mean")]
            assert got == pytest.approx(wanted, abs=1e-7)
        assert getattr(found, f"{prefix}copies") == (first == 0).sum()
    bound = np.quantile(own[:, 0], 0.05)
    assert found.close == np.mean(distances(original, released, scales)[:, 0] <= bound + 1e-9)


@pytest.mark.slow
def test_identity_and_permuted_columns(con):
    """Of the file itself all are copies; columns permuted by themselves are far from it; so is another sample."""
    draw = np.random.default_rng(5)
    x, y = draw.normal(size=(2, 2000))
    make(con, "k", x=x.tolist(), y=(x + 0.1 * y).tolist())
    make(con, "p", x=x.tolist(), y=draw.permutation(x + 0.1 * y).tolist())
    u, v = draw.normal(size=(2, 2000))
    make(con, "fresh", x=u.tolist(), y=(u + 0.1 * v).tolist())
    same, permuted, fresh, noisy = (
        Microdata(con, name).linkage.distance_to_closest("k", ["x", "y"], continuous=["x", "y"])
        for name in ("k", "p", "fresh", "k")
    )
    assert (same.copies, same.dcr_mean, same.nndr_mean, same.close) == (2000, 0, 0, 1)
    assert same == noisy
    assert permuted.copies == 0
    assert permuted.dcr_median > 5 * same.original_dcr_median
    # another sample: 0.05 on average, with a standard error of 0.007
    assert fresh.close == pytest.approx(0.05, abs=0.025)
    assert fresh.dcr_median == pytest.approx(fresh.original_dcr_median, rel=0.1)


def test_few_records_and_constants(con):
    make(con, "k", x=[5])
    make(con, "f", x=[7, 5])
    found = Microdata(con, "f").linkage.distance_to_closest("k", ["x"], continuous=["x"])  # one is no spread: as it is
    assert (found.copies, found.dcr_mean, found.nndr_mean, found.close, found.original_dcr_mean) == (
        1,
        1,
        None,
        None,
        None,
    )
    make(con, "k", x=[5, 5, 5])
    found = Microdata(con, "f").linkage.distance_to_closest("k", ["x"])
    assert (found.copies, found.dcr_mean, found.nndr_mean, found.close, found.original_copies) == (1, 0.5, 1, 0.5, 3)


def test_recoded_categories_and_other_types(con):
    """Texts of categories are compared: those that the original lacks are as far from all."""
    make(con, "k", a=[34, 35, 35], b=["u", "v", None])
    make(con, "f", b=["u", None, "z"], a=["30-39", "35", "40-49"])
    found = Microdata(con, "f").linkage.distance_to_closest("k", ["a", "b"])
    assert (found.copies, found.dcr_mean) == (1, pytest.approx((1 + 0 + 2**0.5) / 3))
    rows = [
        con.execute("SELECT dcr_mean FROM sdc_distance_to_closest('k', 'f', ['a', 'b'], weights := ?)", [w])
        for w in ([1, 1],)
    ]
    assert rows[0].fetchone() == (found.dcr_mean,)


@pytest.mark.slow
def test_refused(con):
    make(con, "k", x=[1.0, 2.0], g=["u", "v"])
    make(con, "f", x=[1.0, None], g=["u", "v"])
    table = Microdata(con, "f")
    with pytest.raises(InputError, match=r"a number is missing \(NULL\)"):
        table.linkage.distance_to_closest("k", ["x"], continuous=["x"])
    assert table.linkage.distance_to_closest("k", ["x"]).copies == 1  # NULL is a category
    with pytest.raises(ColumnError, match="named as continuous and as ordinal"):
        table.linkage.distance_to_closest("k", ["x"], ordinal=["x"], continuous=["X"])
    with pytest.raises(ColumnError, match="not among the columns measured"):
        table.linkage.distance_to_closest("k", ["x"], ordinal=["g"])
    for weights in (-1, [1, -1], [0, 0]):
        with pytest.raises(InputError, match="weights must be numbers of at least 0"):
            table.linkage.distance_to_closest("k", ["x", "g"], weights=weights)
    with pytest.raises(InputError, match="scaling is 'sd'"):
        table.linkage.distance_to_closest("k", ["x", "g"], scaling="sd")
    con.execute("CREATE OR REPLACE TABLE nobody AS FROM k LIMIT 0")
    with pytest.raises(TableError, match="no rows"):
        table.linkage.distance_to_closest("nobody", ["x"])


@pytest.mark.slow
def test_the_order_of_the_records_does_not_matter(con):
    draw = np.random.default_rng(8)
    table(con, draw, "k", 70), table(con, draw, "f", 70)
    found = []
    for order in ("x", "o DESC, x", '"a""b"'):
        con.execute(f"CREATE OR REPLACE TABLE one AS FROM k ORDER BY {order}")
        con.execute(f"CREATE OR REPLACE TABLE two AS FROM f ORDER BY {order}")
        found.append(
            Microdata(con, "two").linkage.distance_to_closest("one", COLUMNS, ordinal=ORDINAL, continuous=CONTINUOUS)
        )
    assert all(a == b for a, b in pairwise(found))


def test_a_category_that_was_recoded_is_no_distance_from_all(con):
    """None of its labels is in the original, so that every record would look far from each, and none a copy."""
    con.execute("CREATE TABLE k AS SELECT i AS x, ['f', 'm'][1 + i % 2] AS \"it's\" FROM range(9) AS t(i)")
    con.execute('CREATE TABLE f AS SELECT x + 0.5 AS x, upper("it\'s") AS "it\'s" FROM k')
    for call, name in (("['x', 'it''s'], continuous := ['x']", "it's"), ("['x']", "x")):
        with pytest.raises(duckdb.Error, match=f"No value of {name} occurs in both tables.*name them in continuous"):
            con.execute(f"FROM sdc_distance_to_closest('k', 'f', {call})").fetchall()
    (row,) = con.execute("SELECT copies FROM sdc_distance_to_closest('k', 'f', ['x'], ordinal := ['x'])").fetchall()
    assert row == (0,)


@pytest.mark.slow
def test_numbers_are_not_ranked_as_texts(con):
    """Where one file holds texts, 10 would stand before 9: by every measure that ranks."""
    con.execute("CREATE TABLE k AS SELECT range AS id, range % 30 AS f FROM range(60)")
    con.execute("CREATE TABLE texts AS SELECT id, f::VARCHAR AS f FROM k")
    for call in (
        "sdc_distance_to_closest({}, {}, ['f'], ordinal := ['F'])",
        "sdc_distance_linkage({}, {}, ['f'], 'id', ordinal := ['f'])",
        "sdc_rank_linkage({}, {}, ['f'], 'id')",
    ):
        for one, other in (("'k'", "'texts'"), ("'texts'", "'k'")):
            with pytest.raises(duckdb.Error, match=r'ordered column "f".*ranked by its bytes, 10 before 9'):
                con.execute(f"FROM {call.format(one, other)}").fetchall()
        con.execute("FROM " + call.format("'k'", "'k'")).fetchall()
    con.execute("FROM sdc_distance_to_closest('k', 'texts', ['f'])").fetchall()
