"""Rank swapping keeps the values, moves none too far, and meets the correlation asked for."""

from __future__ import annotations

import csv
from math import floor, sqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sdc_sql.udfs.swapping.functions import find_range, swap
from sdc_sql.udfs.swapping.rank_swap import range_keeping, swap_places

TABLE = Path(__file__).resolve().parents[2] / "fixtures" / "papers" / "handbook_table_3_3.csv"


def table_3_3(column):
    """Return a column of the handbook's table before and after, letters as their numbers."""
    with TABLE.open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))

    def coded(text):
        return float(ord(text)) if text.isalpha() else float(text)

    return np.array([[coded(row[name]) for row in rows] for name in (column, f"{column}_swapped")])


def swapped(values, draws, p):
    """Return the values exchanged as `sdc_rank_swap` does it: ranked, equal ones by the first draw, then by place."""
    column, draws = np.asarray(values, dtype=float), np.asarray(draws)
    order = np.lexsort((draws[:, 0], column))
    after = column.copy()
    after[order] = column[order][swap_places(draws[order, 1], p)]
    return after


def least_move(before, after):
    """Return the least that the furthest value moved in rank, whatever the order of equal ones."""
    order = np.sort(before)
    low, high = (np.searchsorted(order, after, side=side) for side in ("left", "right"))
    own_low, own_high = (np.searchsorted(order, before, side=side) for side in ("left", "right"))
    return int(np.maximum(low - (own_high - 1), own_low - (high - 1)).clip(0).max())


@pytest.mark.parametrize("column", ["v2", "v3", "v4"])
def test_the_handbook_moves_no_value_by_more_than_a_rank(column):
    before, after = table_3_3(column)
    np.testing.assert_array_equal(np.sort(before), np.sort(after))
    assert least_move(before, after) <= 1  # 10 % of 10 records


@pytest.mark.parametrize(("column", "up"), [("v2", True), ("v3", False), ("v4", True)])
def test_the_handbook_table_comes_out(column, up):
    # in a range of one rank there is one way only: (10, 9), (8, 7), ... but for the order of equal values, which the
    # first draw gives (v2: the record numbers up; v3: down; v4 has none)
    before, after = table_3_3(column)
    places = np.arange(10) / 10
    draws = np.column_stack([places if up else places[::-1], np.full(10, 0.5)])
    np.testing.assert_array_equal(swapped(before, draws, 10), after)


@given(
    values=st.lists(st.integers(-5, 30), min_size=2, max_size=60),
    p=st.floats(0.1, 100),
    seed=st.integers(0, 2**32 - 1),
)
@settings(deadline=None, max_examples=200)
def test_values_are_kept_and_move_within_the_range(values, p, seed):
    n = len(values)
    rng = np.random.default_rng(seed)
    draws, order = rng.random((n, 2)), rng.permutation(n)
    reach = floor(p * n / 100 + 1e-6)
    if not reach:
        with pytest.raises(ValueError, match="less than one rank; expected at least"):
            swapped(values, draws, p)
        return
    before = np.array(values, dtype=float)
    after = swapped(values, draws, p)
    np.testing.assert_array_equal(np.sort(after), np.sort(before))
    assert least_move(before, after) <= reach
    np.testing.assert_array_equal(swapped(before[order], draws[order], p), after[order])


@given(n=st.integers(2, 80), p=st.floats(5, 100), seed=st.integers(0, 2**32 - 1))
@settings(deadline=None)
def test_distinct_values_change_places_in_pairs(n, p, seed):
    p = max(p, 100 / n)
    rng = np.random.default_rng(seed)
    partner = swap_places(rng.random(n), p)
    np.testing.assert_array_equal(partner[partner], np.arange(n))
    unmoved = np.flatnonzero(partner == np.arange(n))
    assert unmoved.size == n % 2
    assert (unmoved < floor(p * n / 100 + 1e-6)).all()  # among the lowest


@pytest.mark.parametrize("p", [100 / 7, 100 * 3 / 7, 100 * 5 / 7])
def test_a_range_of_whole_ranks_is_taken_whole(p):
    # 100 L / n percent of n are L ranks also where the division leaves a rest
    reach = round(7 * p / 100)
    draws = np.full(7, 0.999999)
    assert swap_places(draws, p).tolist() == swap_places(draws, 100 * (reach + 0.5) / 7).tolist()


