"""The cells of the sieve of derivations, beside a plain count."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from sdc_sql.udfs import derivation
from sdc_sql.udfs.derivation import CELL, Target, _find_predicting_cells, find_possible_givers
from sdc_sql.udfs.derivation_cells import find_places


@pytest.mark.parametrize("number", [0, 1, 40_000, 60_000])  # by halving; by a table or by hashes
@pytest.mark.parametrize("most", [2_000, 10**12])
def test_cells_are_found_among_the_wanted_ones(number, most):
    generator = np.random.default_rng(number + most)
    cells = generator.integers(-1, most, number)
    wanted = np.unique(np.concatenate([cells[::3], generator.integers(0, most, 900)]))
    wanted = wanted[wanted >= 0]
    place, exact = find_places(cells, wanted)
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


@pytest.mark.one_in(5)
@pytest.mark.whole
@pytest.mark.parametrize("run", [1, 1_500, 1 << 18])  # none in runs, some (the records in two or more), all at once
@pytest.mark.parametrize("own", [0, 1])
def test_each_giver_predicts_as_a_plain_count_of_all_records_says(monkeypatch, own, run):
    """Columns alone and in pairs whose values have as many records as a cell needs to predict, one fewer, and more."""
    monkeypatch.setattr(derivation, "_RUN", run)
    generator = np.random.default_rng(own)
    need = CELL + own
    sizes = np.tile([1, 2, need - 1, need, need + 1, 3 * need], 40)
    fine = np.repeat(np.arange(len(sizes)), sizes)
    truth = np.where(fine % 5 < 2, generator.integers(0, 4, len(fine)), fine % 4)  # two cells of five are mixed
    coarse = generator.integers(-1, 2, len(fine))
    order = generator.permutation(len(fine))
    fine, truth, coarse = fine[order], truth[order], coarse[order]
    hidden = np.sort(generator.choice(len(fine), 300, replace=False))
    known = truth.copy()
    if not own:
        known[hidden] = -1
    columns = [fine.astype(np.int32), coarse.astype(np.int32), (fine % 7).astype(np.int32)]
    pairs = (0, 1, 2)
    target = Target(known, hidden, own, pairs, pairs)
    found = {one.giver: one.predicted for one in find_possible_givers(columns, [target]) if not one.rule}
    expected = {
        giver: _count_predicted([columns[i] for i in giver], known, hidden, need)
        for giver in [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)]
    }
    least = {pair: max(expected[i,] for i in pair) for pair in [(0, 1), (0, 2), (1, 2)]}
    told = {g: n for g, n in expected.items() if n and n > least.get(g, 0)}
    assert 20 < told[0,] < 300
    assert {giver: expected[giver] for giver in found} == found
    assert told.items() <= found.items()  # (a pair that tells no more than one of it is left to the macro)


def _count_predicted(giver, known, hidden, need):
    """Hidden values whose cell has as many known values, all equal (its own among them where it is known)."""
    cells = defaultdict(list)
    for *cell, value in zip(*giver, known, strict=True):
        if min(cell) >= 0 and value >= 0:
            cells[tuple(cell)].append(value)
    of_hidden = [tuple(column[row] for column in giver) for row in hidden]
    return sum(len(cells[cell]) >= need and len(set(cells[cell])) == 1 for cell in of_hidden if min(cell) >= 0)


@pytest.mark.parametrize("own", [0, 1])
def test_a_cell_that_shows_two_values_far_apart_predicts_nothing(monkeypatch, own):
    """Its first records have one value, its last ones another; each run of records sees one of them."""
    monkeypatch.setattr(derivation, "_RUN", 1_000)
    column = (np.arange(4_000) % 20).astype(np.int32)
    known = np.where((column >= 10) & (np.arange(4_000) >= 3_000), 1, 0).astype(np.int32)
    known[column == 7] = -1
    known[: 20 * (CELL + own - 1)][column[: 20 * (CELL + own - 1)] == 7] = 0  # one known value too few
    known[: 20 * (CELL + own)][column[: 20 * (CELL + own)] == 8] = 0
    known[20 * (CELL + own) :][column[20 * (CELL + own) :] == 8] = -1
    view = derivation._View([column], [np.bincount(column)], Target(known, np.arange(20), own, (0,), (0,)))
    found = np.flatnonzero(view._find_predicting_in_runs((0,), np.arange(20)))
    assert found.tolist() == [0, 1, 2, 3, 4, 5, 6, 8, 9]
