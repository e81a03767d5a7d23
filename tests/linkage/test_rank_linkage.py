"""Record linkage within the range of a rank swap: by hand, by all pairs, after `rank_swap`, beside distance alone."""

from __future__ import annotations

from math import isnan, nan

import duckdb
import numpy as np
import pytest
from sdc_sql.udfs.linkage.within_ranks import rank_linkage

from sdc_sql import Microdata
from sdc_sql.errors import ColumnError, InputError, TableError


def make(con, name, **columns):
    named = ", ".join(f'unnest(${i}) AS "{n.replace(chr(34), chr(34) * 2)}"' for i, n in enumerate(columns, 1))
    con.execute(f"CREATE OR REPLACE TABLE {name} AS SELECT {named}", [list(c) for c in columns.values()])
    return Microdata(con, name, id="id")


@pytest.mark.slow
def test_by_hand(con):
    """The header's, one rank of four; then ties: equal values share their ranks."""
    make(con, "k", id=[1, 2, 3, 4], x=[10, 20, 30, 40])
    data = make(con, "f", id=[1, 2, 3, 4], x=[20, 10, 40, 30])
    for p in (25, None):
        found = data.linkage.rank_linkage("k", ["x"], p=p)
        assert (found.records, found.own_among_candidates, found.single_candidate, found.p) == (4, 4, 0, 25)
        assert (found.unique_correct, found.tied, found.expected_correct_matches) == (0, 0, 0)
        assert found.rate == found.random_rate == pytest.approx((1 / 3 + 1 / 2 + 1 / 2 + 1 / 3) / 4)
    # 10 has the ranks 1 and 2, 20 the rank 3, one apart: all three are candidates, those swapped not the nearest
    make(con, "k", id=[1, 2, 3], x=[10, 10, 20])
    data = make(con, "f", id=[1, 2, 3], x=[10, 20, 10])
    rows = data.linkage.rank_linkage_records("k", ["x"]).order("id").fetchall()
    assert [(r[0], r[1], r[2], *r[4:]) for r in rows] == [
        (1, True, 3, 0, 2, 0.5),
        (2, True, 3, 1, 2, 0),
        (3, True, 3, 2, None, 0),
    ]
    # ranks of 1, 2, 3 in the middle: 1.5, 1.5, 3, of a width of 2
    assert [r[3] for r in rows] == [pytest.approx(d) for d in (0, 0.75, 0.75)]


def ranks(values, known):
    """The least and the greatest rank of each value among the known ones."""
    known = [k for k in known if not isnan(k)]
    low = np.array([sum(k < v for k in known) + 1 for v in values], dtype=float)
    high = np.array([max(sum(k <= v for k in known), sum(k < v for k in known)) for v in values], dtype=float)
    return low, high, len(known)


def all_pairs(before, after, reach):
    """The reading of suppressed values that links more, by the nearest or by any candidate."""

    def links(read):
        own, candidates, nearer, same = read
        return max((1 / same[own & (nearer == 0)]).sum(), (1 / candidates[own]).sum())

    return max((read_so(before, after, reach, as_nothing=so) for so in (False, True)), key=links)


def read_so(before, after, reach, *, as_nothing):
    """Of each released record: whether its own is a candidate, how many there are, and those nearer and as near."""
    n = len(before[0])
    inside, total = np.ones((n, n), dtype=bool), np.zeros((n, n))
    for old, new, p in zip(before, after, reach, strict=True):
        (low, high, m), (mine, top, _) = ranks(old, old), ranks(new, old)
        apart = np.maximum(np.maximum(mine[:, None] - high, low - top[:, None]), 0)
        gone, lacks = np.isnan(old), np.isnan(new)
        # a missing value is in no order: it agrees with none but itself, or where some were suppressed with all
        hidden = (lacks if as_nothing and (lacks & ~gone).any() else lacks & False)[:, None]
        inside &= hidden | np.where(lacks[:, None] | gone, lacks[:, None] & gone, apart <= p * m / 100)
        middle, other = (low + high) / 2, (mine + top) / 2
        total += np.where(hidden | lacks[:, None] | gone, 0, ((other[:, None] - middle) / max(m - 1, 1)) ** 2)
    true = np.diag(total)[:, None]
    same = np.isclose(total, true, rtol=1e-9, atol=1e-13)
    nearer = ((total < true) & ~same & inside).sum(axis=1)
    return np.diag(inside), inside.sum(axis=1), nearer, (same & inside).sum(axis=1)


