"""What a giver's cells show, counted in each of the ways, beside a plain count; the sieve in any order of records."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations

import numpy as np
import pytest
from sdc_sql.udfs import derivation, derivation_cells, derivation_counts
from sdc_sql.udfs.derivation import Target, find_possible_givers
from sdc_sql.udfs.derivation_counts import Variable, count_cells, count_labels


def figures(known, hidden):
    """Return of each cell its records, those of its commonest value, its values and the guess; and of hidden ones.

    known: (cell, value, records, values of so many records); hidden: (cell, value, records).
    """
    cells, found = defaultdict(list), defaultdict(lambda: [0, 0])
    for cell, value, records, several in known:
        cells[cell].append((records, value, several))
    shown = {
        cell: (sum(n * v for n, _, v in rows), *max(rows)[:1], sum(v for *_, v in rows), max(rows)[1])
        for cell, rows in cells.items()
    }
    for cell, value, records in hidden:
        found[cell][0] += records
        found[cell][1] += records * (cell in shown and value == shown[cell][3])
    return shown, dict(found)


def count_plainly(columns, variable):
    """Return the figures from each record by itself."""
    known, hidden, hides = Counter(), Counter(), set(variable.hidden.tolist())
    for i, value in enumerate(variable.known.tolist()):
        cell = tuple(int(column[i]) for column in columns)
        if -1 in cell:
            continue
        known[cell, value] += value >= 0
        hidden[cell, int(variable.truth[i])] += i in hides and (value >= 0 or not variable.among)
    known, hidden = ([(*which, n) for which, n in its.items() if n] for its in (known, hidden))
    return figures([(*row, 1) for row in known], hidden)


def count_packed(columns, kinds, variable):
    """Return the figures from what the kernel counts."""
    known, hidden = (
        [
            (tuple(map(int, np.unravel_index(cell, kinds))) if kinds else (), *row)
            for cell, *row in zip(*(column.tolist() for column in counts), strict=True)
        ]
        for counts in count_cells(columns, kinds, variable)
    )
    return figures([row[:4] for row in known], [(cell, value, x) for cell, value, *_, x in hidden])


def drop_lonely(figures, among):
    """Leave out cells of one record, which say nothing but where another one's value is hidden in them."""
    shown, hidden = figures
    kept = {cell for cell, its in shown.items() if its[0] > 1 or (not among and cell in hidden)}
    return {c: shown[c] for c in kept}, {c: its for c, its in hidden.items() if c in kept}


@pytest.mark.one_in(5)
@pytest.mark.whole
@pytest.mark.parametrize("among", [False, True])
@pytest.mark.parametrize(
    "ways",
    [
        {},  # by a table of cells and values
        {"TABLE": 100},  # the values of a cell by sorting, and of some givers all
        {"TABLE": 5, "_SIZES": 1},
        {"TABLE": 0, "_SHORT": 16, "WORD": 3},  # where a cell and a value are no short number, and no number at all
    ],
)
def test_cells_are_counted_as_record_by_record(monkeypatch, among, ways):
    for name, value in ways.items():
        monkeypatch.setattr(derivation_cells if name == "WORD" else derivation_counts, name, value)
    generator = np.random.default_rng(len(ways) + among)
    for trial in range(150):
        monkeypatch.setattr(derivation, "_RUN", int(generator.choice([1, 7, 1 << 18])))
        n, kinds = int(generator.integers(0, 60)), generator.integers(1, 8, trial % 3).tolist()
        columns = [generator.integers(-1, k, n).astype(np.int32) for k in kinds]
        truth = generator.integers(-1, generator.integers(1, 50), n).astype(np.int32)
        known = truth if among else np.where(generator.random(n) < 0.3, np.int32(-1), truth)
        hides = (truth >= 0) & (generator.random(n) < 0.5 if among else known < 0)
        variable = Variable(known, truth, np.flatnonzero(hides), among=among)
        wide = [2**31] * len(kinds) if "WORD" in ways else kinds  # of any number of codes that are not there
        expected = drop_lonely(count_plainly(columns, variable), among)
        assert drop_lonely(count_packed(columns, wide, variable), among) == expected


@pytest.mark.parametrize("table", [0, 4_000_000])
def test_labels_are_the_pairs_that_occur(monkeypatch, table):
    monkeypatch.setattr(derivation_cells, "TABLE", table)
    generator = np.random.default_rng(table)
    old, released = (generator.integers(-1, 30, 400).astype(np.int32) for _ in range(2))
    pairs = {(a, b) for a, b in zip(old.tolist(), released.tolist(), strict=True) if -1 not in (a, b)}
    assert sorted(pairs) == sorted(zip(*(codes.tolist() for codes in count_labels(old, released)), strict=True))


