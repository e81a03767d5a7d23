"""V-MDAV: sizes, growth by the gain factor, and what is left over."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sdc_sql.udfs.microaggregation.vmdav import vmdav


def growing(x, k, gamma):
    """Return V-MDAV's groups before what is left over is placed (-1), every distance computed."""
    groups = np.full(len(x), -1)
    d = np.sqrt(((x[:, None] - x[None]) ** 2).sum(axis=2))
    from_mean = ((x - x.mean(axis=0)) ** 2).sum(axis=1)
    formed = 0
    while (groups < 0).sum() >= k:
        left = np.flatnonzero(groups < 0)
        e = left[from_mean[left].argmax()]
        groups[left[np.argsort(d[e, left], kind="stable")[:k]]] = formed
        while (groups == formed).sum() < 2 * k - 1 and (groups < 0).any():
            left = np.flatnonzero(groups < 0)
            inside = d[np.ix_(groups == formed, left)].min(axis=0)
            e = left[inside.argmin()]
            outside = min((d[e, other] for other in left if other != e), default=np.inf)
            if not inside.min() < gamma * outside:
                break
            groups[e] = formed
        formed += 1
    return groups


@pytest.mark.slow
@settings(deadline=None)
@given(
    k=st.integers(2, 6),
    extra=st.integers(0, 150),
    p=st.integers(1, 4),
    gamma=st.sampled_from([0.0, 0.2, 1.1, 3.0]),
    seed=st.integers(0, 2**32 - 1),
)
def test_every_group_has_k_to_2k_minus_1_records(k, extra, p, gamma, seed):
    x = np.random.default_rng(seed).normal(size=(k + extra, p))
    for values in (x, x.round()):
        sizes = np.bincount(vmdav(values, k, gamma))
        assert k <= sizes.min()
        assert sizes.max() <= 2 * k - 1


@pytest.mark.slow
@settings(deadline=None)
@given(
    k=st.integers(2, 6),
    extra=st.integers(0, 80),
    gamma=st.sampled_from([0.0, 0.2, 1.1]),
    seed=st.integers(0, 2**32 - 1),
)
def test_groups_grow_as_in_the_paper(k, extra, gamma, seed):
    x = np.random.default_rng(seed).normal(size=(k + extra, 2))
    paper = growing(x, k, gamma)
    ours = vmdav(x, k, gamma)
    placed = paper >= 0
    if ours.max() == paper.max():  # else a group was divided at the end
        assert ours[placed].tolist() == paper[placed].tolist()


def test_the_groups_of_figure_3_1_are_found():
    # handbook, Figure 3.1: five records on one side and four on the other, k = 3
    x = np.array([[0, 0], [1, 0], [0, 1], [1, 1], [0.5, 0.5], [9, 9], [9, 8], [8, 9], [8, 8]])
    groups = vmdav(x, 3, gamma=1.1)
    assert np.unique(groups[:5]).size == np.unique(groups[5:]).size == 1
    assert groups[0] != groups[8]


def test_fewer_than_2k_records_are_one_group():
    assert vmdav([[1.0], [2.0], [7.0], [8.0], [9.0]], 3).tolist() == [0] * 5


def test_a_permutation_of_rows_permutes_the_groups():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(200, 3))
    order = rng.permutation(200)
    assert vmdav(x[order], 4, 1.1).tolist() == vmdav(x, 4, 1.1)[order].tolist()


@pytest.mark.parametrize("gamma", [-0.1, np.nan, np.inf])
def test_a_bad_gain_factor_is_refused(gamma):
    with pytest.raises(ValueError, match="gain factor"):
        vmdav([[1.0], [2.0]], 2, gamma)


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="2 records cannot form a group of k = 3"):
        vmdav([[1.0], [2.0]], 3)
