"""The search finds what looking at every generalisation finds, and the optima that ARX proves on adult."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import duckdb
import numpy as np
import pytest
from random_lattices import random_problem
from sdc_sql.udfs.generalisation.lattice import best_generalisation, list_generalisations
from sdc_sql.udfs.generalisation.losses import LOSSES
from sdc_sql.udfs.generalisation.table import Table

from sdc_sql.mask.hierarchies import read_hierarchy

KEYS = (
    "sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation", "salary-class",
)  # fmt: skip


def measured(codes, hierarchies, levels, k):
    """Return the suppressed records and every loss of one generalisation, record by record from the definitions."""
    n, keys = len(codes[0]), len(codes)
    labels = [[int(h[v, level]) for v in code] for code, h, level in zip(codes, hierarchies, levels, strict=True)]
    cells = Counter(zip(*labels, strict=True))
    released = {cell: records for cell, records in cells.items() if records >= k}
    suppressed = n - sum(released.values())
    entropy, precision, shares = 0.0, 0.0, 1.0
    for code, label, h, level in zip(codes, labels, hierarchies, levels, strict=True):
        values, of_label = Counter(code.tolist()), Counter(label)
        entropy += sum(math.log2(of_label[b] / values[a]) for a, b in zip(code.tolist(), label, strict=True))
        share, reached = 0.0, 0.0
        for record in range(n):
            if cells[tuple(column[record] for column in labels)] < k:
                share, reached = share + 1, reached + 1
                continue
            together = sum(1 for row in h if row[level] == label[record])
            share += (together - 1) / max(len(h) - 1, 1)
            reached += level / max(h.shape[1] - 1, 1)
        shares *= 1 + share / n
        precision += reached / n / keys
    losses = {
        "precision": precision,
        "entropy": entropy,
        "generalised_loss": shares ** (1 / keys) - 1,
        "discernibility": sum(records**2 for records in released.values()) + suppressed * n,
        "average_class_size": n / (len(released) + (suppressed > 0)),
    }
    return suppressed, len(released), losses


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.one_in(4)
def test_equal_to_looking_at_every_node(seed):
    codes, counts, hierarchies = random_problem(seed)
    rng = np.random.default_rng(seed)
    k, allowed = int(rng.integers(1, 5)), int(rng.choice([0, 2, len(counts) // 3, len(counts)]))
    nodes = {
        levels: measured(codes, hierarchies, levels, k)
        for levels in itertools.product(*(range(h.shape[1]) for h in hierarchies))
    }
    for loss in LOSSES:
        found = list_generalisations(codes, counts, hierarchies, k, suppressed=allowed, loss=loss)
        assert [node.levels for node in found] == list(nodes)
        assert [(node.suppressed, node.cells) for node in found] == [of[:2] for of in nodes.values()]
        expected = [of[2][loss] for of in nodes.values()]
        np.testing.assert_allclose([node.loss for node in found], expected, rtol=1e-9, atol=1e-9)
        feasible = [node for node in found if node.suppressed in {0, *range(k, allowed + 1)}]
        assert feasible == [node for node in found if node.holds]
        if feasible:
            best = min(feasible, key=lambda node: (node.loss, sum(node.levels), node.levels))
            assert best_generalisation(codes, counts, hierarchies, k, suppressed=allowed, loss=loss) == best
        else:
            least = nodes[tuple(h.shape[1] - 1 for h in hierarchies)][0]
            with pytest.raises(ValueError, match=f"of every key {least} records are still"):
                best_generalisation(codes, counts, hierarchies, k, suppressed=allowed, loss=loss)


@pytest.fixture(scope="module")
def adult(shared):
    records = duckdb.connect().execute(f"FROM '{shared / 'data' / 'adult.parquet'}'").fetchnumpy()
    hierarchies = [read_hierarchy(shared / "data" / "adult_hierarchies" / f"{key}.csv") for key in KEYS]
    codes = [hierarchy.places(records[key].tolist()) for hierarchy, key in zip(hierarchies, KEYS, strict=True)]
    cells, counts = np.unique(np.stack(codes, axis=1), axis=0, return_counts=True)
    return list(cells.T), counts, [hierarchy.codes() for hierarchy in hierarchies]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("loss", "of", "expected", "levels"),
    [
        ("entropy", (100, 0.04), 379417.346, None),
        ("entropy", (5, 0.04), 255559.8546, (1, 0, 1, 1, 3, 2, 2, 0, 1)),
        ("entropy", (5, 0), 407289.539, None),
        ("entropy", (100, 0), 453196.893, None),
        ("generalised_loss", (5, 1), 0.2204119, (0, 3, 0, 0, 2, 1, 1, 1, 0)),
        ("generalised_loss", (5, 0.04), 0.2661108, (0, 3, 0, 1, 1, 1, 1, 2, 0)),
        ("discernibility", (5, 0.04), 7_220_555, (0, 0, 1, 2, 3, 2, 2, 1, 1)),
    ],
)
def test_optima_of_adult(adult, loss, of, expected, levels):
    """../shared/reference/README.md: ARX 3.9.2; discernibility by an exact search of our own, beside it."""
    k, share = of
    allowed = int(share * int(adult[1].sum()))
    best = best_generalisation(*adult, k, suppressed=allowed, loss=loss)
    assert best.loss == pytest.approx(expected, rel=2e-7)
    assert best.suppressed <= allowed
    assert levels in {None, best.levels}


@pytest.mark.slow
def test_every_node_of_adult(adult):
    nodes = list_generalisations(*adult, 5, suppressed=1206, loss="entropy")
    assert len(nodes) == 12_960
    best = min((node for node in nodes if node.holds), key=lambda node: node.rank)
    assert best == best_generalisation(*adult, 5, suppressed=1206, loss="entropy")
    (same,) = (node for node in nodes if node.levels == (1, 0, 1, 1, 3, 2, 2, 0, 1))
    assert 30_162 / (same.cells + 1) == pytest.approx(28.81, abs=0.005)  # the average class size there, by ARX


def test_neither_order_nor_counting_of_records_changes_it():
    codes, counts, hierarchies = random_problem(11)
    best = best_generalisation(codes, counts, hierarchies, 2, suppressed=3)
    turned = np.random.default_rng(1).permutation(len(counts))
    assert best_generalisation([code[turned] for code in codes], counts, hierarchies, 2, suppressed=3) == best
    cells, together = np.unique(np.stack(codes, axis=1), axis=0, return_counts=True)
    assert best_generalisation(list(cells.T), together, hierarchies, 2, suppressed=3) == best


def test_of_equal_losses_the_first_levels():
    pair = np.array([[0, 0], [1, 0]])
    codes = [np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])]
    for loss in LOSSES:  # one key must go, either will do
        assert best_generalisation(codes, np.ones(4, np.int64), [pair, pair], 2, loss=loss).levels == (0, 1)


def test_counts_with_no_room_beside_the_keys():
    """A word holds 63 bits: where keys and counts need more, the cells are sorted by their places."""
    codes, counts, hierarchies = random_problem(11)
    many = 2**54
    best = best_generalisation(codes, counts, hierarchies, 2, suppressed=3, loss="precision")
    large = best_generalisation(codes, counts * many, hierarchies, 2 * many, suppressed=3 * many, loss="precision")
    assert (large.levels, large.loss, large.suppressed) == (best.levels, best.loss, best.suppressed * many)


def test_progress_counts_every_node_once_and_may_end_the_search():
    for seed in range(20):
        codes, counts, hierarchies = random_problem(seed)
        calls = []
        allowed = len(counts)
        best_generalisation(
            codes, counts, hierarchies, 2, suppressed=allowed, progress=lambda *of, calls=calls: calls.append(of)
        )
        nodes = math.prod(h.shape[1] for h in hierarchies)
        assert calls[-1] == (nodes, nodes)
        assert [done for done, _ in calls] == sorted({done for done, _ in calls})

    def stop(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        best_generalisation(codes, counts, hierarchies, 2, suppressed=3, progress=stop)


PAIR = np.array([[0, 0], [1, 0]])


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"loss": "entropie"}, "the loss is 'entropie'; expected one of precision, entropy"),
        ({"codes": []}, "there are 0 keys and 1 hierarchies"),
        ({"codes": [np.array([0])]}, r"must have the shape \(n,\)"),
        ({"codes": [np.array([0, 2, 1])]}, "no row of its hierarchy"),
        ({"codes": [np.array([0, -1, 1])]}, "no row of its hierarchy"),
        ({"counts": np.array([1, 0, 2])}, "count of a cell is below 1"),
        ({"hierarchies": [np.zeros(2, int)]}, r"expected \(values, levels\)"),
        ({"hierarchies": [np.array([[0, 0], [0, 0]])]}, "a value stands twice"),
        ({"hierarchies": [np.array([[0, 0, 0], [1, 0, 1]])]}, "no coarsening"),
        ({"hierarchies": [np.array([[0, 0, 0], [1, 1, 0], [2, 1, 1], [3, 2, 1]])]}, "no coarsening"),
        ({"hierarchies": [np.array([[0, 0, 0], [1, 1, 0], [2, 0, 1]])]}, "no coarsening"),
        ({"k": 0}, "k is 0 and there are 4 records"),
        ({"k": 5}, "k is 5 and there are 4 records"),
        ({"suppressed": -1}, "-1 records may be suppressed of 4"),
        ({"suppressed": 5}, "5 records may be suppressed of 4"),
    ],
)
def test_what_cannot_be_searched(changed, complaint):
    given = {"codes": [np.array([0, 1, 1])], "counts": np.array([1, 1, 2]), "hierarchies": [PAIR], "k": 2} | changed
    with pytest.raises(ValueError, match=complaint):
        best_generalisation(**given)


def test_keys_that_fit_in_no_word():
    wide = np.stack([np.arange(1024), np.zeros(1024, int)], axis=1)
    code = np.array([0, 1, 2])
    with pytest.raises(ValueError, match="the keys take 70 bits together and 63 are the most"):
        best_generalisation([code] * 7, np.ones(3, np.int64), [wide] * 7, 2)
    assert best_generalisation([code] * 6, np.ones(3, np.int64), [wide] * 6, 2).levels == (1,) * 6


@pytest.mark.parametrize(
    ("codes", "counts", "trees", "complaint"),
    [
        ([], [1, 1], [], "0 keys and 0 hierarchies: give one for each key"),
        ([[0, 1]], [1, 1], [PAIR, PAIR], "1 keys and 2 hierarchies: give one for each key"),
        ([[0, 1], [0]], [1, 1], [PAIR, PAIR], "must have the shape"),
        ([[0, 1]], [[1, 1]], [PAIR], "must have the shape"),
        ([[0, 1]], [1, 1], [np.empty((2, 0))], "expected .values, levels."),
    ],
)
def test_what_does_not_fit_together_is_no_table(codes, counts, trees, complaint):
    with pytest.raises(ValueError, match=complaint):
        Table([np.array(code) for code in codes], np.array(counts), [np.asarray(tree) for tree in trees])
