"""What a group releases, against a loop over the groups."""

from __future__ import annotations

import statistics

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sdc_sql.udfs.microaggregation.centroids import aggregate, aggregate_categorical


@st.composite
def grouped(draw):
    n = draw(st.integers(1, 40))
    codes = draw(st.lists(st.integers(-3, 5), min_size=n, max_size=n))
    groups = draw(st.lists(st.integers(0, 6), min_size=n, max_size=n))
    return np.array(codes), np.array(groups)


@settings(deadline=None)
@given(grouped())
def test_every_record_has_the_figure_of_its_group(data):
    codes, groups = data
    x = codes[:, None] / 7
    mean, median = aggregate(x, groups)[:, 0], aggregate(x, groups, centroid="median")[:, 0]
    middle, mode = (aggregate_categorical(codes, groups, scale=scale) for scale in ("ordinal", "nominal"))
    for g in set(groups.tolist()):
        own = groups == g
        values = codes[own].tolist()
        assert mean[own] == pytest.approx(statistics.mean(x[own, 0].tolist()))
        assert median[own] == pytest.approx(statistics.median(x[own, 0].tolist()))
        assert set(middle[own].tolist()) == {statistics.median_low(values)}
        assert set(mode[own].tolist()) == {min(statistics.multimode(values))}


@pytest.mark.slow
@settings(deadline=None)
@given(grouped())
def test_means_of_groups_keep_the_mean_and_add_no_variance(data):
    codes, groups = data
    x = np.stack([codes, codes**2 + 1e6], axis=1).astype(float)
    means = aggregate(x, groups)
    assert means.mean(axis=0) == pytest.approx(x.mean(axis=0), rel=1e-12, abs=1e-12)
    # the sum of squares within groups and that between them are the whole
    within, between, whole = ((a**2).sum() for a in (x - means, means - x.mean(axis=0), x - x.mean(axis=0)))
    assert within + between == pytest.approx(whole, rel=1e-9, abs=1e-9)


def test_a_partition_for_each_variable():
    x = np.array([[1.0, 9.0], [3.0, 1.0], [8.0, 3.0], [10.0, 7.0]])
    groups = [[0, 1], [0, 0], [1, 0], [1, 1]]
    assert aggregate(x, groups).tolist() == [[2, 8], [2, 2], [9, 2], [9, 8]]
    assert aggregate_categorical(x.astype(int), groups, scale="ordinal").tolist() == [[1, 7], [1, 1], [8, 1], [8, 7]]


def test_any_integers_name_groups():
    assert aggregate([[1.0], [3.0], [9.0]], [-7, -7, 10**15]).ravel().tolist() == [2, 2, 9]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: aggregate([[1.0]], [0], centroid="mode"), "expected 'mean' or 'median'"),
        (lambda: aggregate([[1.0], [2.0]], [0]), r"groups has shape \(1,\), expected \(2,\)"),
        (lambda: aggregate([[1.0], [2.0]], [0.0, 1.0]), "groups must be integers, got float64"),
        (lambda: aggregate([[np.nan]], [0]), "x holds NaN"),
        (lambda: aggregate_categorical(["a"], [0], scale="nominal"), "codes must be integers"),
        (lambda: aggregate_categorical(3, [0], scale="nominal"), "codes must be integers"),
        (lambda: aggregate_categorical([1], [0], scale="mean"), "expected 'ordinal'"),
        (lambda: aggregate_categorical(np.ma.masked_equal([1, 2], 2), [0, 0], scale="nominal"), "missing values"),
    ],
)
def test_bad_input_is_refused(call, said):
    with pytest.raises(ValueError, match=said):
        call()