def test_the_sieve_finds_the_same_in_any_order_of_the_records(monkeypatch):
    """More pairs predict in some cells than are counted: by the parts some of them are chosen."""
    monkeypatch.setattr(derivation, "PARTS", (50, 200, 800))
    monkeypatch.setattr(derivation_cells, "_BITS", 10)  # hashes of cells, which hang on the values' numbers, collide
    generator = np.random.default_rng(5)
    n, width, kinds = 60_000, 9, 60
    columns = [generator.integers(0, kinds, n) for _ in range(width)]
    truth = generator.integers(0, 4, n)
    for place, (i, j) in enumerate(combinations(range(width), 2)):  # of each pair some cells have one value
        truth = np.where((columns[i] == place) & (columns[j] < 20), place % 4, truth)
    hidden = np.flatnonzero(generator.random(n) < 0.05)
    draws = generator.random(n)
    found = []
    for _ in range(3):
        order = generator.permutation(n)
        numbers = [generator.permutation(kinds) for _ in columns]
        known = truth.copy()
        known[hidden] = -1
        target = Target(known[order], np.flatnonzero(np.isin(order, hidden)), 0, (), tuple(range(width)))
        shown = [number[column[order]] for number, column in zip(numbers, columns, strict=True)]
        found.append(find_possible_givers(shown, [target], draws=draws[order]))
    assert len(found[0]) == derivation.BEST
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("seed", range(4))
def test_a_rule_is_tried_on_the_cells_of_hidden_values_alone(monkeypatch, seed):
    """Whatever the numbers of the values: the hashes by which other cells are left out collide here."""
    monkeypatch.setattr(derivation_cells, "_BITS", 1)
    generator = np.random.default_rng(seed)
    columns = [generator.integers(0, 4, 400), generator.integers(0, 4, 400)]
    same = columns[0] == columns[1]
    known = np.where(same, columns[1], generator.integers(0, 4, 400))  # in the other cells no rule holds
    hidden = np.flatnonzero(same)[:40]
    known[hidden] = -1
    numbers = generator.permutation(4)
    target = Target(known, hidden, 0, (), (0, 1))
    (found,) = find_possible_givers([numbers[columns[0]], columns[1]], [target])
    assert (found.giver, found.rule) == ((0, 1), True)


@pytest.mark.one_in(5)
@pytest.mark.whole
@pytest.mark.parametrize("share", [0.0, 0.0005, 0.001, 0.05, 0.3, 0.8])  # of the records whose value is another one
@pytest.mark.parametrize("few", [False, True])  # elsewhere than in the cells of a few hidden values no rule holds
def test_cells_that_are_looked_at_whole_change_nothing_that_is_found(monkeypatch, share, few):
    """Of a column with two to four records a value, a part shows hardly two of a cell."""
    monkeypatch.setattr(derivation, "PARTS", (50, 200))
    generator = np.random.default_rng(int(10_000 * share))
    n = 240_000
    fine = np.repeat(np.arange(n), generator.integers(2, 5, n))[:n].astype(np.int32)
    coarse = generator.integers(0, 3, n).astype(np.int32)
    fine[: 60 * 40] = np.repeat(n + np.arange(40), 60)  # some cells of twenty records
    known = (fine * 7 + coarse) % 5
    other = generator.random(n) < share
    other[: 60 * 40] = False
    known[other] = generator.integers(0, 5, int(other.sum()))
    if few:
        places = np.flatnonzero(fine % 50 == 0)
        elsewhere = fine % 50 != 0
        known[elsewhere] = generator.integers(0, 5, int(elsewhere.sum()))
        hidden = np.sort(generator.choice(places, 2_000, replace=False))
        known[hidden] = -1
    else:
        hidden = np.arange(n)
    target = Target(known, hidden, int(not few), (0,), (0, 1))
    refuted = []
    of_whole = derivation._View._is_refuted_by_whole_cells

    def look(view, giver):
        found = of_whole(view, giver)
        refuted.extend([giver] if found else [])
        return found

    monkeypatch.setattr(derivation._View, "_is_refuted_by_whole_cells", look)
    found = []
    for whole in (10_000, n):  # by cells that are looked at whole, and without
        monkeypatch.setattr(derivation, "WHOLE", whole)
        found.append(find_possible_givers([fine, coarse], [target], draws=generator.random(n)))
        assert ((0, 1) in refuted) == (whole < n and share > 0.1 and not few)
        refuted.clear()
    assert [one._replace(far=False) for one in found[0]] == [one._replace(far=False) for one in found[1]]
    assert any(one.rule for one in found[0]) == (share < 0.005)
    far = [one.far for several in found for one in several if one.giver == (0, 1)]
    assert any(far) == (few or share > 0.1)  # where they are few, all others show no rule
    assert any(one.predicted and not one.rule for one in found[0]) == (share > 0.005)


