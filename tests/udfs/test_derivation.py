"""The cells of the sieve of derivations, beside a plain count."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from sdc_sql.udfs.derivation import CELL, Target, _find_places, _find_predicting_cells


@pytest.mark.parametrize("number", [0, 1, 40_000, 60_000])  # by halving; by a table or by hashes
@pytest.mark.parametrize("most", [2_000, 10**12])
def test_cells_are_found_among_the_wanted_ones(number, most):
    generator = np.random.default_rng(number + most)
    cells = generator.integers(-1, most, number)
    wanted = np.unique(np.concatenate([cells[::3], generator.integers(0, most, 900)]))
    wanted = wanted[wanted >= 0]
    place, exact = _find_places(cells, wanted)
    assert exact.tolist() == np.isin(cells, wanted).tolist()
    assert (wanted[place[exact]] == cells[exact]).all()


@pytest.mark.parametrize("own", [0, 1])
def test_a_cell_predicts_where_enough_known_values_are_all_equal(own):
    generator = np.random.default_rng(own)
    cells = generator.integers(0, 3_000, 60_000) * 10**9
    values = np.where(cells % 7 == 0, cells // 10**9 % 5, generator.integers(0, 5, len(cells)))  # a seventh has one
    target = Target(values, np.arange(5), own, (), ())
    wanted = np.unique(cells)[::2]
    by_cell = defaultdict(list)
    for cell, value in zip(cells.tolist(), values.tolist(), strict=True):
        by_cell[cell].append(value)
    expected = [len(by_cell[w]) - own >= CELL and len(set(by_cell[w])) == 1 for w in wanted.tolist()]
    assert 100 < sum(expected) < len(expected)
    assert _find_predicting_cells(cells, values, target, wanted).tolist() == expected
