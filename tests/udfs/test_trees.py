"""The trees: every cut by trying them all, codes of columns, and where a code goes that was never seen."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from sdc_sql.udfs.trees.codes import MOST, NOMINAL, find_coding
from sdc_sql.udfs.trees.grow import grow_by_sums, grow_tree


def squares(rows, scores):
    """Return the sum of squares about the mean, of each score."""
    return np.square(scores[rows] - scores[rows].mean(axis=0)).sum()


def grow_by_definition(rows, codes, nominal, scores, *, k, gain=0.0):
    """Return the leaves: of all cuts that leave k records on either side the one by which the squares fall most."""
    best, parts = gain * squares(rows, scores) / len(rows), None
    for column, is_name in zip(codes, nominal, strict=True):
        values = sorted({*column[rows].tolist()})
        lefts = (
            [s for size in range(1, len(values)) for s in combinations(values, size)]
            if is_name
            else [values[:i] for i in range(1, len(values))]
        )
        for left in lefts:
            goes = np.isin(column[rows], left)
            one, other = rows[goes], rows[~goes]
            if min(len(one), len(other)) >= k:
                fall = squares(rows, scores) - squares(one, scores) - squares(other, scores)
                if fall > best + 1e-9:
                    best, parts = fall, (one, other)
    if parts is None:
        return {frozenset(rows.tolist())}
    return set().union(*(grow_by_definition(part, codes, nominal, scores, k=k, gain=gain) for part in parts))


@pytest.mark.parametrize("gain", [0.0, 2.5])
@pytest.mark.parametrize("names", [False, True])
def test_each_cut_is_the_best_of_all(names, gain):
    """A number of 0 to 40, or two names; by two columns of numbers and one of four names."""
    draw = np.random.default_rng(12)
    widths = [6, 9, 5]
    codes = np.array([draw.integers(1, width, 40) for width in widths], dtype=np.uint8)
    codes[1, :4] = 0
    classes = (draw.integers(0, 20, 40) + 3 * codes[0] + 2 * (codes[2] % 3)).astype(np.int64)
    scores = np.arange(41.0)[:, np.newaxis]
    if names:
        classes, scores = (classes > 18).astype(np.int64), np.eye(2)
    tree = grow_tree(codes, widths, [False, False, True], classes, scores, 3, gain=gain)
    expected = grow_by_definition(np.arange(40), codes, [False, False, True], scores[classes], k=3, gain=gain)
    assert len(expected) > 1
    assert {frozenset(np.flatnonzero(tree.grown_on == leaf).tolist()) for leaf in range(tree.leaves)} == expected
    assert tree.find_leaves(codes).tolist() == tree.grown_on.tolist()


def test_a_leaf_has_k_records_and_no_fewer():
    """By hand: three of eight differ most; of four and four they can be cut no better than in the middle."""
    codes = np.arange(8, dtype=np.uint8)[np.newaxis]
    classes = np.array([0, 0, 0, 0, 0, 9, 9, 9])
    leaves = []
    for k in (3, 4, 5):
        tree = grow_tree(codes, [8], [False], classes, np.arange(10.0)[:, np.newaxis], k)
        leaves.append(tree.grown_on.tolist())
    assert leaves == [[0] * 5 + [1] * 3, [0] * 4 + [1] * 4, [0] * 8]
    # nothing is gained by cutting what is alike
    assert grow_tree(codes, [8], [False], np.zeros(8, dtype=np.int64), np.eye(2), 1).leaves == 1


@pytest.mark.parametrize(
    ("seen", "leaves"),
    [([1, 1, 1, 1, 2, 2], [0, 0, 1, 0]), ([1, 1, 2, 2, 2, 2], [1, 0, 1, 1]), ([1, 1, 1, 2, 2, 2], [0, 0, 1, 0])],
)
def test_a_code_that_was_never_seen_goes_where_most_records_go(seen, leaves):
    classes = np.array([int(code == 2) * 9 for code in seen])
    tree = grow_tree(np.array([seen], dtype=np.uint8), [4], [False], classes, np.arange(10.0)[:, np.newaxis], 1)
    assert tree.find_leaves(np.array([[0, 1, 2, 3]], dtype=np.uint8)).tolist() == leaves


def test_where_no_cut_gains_anything_the_most_even_one_is_made():
    """Two columns that tell the classes together only: x = y. Without `even` there is no cut, with it four leaves."""
    codes = np.array([[0, 0, 0, 1, 1, 1, 1, 0], [0, 0, 1, 1, 1, 0, 0, 1]], dtype=np.uint8)
    classes = (codes[0] == codes[1]).astype(np.int64)

    def take(active):
        def sum_cells(cells, size):
            counts = np.bincount(cells, minlength=size)
            ones = np.bincount(cells, weights=classes[active], minlength=size)
            return counts, ones[:, np.newaxis], counts

        return sum_cells

    assert grow_by_sums(codes, [2, 2], [False, False], take, 1).leaves == 1
    tree = grow_by_sums(codes, [2, 2], [False, False], take, 1, even=True)
    assert tree.leaves == 4
    assert grow_by_sums(codes, [2, 2], [False, False], take, 1, even=True, depth=1).leaves == 2
    for leaf in range(4):
        assert len({*classes[tree.grown_on == leaf].tolist()}) == 1


def test_codes_of_numbers():
    """A code a value up to 255 of them; of more, intervals of like frequency, which hold their upper ends."""
    values = np.arange(1.0, MOST + 1)
    coding = find_coding(np.append(values[::-1], np.nan), 0)
    assert coding.codes == MOST + 1
    assert coding.encode(values).tolist() == list(range(1, MOST + 1))
    # below the first value, between two, above the last, missing
    assert coding.encode(np.array([-9.0, 2.5, 1e9, np.nan])).tolist() == [1, 3, MOST, 0]
    many = find_coding(np.arange(2.0 * MOST), 0)  # two values each
    assert many.ends.tolist() == (2 * np.arange(MOST) + 1.0).tolist()
    assert many.encode(np.array([0.0, 1, 2, 3, 4, 508, 509])).tolist() == [1, 1, 2, 2, 3, 255, 255]
    more = find_coding(np.arange(MOST + 1.0), 0)  # 256 values: one code has two of them
    assert more.codes == MOST + 1
    counts = np.bincount(more.encode(np.arange(MOST + 1.0)))[1:]
    assert sorted(counts.tolist()) == [1] * (MOST - 1) + [2]
    assert find_coding(np.array([np.nan]), 0).encode(np.array([np.nan, 3.0])).tolist() == [0, 1]


def test_codes_of_names():
    """Each of up to 255 names has a code; of more the commonest 254, and all others the last one together."""
    few = find_coding(np.array([3.0, 1, 3, np.nan]), NOMINAL, most=4)
    assert (few.ends.tolist(), few.codes) == ([1, 2, 3, 4], 5)
    assert few.encode(np.array([4.0, np.nan, 1])).tolist() == [4, 0, 1]
    every = find_coding(np.arange(1.0, MOST + 1), NOMINAL, most=MOST)
    assert every.encode(np.array([1.0, 255])).tolist() == [1, 255]
    often = np.repeat(np.arange(1.0, MOST + 2), [1] + [2] * (MOST - 1) + [3])  # 256 names, the first the rarest
    coding = find_coding(often, NOMINAL, most=MOST + 1)
    assert coding.codes == MOST + 1
    # of those seen twice the last one shares the code of the rarest
    assert coding.encode(np.array([1.0, 2, 3, 254, 255, 256])).tolist() == [255, 1, 2, 253, 255, 254]
