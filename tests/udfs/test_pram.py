"""PRAM's guarantee: the exact probability of a correct match, against enumeration and the paper's figures."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sdc_sql.udfs.pram.correct_match import correct_match


def theta_of(xi: float) -> float:
    """Return the root in (0, 2/3] of (1 - theta) / (1 - theta + theta^2) = xi (Nayak, Result 1)."""
    return float(np.roots([xi, 1 - xi, xi - 1]).max())


def enumerated(frequencies: list[int], theta: float, target: int, most: int) -> list[float]:
    """Return P(CM | S = a) for a record of cell `target`, over every way the records can be released."""
    k = len(frequencies)
    records = [c for c, t in enumerate(frequencies) for _ in range(t)]
    at = records.index(target)
    chance = {}
    for c, t in enumerate(frequencies):
        chance[c] = [1 - theta / t if d == c else theta / ((k - 1) * t) for d in range(k)]
    matched, seen = [0.0] * (most + 1), [0.0] * (most + 1)
    for released in itertools.product(range(k), repeat=len(records)):
        p = float(np.prod([chance[c][d] for c, d in zip(records, released, strict=True)]))
        a = released.count(target)
        if 1 <= a <= most:
            seen[a] += p
            matched[a] += p / a if released[at] == target else 0
    return [m / s if s else 0.0 for m, s in zip(matched[1:], seen[1:], strict=True)]


@pytest.mark.parametrize("frequencies", [[1, 1], [1, 1, 1], [1, 2, 1], [2, 2], [1, 1, 2, 2], [3, 1, 1], [4, 1]])
@pytest.mark.parametrize("theta", [0.25, 0.4, 2 / 3])
def test_equal_to_enumeration_of_all_releases(frequencies, theta):
    most = 3
    distinct = sorted(set(frequencies))
    found = correct_match(distinct, [frequencies.count(t) for t in distinct], theta, most)
    for i, t in enumerate(distinct):
        expected = enumerated(frequencies, theta, frequencies.index(t), most)
        reached = [e for e in expected if e]
        assert found[i][: len(reached)] == pytest.approx(reached, rel=1e-12)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(st.integers(1, 400), st.integers(1, 3000)), min_size=1, max_size=6, unique_by=lambda c: c[0]),
    st.floats(3 / 7, 0.999),
)
def test_the_guarantee_holds_for_every_cell_and_a(cells, xi):
    # Result 2: for xi >= 1/2, or k >= 3, every probability is at most xi
    t, n = zip(*cells, strict=True)
    if sum(n) < 3:
        return
    theta = theta_of(xi)
    found = correct_match(t, n, theta, most=8)
    assert (found <= xi + 1e-12).all()
    t = np.array(t)
    psi = (t - theta) / (t * (t - theta) + theta**2)  # Nayak, (10)
    assert (found[:, 0] <= psi + 1e-12).all()


def test_formula_9_for_a_unique_match():
    t, n, theta = np.array([1.0, 2, 7]), np.array([4.0, 3, 2]), 0.35
    k = n.sum()
    weight = theta / ((k - 1) * t)
    beta = weight / (1 - weight)
    for i in range(t.size):
        own = (1 - theta / t[i]) / (theta / t[i])
        others = (n * beta * t).sum() - beta[i] * t[i]
        expected = 1 / (t[i] + others / own)  # Nayak, (9)
        assert correct_match(t, n, theta, 1)[i, 0] == pytest.approx(expected, rel=1e-12)


def test_millions_of_cells():
    found = correct_match([1, 2, 3, 50, 10_000], [3_000_000, 700_000, 200_000, 5_000, 10], theta_of(0.8), most=10)
    assert found.max() <= 0.8
    assert np.isfinite(found).all()


def test_thousands_of_distinct_frequencies():
    t, theta = np.arange(1.0, 3001), 0.4
    n = np.ceil(10_000 / t**2)
    found = correct_match(t, n, theta, most=10)
    # Nayak, (9), with sums over all cells less the target's
    weight = theta / ((n.sum() - 1) * t)
    each = t * weight / (1 - weight)
    own = theta / (t - theta)
    # absolutely: logarithms of the order of 10,000 leave 1e-12 of a ratio, at probabilities of 1 / T
    np.testing.assert_allclose(found[:, 0], 1 / (t + own * ((n * each).sum() - each)), rtol=0, atol=1e-13)
    assert (found <= 1 / np.arange(1, 11)).all()
    # the same cells listed otherwise: two rows of one frequency are alike
    split = correct_match([1, 1, 7], [2, 3, 4], theta)
    np.testing.assert_allclose(split[[0, 2]], correct_match([1, 7], [5, 4], theta), rtol=1e-13)
    np.testing.assert_allclose(split[0], split[1], rtol=1e-13)


def test_the_ends_of_theta():
    # nobody leaves: a cell of T records is released with T, and a match is right with 1 / T
    np.testing.assert_array_equal(correct_match([1, 3], [2, 2], 0, most=3), [[1, 0, 0], [0, 0, 1 / 3]])
    # theta 1: the only record of a cell never stays, so that no match is right
    found = correct_match([1, 2], [2, 1], 1, most=2)
    np.testing.assert_array_equal(found[0], [0, 0])
    assert found[1] == pytest.approx(enumerated([1, 1, 2], 1, 2, 2), rel=1e-12)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1], [3], 1.5), r"theta is 1\.5"),
        (([1], [3], -0.1), r"theta is -0\.1"),
        (([1], [3], float("nan")), "theta is nan"),
        (([1], [3], 0.4, 0), "most is 0"),
        (([1, 2], [3], 0.4), r"shapes \(2,\) and \(1,\)"),
        (([[1, 2]], [[3, 4]], 0.4), r"shapes \(1, 2\)"),
        (([1, float("nan")], [3, 4], 0.4), "at least two"),
    ],
)
def test_what_does_not_fit_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        correct_match(*arguments)


@pytest.mark.parametrize("cells", [([1], [1]), ([], []), ([0, 1], [1, 1]), ([1, 2], [0, 1])])
def test_too_few_cells_are_refused(cells):
    with pytest.raises(ValueError, match="at least two"):
        correct_match(*cells, 0.3)
