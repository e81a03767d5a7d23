"""The kernels of log-linear risk by their definitions: sums over all cells, fractions, derivatives in small steps."""

from __future__ import annotations

import math
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from sdc_sql.udfs.log_linear import crossing, forest
from sdc_sql.udfs.log_linear.criteria import Cells, biases, criteria
from sdc_sql.udfs.log_linear.crossing import Crossing, cross_cells, fit_table
from sdc_sql.udfs.log_linear.forest import forest_criteria
from sdc_sql.udfs.log_linear.many_valued import NODES, Uniques, multiply_ratios, read_margins, unique_risks
from sdc_sql.udfs.log_linear.margins import (
    Component,
    Margin,
    _compute_binomial,
    _differences,
    compute_margin_variance,
    unique_by_persons,
)
from sdc_sql.udfs.log_linear.search import search_forward


def sums_over_cells(expected, counts, pi):
    """Return B1, z1, B2, z2 and 1 / alpha by the formulas of Skinner & Shlomo (2008), section 3.3, cell by cell."""
    bias, spread, more, square = [0.0, 0.0], [0.0, 0.0], 0.0, 0.0
    for lam, f in zip(expected, counts, strict=True):
        u, x = pi * lam, (1 - pi) * lam
        r = (1 - math.exp(-x)) / x
        a = [x * math.exp(-lam), math.exp(-u) * r - math.exp(-lam)]
        b = [(1 - pi) ** 2 * lam * math.exp(-lam) / (2 * pi),
             (math.exp(-u) * r - math.exp(-lam) * (1 + x / 2)) / u]  # fmt: skip
        for i in (0, 1):
            bias[i] += a[i] * (f - u) + b[i] * ((f - u) ** 2 - f)
            spread[i] += a[i] ** 2 * u + 2 * b[i] ** 2 * u**2
        more += (f - u) ** 2 - f
        square += u**2
    z = [one / math.sqrt(v) for one, v in zip(bias, spread, strict=True)]
    return bias, z, max(0.0, more / square)


def test_the_bias_of_both_measures_is_the_sum_over_the_cells():
    draw = np.random.default_rng(4)
    expected, counts = draw.uniform(0.5, 30, 12), draw.poisson(2.5, 12).astype(float)
    counts[3] = 11
    number = draw.integers(1, 4, 12).astype(float)
    found = biases(Cells(expected, counts, number, np.empty((0, 12))), 0.2, [])
    times = np.repeat(np.arange(12), number.astype(int))
    bias, z, dispersion = sums_over_cells(expected[times], counts[times], 0.2)
    assert (found[0], found[1]) == (pytest.approx(bias), pytest.approx(z))
    assert dispersion > 0
    assert found[2] == pytest.approx(dispersion)


@pytest.mark.parametrize(("pairs", "tree"), [("1,2", True), ("", False), ("1,2;2,3", True)])
def test_a_forest_is_as_far_from_the_counts_as_its_cells_are(pairs, tree):
    """All cells of three keys written down: the persons are products of the margins, n_12 n_3 or n_12 n_23 / n_2."""
    draw = np.random.default_rng(9)
    cells = np.array([c for c in product((1, 2, 3), (1, 2), (1, 2, 3, 4)) if draw.random() < 0.7 and c[:2] != (3, 1)])
    counts, persons = draw.integers(1, 6, len(cells)).astype(float), draw.integers(30, 90, len(cells)).astype(float)
    found = forest_criteria(np.column_stack([cells, counts, persons]), pairs, np.empty(0))
    whole = persons.sum()

    def margin(*keys):
        sums = {}
        for cell, w in zip(cells.tolist(), persons, strict=True):
            at = tuple(cell[k] for k in keys)
            sums[at] = sums.get(at, 0) + w / whole
        return lambda c: sums.get(tuple(c[k] for k in keys), 0)

    one, two, three, first, second = margin(0), margin(1), margin(2), margin(0, 1), margin(1, 2)
    sample = {tuple(c): f for c, f in zip(cells.tolist(), counts, strict=True)}
    expected = {}
    for c in product((1, 2, 3), (1, 2), (1, 2, 3, 4)):
        share = one(c) * two(c) * three(c)
        if tree:
            share = first(c) * (second(c) / two(c) if ";" in pairs else three(c))
        if share:
            expected[c] = share * whole
    assert set(sample) < set(expected)
    bias, z, _ = sums_over_cells(expected.values(), [sample.get(c, 0) for c in expected], counts.sum() / whole)
    assert found == pytest.approx([bias[0], z[0], bias[1], z[1]])


