"""The nearest published average, against a look at all of them."""

from __future__ import annotations

import numpy as np
import pytest
from sdc_sql.udfs.microaggregation.joined import find_nearest_group


@pytest.mark.parametrize("columns", [1, 2, 3])
@pytest.mark.parametrize("groups", [1, 2, 63, 700])
def test_it_is_the_nearest_and_the_first_of_equal_ones(columns, groups):
    rng = np.random.default_rng(groups + columns)
    for make in (lambda n: rng.integers(0, 9, (n, columns)).astype(float), lambda n: rng.lognormal(0, 2, (n, columns))):
        centres, x = make(groups), make(150)
        squares = ((x[:, None, :] - centres[None]) ** 2).sum(axis=2)
        assert (find_nearest_group(x, centres) == squares.argmin(axis=1)).all()


def test_of_no_groups_none_is_nearest():
    with pytest.raises(ValueError, match="no group"):
        find_nearest_group(np.ones((1, 1)), np.empty((0, 1)))
    assert len(find_nearest_group(np.empty((0, 2)), np.ones((3, 2)))) == 0