@pytest.mark.one_in(2)
@pytest.mark.whole
@pytest.mark.parametrize(("seed", "reach"), [(0, [12, 30]), (1, [100, 7])])
def test_as_by_all_pairs(con, seed, reach):
    draw = np.random.default_rng(seed)
    n = 150
    before = [np.round(draw.normal(size=n), 1), draw.integers(0, 60, n).astype(float)]
    after = [
        draw.permutation(v) if j else v[np.argsort(np.argsort(v + 0.3 * draw.normal(size=n)))]
        for j, v in enumerate(before)
    ]
    for values in (before[1], after[1]):
        values[draw.choice(n, 12, replace=False)] = nan
    before[1][:4] = after[1][:4] = nan
    names = ["x", 'a"b']
    make(con, "k", id=range(n), **{c: v.tolist() for c, v in zip(names, before, strict=True)})
    data = make(con, "f", id=range(n), **{c: v.tolist() for c, v in zip(names, after, strict=True)})
    con.execute('UPDATE f SET "a""b" = NULL WHERE isnan("a""b") AND id % 2 = 0')  # NULL and NaN are alike
    own, candidates, nearer, same = all_pairs(before, after, reach)
    found = data.linkage.rank_linkage("k", names, p=reach)
    assert 0 < own.sum() < n
    first = np.where(own & (nearer == 0), 1 / np.maximum(same, 1), 0)
    assert found.own_among_candidates == own.sum()
    assert found.single_candidate == (own & (candidates == 1)).sum()
    assert found.unique_correct == (own & (nearer == 0) & (same == 1)).sum()
    assert found.tied == (own & (nearer == 0) & (same > 1)).sum()
    assert found.expected_correct_matches == pytest.approx(first.sum())
    assert found.rate == max(found.expected_correct_matches / n, found.random_rate)
    rows = data.linkage.rank_linkage_records("k", names, p=reach).order("id").fetchall()
    assert [r[1] for r in rows] == own.tolist()
    assert [r[2] for r in rows if r[1]] == candidates[own].tolist()
    assert found.random_rate == pytest.approx(np.where(own, 1 / np.maximum(candidates, 1), 0).mean())
    assert [r[-1] for r in rows] == first.tolist()
    assert [r[4] for r in rows if r[1]] == np.minimum(nearer, 2)[own].tolist()


@pytest.mark.slow
@pytest.mark.one_in(2)
@pytest.mark.parametrize("stratum", [None, "s"])
def test_after_a_rank_swap_the_true_record_is_always_a_candidate(con, stratum):
    """Ties, NULL and strata too; with the range the swap is linked more often than by distance alone."""
    draw = np.random.default_rng(7)
    n, p, names = 600, [8, 12, 8, 15], ["a", "b", "c", "d"]
    x = draw.multivariate_normal(np.zeros(4), np.full((4, 4), 0.5) + 0.5 * np.eye(4), n).round(2)
    columns = {
        c: [None if draw.random() < 0.02 else float(v) for v in column] for c, column in zip(names, x.T, strict=True)
    }
    con.execute("SET VARIABLE sdc_key = 'Jw3nW8kq2LzXr5Tt9VbYc1Hd6PsMf0Ga'")
    make(con, "k", id=range(n), s=[["u", "v", None][i % 3] for i in range(n)], **columns)
    con.execute("CREATE TABLE f AS FROM k")
    data = Microdata(con, "f", id="id")
    for name, reach in zip(names, p, strict=True):
        data.mask.rank_swap(name, reach, stratum=stratum)
    found = data.linkage.rank_linkage("k", names, p=p, stratum=stratum)
    assert found.own_among_candidates == n
    assert found.p <= 15
    by_distance = data.linkage.distance_linkage("k", names, continuous=names)
    assert found.expected_correct_matches > by_distance.expected_correct_matches + 20
    # without p it is read off: no less is known, and no record of a pair is left out
    read_off = data.linkage.rank_linkage("k", names, stratum=stratum)
    assert read_off.own_among_candidates == n
    assert read_off.p <= found.p
    assert read_off.rate >= found.rate - 0.02
    # half the range leaves true ones out, which is told
    assert data.linkage.rank_linkage("k", names, p=[v / 2 for v in p], stratum=stratum).own_among_candidates < n