def test_a_forest_of_too_many_cells_has_no_answer(monkeypatch):
    cells = np.array([[i, j, 1, 9] for i, j in product(range(1, 7), repeat=2)], dtype=float)
    assert forest_criteria(cells, "", np.empty(0)) is not None
    # six rows by six are merged by what they expect, which is alike: one row each
    cells[:, 3] += np.arange(36) ** 2
    expected = forest_criteria(cells, "", np.empty(0))
    monkeypatch.setattr(forest, "MOST", 36)
    assert forest_criteria(cells, "", np.empty(0)) == pytest.approx(expected)
    monkeypatch.setattr(forest, "MOST", 35)
    assert forest_criteria(cells, "", np.empty(0)) is None
    assert forest_criteria(cells, "1,2", np.empty(0)) is None


def make_table():
    """Return a crossing of three keys of 2, 3 and 2 values, with one margin of 0."""
    cells = [c for c in product((1, 2), (1, 2, 3), (1, 2)) if c[:2] != (2, 3)]
    codes = np.array(cells[::-1]).T
    counts = np.array([3.0, 1, 4, 1, 5, 9, 2, 6, 5, 3])
    return cross_cells(codes, counts, 10 * counts + np.arange(10)), cells, counts[::-1]


def test_the_crossing_and_its_margins(monkeypatch):
    (table, order), cells, counts = make_table()
    assert (table.sizes, order.tolist()) == ((2, 3, 2), list(range(9, -1, -1)))
    assert table.counts.tolist() == counts.tolist()
    assert table.fraction == pytest.approx(39 / 435)
    assert table.places.tolist() == [(a - 1) * 6 + (b - 1) * 2 + c - 1 for a, b, c in cells]
    assert table.codes(table.places, (0, 2)).tolist() == [(a - 1) * 2 + c - 1 for a, _, c in cells]
    weights = dict(zip(cells, table.weights, strict=True))
    assert table.margin((1,)).tolist() == [sum(w for c, w in weights.items() if c[1] == b) for b in (1, 2, 3)]
    assert table.margin((0, 1)).tolist()[-1] == 0
    assert table.records(2).tolist() == [
        sum(f for c, f in zip(cells, counts, strict=True) if c[2] == k) for k in (1, 2)
    ]
    twice = Crossing((4,), np.arange(3), np.array([2.0, 1, 2]), np.array([20.0, 10, 20]))
    margin = twice.sparse_margin(0)  # the fourth value has no record
    assert (margin.sizes.tolist(), margin.values.tolist(), margin.fraction) == ([1, 2], [1, 2], 0.1)
    monkeypatch.setattr(crossing, "CELLS", 11)
    with pytest.raises(ValueError, match="has 12 cells, and a fit over all of them takes at most 11"):
        make_table()
    monkeypatch.setattr(crossing, "CELLS", 12)
    make_table()


