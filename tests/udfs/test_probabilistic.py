"""Agreement counted by every pair, and EM against theory, the likelihood's slopes and another program."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest
from sdc_sql.udfs.linkage.latent import estimate_latent, patterns, probabilities, shares, weights
from sdc_sql.udfs.linkage.probabilistic import probabilistic_linkage

# what the PyPI package recordlinkage 0.16 estimates from these pairs with each pattern of four variables:
# ECMClassifier(init="jaro", atol=1e-13, max_iter=100000), which stops where values change by less than 1e-5 of them
COUNTS = [5230, 1418, 2610, 722, 590, 180, 301, 123, 1290, 371, 655, 242, 149, 96, 133, 890]
RECORDLINKAGE = (
    0.07391170582148464,
    [0.9370481858906896, 0.9401247663614766, 0.9320455807037199, 0.9549139305498292],
    [0.2161865537757951, 0.33356838303114483, 0.10284576012768981, 0.199211403822655],
)
WEIGHTS = [  # natural logarithms, of disagreement and agreement
    (-2.521801462458244, 1.466592996807055), (-2.40967457632999, 1.0361647057213101),
    (-2.5803906221270445, 2.204151328418499), (-2.8770236699377993, 1.567254619722923),
]  # fmt: skip


def files(draw, old, new, variables):
    """Return columns with ties and missing values: two of categories, then numbers; blocks; which file."""
    rows = old + new
    columns = np.array([
        draw.integers(0, 4, rows), draw.integers(0, 3, rows), np.round(draw.normal(size=rows), 1),
        draw.integers(0, 30, rows), draw.integers(0, 20, rows),
    ], dtype=float)[:variables]  # fmt: skip
    columns[draw.random(columns.shape) < 0.05] = np.nan
    blocks = draw.integers(0, 2, rows).astype(float)
    blocks[3] = np.nan
    return columns, blocks, np.repeat([1.0, 0.0], [old, new])


@pytest.mark.parametrize("variables", [3, 4, 5])
def test_agreement_by_every_pair(variables):
    """One, two and three numbers within a tolerance; blocks; the candidates of each record, and its own original."""
    draw = np.random.default_rng(variables)
    columns, blocks, first = files(draw, 40, 55, variables)
    tolerances = np.array([0.3, 2, 3])[: variables - 2]
    persons = np.concatenate([draw.permutation(40), draw.permutation(60)[:55]]).astype(float)
    found = probabilistic_linkage(columns, 2, tolerances, blocks, first, persons, np.ones(len(persons)))
    limits = np.array([0, 0, *tolerances])
    counts, true = np.zeros(2**variables), np.zeros(2**variables)
    weight = found[7].round(9)
    for r in range(40, 95):
        of = {}
        for o in np.flatnonzero(blocks[:40] == blocks[r]):
            agree = np.abs(columns[:, r] - columns[:, o]) <= limits + 1e-9
            pattern = int(agree @ (1 << np.arange(variables)))
            counts[pattern] += 1
            true[pattern] += persons[o] == persons[r]
            of[o] = weight[pattern]
        best = [o for o, w in of.items() if w == max(of.values())]
        assert found[9][r] == len(best)
        assert found[10][r] == any(persons[o] == persons[r] for o in best)
    assert found[5].tolist() == counts.tolist()
    assert found[6].tolist() == true.tolist()
    assert np.isnan(found[9][:40]).all()


def test_a_row_that_stands_for_several_is_as_these():
    """Persons of the original who are not released need no rows of their own."""
    draw = np.random.default_rng(7)
    columns, blocks, first = files(draw, 60, 40, 4)
    persons = np.r_[np.arange(40.0), np.full(20, 40), np.arange(40)]
    times = np.r_[np.ones(40), draw.integers(1, 5, 20), np.ones(40)].astype(int)
    one, several = (
        probabilistic_linkage(
            *(columns[:, rows], 2, np.array([0.3, 2]), blocks[rows], first[rows], persons[rows]), weights
        )
        for rows, weights in ((np.arange(100), times * 1.0), (np.repeat(np.arange(100), times), np.ones(times.sum())))
    )
    for mine, its in zip(one[:8], several[:8], strict=True):
        assert mine.tolist() == its.tolist()
    for mine, its in zip(one[8:], several[8:], strict=True):
        assert mine[-40:].tolist() == its[-40:].tolist()


def test_with_the_true_m_and_u_the_weights_are_those_of_the_true_pairs():
    counts = np.array([40.0, 8, 8, 4, 8, 4, 4, 4])
    true = np.array([0.0, 0, 0, 1, 0, 1, 1, 3])
    found = shares(counts, true)
    assert found.m == pytest.approx([5 / 6] * 3)
    assert found.u == pytest.approx([15 / 74] * 3)
    assert weights(found.m, found.u)[7] == pytest.approx(3 * np.log2(5 / 6 * 74 / 15))


def test_em_is_where_the_likelihood_has_no_slope_and_as_recordlinkage_has_it():
    counts = np.array(COUNTS, dtype=float)
    found = estimate_latent(counts, 0.01)
    p, m, u = RECORDLINKAGE
    assert found.p == pytest.approx(p, rel=2e-5)
    assert found.m == pytest.approx(m, rel=2e-5)
    assert found.u == pytest.approx(u, rel=2e-5)
    w = weights(found.m, found.u) * np.log(2)
    every = sum(no for no, _ in WEIGHTS)
    assert w[0] == pytest.approx(every, rel=2e-5)
    assert [w[1 << j] - w[0] for j in range(4)] == pytest.approx([yes - no for no, yes in WEIGHTS], rel=2e-5)
    slopes = gradient(found.p, found.m, found.u) @ (counts / likelihood(found.p, found.m, found.u))
    assert np.abs(slopes / counts.sum()).max() < 1e-7
    assert estimate_latent(counts, 0.4).m == pytest.approx(found.m, abs=1e-6)  # wherever it begins


@pytest.mark.skipif(importlib.util.find_spec("recordlinkage") is None, reason="needs the PyPI package recordlinkage")
def test_recordlinkage_itself():
    import pandas as pd  # noqa: PLC0415
    import recordlinkage  # noqa: PLC0415

    rows = np.repeat(patterns(4), COUNTS, axis=0)
    index = pd.MultiIndex.from_arrays([range(len(rows)), range(len(rows))])
    other = recordlinkage.ECMClassifier(init="jaro", atol=1e-13, max_iter=100000)
    other.fit(pd.DataFrame(rows, columns=list("abcd"), index=index))
    found = estimate_latent(np.array(COUNTS, dtype=float), 0.1)
    assert found.p == pytest.approx(other.p, rel=2e-5)
    assert found.m == pytest.approx([other.m_probs[v][1] for v in "abcd"], rel=2e-5)
    assert found.u == pytest.approx([other.u_probs[v][1] for v in "abcd"], rel=2e-5)


def likelihood(p, m, u):
    return p * probabilities(patterns(len(m)), m) + (1 - p) * probabilities(patterns(len(m)), u)


def gradient(p, m, u):
    """Return the derivatives of each pattern's probability by p, m and u; shape (2k + 1, 2^k)."""
    of = patterns(len(m))
    a, b = probabilities(of, m), probabilities(of, u)
    by_m = [p * a * (of[:, j] / m[j] - (1 - of[:, j]) / (1 - m[j])) for j in range(len(m))]
    by_u = [(1 - p) * b * (of[:, j] / u[j] - (1 - of[:, j]) / (1 - u[j])) for j in range(len(u))]
    return np.array([a - b, *by_m, *by_u])


