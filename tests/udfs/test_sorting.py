"""Rows of whole numbers are put in order as numpy's lexicographic sort does, however many bits they take."""

from __future__ import annotations

import numpy as np
import pytest
from sdc_sql.udfs.sorting import order_rows


@pytest.mark.parametrize("bits", [1, 8, 14, 15, 16, 40])  # of each of four keys: in all 62 fit into a number
def test_the_order_is_lexicographic(bits):
    rng = np.random.default_rng(bits)
    for records in (0, 1, 2, 500):
        codes = rng.integers(0, 1 << bits, (records, 4))
        codes[: records // 2, :2] = codes[:1, :2]
        np.testing.assert_array_equal(order_rows(codes), np.lexsort(codes.T[::-1]))


def test_without_keys_the_order_stays():
    assert order_rows(np.zeros((3, 0), dtype=np.int64)).tolist() == [0, 1, 2]
