"""Generalisations under further conditions: equal to looking at every one, record by record from the definitions."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict

import numpy as np
import pytest
from random_lattices import random_problem
from sdc_sql.udfs.generalisation.conditions import Groups, Outside, Sensitive
from sdc_sql.udfs.generalisation.functions import generalisations
from sdc_sql.udfs.generalisation.lattice import best_generalisation, judge_generalisation, list_generalisations
from sdc_sql.udfs.generalisation.losses import LOSSES


def diverse(values, l, kind, c):  # noqa: E741
    """Machanavajjhala et al. (2007), definitions 4.1 and 4.2."""
    down = sorted(Counter(values).values(), reverse=True)
    if kind == "distinct":
        return len(down) >= l
    if kind == "entropy":
        entropy = -sum(n / len(values) * math.log(n / len(values)) for n in down)
        return math.exp(entropy) >= l * (1 - 1e-12)
    return down[0] < c * sum(down[int(l) - 1 :]) * (1 - 1e-12)


def far(values, every, kind):
    """Li et al. (2007), section 4."""
    p, q, m = Counter(values), Counter(every), max(every) + 1
    differences = [p[v] / len(values) - q[v] / len(every) for v in range(m)]
    if kind == "equal":
        return sum(map(abs, differences)) / 2
    return sum(map(abs, itertools.accumulate(differences))) / max(m - 1, 1)


def asked_of(rng, secret):
    kinds = {"l": None, "t": None}
    if rng.random() < 0.7:
        kinds |= {"l": float(rng.integers(2, 4)), "diversity": str(rng.choice(["distinct", "entropy", "recursive"]))}
        kinds["c"] = float(rng.choice([1.0, 2.0, 3.5]))
    if rng.random() < 0.5 or kinds["l"] is None:
        kinds |= {"t": float(rng.choice([0.1, 0.3, 0.5])), "distance": str(rng.choice(["equal", "ordered"]))}
    return Sensitive(secret, **kinds)


def judged(records, asked, every, k, persons=None):
    """Return whether records released alike are as is asked; persons: those outside and the least."""
    secrets = [secret for _, secret in records]
    return (
        len(records) >= k
        and (persons is None or persons[0] >= persons[1] * (1 - 1e-12))
        and (asked is None or asked.l is None or diverse(secrets, asked.l, asked.diversity, asked.c))
        and (asked is None or asked.t is None or far(secrets, every, asked.distance) <= asked.t + 1e-12)
    )


@pytest.mark.parametrize("seed", range(80))
@pytest.mark.one_in(40)
def test_equal_to_looking_at_every_one(seed):
    rng = np.random.default_rng(seed)
    codes, counts, hierarchies = random_problem(seed)
    n, k = len(counts), int(rng.integers(1, 4))
    allowed = int(rng.choice([0, 2, n // 3, n]))
    secret = np.unique(rng.integers(0, 4, n), return_inverse=True)[1]
    asked = asked_of(rng, secret) if seed % 3 else None
    outside = None
    if seed % 2 or asked is None:
        people = int(rng.integers(5, 60))
        outside = Outside(
            [rng.integers(0, len(h), people) for h in hierarchies],
            rng.choice([1.0, 1.0, 2.7], people),
            float(rng.choice([1, 2.7, 4])),
        )
    given = {"sensitive": asked, "outside": [] if outside is None else [outside]}
    for loss in LOSSES:
        found = list_generalisations(codes, counts, hierarchies, k, suppressed=allowed, loss=loss, **given)
        for node in found:
            labels = list(
                zip(*(h[c, at] for h, c, at in zip(hierarchies, codes, node.levels, strict=True)), strict=True)
            )
            cells = defaultdict(list)
            for label, value in zip(labels, secret.tolist(), strict=True):
                cells[label].append((label, value))
            persons = Counter()
            if outside is not None:
                others = zip(
                    *(h[c, at] for h, c, at in zip(hierarchies, outside.codes, node.levels, strict=True)), strict=True
                )
                for label, amount in zip(others, outside.amounts.tolist(), strict=True):
                    persons[label] += amount
            lost = {
                cell
                for cell, of in cells.items()
                if not judged(of, asked, secret.tolist(), k, outside and (persons[cell], outside.least))
            }
            gone = [record for cell in lost for record in cells[cell]]
            holds = not gone or (len(gone) <= allowed and judged(gone, asked, secret.tolist(), k))
            assert (node.suppressed, node.cells, node.holds) == (len(gone), len(cells) - len(lost), holds)
            if loss == "precision" and holds:
                at = judge_generalisation(codes, counts, hierarchies, k, node.levels, suppressed=allowed, **given)
                assert [labels[i] in lost for i in range(n)] == np.isin(np.arange(n), at).tolist()
        feasible = [node for node in found if node.holds]
        if feasible:
            best = best_generalisation(codes, counts, hierarchies, k, suppressed=allowed, loss=loss, **given)
            assert best == min(feasible, key=lambda node: node.rank)
        else:
            with pytest.raises(ValueError, match="or otherwise than is asked"):
                best_generalisation(codes, counts, hierarchies, k, suppressed=allowed, loss=loss, **given)


@pytest.mark.parametrize("loss", ["discernibility", "average_class_size"])
def test_losses_where_cells_above_k_are_suppressed(loss):
    codes, counts, hierarchies = random_problem(3)
    given = {"suppressed": len(counts), "sensitive": Sensitive(np.arange(len(counts)) // 5 % 2, l=2)}
    for node in list_generalisations(codes, counts, hierarchies, 2, loss=loss, **given):
        if node.holds:
            lost = judge_generalisation(codes, counts, hierarchies, 2, node.levels, **given)
            labels = np.stack([h[c, at] for h, c, at in zip(hierarchies, codes, node.levels, strict=True)], axis=1)
            of = np.unique(np.delete(labels, lost, axis=0), axis=0, return_counts=True)[1]
            squares, average = (of**2).sum() + len(lost) * len(counts), len(counts) / (len(of) + bool(len(lost)))
            assert node.loss == pytest.approx(squares if loss == "discernibility" else average)
            assert len(of) == node.cells


def test_distances_of_the_paper():
    """Li et al. (2007), section 4.3: {3, 4, 5}k is 0.375 and {6, 8, 11}k 0.167 from nine salaries of 3k to 11k."""
    values = np.array([0, 1, 2, 3, 5, 8])
    groups = Groups.make(np.array([0, 0, 0, 1, 1, 1]), values, np.ones(6, dtype=np.int64))
    whole = np.ones(9, dtype=np.int64)
    np.testing.assert_allclose(groups.measure_ordered_distance(whole), [0.375, 1 / 6])
    np.testing.assert_allclose(groups.measure_equal_distance(whole), [2 / 3, 2 / 3])


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"diversity": "many"}, "diversity is 'many'"),
        ({"distance": "far"}, "distance is 'far'"),
        ({"l": 0.5}, "l is 0.5"),
        ({"l": 2.5, "diversity": "recursive"}, "must be a whole number"),
        ({"c": 0.0}, "c is 0.0"),
        ({"t": 1.5}, "t is 1.5"),
    ],
)
def test_what_cannot_be_asked(changed, complaint):
    with pytest.raises(ValueError, match=complaint):
        Sensitive(np.array([0, 1]), **changed)


def test_groups_that_fail_are_those_of_the_definitions():
    rng = np.random.default_rng(9)
    boundary = [[0, 0, 1], [0, 0, 0, 1, 1, 2], [0, 1, 2, 3], [2, 2]]  # 2 < 2 (1) and 3 < 1 (3) hold not
    of = [*boundary, *(rng.choice(4, rng.integers(1, 9), p=[0.5, 0.25, 0.15, 0.1]).tolist() for _ in range(30))]
    every = [v for values in of for v in values]
    rows = [(g, v, n) for g, values in enumerate(of) for v, n in Counter(values).items()]
    order = rng.permutation(len(rows))
    words, values, counts = np.array(rows)[order].T
    groups, whole = Groups.make(words, values, counts), np.bincount(every)
    for diversity, l, c in (  # noqa: E741
        ("distinct", 2.5, 1.0), ("distinct", 3.0, 1.0), ("entropy", 2.0, 1.0), ("entropy", 1.9, 1.0),
        ("recursive", 2.0, 2.0), ("recursive", 2.0, 1.0), ("recursive", 3.0, 3.5), ("recursive", 1.0, 1.0),
    ):  # fmt: skip
        found = groups.find_failing(Sensitive(np.array(every), l=l, diversity=diversity, c=c), whole)
        expected = [not (diverse(own, l, diversity, c) and len({*own}) >= math.ceil(l)) for own in of]
        assert found.tolist() == expected, (diversity, l, c)
        assert len({*expected}) == 2 or (diversity, l) == ("recursive", 1.0)
    few = Groups.make(np.array([0, 0, 0, 1]), np.array([1, 0, 1, 0]), np.array([1, 2, 3, 4]))  # in order but for values
    assert (few.distinct.tolist(), few.sizes.tolist(), few.counts.tolist()) == ([2, 1], [6, 4], [2, 4, 4])
    for distance in ("equal", "ordered"):
        for t in (0.2, far(of[5], every, distance), far(of[7], every, distance) - 1e-9):
            found = groups.find_failing(Sensitive(np.array(every), t=t, distance=distance), whole)
            assert found.tolist() == [far(own, every, distance) > t + 1e-12 for own in of], (distance, t)


def test_weights_and_a_population_by_hand():
    """Cells of 1, 2, 3, 4 records, in pairs on the next level, all together on the last; 3 of the 10 may be lost."""
    levels = [[0, 1, 2, 3], [0, 0, 1, 1], [0, 0, 0, 0]]
    ladders = np.array([[0, leaf, at, labels[leaf]] for at, labels in enumerate(levels) for leaf in range(4)])
    asked = {"k": 3.0, "share": 0.3, "l": None, "t": None, "population_k": None, "threshold": None}
    people = np.array([[0, leaf, n] for leaf, n in enumerate([5.0, 1, 6, 3])])
    weights = np.array([[1, leaf, n] for leaf, n in enumerate([2.0, 2.5, 1, 9])])

    def listed(outside, **more):
        rows = generalisations(np.arange(4.0)[:, None], np.arange(1.0, 5), ladders, None, outside, asked | more, None)
        assert [(row[0], row[4]) for row in rows] == [(0, at) for at in range(3)]
        return [(*row[1:4].astype(int).tolist(), sorted(map(tuple, row[5:].reshape(-1, 3).tolist()))) for row in rows]

    top = (0, 1, 1, [(10, 1, 0)])
    assert listed(None) == [(3, 2, 1, [(3, 1, 0), (3, 1, 1), (4, 1, 0)]), (0, 2, 1, [(3, 1, 0), (7, 1, 0)]), top]
    pairs = (0, 2, 1, [(3, 1, 0), (7, 1, 0)])
    assert listed(weights, threshold=4.5) == [(6, 1, 0, [(4, 1, 0), (6, 1, 1)]), pairs, top]  # 2 + 2.5 are enough
    assert listed(weights, threshold=4.6)[1] == (3, 1, 1, [(3, 1, 1), (7, 1, 0)])
    assert listed(people, population_k=6.0) == [(7, 1, 0, [(3, 1, 0), (7, 1, 1)]), pairs, top]
    assert listed(people, population_k=7.0)[1] == (3, 1, 1, [(3, 1, 1), (7, 1, 0)])
    both = listed(np.concatenate([people, weights]), population_k=6.0, threshold=4.5)
    assert [row[:3] for row in both] == [(10, 0, 0), (0, 2, 1), (0, 1, 1)]
    for more, words in (
        ({"threshold": 0.0}, "threshold is 0.0: it must be positive"), ({"threshold": np.inf}, "threshold is inf"),
        ({}, "weight and threshold go together"), ({"threshold": 1.0, "population_k": 2.0}, "population and popul"),
        ({"threshold": 1.0, "share": -0.1}, "suppression is -0.1"), ({"threshold": 1.0, "share": 1.01}, "1.01"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=words):
            listed(weights, **more)