def standard_errors(p, m, u, pairs):
    """Return those of the maximum likelihood estimates, by the information matrix."""
    slopes = gradient(p, m, u)
    return np.sqrt(np.diag(np.linalg.inv((slopes / likelihood(p, m, u)) @ slopes.T)) / pairs)


@pytest.mark.parametrize("seed", range(6))
def test_p_m_and_u_within_three_standard_errors_on_generated_files(seed):
    """3,000 blocks of one original and four released records, one of them its own, its values drawn again at times.

    A value drawn again agrees with probability 1 / categories, as those of all others do. So pairs are independent, as
    the information matrix has it: all categories are equally likely, and no released record is in two pairs.
    """
    draw, blocks = np.random.default_rng(seed), 3000
    kinds, again = np.array([2, 4, 7, 12, 20]), np.array([0.1, 0.05, 0.1, 0.2, 0.3])
    old = draw.integers(0, kinds[:, None], (5, blocks))
    new = draw.integers(0, kinds[:, None, None], (5, 4, blocks))
    new[:, 0] = np.where(draw.random(old.shape) < again[:, None], new[:, 0], old)
    columns = np.hstack([old, new.reshape(5, -1)]).astype(float)
    persons, first = np.arange(5.0 * blocks), np.repeat([1.0, 0.0], [blocks, 4 * blocks])
    persons[blocks:] -= blocks  # of the first released record of a block that of the original
    (p, _), m, u, *_ = probabilistic_linkage(
        columns, 5, np.array([]), np.tile(np.arange(float(blocks)), 5), first, persons, np.ones(len(persons))
    )
    truth = 0.25, 1 - again + again / kinds, 1 / kinds
    errors = standard_errors(*truth, 4 * blocks)
    distances = (np.concatenate([[p], m, u]) - np.concatenate([[truth[0]], truth[1], truth[2]])) / errors
    assert np.abs(distances).max() < 3
    assert errors.max() < 0.02  # a bound that means something