@pytest.mark.parametrize("target", [0.8, 0.95, 0.99])
@pytest.mark.parametrize("kind", ["standard_normal", "random", "standard_exponential"])
def test_the_correlation_asked_for_is_met_and_not_wasted(kind, target):
    rng = np.random.default_rng(4)
    x, draws = np.sort(getattr(rng, kind)(5000)), rng.random(5000)
    places = swap_places(draws, None, target, x)
    r = np.corrcoef(x, x[places])[0, 1]
    assert r >= target
    assert 1 - r >= 0.9 * (1 - target)
    np.testing.assert_array_equal(swap_places(draws, 100 * range_keeping(target, x, draws) / 5000), places)


@pytest.mark.parametrize("target", [0.98, 0.99, 0.999])
def test_the_range_for_evenly_spread_values_is_that_of_theory(target):
    # 1 - r = 6 E(d^2) / n^2, E(d^2) = 0.39196 L^2 away from the ends; at the ends, 2 L of n ranks, the distances are
    # shorter: L may be larger by a share of about L / n, and 1 - r smaller than allowed by 5 %
    n = 20_000
    found = range_keeping(target, np.arange(n), np.random.default_rng(5).random(n)) / n
    expected = sqrt((1 - target) / (6 * 0.39196))
    assert expected * sqrt(0.95) * 0.98 < found < expected * (1.02 + 2 * expected)


def test_a_correlation_out_of_reach_is_refused():
    draws = np.random.default_rng(7).random(10)
    with pytest.raises(ValueError, match=r"correlation is 0.99, but swapping neighbours .* code the top first"):
        swap_places(draws, None, 0.99, [*range(9), 1000])
    with pytest.raises(ValueError, match="all equal or missing"):
        swap_places(draws, None, 0.9, [1.0] * 10)
    for target in (0, 1, np.nan):
        with pytest.raises(ValueError, match="correlation is"):
            swap_places(draws, None, target, range(10))


@pytest.mark.parametrize("p", [0, -1, 100.5, np.nan, np.inf])
def test_a_range_outside_0_to_100_is_refused(p):
    with pytest.raises(ValueError, match=r"p is .*; expected a number above 0 and at most 100"):
        swap_places(np.zeros(3), p)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.1], 50), "the column has 1 value; expected 2 or more"),
        (([0.1], None, 0.9, [1.0]), "the column has 1 value; expected 2 or more"),
        (([[0.1, 0.1]], 50), r"choices has shape \(1, 2\); expected \(2,\)"),
        (([0.1, 0.1], None, 0.9, [1.0, 2.0, 3.0]), r"choices has shape \(2,\); expected \(3,\)"),
        (([0.1, 1.0], 50), r"outside \[0, 1\)"),
        (([0.1, np.nan], 50), r"outside \[0, 1\)"),
        (([0.1, 0.1], None), "p is NULL: give the range in percent"),
        (([0.1, 0.1], None, 0.9, [[1.0, 2.0]]), r"values has shape \(1, 2\); expected one column"),
        (([0.1, 0.1], None, 0.9, ["a", "b"]), "values has type <U1"),
    ],
)
def test_what_cannot_be_swapped_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        swap_places(*arguments)


def test_a_stratum_without_values_has_nothing_to_swap():
    assert swap_places([], 10).shape == (0,)


def test_records_in_any_order_have_the_range_and_the_partners_of_their_ranks():
    rng = np.random.default_rng(3)
    x, choices = rng.permutation(np.arange(60.0) ** 1.5), rng.random(60)
    order = np.argsort(x)
    for target in (0.8, 0.95):
        (reach,) = find_range(None, order + 1, x, choices, target)
        assert reach == range_keeping(target, x[order], choices[order]) > 1
        partner = swap(None, order + 1, x, choices, None, target) - 1
        assert np.corrcoef(x, x[partner])[0, 1] >= target
        assert (partner[partner] == np.arange(60)).all()
        rank = np.argsort(order)
        assert np.abs(rank - rank[partner]).max() <= reach
    assert find_range(None, order + 1, np.full(60, 7.0), choices, 0.9).tolist() == [0]  # of one value none leaves it
    assert find_range(None, None, x, choices, 0.9).tolist() == [0]
    assert swap(None, None, None, None, 10, None).tolist() == []
    partner = swap(None, order + 1, None, choices, 5, None) - 1
    assert np.abs(np.argsort(order) - np.argsort(order)[partner]).max() == 3  # 5 % of 60
