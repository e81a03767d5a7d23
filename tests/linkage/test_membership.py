"""Membership inference with a holdout: over all labels, by households and copies, on copies and fresh samples."""

from __future__ import annotations

import statistics
from itertools import combinations, product

import numpy as np
import pytest
from holdout_cases import draw_categories, draw_population, list_extremes, mix, put
from sdc_sql.udfs.linkage.membership import attack_members, membership

from sdc_sql import Microdata
from sdc_sql.errors import ColumnError, InputError, ParameterError


def measure(con, columns, continuous, **arguments):
    data = Microdata(con, "Select").linkage
    return {row.part: row for row in data.membership("k", "f", columns, continuous=continuous, **arguments)}


def find_excess(con, columns, continuous, **arguments):
    return max(row.excess for row in measure(con, columns, continuous, **arguments).values())


@pytest.mark.parametrize(
    ("draw_file", "continuous"),
    [
        pytest.param(draw_population, ["x", "y"], id="mixed"),
        pytest.param(draw_categories, None, id="categories", marks=pytest.mark.slow),
    ],
)
def test_copies_fail_and_a_fresh_sample_passes(con, draw_file, continuous):
    draw = np.random.default_rng(5)
    n = 800
    original, holdout, fresh = (draw_file(draw, n) for _ in range(3))
    put(con, "k", **original)
    put(con, "f", **holdout)
    found = {}
    for name, file in {
        "all": original,
        "extremes": mix(original, fresh, list_extremes(original, 40)),
        "fresh": fresh,
    }.items():
        put(con, "Select", **file)
        found[name] = find_excess(con, [*original], continuous)
    assert {name for name, excess in found.items() if excess > 0} == {"all", "extremes"}, found