@pytest.mark.slow
def test_a_suppressed_value_is_no_information(con):
    """As without the variable where it was suppressed, however few the original lacks; all are candidates without p."""
    draw, n = np.random.default_rng(5), 200
    x, y, z = (draw.permutation(n).astype(float) for _ in range(3))
    moved = [v + draw.integers(-9, 10, n) for v in (x, y, z)]
    lacking = [None, *x[1:]]
    make(con, "k", id=range(n), x=lacking, y=y, z=z)
    hidden = make(
        con, "h", id=range(n), x=[None if i % 2 == 0 else v for i, v in enumerate(moved[0])], y=moved[1], z=moved[2]
    )
    two = make(con, "two", id=range(n), y=moved[1], z=moved[2])
    found = hidden.linkage.rank_linkage("k", ["x", "y", "z"])
    assert found.own_among_candidates == n
    assert found.rate > two.linkage.rank_linkage("k", ["y", "z"]).rate > 0.1
    p = [100, 7, 7]
    rows = hidden.linkage.rank_linkage_records("k", ["x", "y", "z"], p=p).order("id").fetchall()
    alone = two.linkage.rank_linkage_records("k", ["y", "z"], p=p[1:]).order("id").fetchall()
    assert rows[::2] == alone[::2]
    con.execute("UPDATE h SET y = NULL, z = NULL WHERE id % 4 = 0")  # nothing is left: one of all
    rows = hidden.linkage.rank_linkage_records("k", ["x", "y", "z"], p=p).order("id").fetchall()
    assert {r[2] for r in rows[::4]} == {n}


def test_bounds(con):
    """Of itself every record is linked; of columns permuted by themselves 1 of n is expected; of equal ones 1 / n."""
    draw = np.random.default_rng(3)
    n = 800
    columns = {c: draw.normal(size=n) for c in "xyz"}
    itself = make(con, "k", id=range(n), **{c: v.tolist() for c, v in columns.items()})
    found = itself.linkage.rank_linkage("k", list(columns))
    assert (found.rate, found.single_candidate, found.p) == (1, n, 0)
    assert itself.linkage.rank_linkage("k", list(columns), p=100).rate == 1
    permuted = make(con, "f", id=range(n), **{c: draw.permutation(v).tolist() for c, v in columns.items()})
    found = permuted.linkage.rank_linkage("k", list(columns))
    assert found.own_among_candidates == n
    assert found.expected_correct_matches < 7  # Poisson, mean 1 at most
    same = make(con, "same", id=range(40), x=["u"] * 40)
    found = same.linkage.rank_linkage("same", ["x"])
    assert (found.rate, found.random_rate) == (pytest.approx(1 / 40), pytest.approx(1 / 40))
    one = make(con, "one", id=[5], x=[None])
    con.execute("ALTER TABLE one ALTER x TYPE DATE")
    assert one.linkage.rank_linkage("one", ["x"]).rate == 1


def test_types_in_order(con):
    """Dates, texts and an ENUM are ranked in their own order; a variable that was not swapped has the range 0."""
    con.execute("CREATE TYPE size AS ENUM ('small', 'middle', 'large')")
    con.execute("""
        CREATE TABLE k AS SELECT i AS id, DATE '2020-01-01' + i::INTEGER AS d,
               ['small', 'middle', 'large'][1 + i % 3]::size AS e, chr(97 + i::INTEGER) AS t FROM range(12) AS r(i)
    """)
    con.execute("CREATE TABLE f AS SELECT id, d + CASE WHEN id % 2 = 0 THEN 1 ELSE -1 END::INTEGER AS d, e, t FROM k")
    data = Microdata(con, "f", id="id")
    found = data.linkage.rank_linkage("k", ["d", "e"])
    # the other candidates of a day apart have another size; the record itself is not among the nearest by the day
    assert (found.p, found.single_candidate, found.rate) == (pytest.approx(100 / 12), 12, 1)
    assert data.linkage.rank_linkage("k", ["t"]).rate == 1


