"""MDAV of many blocks at once gives each block the groups of MDAV by itself, ties too."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sdc_sql.udfs.microaggregation import lockstep, partitions
from sdc_sql.udfs.microaggregation.mdav import mdav

SHAPES = st.tuples(st.integers(1, 5), st.integers(2, 90), st.integers(1, 5))


@given(shape=SHAPES, k=st.integers(2, 40), values=st.sampled_from([3, 50, None]), seed=st.integers(0, 2**32 - 1))
@settings(deadline=None)
def test_the_groups_are_those_of_each_block_by_itself(shape, k, values, seed):
    rng = np.random.default_rng(seed)
    k = min(k, shape[1])
    # few values: nearly every search ends in a tie
    x = rng.normal(size=shape) if values is None else rng.integers(0, values, size=shape).astype(float)
    assert lockstep.group_blocks_by_mdav(x, k).tolist() == [mdav(block, k).tolist() for block in x]


@pytest.mark.parametrize("at_once", [1, 700, 10**6])
def test_blocks_that_go_together_change_nothing(monkeypatch, at_once):
    x = np.random.default_rng(1).normal(size=(7, 300, 3))
    monkeypatch.setattr(lockstep, "AT_ONCE", at_once)
    assert lockstep.group_blocks_by_mdav(x, 3).tolist() == [mdav(block, 3).tolist() for block in x]


@pytest.mark.parametrize(("n", "blocks"), [(1000, 7), (1001, 7), (90, 30), (500, 1)])
def test_large_blocks_are_searched_by_themselves_with_the_same_groups(monkeypatch, n, blocks):
    x = np.random.default_rng(2).normal(size=(n, 3))
    together = partitions.partition_by_blocks(x, 3, blocks)
    monkeypatch.setattr(partitions, "LARGE", 0)
    assert together.tolist() == partitions.partition_by_blocks(x, 3, blocks).tolist()
    assert np.bincount(together).min() >= 3
    assert np.bincount(together).max() <= 5