@pytest.mark.slow
def test_copies_of_a_release_tell_more_together(con):
    """Each of five copies has another thirtieth of the records: none alone tells who was in the file, all do."""
    draw = np.random.default_rng(8)
    n = 800
    original, holdout = draw_population(draw, n), draw_population(draw, n)
    put(con, "k", **original)
    put(con, "f", **holdout)
    copies = [
        mix({c: v[n // 30 * i :] for c, v in original.items()}, draw_population(draw, n), np.arange(n // 30))
        for i in range(5)
    ]
    alone = []
    for copy in copies:
        put(con, "Select", **copy)
        alone.append(measure(con, [*original], ["x", "y"])["all"].excess)
    put(con, "Select", **{c: np.concatenate([copy[c] for copy in copies]) for c in original}, m=np.repeat(range(5), n))
    together = measure(con, [*original], ["x", "y"], copy="M")
    assert max(alone) < 0
    assert together["all"].excess > 0
    assert together["all"].area > max(together["all copies"].area, 0.55)


def test_over_all_labels():
    """Of one release, over all choices of the original: the area is 1/2 on average, and its error is its deviation."""
    known, released = [0.0, 1.0, 1.0, 3.0, 8.0, 9.5], [0.2, 1.0, 3.3, 9.0]
    columns, unit = np.array([known + released]), np.array([*range(1, 7), *[0] * 4], dtype=float)
    found = []
    for chosen in combinations(range(6), 3):
        file = np.array([*(0 if i in chosen else 1 for i in range(6)), *[2] * 4], dtype=float)
        found.append(membership(columns, 0, 0, file, unit, np.ones(1), "none", 100)[0])
        near = [min(abs(k - r) for r in released) for k in known]
        others = [i for i in range(6) if i not in chosen]
        pairs = [(near[i] < near[j]) + 0.5 * (near[i] == near[j]) for i, j in product(chosen, others)]
        assert found[-1][2] == pytest.approx(statistics.mean(pairs))
        cuts = [sum(near[i] <= t for i in chosen) - sum(near[i] <= t for i in others) for t in near]
        assert found[-1][4] == pytest.approx(max(0, *cuts) / 3)
    areas = [f[2] for f in found]
    assert statistics.mean(areas) == pytest.approx(0.5)
    assert [f[3] for f in found] == pytest.approx([statistics.pstdev(areas)] * 20)


def test_members_of_a_household_are_one_draw():
    """Households of two: over all choices of three of six households the error is the deviation of the area."""
    score = np.array([0.1, 0.2, 0.2, 0.7, 0.9, 0.3, 0.3, 0.8, 0.05, 0.6, 0.4, 0.5])
    unit = np.repeat(np.arange(6), 2)
    found = [attack_members(score, np.isin(unit, chosen), unit) for chosen in combinations(range(6), 3)]
    assert statistics.mean(f[0] for f in found) == pytest.approx(0.5)
    assert [f[1] for f in found] == pytest.approx([statistics.pstdev(f[0] for f in found)] * 20)


def test_isolated_and_copies_by_hand(con):
    """The three most isolated of 0, 1, 10, 13 and 2, 20, 27 are 20, 27 and 13, which are 6, 13 and 1 from 14."""
    put(con, "k", x=[0, 1, 10, 13])
    put(con, "f", x=[2, 20, 27])
    put(con, "Select", x=[14, 0, 12], **{'a"b': [1, 1, 2]})
    found = measure(con, ["x"], ["x"], isolated=2, copy='A"b', scaling="none")
    # isolated: 27 is 7 from another, 20 too; both are controls
    assert (found["isolated"].members, found["isolated"].controls, found["isolated"].area) == (0, 2, None)
    found = measure(con, ["x"], ["x"], isolated=3, copy='A"b', scaling="none")
    # 10 and 13 are 3 from each other: both count where the third place ties
    assert (found["isolated"].members, found["isolated"].controls, found["isolated"].area) == (2, 2, 1)
    # the distances of members to the closest of all are 0, 1, 2 and 1, those of controls 2, 6 and 13; in the two
    # copies members are at 0 and 12, 1 and 11, 4 and 2, 1 and 1, controls at 2 and 10, 6 and 8, 13 and 15
    assert found["all"].area == pytest.approx((3 + 3 + 2.5 + 3) / 12)
    assert found["all"].advantage == pytest.approx(3 / 4)  # within 1 are three of four members, and no control
    assert found["all copies"].area == pytest.approx((2.5 + 2.5 + 3 + 3) / 12)


def test_refused(con):
    put(con, "k", x=[1.0, 2.0], hh=[1, 2])
    put(con, "f", x=[3.0, 4.0], hh=[2, 3])
    put(con, "Select", x=[3.0, 4.0], m=[None, 1])
    data = Microdata(con, "Select").linkage
    with pytest.raises(ColumnError, match="is of no copy"):
        data.membership("k", "f", ["x"], continuous=["x"], copy="m")
    with pytest.raises(ColumnError, match="in the original and in the holdout"):
        data.membership("k", "f", ["x"], continuous=["x"], household="hh")
    with pytest.raises(ParameterError, match="isolated"):
        data.membership("k", "f", ["x"], continuous=["x"], isolated=0)
    with pytest.raises(InputError, match="very records"):
        data.membership("f", "f", ["x"], continuous=["x"])


def test_every_figure_by_hand(con):
    """Members are at 0, 0, 1 and 9 from a released record, controls at 1, 2 and 2: 3 + 3 + 2.5 of twelve pairs.

    The ranks from the mean of 4 are -2.5 twice, -0.5 twice, 1.5 twice and 3. Of the two farthest from all others (7 and
    3, twice) the members have the ranks 1 and 3 of three, the control 2.
    """
    put(con, "k", x=[0.0, 10, 20, 30])
    put(con, "f", x=[1.0, 12, 23])
    put(con, "Select", x=[21.0, 0, 10])
    rows = con.execute(
        "FROM sdc_membership('k', 'Select', 'f', ['x'], continuous := ['X'], scaling := 'none', isolated := 2)"
    ).fetchall()
    z = statistics.NormalDist().inv_cdf(0.995)
    every = 4, 3, 8.5 / 12, (4 * 3 / 7 * 26.5 / 6) ** 0.5 / 12, 1 / 2
    far = 2, 1, 1 / 2, (2 * 1 / 3 * 2 / 2) ** 0.5 / 2, 1 / 2
    for row, part, (members, controls, area, error, advantage) in zip(
        rows, ("all", "isolated", "all copies", "isolated copies"), (every, far, every, far), strict=True
    ):
        assert row == (part, members, controls, *map(pytest.approx, (
            area, error, area - z * error, area + z * error, advantage, area - z * error - 0.5)))  # fmt: skip
