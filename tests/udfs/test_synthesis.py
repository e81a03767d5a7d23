"""What the methods that draw columns anew do with given uniform numbers: donors, and the odds of candidates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from sdc_sql.udfs.synthesis.by_regression import fit_means, fit_scores
from sdc_sql.udfs.synthesis.by_table import _compute_connection
from sdc_sql.udfs.synthesis.candidates import fit_odds
from sdc_sql.udfs.synthesis.columns import Before, Drawn
from sdc_sql.udfs.synthesis.donors import Groups
from sdc_sql.udfs.synthesis.draws import order_words

RNG = np.random.default_rng(2)


@dataclass
class Given:
    """Uniform numbers, of each draw."""

    numbers: dict[int, np.ndarray]

    def draw(self, j):
        return self.numbers[j]


def columns(*values):
    """Return columns of numbers as they explain, of the records that are fitted to, and as those that are drawn."""
    before = Before.make(len(values), len(values[0]))
    for column in values:
        before.add(column, column, 0)
    drawn = Drawn.make(before, len(values[0]))
    for column in values:
        drawn.add(column)
    return before, drawn


@pytest.mark.parametrize("k", [1, 3, 5])
def test_donors_are_the_k_whose_predicted_means_are_nearest(k):
    a, b = RNG.normal(size=30), RNG.lognormal(size=30)
    y = 3 * a - b + RNG.normal(size=30)
    before, drawn = columns(a, b)
    design = np.column_stack([np.ones(30), a, b])
    means = design @ np.linalg.lstsq(design, y, rcond=None)[0]
    find, taken = fit_means(before, y, k), [set() for _ in range(30)]
    for u in np.linspace(0, 0.999, 4 * k):
        for i, donor in enumerate(find(drawn, Given({0: np.full(30, u)}))):
            taken[i].add(int(donor))
    for i, donors in enumerate(taken):
        assert donors == {*np.argsort(np.abs(means - means[i]))[:k].tolist()}, i


def test_a_normal_score_without_relations_is_the_donors_rank():
    y = RNG.permutation(np.arange(20.0) ** 2)
    before, _ = columns(np.zeros(20))
    drawn = Drawn.make(before, 20)
    drawn.add(np.zeros(20))
    uniforms = (np.arange(20) + 0.5) / 20
    assert y[fit_scores(before, y)(drawn, Given({0: uniforms}))].tolist() == (np.arange(20.0) ** 2).tolist()


def test_who_lacks_a_number_gives_that_he_lacks_it():
    """Of 40 a quarter lack it, whatever else they have: of draws below 1/4 those; among them by the donor's."""
    y = np.arange(40.0)
    y[::4] = np.nan
    before, _ = columns(np.zeros(40))
    drawn = Drawn.make(before, 5)
    drawn.add(np.zeros(5))
    given = Given({0: np.array([0, 0.55, 0.999, 0.0, 0.999]), 3: np.array([0.1, 0.2, 0.24, 0.26, 0.99])})
    found = fit_scores(before, y)(drawn, given)
    assert found[:3].tolist() == [0, 20, 36]  # the first, the sixth and the last of the ten
    assert y[found[3]] == 1
    assert y[found[4]] == 39
    nobody = fit_means(before, np.full(40, np.nan), 3)(drawn, Given({0: np.array([0, 0.5, 0.999, 0.25, 0.75])}))
    assert nobody.tolist() == [0, 20, 39, 10, 30]


def test_a_group_in_which_nobody_may_give_has_its_donors_of_all():
    groups = Groups(np.array([3, 1, 0, 1, 3, 1]), np.array([True, True, True, False, True, True]))
    drawn_in, uniforms = np.array([1, 1, 3, 3, 0, 2, 2, 2]), np.array([0.0, 0.5, 0.49, 0.5, 0.9, 0.0, 0.2, 0.99])
    # of group 1 records 1 and 5, of 3 records 0 and 4; of none, in the order of the groups 2, 1, 5, 0, 4
    assert groups.draw(drawn_in, uniforms).tolist() == [1, 5, 0, 4, 2, 2, 1, 4]
    assert Groups(np.array([0, 2])).draw(np.array([1, 1]), np.array([0.4, 0.5])).tolist() == [0, 1]


def test_records_of_equal_draws_stand_by_the_next_ones():
    assert order_words(np.array([[0.5, 0.1, 0.5, 0.5], [0.2, 0.3, 0.1, 0.2], [0.9, 0, 0, 0.8]])).tolist() == [
        1,
        2,
        3,
        0,
    ]
    assert order_words(np.array([[0.5, 0.1, 0.4], [0.2, 0.3, 0.1]])).tolist() == [1, 2, 0]


def test_odds_move_to_the_means_of_the_whole_files():
    """The means of a unit are those of sums over its records; a step of Newton is by half the weight of both files."""
    a, b = RNG.normal(size=(2, 400))
    before, _ = columns(a, a + b)
    drawn = Drawn.make(before, 400)
    other = RNG.normal(size=400)
    for column in (a, a + other):
        drawn.add(column)
    units = np.repeat(np.arange(200), 2)
    fit = fit_odds(before, units, drawn, units)
    design = fit.design.read(before.codes, before.values)
    assert len(fit.pairs[0])
    products = design[:, fit.pairs[0]] * design[:, fit.pairs[1]]
    means = np.r_[design.sum(axis=0), products.sum(axis=0)] / 200
    halves = [(before.codes[:, part], [v[part] for v in before.values]) for part in (slice(150), slice(150, None))]
    np.testing.assert_allclose(fit.compute_means(halves, 200), means, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(fit.means[0], means, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(fit.move(*fit.means).beta, fit.beta)
    source = fit.means[0] + np.linspace(0.1, 0.3, len(means))
    step = fit.information @ (fit.move(source, fit.means[1] + 0.05).beta - fit.beta)
    np.testing.assert_allclose(step[0], 0, atol=1e-9)
    np.testing.assert_allclose(step[1:], 200 / 2 * (np.linspace(0.1, 0.3, len(means)) - 0.05), rtol=1e-6)


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ([[10, 20], [30, 40]], 4e6 / 5_040_000 / 100),  # n (ad - bc)^2 / (30 70 40 60), over n
        ([[10, 20], [0, 0], [30, 40]], 4e6 / 5_040_000 / 100),  # a code that nobody has counts for nothing
        ([[5, 0, 0], [0, 7, 0], [0, 0, 9]], 1.0),
        ([[2, 4, 6], [3, 6, 9]], 0.0),
        ([[2, 4, 6]], 0.0),
    ],
)
def test_columns_are_crossed_by_the_square_of_cramers_v(table, expected):
    counts = np.array(table)
    codes, others = (np.repeat(axis.ravel(), counts.ravel()) for axis in np.indices(counts.shape))
    assert _compute_connection(codes, counts.shape[0], others, counts.shape[1]) == pytest.approx(expected, abs=1e-12)
    assert _compute_connection(others, counts.shape[1], codes, counts.shape[0]) == pytest.approx(expected, abs=1e-12)