@pytest.mark.parametrize("support", [0, 10**4, 158_000, 10**6, 10**8])
def test_what_refutes_a_rule_is_no_chance(monkeypatch, support):
    """By Chernoff's bound for sums of independent numbers of up to `_MOST`, computed for what a rule has at most."""
    monkeypatch.setattr(derivation, "WHOLE", 1)
    column, records = np.zeros(10, dtype=np.int64), np.array([support + 1])
    picked = derivation._pick_values([column], [records], np.full(10, 0.5))[0]
    most = derivation.SLACK + derivation.SHARE * support, derivation.NEAR * support
    for refuting, expected in zip((picked.refuting, picked.far), (0.1 * max(one, 1e-9) for one in most), strict=True):
        exponent = (refuting * np.log(refuting / expected) - refuting + expected) / derivation._MOST
        assert exponent > np.log(1e20)


def test_what_the_last_part_shows_of_a_rule_is_no_chance():
    """By Chernoff's bound for as many exceptions as a rule with `NEAR` of them has in it on the average, at most."""
    expected = derivation.NEAR * derivation.PARTS[-1]
    assert derivation.FAR * np.log(derivation.FAR / expected) - derivation.FAR + expected > np.log(1e16)


@pytest.mark.parametrize("seed", range(5))
def test_cells_that_are_all_mixed_predict_nothing_in_all_records_either(monkeypatch, seed):
    """Where many values are hidden, pairs are left out by what the last part shows: the same are found without that."""
    monkeypatch.setattr(derivation, "PARTS", (30, 100, 1_000))
    monkeypatch.setattr(derivation, "_RUN", 64)
    generator = np.random.default_rng(seed)
    columns = [generator.integers(0, kinds, 5_000).astype(np.int32) for kinds in (3, 5, 8, 40)]
    known = np.where(columns[3] < 4 * seed, columns[3] % 2, generator.integers(0, 3, 5_000)).astype(np.int32)
    target = Target(known, np.arange(5_000), 1, (0, 1, 2, 3), (0, 1, 2, 3))
    found, mixed, shows = [], [], derivation._View._shows_all_cells_mixed
    for look in (lambda *of: mixed.append(shows(*of)) or mixed[-1], lambda *_: False):
        monkeypatch.setattr(derivation._View, "_shows_all_cells_mixed", look)
        found.append(find_possible_givers(columns, [target], draws=generator.random(5_000)))
    assert {one.giver for one in found[0]} == {one.giver for one in found[1]}
    assert any(mixed)
    assert not all(mixed)


@pytest.mark.parametrize("far", [1, 10**13])  # a number for cell and value would be too long
def test_contradictions_are_those_of_a_plain_count(far):
    generator = np.random.default_rng(far)
    cells, values, kinds = generator.integers(0, 300, 2_000) * far, generator.integers(0, 3, 2_000) * 10**6, 3 * 10**6
    by_cell = defaultdict(Counter)
    for cell, value in zip(cells.tolist(), values.tolist(), strict=True):
        by_cell[cell][value] += 1
    support, apart, mixed = derivation._count_contradictions(cells, values, kinds)
    assert support == len(cells) - len(by_cell)
    assert apart == sum(its.total() - max(its.values()) for its in by_cell.values())
    assert mixed.tolist() == sorted(cell for cell, its in by_cell.items() if len(its) > 1)


def test_values_are_picked_whatever_their_number_order_and_records(monkeypatch):
    monkeypatch.setattr(derivation, "WHOLE", 10_000)
    generator = np.random.default_rng(3)
    sizes = generator.integers(1, 25, 20_000)
    column = np.repeat(np.arange(len(sizes)), sizes)
    draws = generator.random(len(column))

    def pick(column, draws):
        column = np.append(column, -1)
        flags = derivation._pick_values([column], [np.bincount(column[:-1])], np.append(draws, 0.5))[0].values
        assert not flags[-1]
        return np.flatnonzero(flags)

    picked = pick(column, draws)
    order, numbers = generator.permutation(len(column)), generator.permutation(len(sizes))
    assert np.array_equal(np.sort(numbers[picked]), pick(numbers[column][order], draws[order]))
    share = 10_000 / (len(column) + 1)
    for size in range(1, 25):  # five standard errors
        among = int((sizes == size).sum())
        expected = share * among if size <= derivation._MOST else 0
        assert abs(int((sizes[picked] == size).sum()) - expected) <= 5 * np.sqrt(expected)
