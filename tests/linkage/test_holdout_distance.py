"""The distance to a holdout: by every pair, by households, and on files that copy records or are fresh samples."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from itertools import combinations

import duckdb
import numpy as np
import pytest
from holdout_cases import draw_categories, draw_population, list_extremes, mix, put
from sdc_sql.udfs.linkage.holdout import RELEASED, holdout_distance, scale_files

from sdc_sql import Microdata
from sdc_sql.errors import ColumnError, InputError, ParameterError, TableError

KEY = "a key of the tests, long enough to be one"


def measure(con, columns, continuous, **arguments):
    return {
        row.part: row
        for row in Microdata(con, "Select").linkage.holdout_distance(
            "k", "f", columns, continuous=continuous, **arguments
        )
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("draw_file", "continuous"),
    [
        pytest.param(draw_population, ["x", "y"], id="mixed"),
        pytest.param(draw_categories, None, id="categories"),
    ],
)
def test_copies_fail_and_a_fresh_sample_passes(con, draw_file, continuous):
    """A file of the records, of a tenth of them, of the extremes, these changed a little; a fresh sample, margins."""
    draw = np.random.default_rng(11)
    n = 800
    original, holdout, fresh = (draw_file(draw, n) for _ in range(3))
    put(con, "k", **original)
    put(con, "f", **holdout)
    extremes = list_extremes(original, 40)
    near = mix(original, fresh, extremes)
    for c in continuous or ():
        near[c][:40] += draw.normal(size=40) * 0.005 * near[c].std()
    files = {
        "all": original,
        "tenth": mix(original, fresh, np.arange(n // 10)),
        "extremes": mix(original, fresh, extremes),
        "near": near,
        "fresh": fresh,
        "margins": {c: draw.permutation(v) for c, v in original.items()},
    }
    excess = {}
    for name, file in files.items():
        put(con, "Select", **file)
        found = measure(con, [*original], continuous)
        excess[name] = max(row.excess for row in found.values() if row.excess is not None)
        assert found["all"].records == n
    assert {name for name, value in excess.items() if value > 0} == {"all", "tenth", "extremes", "near"}, excess
    # at distance 0 in a file of many categories, where a fresh sample has some too
    put(con, "Select", **fresh)
    found = measure(con, [*original], continuous)["all"]
    assert abs(found.share - 0.5) < 4 * found.error
    assert found.error == pytest.approx(math.sqrt(0.25 / n + 0.25 / (2 * n)), rel=0.6)
    if continuous is None:
        assert found.copies > 0
        assert found.holdout_copies > 0
        assert Microdata(con, "Select").linkage.distance_to_closest("k", [*original][:3]).close > 0.9


def reckon(original, holdout, released, units, scale):
    """The figures of all records from the definition: one number and one category."""
    known = sorted({*original, *holdout}, key=lambda r: (r[0], r[1]))

    def distance(a, b):
        return round((((a[0] - b[0]) / scale) ** 2 + (a[1] != b[1])) ** 0.5, 9)

    fallen = defaultdict(float)
    closer = same = 0
    for r in released:
        least = min(distance(r, k) for k in known)
        kind = next(k for k in known if distance(r, k) == least)
        both = [*original, *holdout]
        equal = [i for i, k in enumerate(both) if k == kind]
        for i in equal:
            fallen[units[i]] += 1 / len(equal)
        mine, other = (min(distance(r, k) for k in file) for file in (original, holdout))
        closer += mine < other
        same += mine == other
    names = sorted(set(units))
    of_original = set(units[: len(original)])
    m, size, n = len(released), len(names), len(of_original)
    mean = m / size
    spread = sum((fallen[u] - mean) ** 2 for u in names) / (size - 1)
    share = sum(fallen[u] for u in of_original) / m
    return closer, same, share, n / size, math.sqrt(n * (size - n) / size * spread) / m


@pytest.mark.one_in(2)
@pytest.mark.whole
@pytest.mark.parametrize("households", [False, True])
def test_as_by_every_pair(con, households):
    for seed in range(1 + 2 * households):
        draw = np.random.default_rng(seed)
        files = []
        for name, n in (("k", 30), ("f", 24), ("Select", 20)):
            rows = [(int(a), "uvw"[b]) for a, b in zip(draw.integers(0, 12, n), draw.integers(0, 3, n), strict=True)]
            homes = [f"{name}{i // 3}" for i in range(n)]
            put(con, name, **{'a"b': [a for a, _ in rows], "g": [b for _, b in rows], "hh": homes})
            files.append((rows, homes if households else [f"{name}{i}" for i in range(n)]))
        (original, one), (holdout, other), (released, _) = files
        scale = statistics.stdev(a for a, _ in original + holdout)
        found = measure(con, ['A"b', "g"], ['a"b'], household="hh" if households else None, confidence=0.9)["all"]
        wanted = reckon(original, holdout, released, [*one, *other], scale)
        assert [found.closer, found.as_close, found.share, found.expected, found.error] == pytest.approx(wanted)
        z = statistics.NormalDist().inv_cdf(0.95)
        assert [found.lower, found.upper] == pytest.approx(
            [found.share - z * found.error, found.share + z * found.error]
        )
        assert found.excess == pytest.approx(found.lower - found.expected)
        assert found.copies == sum(r in original for r in released)


def test_the_error_is_that_of_labels_drawn():
    """Over all choices of the original among the records, of one release: the mean and variance of the share."""
    known, released = [0.0, 1.0, 1.0, 3.0, 8.0, 9.5], [0.2, 0.9, 1.0, 3.1, 3.3, 9.0, 9.4]
    columns, unit = np.array([known + released]), np.array([*range(1, 7), *[0] * 7], dtype=float)
    found = []
    for chosen in combinations(range(6), 3):
        file = np.array([*(0 if i in chosen else 1 for i in range(6)), *[2] * 7], dtype=float)
        found.append(holdout_distance(columns, 0, 0, file, unit, np.ones(1), "standardised")[0])
    shares = [f[5] for f in found]
    assert statistics.mean(shares) == pytest.approx(0.5)
    assert [f[7] for f in found] == pytest.approx([statistics.pstdev(shares)] * 20)


@pytest.mark.slow
@pytest.mark.whole
def test_refused(con):
    put(con, "k", x=[1.0, 2.0, 5.0], g=["a", "b", "a"], hh=[1, 1, 2])
    put(con, "f", x=[1.5, 2.5, 5.5], g=["a", "b", "b"], hh=[3, 2, 4])
    put(con, "Select", x=[1.0, 2.0, 7.0], g=["a", "b", "a"])
    data = Microdata(con, "Select").linkage
    with pytest.raises(ColumnError, match=r"1 households .hh. are in the original and in the holdout"):
        data.holdout_distance("k", "f", ["x"], continuous=["x"], household="hh")
    with pytest.raises(InputError, match="the holdout holds the very records of the original"):
        data.holdout_distance("k", "k", ["x", "g"], continuous=["x"])
    with pytest.raises(ParameterError, match="confidence"):
        data.holdout_distance("k", "f", ["x"], continuous=["x"], confidence=1)
    with pytest.raises(ColumnError, match="home"):
        data.holdout_distance("k", "f", ["x"], continuous=["x"], household="home")
    with pytest.raises(ColumnError, match="household is 3"):
        data.holdout_distance("k", "f", ["x"], household=3)
    put(con, "f", x=[1.5], g=["z"])
    with pytest.raises(TableError, match="No value of g occurs in both"):
        data.holdout_distance("k", "f", ["g"])
    con.execute("CREATE OR REPLACE TABLE f AS FROM k LIMIT 0")
    with pytest.raises(TableError):
        data.holdout_distance("k", "f", ["g"])
    put(con, "k", g=["a", "a", "b", "b"])  # nobody is isolated, and no limit is exceeded by that
    put(con, "f", g=["a", "a", "a", "b", "b"])
    put(con, "Select", g=["a", "b"])
    isolated = measure(con, ["g"], None)["isolated"]
    assert (isolated.records, isolated.share, isolated.excess) == (0, None, 0)
    put(con, "f", x=[1.0], g=["a"])
    put(con, "k", x=[4.0], g=["a"])
    put(con, "Select", x=[4.0], g=["a"])
    found = measure(con, ["x"], ["x"])  # one record copied is no more than chance
    assert [(row.share, row.error) for row in found.values()] == [(1, 0.5)] * 3
    assert found["all"].excess < 0


def test_a_limit_stops_a_copy(con):
    draw = np.random.default_rng(3)
    for name in ("k", "f", "Select"):
        put(con, name, **draw_population(draw, 300))
    released = Microdata(con, "Select", keys=["g"])
    figures = {
        "held": ("holdout_distance", {"holdout": "f", "columns": ["x", "y", "g"], "continuous": ["x", "y"]}),
    }
    (fresh,) = released.check_limits(["held.excess <= 0"], original="k", figures=figures)
    con.execute('INSERT INTO "Select" FROM k')
    (half,) = released.check_limits(["held.excess <= 0"], original="k", figures=figures)
    assert (fresh.holds, half.holds) == (True, False)


def test_the_holdout_is_half_by_whole_households(con):
    draw = np.random.default_rng(2)
    homes = np.repeat(np.arange(400), draw.integers(1, 6, 400))
    con.execute("SET VARIABLE sdc_key = ?", [KEY])
    put(con, "k", id=np.arange(len(homes)), hh=homes, held_before=homes % 2)
    data = Microdata(con, "k", id="id", household="hh")
    rows = data.risk.holdout().fetchall()
    assert data.risk.holdout().columns == ["id", "hh", "held_before", "held"]
    held = {home for _, home, _, is_held in rows if is_held}
    assert not held & {home for _, home, _, is_held in rows if not is_held}
    assert len(held) == 200
    assert abs(sum(is_held for *_, is_held in rows) - len(rows) / 2) <= 5
    assert {r for r in rows if r[3]} != {r for r in data.risk.holdout(stream="2").fetchall() if r[3]}
    con.execute("CREATE OR REPLACE TABLE f AS FROM k ORDER BY hash(id)")
    assert sorted(Microdata(con, "f", id="id", household="hh").risk.holdout().fetchall()) == sorted(rows)
    # households from the smallest on, those of a size by their draws: the second, the fourth, ... is held
    drawn = con.execute(
        "SELECT hh, count(*), sdc__uniform(sdc__subkey(sdc__secret_key(), '', '', 'holdout', '', sdc__part('hh')), "
        "sdc__canonical(hh), '') FROM k GROUP BY hh"
    ).fetchall()
    assert held == {home for home, *_ in sorted(drawn, key=lambda row: row[1:])[1::2]}
    singles = Microdata(con, "k", id="id").risk.holdout().fetchall()
    assert sum(is_held for *_, is_held in singles) == len(rows) // 2
    con.execute("UPDATE k SET hh = NULL WHERE id = 3")
    with pytest.raises(duckdb.Error, match="no household"):
        data.risk.holdout().fetchall()
    con.execute("ALTER TABLE k RENAME held_before TO held")
    with pytest.raises((ColumnError, duckdb.Error), match="held"):
        data.risk.holdout().fetchall()


def test_ranks_are_apart_by_a_share_of_the_greatest_distance():
    """Five ranks: 1/4 a rank; numbers by the range of original and holdout, 20, not of the released file."""
    columns = np.array([[0, 1, 0, 1], [1, 5, 3, 2], [0, 20, 5, 300]], dtype=float)
    file = np.array([RELEASED - 1, RELEASED - 2, RELEASED - 1, RELEASED])
    files = scale_files(columns, 1, 1, file, np.ones(3), "range")
    assert files.variables.factors.tolist() == [1 / 4, 1 / 20]
    assert files.variables.costs.tolist() == [1]


def test_every_figure_of_three_groups_by_hand(con):
    """0, 10 and 11 are copies, 12 is next to 11, 10.5 to 10 and 11 (10 counts), 33 to 30, which is isolated."""
    put(con, "k", x=[0.0, 10, 20, 30])
    put(con, "f", x=[1.0, 11, 21])
    put(con, "Select", x=[33.0, 10, 0, 11, 12, 10.5])
    rows = con.execute("FROM sdc_holdout_distance('k', 'Select', 'f', ['x'], continuous := ['X'], scaling := 'none')")
    z = statistics.NormalDist().inv_cdf(0.995)
    for row, (part, counts, fallen) in zip(rows.fetchall(), (
        ("all", [6, 3, 1, 2, 1], [1, 2, 0, 1, 0, 2, 0]),  # those that fall to each of 0, 10, 20, 30, 1, 11, 21
        ("closest", [3, 2, 0, 2, 1], [1, 1, 0, 0, 0, 1, 0]),
        ("isolated", [1, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0, 0]),
    ), strict=True):  # fmt: skip
        m = sum(fallen)
        share = sum(fallen[:4]) / m
        error = math.sqrt(4 * 3 / 7 * sum((q - m / 7) ** 2 for q in fallen) / 6) / m
        assert row == (part, *counts, *map(pytest.approx, (share, 4 / 7, error, share - z * error, share + z * error,
                                                          share - z * error - 4 / 7)))  # fmt: skip
