"""Ranks: ascending values, ties by their draws, nothing missing."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from sdc_sql.udfs.ranks import ascending


@given(st.lists(st.one_of(st.integers(0, 3).map(float), st.just(np.nan)), max_size=30), st.integers(0, 2**32 - 1))
@settings(deadline=None)
def test_the_order_is_that_of_value_and_draw(values, seed):
    breakers = np.random.default_rng(seed).random(len(values))
    expected = sorted(
        (v, b, i) for i, (v, b) in enumerate(zip(values, breakers.tolist(), strict=True)) if not np.isnan(v)
    )
    assert ascending(np.array(values), breakers).tolist() == [i for _, _, i in expected]