def test_matched_and_unmatched_do_not_change_places():
    """A variable that agrees more often in unmatched pairs (m 0.2, u 0.5) gets the weight 0; the others stay."""
    m, u = np.array([0.9, 0.95, 0.9, 0.85, 0.2]), np.array([0.1, 0.2, 0.1, 0.3, 0.5])
    counts = 1e6 * likelihood(0.05, m, u)
    for begin in (0.001, 0.05, 0.5):
        found = estimate_latent(counts, begin)
        assert found.m[4] == found.u[4] == pytest.approx(0.485)
        assert (found.m[:4] > found.u[:4]).all()
        assert found.p == pytest.approx(0.05, abs=0.01)


@pytest.mark.parametrize(("m", "p"), [((0.95, 0.95, 0.93), 1e-3), ((0.8, 0.9, 0.7), 1e-4), ((0.55, 0.6, 0.5), 1e-2)])
def test_three_variables_that_tell_little_have_a_maximum_within_few_steps(m, p):
    """Seven probabilities and seven shares: where these are of the model the fitted ones are the observed ones."""
    counts = 1e10 * likelihood(p, np.array(m), np.array([0.5, 0.5, 1 / 3]))
    found = estimate_latent(counts, 1e-5)
    assert found.steps < 400
    assert likelihood(found.p, found.m, found.u) == pytest.approx(counts / counts.sum(), rel=1e-9)
    assert found.m == pytest.approx(m, rel=1e-3)
    assert found.p == pytest.approx(p, rel=1e-3)


def test_a_maximum_where_a_variable_always_agrees():
    """A pattern fewer than the model allows: m of the first variable is 1, and no step changes anything."""
    counts = 1e6 * likelihood(0.001, np.array([0.979, 0.965, 0.999]), np.array([0.5, 0.5, 1 / 3]))
    counts[3] *= 0.9998
    found = estimate_latent(counts, 0.001)
    assert found.steps < 400
    assert found.m[2] == pytest.approx(1)
    slopes = gradient(found.p, found.m, found.u) @ (counts / likelihood(found.p, found.m, found.u)) / counts.sum()
    assert np.abs(np.delete(slopes, 3)).max() < 1e-6
    assert slopes[3] > 0  # it would be more than 1


def test_what_does_not_tell_pairs_apart_is_an_error():
    with pytest.raises(ValueError, match="2 variables do not tell matched pairs from others"):
        estimate_latent(np.array([10.0, 2, 3, 5]), 0.1)
    independent = 1e6 * probabilities(patterns(3), np.array([0.1, 0.2, 0.3]))
    with pytest.raises(ValueError, match="do not tell matched pairs from others"):
        estimate_latent(independent, 0.1)


def test_wrong_arguments():
    columns, blocks, first = files(np.random.default_rng(1), 10, 10, 3)
    persons = np.tile(np.arange(10.0), 2)
    ones = np.ones(20)
    for tolerance in (-1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match="tolerance must be"):
            probabilistic_linkage(columns, 2, np.array([tolerance]), blocks, first, persons, ones)
    with pytest.raises(ValueError, match="no record of the released table is in the block of its original"):
        probabilistic_linkage(columns, 2, np.array([1.0]), first, first, persons, ones)