@pytest.mark.slow
def test_refused(con):
    make(con, "k", id=[1, 2], x=[1, 2], t=["30", "41"])
    data = make(con, "f", id=[1, 2], x=[1, 2], t=["30-39", "40-49"])
    for p in (0, -1, 101, [5, 5]):
        with pytest.raises(InputError, match=r"p must be above 0|must be one value, or one for each"):
            data.linkage.rank_linkage("k", ["x"], p=p)
    for p in ("'nan'::DOUBLE", "[NULL]", "'x'"):
        with pytest.raises(duckdb.Error, match="p must be above 0"):
            con.execute(f"FROM sdc_rank_linkage('k', 'f', ['x'], 'id', p := {p})").fetchall()
    with pytest.raises(InputError, match="weights must be numbers"):
        data.linkage.rank_linkage("k", ["x"], weights=0)
    with pytest.raises(TableError, match="No value of t occurs in both tables"):
        data.linkage.rank_linkage("k", ["x", "t"])
    with pytest.raises(ColumnError, match="'z'"):
        data.linkage.rank_linkage("k", ["x"], stratum="z")
    con.execute("INSERT INTO f VALUES (3, 1, '30')")
    with pytest.raises(TableError, match="1 records of the released table have an id"):
        data.linkage.rank_linkage("k", ["x"])


@pytest.mark.slow
@pytest.mark.parametrize(("p", "within", "distance"), [(5, 0.996, 0.924), (10, 0.925, 0.72), (15, 0.668, 0.385)])
def test_how_much_more_the_range_tells_than_the_distance(con, p, within, distance):
    """The table of the header, on other draws: the standard error of a share of 4,000 is 0.008 at most."""
    draw = np.random.default_rng(100 + p)
    n, names = 4000, [f"x{j}" for j in range(8)]
    x = draw.multivariate_normal(np.zeros(8), np.full((8, 8), 0.5) + 0.5 * np.eye(8), n)
    con.execute("SET VARIABLE sdc_key = 'Jw3nW8kq2LzXr5Tt9VbYc1Hd6PsMf0Ga'")
    make(con, "k", id=range(n), **{c: v.tolist() for c, v in zip(names, x.T, strict=True)})
    con.execute("CREATE TABLE f AS FROM k")
    data = Microdata(con, "f", id="id")
    for name in names:
        data.mask.rank_swap(name, p)
    found = data.linkage.rank_linkage("k", names, p=p)
    assert (found.own_among_candidates, found.expected_correct_matches / n) == (n, pytest.approx(within, abs=0.03))
    assert data.linkage.distance_linkage("k", names, continuous=names).rate == pytest.approx(distance, abs=0.03)


def test_ranks_are_those_of_a_stratum_by_hand():
    """One rank of four. 20, 10, 40, 30 for 10, 20, 30, 40: each own one is a rank away, and another is not.

    Of the others the first and the last were exchanged, three ranks: these are no candidates, and two stayed.
    """
    original, released = [10.0, 20, 30, 40, 11, 21, 31, 41], [20.0, 10, 40, 30, 41, 21, 31, 11]
    person, stratum = np.tile(np.arange(1.0, 9), 2), np.tile(np.repeat([1.0, 2], 4), 2)
    first = np.repeat([1.0, 0], 8)
    columns = np.array([[*original, *released]])
    found = np.array(rank_linkage(columns, person, first, stratum, np.array([25.0]), np.ones(1)))[:, 8:]
    distance, nearer, near, own, candidates, widest = found.tolist()
    assert distance[:4] == pytest.approx([1 / 3] * 4)
    assert (nearer[:4], near[:4], candidates[:4]) == ([1] * 4, [2, 1, 1, 2], [3, 2, 2, 3])
    assert own == [1, 1, 1, 1, 0, 1, 1, 0]
    assert (distance[5:7], nearer[4:], near[5:7], candidates[5:7]) == ([0, 0], [2, 0, 0, 2], [1, 1], [3, 3])
    assert widest == [25] * 8
    # read off the pairs, the range of the second is three ranks, and each has all four for candidates
    read = np.array(rank_linkage(columns, person, first, stratum, np.array([nan]), np.ones(1)))[:, 8:]
    assert (read[3].tolist(), read[4, 4:].tolist(), read[5].tolist()) == ([1] * 8, [4] * 4, [25] * 4 + [75] * 4)
    for p in (0.0, -1, 100.5, np.inf):
        with pytest.raises(ValueError, match="p must be above 0, at most 100"):
            rank_linkage(columns, person, first, stratum, np.array([p]), np.ones(1))
    assert rank_linkage(columns, person, first, stratum, np.array([100.0]), np.ones(1))[4][8:].tolist() == [4] * 8
