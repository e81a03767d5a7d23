"""Generalisations under further conditions: equal to looking at every one, record by record from the definitions."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict

import numpy as np
import pytest
from random_lattices import random_problem
from sdc_sql.udfs.generalisation.conditions import Groups, Outside, Sensitive
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
