"""The flow between two sides and strong components: beside plain searches, and of larger graphs."""

from __future__ import annotations

import numpy as np
from sdc_sql.udfs.linkage.flow import Flow
from sdc_sql.udfs.linkage.strong_components import find_components


def reachable(edges, number):
    """By Warshall's closure."""
    closed = np.eye(number, dtype=bool)
    closed[tuple(np.array(edges).reshape(-1, 2).T)] = True
    for node in range(number):
        closed |= closed[:, [node]] & closed[[node], :]
    return closed


def test_components_are_what_reaches_one_another():
    draw = np.random.default_rng(1)
    for number in (1, 2, 5, 20, 60):
        for density in (0, 1, 1.5, 3):
            edges = draw.integers(0, number, (int(density * number), 2))
            closed = reachable(edges, number)
            found = find_components(*edges.T, number)
            assert ((found[:, np.newaxis] == found) == (closed & closed.T)).all()


def test_many_components_of_one_size():
    """Blocks with drawn edges, and edges to later blocks: two components are found by layers, the others in depth."""
    draw = np.random.default_rng(3)
    for size, blocks in ((2, 9), (4, 12), (7, 10)):
        within = draw.integers(0, size, (blocks, 2 * size, 2)) + size * np.arange(blocks)[:, np.newaxis, np.newaxis]
        onwards = np.sort(draw.integers(0, size * blocks, (3 * blocks, 2)), axis=1)  # few pairs are of one block
        onwards = onwards[onwards[:, 0] // size < onwards[:, 1] // size]
        edges = draw.permutation(np.concatenate([within.reshape(-1, 2), onwards]))
        closed = reachable(edges, size * blocks)
        found = find_components(*edges.T, size * blocks)
        assert ((found[:, np.newaxis] == found) == (closed & closed.T)).all()


def test_a_flow_takes_everything_where_it_can_be_taken():
    """A chain of which the greedy choice is wrong throughout, and random graphs that hold a perfect assignment."""
    n = 50
    olds, news = np.concatenate([np.arange(n), np.arange(n - 1)]), np.concatenate([np.arange(n), np.arange(1, n)])
    flow = Flow(olds, news, np.ones(n, dtype=np.int64), np.ones(n, dtype=np.int64))
    assert not flow.unreleased.any()
    draw = np.random.default_rng(2)
    for _ in range(20):
        truth = draw.integers(1, 4, 80)
        own = draw.permutation(80)
        more = draw.integers(0, 80, (160, 2))
        olds, news = np.unique(np.concatenate([more, np.stack([np.arange(80), own], axis=1)]), axis=0).T
        after = np.zeros(80, dtype=np.int64)
        after[own] = truth
        flow = Flow(olds, news, truth, after)
        assert not flow.unreleased.any()
        assert not flow.strange.any()
        assert (np.bincount(olds, weights=flow.along, minlength=80) == truth).all()
        assert (flow.along >= 0).all()


def flow_one_by_one(olds, news, before, after):
    """Return how many records flow at most: a path for one record at a time, found in depth."""
    along = dict.fromkeys(zip(olds.tolist(), news.tolist(), strict=True), 0)
    left, room = before.tolist(), after.tolist()

    def push(new, seen):
        for old, to in along:
            if to == new and old not in seen:
                seen.add(old)
                if left[old]:
                    left[old] -= 1
                    along[old, new] += 1
                    return True
                for other in [n for o, n in along if o == old and n != new and along[o, n]]:
                    if push(other, seen):  # the other takes one of somebody else's
                        along[old, other] -= 1
                        along[old, new] += 1
                        return True
        return False

    while any(room[new] and push(new, set()) and not room.__setitem__(new, room[new] - 1) for new in range(len(room))):
        pass
    return sum(along.values())


def test_no_flow_is_greater_and_none_overflows():
    """Of cells without edges, without records, with many of either, and of a side that is the scarcer one."""
    draw = np.random.default_rng(4)
    for number in range(150):
        sides = draw.integers(1, 7, 2)
        edges = np.argwhere(draw.random(sides) < draw.choice([0.1, 0.3, 0.7]))
        before, after = (draw.integers(0, draw.choice([2, 5]), size) for size in sides)
        olds, news = draw.permutation(edges).reshape(-1, 2).T
        flow = Flow(olds, news, before, after)
        assert (flow.along >= 0).all(), number
        assert (before - np.bincount(olds, flow.along, sides[0]) == flow.unreleased).all(), number
        assert (after - np.bincount(news, flow.along, sides[1]) == flow.strange).all(), number
        assert min(flow.unreleased.min(), flow.strange.min()) >= 0, number
        assert flow.along.sum() == flow_one_by_one(olds, news, before, after), number
