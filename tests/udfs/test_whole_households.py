"""Columns of the household suppressed for whole households: every cell holds k, and nobody is lost or halved."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from sdc_sql.udfs.suppression.households import suppress_whole_households

NONE = -1  # no household of parts


@pytest.mark.parametrize("unit", ["record", "household"])
def test_every_released_cell_holds_k(unit):
    """Drawn rows of alike households, with parts of one whose members differ: each household loses one set."""
    rng = np.random.default_rng(20)
    lent = 0
    for _ in range(400):
        n, k = int(rng.integers(2, 8)), int(rng.integers(2, 7))
        codes = rng.integers(0, 4, (n, 2))  # 0: NULL
        members, numbers = rng.integers(1, 4, n), rng.integers(1, 5, n)
        labels = np.full(n, NONE)
        if n > 4:  # two parts of one household, which may differ in their values
            labels[:2], numbers[:2] = 7, 1
        sizes = np.where(labels == 7, [1, *[0] * (n - 1)], 1) if unit == "household" else members
        if (sizes * numbers).sum() < k:
            with pytest.raises(ValueError, match=f"fewer than k = {k}"):
                suppress_whole_households(codes, members, numbers, labels, np.array([1.0, 1.5]), k, unit=unit)
            continue
        found = suppress_whole_households(codes, members, numbers, labels, np.array([1.0, 1.5]), k, unit=unit)
        whole, cells = Counter(), Counter()
        for place, lost, number in found.tolist():
            assert number > 0
            whole[place] += number
            row = tuple(0 if lost >> j & 1 else int(code) for j, code in enumerate(codes[place]))
            cells[row] += number * int(sizes[place])
        assert [whole[place] for place in range(n)] == numbers.tolist()
        assert min(size for size in cells.values() if size) >= k
        lent += len(found) > n
    assert lent > 20  # rows of which some households lose what others keep


def test_a_row_lends_whole_households_alone():
    """Of four households of two and k = 5 three records can be spared: one household, no one and a half."""
    codes, members, nobody = np.array([[1, 1], [1, 2]]), np.array([2, 2]), np.array([NONE] * 2)
    weights = [9.0, 1.0]
    # who is alone needs three more: one household of two is too few, so all lose what they differ in
    found = suppress_whole_households(codes, members, np.array([1, 4]), nobody, weights, 5)
    assert found.tolist() == [[0, 2, 1], [1, 2, 4]]
    # and where two more are enough it is one household
    found = suppress_whole_households(codes, members, np.array([1, 4]), nobody, weights, 4)
    assert found.tolist() == [[0, 2, 1], [1, 0, 3], [1, 2, 1]]
