"""Hansen and Mukherjee's optimum against all partitions."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sdc_sql.udfs.microaggregation import univariate
from sdc_sql.udfs.microaggregation.univariate import optimal_univariate


def sse(v, groups):
    return sum(((v[groups == g] - v[groups == g].mean()) ** 2).sum() for g in np.unique(groups))


def least_over_all_partitions(v, k):
    """Every partition of the records into groups of k and more, in runs or not: at most ten records."""

    def best(left):
        if not left:
            return 0.0
        first, rest = left[0], left[1:]
        found = [np.inf]
        for size in [*range(k - 1, len(rest) - k + 1), len(rest)]:
            for others in itertools.combinations(rest, size) if size >= k - 1 else ():
                group = v[[first, *others]]
                tail = [i for i in rest if i not in others]
                found.append(((group - group.mean()) ** 2).sum() + best(tail))
        return min(found)

    return best(list(range(len(v))))


def least_over_all_runs(v, k):
    """Every division of the sorted values into runs of k and more, whatever their length."""
    v = np.sort(v)
    cost = [0.0]
    for j in range(1, len(v) + 1):
        runs = [cost[i] + ((v[i:j] - v[i:j].mean()) ** 2).sum() for i in range(j - k + 1)]
        cost.append(min(runs, default=np.inf))
    return cost[-1]


numbers = st.integers(-50, 50) | st.floats(-100, 100)


@pytest.mark.slow
@settings(deadline=None)
@given(v=st.lists(numbers, min_size=3, max_size=9), k=st.integers(2, 3))
def test_no_partition_is_better(v, k):
    v = np.array(v, dtype=float)
    assert sse(v, optimal_univariate(v, k)) == pytest.approx(least_over_all_partitions(v, k), rel=1e-9, abs=1e-9)


@pytest.mark.slow
@settings(deadline=None)
@given(k=st.integers(2, 9), extra=st.integers(0, 80), whole=st.booleans(), seed=st.integers(0, 2**32 - 1))
def test_no_division_into_runs_is_better(k, extra, whole, seed):
    v = np.random.default_rng(seed).normal(scale=9, size=k + extra)
    v = v.round() if whole else v
    groups = optimal_univariate(v, k)
    sizes = np.bincount(groups)
    assert k <= sizes.min()
    assert sizes.max() <= 2 * k - 1
    assert sse(v, groups) == pytest.approx(least_over_all_runs(v, k), rel=1e-9, abs=1e-9)
    assert (np.diff(groups[np.argsort(v, kind="stable")]) >= 0).all()


def test_it_is_the_optimum_across_the_slabs_in_which_arcs_are_kept(monkeypatch):
    v = np.random.default_rng(2).lognormal(size=500)
    whole = optimal_univariate(v, 4)
    monkeypatch.setattr("sdc_sql.udfs.microaggregation.univariate.ARCS", 16)
    assert optimal_univariate(v, 4).tolist() == whole.tolist()


@pytest.mark.parametrize("whole", [False, True])
def test_the_loop_for_three_gives_the_costs_of_the_one_for_any_k(whole):
    v = np.sort(np.random.default_rng(7).normal(scale=9, size=2000))
    arcs = univariate._arcs(v.round() if whole else v, 3, 2001, 3)
    known = [float("inf")] * 4 + [0.0]
    assert univariate._find_least_of_three(list(known), arcs) == univariate._find_least(list(known), arcs)


def test_large_values_lose_no_digits():
    v = np.random.default_rng(4).integers(0, 1000, 300).astype(float)
    assert optimal_univariate(v + 2.0**40, 3).tolist() == optimal_univariate(v, 3).tolist()


def test_the_groups_of_figure_3_1_are_found():
    # handbook 3.4.5.1: fixed groups of 3 are unnatural for five and four values far apart
    assert optimal_univariate([1, 2, 3, 4, 5, 90, 91, 92, 93], 3).tolist() == [0] * 5 + [1] * 4


def test_a_permutation_of_rows_permutes_the_groups():
    rng = np.random.default_rng(1)
    v, order = rng.normal(size=200), rng.permutation(200)
    assert optimal_univariate(v[order], 4).tolist() == optimal_univariate(v, 4)[order].tolist()


@pytest.mark.parametrize(
    ("v", "k", "said"),
    [
        ([1.0, 2.0], 3, "2 records cannot form a group of k = 3"),
        ([1.0, 2.0], 1, "k must be 2 or more"),
        ([1.0, np.nan], 2, "x holds NaN"),
        ([[1.0, 2.0]], 2, "values has 2 dimensions, expected 1"),
        (np.ma.masked_equal([1.0, 2.0], 2.0), 2, "masked array with missing values"),
    ],
)
def test_bad_input_is_refused(v, k, said):
    with pytest.raises(ValueError, match=said):
        optimal_univariate(v, k)


@pytest.mark.slow
@given(
    v=st.lists(st.one_of(st.integers(0, 6), st.floats(-1e6, 1e6)), min_size=6, max_size=80),
    k=st.integers(2, 6),
    slab=st.sampled_from([1, 50, 1 << 20]),
)
@settings(deadline=None, max_examples=200)
def test_nodes_solved_one_by_one_have_the_groups_of_nodes_solved_together(v, k, slab):
    found = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(univariate, "ARCS", slab)
        for small in (k, k - 1):
            patch.setattr(univariate, "SMALL", small)
            found.append(optimal_univariate(v, k).tolist())
    assert found[0] == found[1]


@pytest.mark.parametrize("k", [2, 3, 10, 11, 12])
def test_no_division_of_few_values_into_runs_is_better(k):
    """Nodes are solved one by one up to k = 10, and k at a time beyond."""
    rng = np.random.default_rng(k)
    for n in (k, 2 * k - 1, 2 * k, 3 * k + 1, 5 * k + 2):
        v = rng.lognormal(2, 1, n).round(1)
        groups = optimal_univariate(v, k)
        assert k <= np.bincount(groups).min() <= np.bincount(groups).max() <= 2 * k - 1
        assert sse(v, groups) == pytest.approx(least_over_all_runs(v, k), rel=1e-9, abs=1e-9)
