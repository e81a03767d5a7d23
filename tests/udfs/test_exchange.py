"""Partners for swapping: as many as can be against all matchings, and drawn evenly from those who may be."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest
from sdc_sql.udfs.swapping.exchange import exchange_units


def levels_apart(alike, apart):
    """Return the levels, as bits, at which each two units may exchange."""
    near = (alike[:, np.newaxis] == alike).any(axis=2)
    differ = (apart[:, np.newaxis] != apart).all(axis=3)
    return (near[:, :, np.newaxis] & differ) @ (1 << np.arange(1, apart.shape[1] + 1))


def most(may, need, levels):
    """Return, of all matchings, the most of each level in need who can leave their area, and the most pairs."""

    @lru_cache(None)
    def best(left):
        if not left:
            return (0,) * levels, 0
        one = left[0]
        covered, pairs = best(left[1:])
        for other in left[1:]:
            if may[one, other] >> levels:
                sub, more = best(tuple(u for u in left[1:] if u != other))
                new = list(sub)
                for unit in (one, other):
                    if need[unit] and may[one, other] >> need[unit] & 1:
                        new[need[unit] - 1] += 1
                covered, pairs = max(covered, tuple(new)), max(pairs, more + 1)
        return covered, pairs

    return best(tuple(range(len(need))))


def drawn(rng, levels):
    """Return a small table: what units share, where they live, and what they need; one area is the commonest."""
    n, lists = int(rng.integers(2, 10)), int(rng.integers(1, 3))
    share = [0.6, 0.2, 0.2]
    areas = [rng.choice(3, n, p=share)]
    for _ in range(levels - 1):
        areas.append(areas[-1] * 3 + rng.choice(3, n, p=share))
    columns = 1 if levels > 1 else int(rng.integers(0, 3))
    apart = np.stack(areas, axis=1)[:, :, np.newaxis] if columns == 1 else rng.choice(3, (n, 1, columns), p=share)
    need = np.where(rng.random(n) < rng.random(), rng.integers(1, levels + 1, n), 0)
    return rng.integers(0, rng.integers(1, 4), (n, lists)), apart, need


@pytest.mark.parametrize("levels", [1, 2])
def test_as_many_as_can_be_on_small_tables(levels):
    rng = np.random.default_rng(levels)
    for _ in range(150):
        alike, apart, need = drawn(rng, levels)
        may, asked = levels_apart(alike, apart), int(rng.integers(0, len(need) // 2 + 1))
        found = exchange_units(rng.random((len(need), 3)), alike, apart, need, asked)
        swapped = np.flatnonzero(found >= 0)
        assert (found[found[swapped]] == swapped).all()
        assert all(may[unit, found[unit]] >> levels for unit in swapped)
        covered, pairs = most(may, need.tolist(), levels)
        got = sum(need[u] == 1 and may[u, found[u]] >> 1 & 1 for u in swapped)
        assert got == covered[0]  # of the widest areas; of all, where they are of one level
        assert len(swapped) // 2 >= (min(asked, pairs) if levels == 1 else 0)


def test_odd_cycles_and_long_ways_round():
    """Only columns in which partners differ, each of few values: what may be exchanged is no simple pattern."""
    rng = np.random.default_rng(9)
    for _ in range(60):
        n = int(rng.integers(6, 11))
        apart = rng.integers(0, 3, (n, 1, 3))
        alike, need = np.zeros((n, 1), dtype=int), np.zeros(n, dtype=int)
        found = exchange_units(rng.random((n, 3)), alike, apart, need, n // 2)
        assert (found >= 0).sum() // 2 == most(levels_apart(alike, apart), need.tolist(), 1)[1]


@pytest.mark.parametrize("risky", [0.2, 0.94, 1])
def test_the_origin_of_a_swapped_unit_is_drawn_evenly(risky):
    """In areas of 10 to 20 % each other one has its share of the origins, up to what chance and exhaustion do."""
    rng = np.random.default_rng(5)
    n, share = 6000, np.array([0.2, 0.15, 0.15, 0.1, 0.1, 0.1, 0.1, 0.1])
    area = rng.choice(len(share), n, p=share)
    need = (rng.random(n) < risky).astype(int)
    found = exchange_units(rng.random((n, 3)), np.zeros((n, 1), dtype=int), area.reshape(n, 1, 1), need, 1)
    swapped = np.flatnonzero((found >= 0) & (need == 1))
    assert len(swapped) >= need.sum() - 1
    for here in range(len(share)):
        origins = np.bincount(area[found[swapped[area[swapped] == here]]], minlength=len(share))
        expected = origins.sum() * share / (1 - share[here])
        # exhaustion: the greatest area, which cannot be its own partner, is left over at the end, for a tenth at most
        assert (origins <= 1.15 * expected + 5 * np.sqrt(expected)).all()


def test_the_answer_goes_with_the_units_whatever_their_order():
    rng = np.random.default_rng(3)
    alike, apart, need = rng.integers(0, 2, (80, 2)), rng.integers(0, 3, (80, 2, 1)), rng.integers(0, 3, 80)
    apart[:, 1, 0] += 3 * apart[:, 0, 0]
    draws, order = rng.random((80, 3)), rng.permutation(80)
    found = exchange_units(draws, alike, apart, need, 30)
    again = exchange_units(draws[order], 7 - alike[order], apart[order] * 5, need[order], 30)
    np.testing.assert_array_equal(order[again[again >= 0]], found[order[again >= 0]])
    assert exchange_units(draws[:0], alike[:0], apart[:0], need[:0], 1).tolist() == []
    assert exchange_units(draws[:1], alike[:1], apart[:1], need[:1], 0).tolist() == [-1]