def test_a_fit_is_the_closed_form_where_there_is_one():
    """Of the model (1 2)(2 3) the cell expects n_12 n_23 / n_2; where n_12 is 0 nobody."""
    (table, _), _, _ = make_table()
    first, second, middle = (table.margin(g) for g in ((0, 1), (1, 2), (1,)))
    fit = fit_table(table, ((0, 1), (1, 2)), near=1e-12)
    assert fit.places.tolist() == table.places.tolist()
    expected = [first[p // 2] * second[p % 6] / middle[p // 2 % 3] for p in fit.places]
    assert fit.expected == pytest.approx(expected)
    start = fit_table(table, ((0,), (1,), (2,)))
    assert len(start.places) == 12
    assert fit_table(table, ((0, 1), (1, 2)), start, 1e-12).expected == pytest.approx(expected)
    tau = criteria(table, fit)
    alone = [lam * (1 - 1 / w) for lam, f, w in zip(expected, table.counts, table.weights, strict=True) if f == 1]
    assert tau.tau1 == pytest.approx(sum(math.exp(-x) for x in alone))
    assert tau.tau2 == pytest.approx(sum((1 - math.exp(-x)) / x for x in alone))
    assert tau[7:] == (1, 1, 0, 0)
    bias, z, dispersion = sums_over_cells(expected, table.counts, table.fraction)
    assert tau[2:7] == pytest.approx((bias[0], z[0], bias[1], z[1], dispersion))


def test_interactions_and_what_they_hold():
    assert crossing.find_greatest_interactions(4, [(2, 0), (0, 1, 2), (1, 1)]) == ((0, 1, 2), (3,))
    assert crossing.list_effects([(0, 1), (2,)]) == {(0,), (1,), (0, 1), (2,)}
    (table, _), _, _ = make_table()
    # the mean, 1 + 2 + 1 of the keys, 1 * 2 and 2 * 1 of the pairs
    assert crossing.parameters(table, [(0, 1), (1, 2)]) == 1 + 4 + 4


def test_the_search_adds_what_may_be_added_and_keeps_what_is_given():
    draw = np.random.default_rng(3)
    codes = np.array(list(product((1, 2, 3), repeat=3))).T
    counts = np.where(codes[0] == codes[1], 9.0, 1) + np.where(codes[1] == codes[2], 5.0, 0) + draw.integers(0, 3, 27)
    table, _ = cross_cells(codes, counts, 4 * counts)
    asked = []
    steps = list(search_forward(table, -100.0, 2, lambda *place: asked.append(place)))
    assert {s.added for s in steps} == {(), (0, 1), (1, 2), (0, 2)}
    assert steps[0].fit.generators == ((0,), (1,), (2,))
    assert asked == [(0, 3), (1, 3), (2, 3), (0, 2), (1, 2), (0, 1)]
    # of those that could be added the one that brings z of B2 nearest to 0
    tried = {
        g: criteria(table, fit_table(table, crossing.find_greatest_interactions(3, [g])))
        for g in ((0, 1), (0, 2), (1, 2))
    }
    assert steps[1].added == min(tried, key=lambda g: abs(tried[g].z2))
    assert steps[1].found.z2 == pytest.approx(tried[steps[1].added].z2, rel=1e-3)
    assert [s.added for s in search_forward(table, -100.0, 3)][-1] == (0, 1, 2)
    barred = list(search_forward(table, -100.0, 3, first=[(1, 2)], barred=[(0, 1)]))
    assert [s.added for s in barred] == [(), (0, 2)]
    assert all((1, 2) in s.fit.generators for s in barred)
    assert len(list(search_forward(table, 100.0, 3))) == 1
    (step, *_) = search_forward(table, steps[0].found.z2, 3)  # as good as is enough
    assert step.added == ()
    assert len(list(search_forward(table, steps[0].found.z2, 3))) == 1


def test_a_product_of_ratios_keeps_its_weight_and_its_mean():
    first = np.array([0.0, 0.5, 2]), np.array([0.1, 0.3, 0.6])
    second = np.array([1.0, 3]), np.array([0.25, 0.75])
    at, weight = multiply_ratios(first, second)
    assert dict(zip(at.tolist(), weight.tolist(), strict=False)).keys() == {0.0, 0.5, 1.5, 2.0, 6.0}
    assert at @ weight == pytest.approx((0.15 + 1.2) * 2.5)
    many = np.linspace(0.01, 9, 40), np.arange(1.0, 41) / 820
    at, weight = multiply_ratios(first, many)
    assert len(at) <= NODES + 1
    assert weight.sum() == pytest.approx(1)
    assert weight[at == 0].sum() == pytest.approx(0.1)
    assert at @ weight == pytest.approx((0.15 + 1.2) * (many[0] @ many[1]))
    # in steps of equal size in the logarithm, each with its mean
    logs = np.log(at[at > 0])
    assert np.all(np.diff(logs) > 0)
    width = (math.log(18) - math.log(0.005)) / NODES
    assert np.floor((logs - math.log(0.005)) / width).astype(int).tolist() == sorted({*np.floor(
        (np.log(np.multiply.outer(first[0][1:], many[0]).ravel()) - math.log(0.005)) / width - 1e-9
    ).clip(0).astype(int).tolist()})  # fmt: skip


def test_margins_are_read_by_their_keys():
    rows = np.array([[2.0, 3, 2, 2], [5, 1, 1, 3], [7, 9, 4, 6]])
    found = read_margins(rows, [1], 0.25)
    assert list(found) == [1]
    assert (found[1].sizes.tolist(), found[1].values.tolist(), found[1].fraction) == ([1, 3, 5], [4, 6, 7], 0.25)


def test_the_penalty_is_the_integral_of_a_squared_derivative():
    """Exact of powers: x, x^2 and x^3 have the derivatives 1, 2 and 6; of a lower power it is 0."""
    x = np.array([0.0, 0.5, 0.8, 1.7, 2.0, 3.1])
    for order, derivative in ((1, 1), (2, 2), (3, 6)):
        matrix = _differences(x, order)
        whole = sum(x[i + order] - x[i] for i in range(len(x) - order)) / order
        assert x**order @ matrix @ x**order == pytest.approx(derivative**2 * whole)
        assert x ** (order - 1) @ matrix @ x ** (order - 1) == pytest.approx(0, abs=1e-9)


def test_records_of_a_value_are_binomial():
    found = _compute_binomial(np.array([1.0, 3]), np.array([1.0, 2, 7]), 0.3)
    assert found == pytest.approx(
        np.array([[math.comb(n, f) * 0.3**f * 0.7 ** (n - f) for n in (1, 2, 7)] for f in (1, 3)])
    )


def test_what_a_margin_says_of_the_persons():
    sizes, values = np.array([1.0, 2, 4]), np.array([9.0, 3, 5])
    margin = Margin(sizes, values, 0.2)
    assert margin.doubt == pytest.approx(4 * math.sqrt(3 + 1) / 9)  # two standard errors of 2 * 3 / 9
    assert Margin(sizes[1:], values[1:], 0.2).doubt == 0
    assert Margin(sizes[[0, 2]], values[[0, 2]], 0.2).doubt == pytest.approx(4 / 9)
    persons = margin.persons
    assert persons[:12].tolist() == list(range(1, 13))
    assert np.diff(np.log(persons[12:])) == pytest.approx(1 / 6)
    assert persons[-1] > (4 + 6 * 2) / 0.2
    assert sum(c.weight for c in margin.components) == pytest.approx(1, abs=1e-5)
    ratio, chance = margin.ratios(2.0)
    row = margin.posterior[1]
    kept = row > 1e-7
    # of those that two records stand for: 8 beyond the sample
    assert ratio == pytest.approx((persons[kept] - 2) / 8)
    assert chance == pytest.approx(row[kept] / row[kept].sum())


def test_the_figures_under_overdispersion_by_adding_up():
    """F - 1 is negative binomial (alpha + 1, rho), rho = (1 + b pi) / (1 + b), b = lambda d (handbook, 3.3.6)."""
    for lam, pi, d in ((8.0, 0.25, 0.44), (3.0, 0.5, 2.0)):
        own, alpha = 1 - pi, 1 / d
        rho = (1 + lam * d * pi) / (1 + lam * d)
        chance, risk = rho ** (alpha + 1), 0.0
        one = chance
        for h in range(4000):
            risk += chance / (h + 1)
            chance *= (alpha + 1 + h) / (h + 1) * (1 - rho)
        found = unique_by_persons(np.array([lam * own / 10]), np.array([10.0]), np.array([own]), d)
        assert [float(v[0]) for v in found] == pytest.approx([one, risk])
    assert [float(v[0]) for v in unique_by_persons(np.zeros(1), np.ones(1), np.zeros(1), 0.5)] == [1, 1]


def test_risks_with_two_known_margins_by_hand():
    """The first gives M, and p is lambda own / (records (1 / pi - 1)), times persons by records / pi of the second."""
    expected, own = np.array([1.0, 2]), np.array([0.75, 0.5])
    records, known = np.array([[4.0, 5], [9, 9], [10, 20]]), np.array([[40.0, 11], [np.nan, np.nan], [30, 160]])
    found = unique_risks(expected, own, records, known, np.empty((3, 0)), np.empty(0), 0.2, 0.0)
    m = [36, 6]
    p = [0.75 / 16 * 30 / 50, 1 / 20 * 160 / 100]
    assert found[0] == pytest.approx([(1 - b) ** a for a, b in zip(m, p, strict=True)])
    assert found[1] == pytest.approx([(1 - (1 - b) ** (a + 1)) / ((a + 1) * b) for a, b in zip(m, p, strict=True)])
    assert found[2].tolist() == [1, 1, 0, 0]
    none = unique_risks(expected[:0], own[:0], records[:, :0], known[:, :0], np.empty((3, 0)), np.empty(0), 0.2, 0.0)
    assert none[2].tolist() == [1, 1, 0, 0]
    known[2, 1] = 20
    unique_risks(expected, own, records, known, np.empty((3, 0)), np.empty(0), 0.2, 0.0)  # as many persons as records
    known[2, 1] = 19
    with pytest.raises(ValueError, match="fewer persons than the file has records"):
        unique_risks(expected, own, records, known, np.empty((3, 0)), np.empty(0), 0.2, 0.0)


def test_the_variance_of_a_figure_by_small_steps():
    """The slope of the sum in each log g by difference quotients, and the spread between two fits."""
    draw = np.random.default_rng(5)
    sizes, persons = np.array([1.0, 2, 3]), np.arange(1.0, 6)
    likely = draw.uniform(0.1, 1, (3, 5))
    figures = {1.0: draw.uniform(size=(2, 5)), 3.0: draw.uniform(size=(2, 5))}

    def posterior(log_g):
        joint = likely * np.exp(log_g)
        return joint / joint.sum(axis=1, keepdims=True)

    def sums(log_g):
        return sum(figures[size] @ posterior(log_g)[at] for size, at in ((1.0, 0), (3.0, 2)))

    fits = [(0.3, draw.normal(size=5)), (0.9, draw.normal(size=5))]  # weights that sum to another number than 1
    components, within, middle = [], [], []
    for weight, log_g in fits:
        root = draw.normal(size=(5, 5))
        components.append(Component(weight, posterior(log_g), root @ root.T))
        slope = np.array([(sums(log_g + 1e-6 * e) - sums(log_g - 1e-6 * e)) / 2e-6 for e in np.eye(5)])
        within.append([s @ root @ root.T @ s for s in slope.T])
        middle.append(sums(log_g))
    shares = np.array([0.25, 0.75])
    mean = shares @ np.array(middle)
    expected = shares @ (np.array(within) + (np.array(middle) - mean) ** 2)
    margin = SimpleNamespace(persons=persons, sizes=sizes, components=components)
    found = compute_margin_variance(margin, np.array([1.0, 3]), lambda size, _: figures[size])
    assert found == pytest.approx(expected, rel=1e-6)


class Known:
    """A margin of which all is known: for each number of records what the persons may be, and the covariance."""

    def __init__(self, sizes, persons, likely, *, fraction=0.2, doubt=0.0, covariance=None):
        self.sizes, self.persons, self.likely, self.fraction, self.doubt = sizes, persons, likely, fraction, doubt
        self.posterior = likely / likely.sum(axis=1, keepdims=True)
        self.components = [Component(1.0, self.posterior, covariance)]

    def ratios(self, size):
        beyond = np.maximum(self.persons - size, 0) / (size * (1 / self.fraction - 1))
        return beyond, self.posterior[np.searchsorted(self.sizes, size)]


def add_risks(p, sizes, margins, known=None, *, doubted=None):
    """Return both risks of each unique, one number of persons after the other; the first margin gives M, or `known`."""
    found = []
    for i, share in enumerate(p):
        total = np.zeros(2)
        nodes = [list(zip(*m.ratios(size[i]), strict=True)) for m, size in zip(margins, sizes, strict=True)]
        for chosen in product(*nodes):
            ratio = [
                r + (m.doubt if place == doubted and sizes[place][i] == 1 else 0)
                for place, (m, (r, _)) in enumerate(zip(margins, chosen, strict=True))
            ]
            chance = math.prod(c for _, c in chosen)
            if known is None:
                beyond, rest = ratio[0] * sizes[0][i] * (1 / margins[0].fraction - 1), ratio[1:]
            else:
                beyond, rest = known[i], ratio
            each = share * math.prod(rest)
            total += chance * np.array([(1 - each) ** beyond, (1 - (1 - each) ** (beyond + 1)) / ((beyond + 1) * each)])
        found.append(total)
    return np.array(found).T


@pytest.mark.parametrize("known", [None, np.array([30.0, 4, 11])])
def test_risks_and_their_variances_with_two_keys_of_many_values(known):
    """The mean over all pairs of numbers of persons; the slopes by small steps, or half of what a doubt changes."""
    draw = np.random.default_rng(2)
    sizes = np.array([1.0, 2, 3])
    roots = [0.3 * draw.normal(size=(4, 4)), 0.02 * draw.normal(size=(3, 3))]
    margins = (
        Known(sizes, np.array([4.0, 7, 15, 40]), draw.uniform(0.2, 1, (3, 4)), covariance=roots[0] @ roots[0].T),
        Known(sizes, np.array([5.0, 9, 30]), draw.uniform(0.2, 1, (3, 3)), covariance=roots[1] @ roots[1].T, doubt=0.7),
    )
    p, own, records = np.array([0.002, 0.012, 0.006]), np.array([0.8, 0.8, 0.8]), np.array([[1.0, 3, 1], [2, 1, 1]])
    those = Uniques(p, known, own, records, margins, 0.0)
    assert np.array(those.risks()) == pytest.approx(add_risks(p, records, margins, known))
    assert np.array(those.risks(doubted=1)) == pytest.approx(add_risks(p, records, margins, known, doubted=1))
    expected = np.zeros(2)
    for place, margin in enumerate(margins):

        def summed(step, place=place, margin=margin):
            moved = Known(sizes, margin.persons, margin.likely * np.exp(step), doubt=margin.doubt)
            return add_risks(p, records, [moved if at == place else m for at, m in enumerate(margins)], known).sum(
                axis=1
            )

        steps = 1e-6 * np.eye(len(margin.persons))
        slope = np.array([(summed(step) - summed(-step)) / 2e-6 for step in steps])
        fitted = np.array([s @ margin.components[0].covariance @ s for s in slope.T])
        less = add_risks(p, records, margins, known) - add_risks(p, records, margins, known, doubted=place)
        expected += np.maximum(fitted, (less.sum(axis=1) / 2) ** 2)
        assert (fitted > (less.sum(axis=1) / 2) ** 2).tolist() == [place == 0] * 2  # either stands once
    assert those.variances() == pytest.approx(expected, rel=1e-5)


def test_the_bias_with_a_key_of_many_values():
    """The means over what the persons may be; (f - u)^2 is u (1 - h) in expectation, h = u / m (criteria.py)."""
    draw = np.random.default_rng(7)
    margin = Known(np.array([1.0, 2, 5]), np.array([4.0, 12, 40]), draw.uniform(0.2, 1, (3, 3)))
    expected, counts = draw.uniform(0.5, 9, 8), draw.poisson(1.2, 8).astype(float)
    number, m, pi = draw.integers(1, 4, 8).astype(float), np.array([1.0, 2, 5, 5, 2, 1, 5, 5]), 0.2
    expected[0] = 20  # more than its one record: nothing is left of the variance
    found = biases(Cells(expected, counts, number, m[np.newaxis]), pi, [margin])
    bias, spread, more, square = np.zeros(2), np.zeros(2), 0.0, 0.0
    for lam, f, many, size in zip(expected, counts, number, m, strict=True):
        u, means = pi * lam, np.zeros(4)
        for ratio, chance in zip(*margin.ratios(size), strict=True):
            x = (1 - pi) * lam * ratio
            r, gone = -math.expm1(-x) / x if x else 1, math.exp(-x)
            means += chance * np.array([x * gone, r - gone, x**2 * gone / 2, r - gone * (1 + x / 2)])
        a, b, free = math.exp(-u) * means[:2], math.exp(-u) * means[2:] / u, u * max(0, 1 - u / size)
        off = (f - u) ** 2 - f * max(0, 1 - u / size)
        bias += many * (a * (f - u) + b * off)
        spread += many * (a**2 * free + 2 * b**2 * free**2)
        more += many * off
        square += many * u**2
    assert found[0] == pytest.approx(bias, rel=2e-3)
    assert found[1] == pytest.approx(bias / np.sqrt(spread), rel=2e-3)
    assert found[2] == pytest.approx(max(0, more / square))
