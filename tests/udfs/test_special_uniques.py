"""The kernel of the special uniques, against the definition."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sdc_sql.udfs.suda import agreement, by_differences, groups, partitions, set_by_set, work
from sdc_sql.udfs.suda import special_uniques as kernel


def minimal(cells, single, most, null):
    """Return the pairs of a set and a cell, straight from the definition."""
    m = len(cells[0])
    found = set()
    counts = {keys: Counter(tuple(c[p] for p in range(m) if keys >> p & 1) for c in cells) for keys in range(1, 2**m)}
    for i, cell in enumerate(cells):
        unique = {
            keys
            for keys, count in counts.items()
            if single[i]
            and count[tuple(cell[p] for p in range(m) if keys >> p & 1)] == 1
            and not (null and any(cell[p] == 0 for p in range(m) if keys >> p & 1))
        }
        found |= {
            (keys, i)
            for keys in unique
            if keys.bit_count() <= most and not any(s != keys and s & keys == s for s in unique)
        }
    return found


def by_sets(columns, single, most, *, null):
    search = set_by_set.SetBySet(columns, single, zero_is_null=null, work=work.Work(work.MOST_WORK))
    for size in range(1, most + 1):
        yield from search.list_sets(size, last=size == most)


def by_records(columns, single, most, *, null):
    cells = work.Work(work.MOST_WORK)
    return by_differences.search_by_differences(columns, single, most, zero_is_null=null, work=cells)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("search", [by_sets, by_records])
@settings(max_examples=200, deadline=None)
@given(data=st.data(), m=st.integers(1, 6), most=st.integers(1, 6), null=st.booleans())
def test_equals_the_definition(search, data, m, most, null):
    values = data.draw(st.integers(1, 4))
    cells = data.draw(st.lists(st.tuples(*[st.integers(0, values)] * m), min_size=2, max_size=25, unique=True))
    single = data.draw(st.lists(st.booleans(), min_size=len(cells), max_size=len(cells)))
    columns = [np.array(c, dtype=np.uint8) for c in zip(*cells, strict=True)]
    found = list(search(columns, np.array(single), most, null=null))
    assert len({keys for keys, _ in found}) == len(found)
    assert {(keys, i) for keys, places in found for i in places.tolist()} == minimal(cells, single, most, null)
    assert [keys.bit_count() for keys, _ in found] == sorted(keys.bit_count() for keys, _ in found)


@pytest.mark.parametrize("bits", [64, 3])  # all keys in one word, or one in each
def test_cells_that_only_seem_to_agree(monkeypatch, bits):
    # of the hash 6 bits are left, for 150 cells: most sets are looked at many times
    generator = np.random.default_rng(2)
    cells = np.unique(generator.integers(0, 5, (150, 4)), axis=0)
    single = generator.random(len(cells)) < 0.8
    hashed = agreement.Agreement._hashed
    monkeypatch.setattr(agreement, "_WORD", bits)
    monkeypatch.setattr(
        agreement.Agreement, "_hashed", lambda s, keys: hashed(s, keys) >> np.uint64(58) << np.uint64(58)
    )
    found = {(keys, i) for keys, places in by_records(list(cells.T), single, 4, null=False) for i in places.tolist()}
    assert found == minimal([tuple(c) for c in cells.tolist()], single, 4, null=False)


def test_no_two_cells_seem_to_agree_for_ever():
    # the first and the last of 17 keys are the highest bits of the two words; every cell differs in one of them
    columns = [np.zeros(256, dtype=np.int64) + (np.arange(256) == 0) * 15 for _ in range(17)]
    columns[0], columns[16] = np.arange(256) // 16, np.arange(256) % 16
    cells = agreement.Agreement(columns)
    assert len(cells.words) == 2
    seem = np.ones(256, dtype=np.bool_)
    for _ in range(20):
        before, after = cells.find_agreeing(1 | 1 << 16)
        seem &= (before >= 0) | (after >= 0)
    assert not seem.any()


@pytest.mark.parametrize("single", [True, False])
def test_one_cell(single):
    columns = [np.array([0]), np.array([0])]
    found = [(keys, places.tolist()) for keys, places in kernel.special_uniques(columns, np.array([single]), 2)]
    assert found == ([(1, [0]), (2, [0])] if single else [])


@pytest.mark.parametrize("held", [10_000, 40])  # record by record; given up for set by set
def test_the_way_makes_no_difference(monkeypatch, held):
    generator = np.random.default_rng(3)
    cells = np.unique(generator.integers(0, 3, (60, 5)), axis=0)
    single = np.ones(len(cells), dtype=np.bool_)
    monkeypatch.setattr(kernel, "FEW", 0)
    monkeypatch.setattr(by_differences, "MOST_SETS", held)
    monkeypatch.setattr(kernel.SetBySet, "list_sets", None if held > 40 else kernel.SetBySet.list_sets)
    monkeypatch.setattr(kernel, "Work", lambda _: work.Work(10**9))
    found = {(keys, i) for keys, at in kernel.special_uniques(list(cells.T), single, 5) for i in at.tolist()}
    assert found == minimal([tuple(c) for c in cells.tolist()], single, 5, null=False)


@pytest.mark.parametrize("word", [63, 12, 9])  # the shorter, the more often codes are numbered anew
@pytest.mark.parametrize("sparse", [4, 0])  # counted in a table, or sorted
def test_partitions_equal_those_of_rows(monkeypatch, word, sparse):
    monkeypatch.setattr(partitions, "_WORD", word)
    monkeypatch.setattr(partitions, "SPARSE", sparse)
    generator = np.random.default_rng(1)
    for radices in ([4], [4, 3], [2, 5, 3, 2], [7, 1, 6]):
        columns = [generator.integers(0, r, 13).astype(np.uint8) for r in radices]
        alone, groups = partitions.partition_records(columns, radices)
        rows = list(zip(*(c.tolist() for c in columns), strict=True))
        assert alone.tolist() == [rows.count(row) == 1 for row in rows]
        assert groups == len(set(rows))


def test_codes_too_long_for_one_number():
    # four columns of 2^20 codes are 2^80; the records pair off but for two that differ in the first column only
    column = np.repeat(np.arange(2**19), 2) * 2
    first = column.copy()
    first[0] += 1
    alone, groups = partitions.partition_records([first, column, column, column], [2**20] * 4)
    assert np.flatnonzero(alone).tolist() == [0, 1]
    assert groups == 2**19 + 1


def test_cells_that_are_alone_on_all_sets_are_let_go_and_found_at_their_places():
    # key 0 numbers all cells but the last ten, which it takes for one: these are told apart by two of the others
    column = np.array([*range(90), *[90] * 10])
    others = [np.array([*[0] * 90, *(np.arange(10) // d % 3)]) for d in (1, 3, 9)]
    cells = list(zip(column.tolist(), *(o.tolist() for o in others), strict=True))
    single = np.ones(100, dtype=np.bool_)
    found = kernel.special_uniques([column, *others], single, 4)
    assert {(k, i) for k, places in found for i in places.tolist()} == minimal(cells, single, 4, null=False)


def test_so_much_work_and_no_more(monkeypatch):
    done = work.Work(10)
    done.add(7)
    done.add(3)
    with pytest.raises(work.TooMuchWorkError):
        done.add(1)
    monkeypatch.setattr(work, "MOST_BYTES", 100)
    held = work.Work(10)
    held.hold(60)
    held.hold(40)
    with pytest.raises(work.TooMuchWorkError):
        held.hold(1)


@pytest.mark.parametrize("sparse", [4, 0])  # counted in a table, or numbered anew
def test_groups_are_divided_by_one_more_key(monkeypatch, sparse):
    monkeypatch.setattr(groups, "SPARSE", sparse)
    draw = np.random.default_rng(6)
    columns = [draw.integers(0, most, 30) for most in (3, 4, 3)]
    keys = [groups.Key(column, zero_is_null=False) for column in columns]
    found = groups.Groups((), np.ones(30, dtype=np.int32), np.array([0, 30]))
    for position, key in enumerate(keys):
        assert sorted(Counter(key.column.tolist()).values()) == sorted(Counter(columns[position].tolist()).values())
        assert key.column[key.places].tolist() == key.codes.tolist()
        assert (len(key.places), (key.codes > 0).all()) == (np.count_nonzero(key.column), True)
        assert Counter(key.column.tolist()).most_common(1)[0][0] == 0  # the most common code is 0 now
        found = groups.divide_groups(found, position, key)
        rows = list(zip(*(c.tolist() for c in columns[: position + 1]), strict=True))
        several = {row: n for row, n in Counter(rows).items() if n > 1}
        assert found.keys == tuple(range(position + 1))
        assert (found.of == 0).tolist() == [row not in several for row in rows]
        assert len({(row, int(of)) for row, of in zip(rows, found.of, strict=True) if of}) == len(several)
        assert [int(found.sizes[of]) for of in found.of] == [several.get(row, 0) for row in rows]
        assert found.alone == 30 - sum(several.values())
    assert 0 < found.alone < 30


@pytest.mark.parametrize("number", [2, 4, 40])  # kept by place up to one in 32, else by bits
def test_cells_that_are_alone_are_kept_by_place_or_by_bits(number):
    cells = 100
    places = np.random.default_rng(1).permutation(cells)[:number]
    alone = groups.Alone(7, places[:-1], cells)
    assert (alone.few, alone.number, alone.groups) == (number - 1 <= 3, number - 1, 7)
    more = alone.add(9, places[-1:])
    assert (more.number, more.groups, more.cells) == (number, 9, cells)
    flags = np.isin(np.arange(cells), places)
    assert more.list_flags().tolist() == flags.tolist()
    scratch, asked = np.zeros(cells, dtype=np.bool_), np.arange(0, cells, 3)
    assert more.find_alone(asked, scratch).tolist() == flags[asked].tolist()
    assert not scratch.any()
    left = np.arange(cells) % 2 == 0
    some = more.select(left)
    assert (some.cells, some.groups, some.number) == (50, 9, flags[left].sum())
    assert some.list_flags().tolist() == flags[left].tolist()


def test_missing_values_of_a_key_are_dropped_and_stay_so():
    key = groups.Key(np.array([0, 2, 2, 1, 0, 2]), zero_is_null=True)
    assert key.drop_missing(np.arange(6)).tolist() == [1, 2, 3, 5]
    assert key.radix == 3
    key.keep(np.array([True, False, True, True, False, True]))
    assert key.drop_missing(np.arange(4)).tolist() == [1, 2, 3]
    assert key.column.tolist() == [2, 0, 1, 0]  # 0 and the most common code exchanged
    assert groups.Key(np.array([0, 1]), zero_is_null=False).drop_missing(np.array([1, 0])).tolist() == [1, 0]
