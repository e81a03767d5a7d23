"""Weights calibrated to known totals: closed forms, iterative proportional fitting, factors that are nearest to 1."""

from __future__ import annotations

import numpy as np
import pytest
from sdc_sql.udfs.calibration.distances import DISTANCES
from sdc_sql.udfs.calibration.raking import compute_factors

import sdc_sql
from sdc_sql import InputError
from sdc_sql.cli import main
from sdc_sql.db.catalogue.load import execute

MARGINS = ["Select", "it's"]


@pytest.fixture
def k(con):
    con.execute(
        'CREATE TABLE k AS SELECT range AS id, range % 3 AS "Select",'
        " CASE WHEN range % 4 > 0 THEN 'v' || range % 4 END AS \"it's\", 1 + range % 5 AS f"
        " FROM range(240) WHERE range % 12 <> 5 AND range % 36 <> 2"
    )
    con.execute(
        "CREATE TABLE known (variable VARCHAR, value VARCHAR, total DOUBLE);"
        "INSERT INTO known VALUES ('SELECT', '0', 500), ('SELECT', '1', 250), ('SELECT', '2', 250),"
        " ('it''s', NULL, 400), ('it''s', 'v1', 200), ('it''s', 'v2', 300), ('it''s', 'v3', 100)"
    )
    return con


def rows(con, more="", margins="['Select', 'it''s']"):
    call = f"sdc_calibrate('k', 'f', 'known', 'id', margins := {margins}{more})"
    return con.execute(f'SELECT "Select", "it\'s", f FROM {call} ORDER BY id').fetchall()


def sums(found, j):
    return {v: sum(row[2] for row in found if row[j] == v) for v in {row[j] for row in found}}


def test_one_margin_is_post_stratification(k):
    before = k.execute('SELECT "Select", "it\'s", f FROM k ORDER BY id').fetchall()
    weighted = sums(before, 0)
    k.execute("DELETE FROM known WHERE variable <> 'SELECT'")
    known = {0: 500, 1: 250, 2: 250}
    for old, new in zip(before, rows(k, margins="['Select']"), strict=True):
        assert new[2] == pytest.approx(old[2] * known[old[0]] / weighted[old[0]], rel=1e-12)  # the closed form


@pytest.mark.slow
def test_two_margins_are_iterative_proportional_fitting(k):
    before = k.execute('SELECT "Select", "it\'s", f FROM k ORDER BY id').fetchall()
    known = ({0: 500, 1: 250, 2: 250}, {None: 400, "v1": 200, "v2": 300, "v3": 100})
    weights = [float(row[2]) for row in before]
    for _ in range(3000):  # record by record, as Deming & Stephan have it
        for j in (0, 1):
            total = dict.fromkeys(known[j], 0.0)
            for row, w in zip(before, weights, strict=True):
                total[row[j]] += w
            weights = [w * known[j][row[j]] / total[row[j]] for row, w in zip(before, weights, strict=True)]
    found = rows(k)
    assert [row[2] for row in found] == pytest.approx(weights, rel=1e-7)
    assert sums(found, 0) == pytest.approx(known[0], rel=2e-9)
    assert sums(found, 1) == pytest.approx(known[1], rel=2e-9)


def test_bounded_factors_are_the_nearest_to_1():
    # Factors of the form min(U, max(L, exp(a_i + b_j))) meet the conditions of Kuhn and Tucker, and the distance is
    # strictly convex: of all that meet the same totals they are the nearest, and the only ones.
    rng = np.random.default_rng(1)
    codes = np.array([(i, j) for i in range(5) for j in range(6)])
    weights = rng.uniform(1, 9, 30)
    terms = rng.normal(0, 0.6, 5)[codes[:, 0]] + rng.normal(0, 0.6, 6)[codes[:, 1]]
    nearest = np.clip(np.exp(terms), 0.6, 1.7)
    assert 5 < ((nearest > 0.6) & (nearest < 1.7)).sum() < 25  # some are at a bound
    totals = [np.bincount(codes[:, j], weights=weights * nearest) for j in (0, 1)]
    bounds = {"lower": np.full(30, 0.6), "upper": np.full(30, 1.7)}
    found = compute_factors(weights, codes, totals, ["a", "b"], **bounds)
    assert found == pytest.approx(nearest, rel=1e-7)


@pytest.mark.slow
def test_no_weight_is_greater_than_most(k):
    free = rows(k)
    linear = rows(k, ", most := 7.5, lower := 0.2, distance := 'linear'")
    assert max(row[2] for row in linear) <= 7.5 * (1 + 1e-12)
    assert sums(linear, 0) == pytest.approx(sums(free, 0), rel=2e-9)
    bounded = rows(k, ", most := 7.5, lower := 0.2")
    assert max(row[2] for row in free) > 7.5
    assert max(row[2] for row in bounded) <= 7.5
    assert sums(bounded, 1) == pytest.approx(sums(free, 1), rel=1e-8)


def met(weights, codes, known, **more):
    """Return the factors, which meet the totals."""
    c = len(weights)
    bounds = {"lower": np.full(c, more.pop("lower", 0.0)), "upper": np.full(c, more.pop("upper", np.inf))}
    names = [f"margin {j}" for j in range(len(known))]
    found = compute_factors(weights, codes, known, names, **bounds, **more)
    for j, total in enumerate(known):
        np.testing.assert_allclose(np.bincount(codes[:, j], weights=weights * found), total, rtol=1e-9)
    return found


def of_margins(weights, codes):
    return [np.bincount(code, weights=weights) for code in codes.T]


def test_age_by_year_of_birth_is_met():
    """Each age has two years of birth: the crossing is a tree, so that its cells follow from the margins one by one."""
    n, rng = 100, np.random.default_rng(3)
    codes = np.array([(a, n - a - late) for a in range(n) for late in (0, 1)])
    weights = rng.uniform(50, 2000, 2 * n)
    ages, born = of_margins(weights * np.exp(rng.normal(0, 0.3, 2 * n)), codes)
    cells = []
    left = born[n]  # who were born last have the first age
    for a in range(n):
        cells += [left, ages[a] - left]
        left = born[n - a - 1] - cells[-1]
    np.testing.assert_allclose(met(weights, codes, [ages, born]) * weights, cells, rtol=1e-9)


@pytest.mark.parametrize("distance", ["raking", "logit", "linear"])
def test_the_nearest_factors_in_each_distance(distance):
    # Factors F(u), u a sum of terms, meet the conditions of Kuhn and Tucker, and each distance is strictly convex: they
    # are the nearest of all that meet the same totals. The third margin is nested in the first: provinces of a region.
    rng, low, high = np.random.default_rng(4), 0.6, 1.7
    codes = np.array([(i, j, i // 2) for i in range(6) for j in range(5)])
    weights = np.exp(rng.normal(0, 1, 30))
    u = rng.normal(0, 0.35, 6)[codes[:, 0]] + rng.normal(0, 0.35, 5)[codes[:, 1]]
    a = (high - low) / ((1 - low) * (high - 1))
    grown = np.exp(a * u)
    nearest = {
        "raking": np.clip(np.exp(u), low, high),
        "logit": (low * (high - 1) + high * (1 - low) * grown) / (high - 1 + (1 - low) * grown),
        "linear": np.clip(1 + u, low, high),
    }[distance]
    known = of_margins(weights * nearest, codes)
    found = met(weights, codes, known, lower=low, upper=high, distance=distance)
    np.testing.assert_allclose(found, nearest, rtol=1e-7)


def test_linear_factors_away_from_the_bounds_are_those_of_the_regression_estimator():
    rng = np.random.default_rng(5)
    codes = np.array([(i, j) for i in range(4) for j in range(3)])
    weights = rng.uniform(1, 9, 12)
    known = of_margins(weights * rng.uniform(0.9, 1.1, 12), codes)
    x = np.hstack([np.eye(4)[codes[:, 0]], np.eye(3)[codes[:, 1]]])
    # Deville & Särndal (1992), section 1: g = 1 + x' T^-1 (t - sum w x), T = sum w x x', by a generalised inverse
    wanted = 1 + x @ np.linalg.pinv(x.T @ (x * weights[:, None])) @ (np.concatenate(known) - x.T @ weights)
    np.testing.assert_allclose(met(weights, codes, known, lower=0.1, distance="linear"), wanted, rtol=1e-9)


def test_totals_that_contradict_one_another_and_weights_that_would_vanish():
    codes = np.array([(i, i // 2) for i in range(4)])  # of each half of the first margin the sum is known twice
    with pytest.raises(ValueError, match=r"sums of categories of one margin .* but not in the totals"):
        met(np.ones(4), codes, [np.array([1.0, 1, 1, 1]), np.array([1.0, 3])])
    codes = np.array([(0, 0), (0, 1), (1, 1)])  # the two corners are all there is, and the third must be 0
    with pytest.raises(ValueError, match=r"weights that vanish, in 1 crossings"):
        met(np.ones(3), codes, [np.array([5.0, 5]), np.array([5.0, 5])])


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("change", "more", "words"), [
    ("DELETE FROM known WHERE value = 'v1'", "", "records have a value of it's that has no total"),
    ("DELETE FROM known WHERE variable <> 'SELECT'", "", "it's that has no total"),
    ("INSERT INTO known VALUES ('it''s', 'v9', 5)", "", "of values that no record has"),
    ("INSERT INTO known VALUES ('it''s', 'v1', 5)", "", "several totals"),
    ("INSERT INTO known VALUES ('age', 'v1', 5)", "", "none of the margins"),
    ("UPDATE known SET total = NULL WHERE value = 'v1'", "", "NULL, negative"),
    ("UPDATE known SET total = -1 WHERE value = 'v1'", "", "NULL, negative"),
    ("UPDATE known SET total = 0 WHERE value = 'v1'", "", "are 0 where there are records"),
    ("UPDATE known SET total = 201 WHERE value = 'v1'", "", "do not add up to the same"),
    ("ALTER TABLE known DROP COLUMN total", "", "total"),
    ("", ", upper := 1.01", "cannot be met within the bounds"),
    ("", ", lower := 3, upper := 2", "margin Select, .* cannot be met|above"),
    ("", ", lower := -1", "lower is -1"),
    ("", ", upper := 'a'", "upper is a"),
    ("", ", distance := 'nonsense'", "distance is 'nonsense': it must be one of raking, logit, linear"),
    ("", ", distance := 'logit'", "lower bound below 1 and an upper one above 1"),
    ("", ", distance := 'linear', upper := 9", "lower bound above 0"),
    ("UPDATE k SET f = 0 WHERE id = 0", "", "sampling weight is NULL"),
])  # fmt: skip
def test_what_is_refused(k, change, more, words):
    if change:
        k.execute(change)
    with pytest.raises(Exception, match=words):
        rows(k, more)
    data = sdc_sql.Microdata(k, "k", id="id")
    if "'a'" not in more:
        given = [part.split(" := ") for part in more.split(", ")[1:]]
        bounds = {n: v.strip("'") if n == "distance" else float(v) for n, v in given}
        with pytest.raises(InputError):
            data.mask.calibrate("f", "known", margins=MARGINS, **bounds)
        assert k.execute("SELECT typeof(f), count(*) FROM k GROUP BY ALL").fetchall()[0][0] == "BIGINT"


def test_totals_that_cannot_be_met_together_name_the_margin(k):
    # all of 'v1' is of 0, so that 0 has at least the 300 of v1
    k.execute('DELETE FROM k WHERE "it\'s" = \'v1\' AND "Select" <> 0')
    k.execute(
        "UPDATE known SET total = CASE value WHEN '0' THEN 100 WHEN '1' THEN 450 WHEN '2' THEN 450 ELSE total END"
    )
    with pytest.raises(Exception, match=r"cannot be met together: .* margin (Select|it's)"):
        rows(k)


@pytest.mark.slow
def test_in_place_and_the_totals_of_before(k, tmp_path):
    k.execute("SET VARIABLE sdc_key = 'vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U'")
    data = sdc_sql.Microdata(k, "k", id="id", weight="f")
    k.execute("CREATE TABLE before AS FROM sdc_totals('k', ['Select', 'it''s'], 'f')")
    data.mask.sample(fraction=0.5, in_place=True)
    step = data.mask.calibrate("f", "before", upper=4)
    assert step.parameters["greatest"] <= 4 * 10
    assert step.parameters["weight_effect"] >= 1
    after = data.mask.totals(MARGINS).fetchall()
    assert [t for *_, t in after] == pytest.approx([t for *_, t in k.sql("FROM before").fetchall()], rel=1e-8)
    k.execute(f"COPY k TO '{tmp_path}/k.csv'; COPY before TO '{tmp_path}/t.csv'")
    command = ["mask", "calibrate", f"{tmp_path}/k.csv", "--id", "id", "--columns", "f", "--margins", "Select,it's",
               "--totals", f"{tmp_path}/t.csv", "--output", f"{tmp_path}/o.parquet"]  # fmt: skip
    assert main(command) == 0
    assert k.execute(f"SELECT sum(f) FROM '{tmp_path}/o.parquet'").fetchone() == pytest.approx(
        k.execute("SELECT sum(total) / 2 FROM before").fetchone()
    )


FORMS = [(form, 0.25, 3.0) for form in DISTANCES] + [("raking", 0.0, np.inf), ("linear", 0.5, np.inf)]


@pytest.mark.parametrize(("form", "lower", "upper"), FORMS)
def test_what_is_maximised_has_the_factors_for_slopes(form, lower, upper):
    """H' = F and F' by differences, F(0) = F'(0) = 1 (Deville & Särndal 1992, section 2), and the bounds far out."""
    u = np.array([-40.0, -2.1, -0.7, -0.2, 0.0, 0.3, 0.9, 1.7, 2.4, 30.0])
    of = DISTANCES[form](np.full(u.size, lower), np.full(u.size, upper))
    step = 1e-6
    assert (of.integral(u + step) - of.integral(u - step)) / (2 * step) == pytest.approx(of.factors(u), rel=1e-5)
    assert (of.factors(u + step) - of.factors(u - step)) / (2 * step) == pytest.approx(of.slopes(u), rel=1e-5, abs=1e-9)
    assert (of.factors(u)[4], of.slopes(u)[4]) == pytest.approx((1, 1))
    ends = [lower, upper] if np.isfinite(upper) else [max(lower, np.exp(-40)), np.exp(30) if form == "raking" else 31]
    assert of.factors(u)[[0, -1]] == pytest.approx(ends)
    inside = {"raking": np.exp(u), "linear": 1 + u}.get(form)
    if inside is not None:
        assert of.factors(u)[2:6] == pytest.approx(np.clip(inside, lower, upper)[2:6])
        assert of.slopes(np.array([-40.0] * u.size))[0] == (0 if lower else pytest.approx(np.exp(-40)))


CELLS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])


def factors(totals, lower=0.0, upper=np.inf, weights=(1.0, 1, 1, 1), distance="raking"):
    """Return the factors of four cells of two margins."""
    bounds = {"lower": np.full(4, lower), "upper": np.full(4, upper)}
    known = [np.array(t, dtype=float) for t in totals]
    return compute_factors(np.array(weights), CELLS, known, ["a", "it's"], **bounds, distance=distance)


def test_bounds_that_are_just_met_and_those_that_are_not():
    """All factors are 2 where the upper bound is, and 1/2 where the lower one is; beyond there are none."""
    assert factors([[4, 4], [4, 4]], upper=2.0) == pytest.approx([2] * 4)
    assert factors([[1, 1], [1, 1]], lower=0.5) == pytest.approx([0.5] * 4)
    for totals, bounds, words in (
        ([[4.1, 3.9], [4, 4]], {"upper": 2.0}, "of the margin a, 1 totals"),
        ([[4, 4], [4.1, 3.9]], {"upper": 2.0}, "of the margin it's, 1 totals"),
        ([[0.9, 0.8], [1, 0.7]], {"lower": 0.5}, "of the margin a, 2 totals"),
    ):
        with pytest.raises(ValueError, match=words):
            factors(totals, **bounds)


def test_totals_that_bounds_keep_apart_do_not_contradict_one_another():
    """3 of a margin needs 1.5 of both its cells, and the other margin has 1 for one of them; 4 is not 3.9."""
    with pytest.raises(ValueError, match=r"a total of the margin .* is still off by .*Widen the bounds"):
        factors([[3, 1], [3, 1]], upper=1.5)
    with pytest.raises(ValueError, match="some sums of categories of one margin are sums of categories of others"):
        factors([[2, 2], [2, 1.9]])


def test_distances_and_the_bounds_that_they_need():
    whole = [[2.2, 1.9], [2.1, 2.0]]
    for distance, lower, upper, total, words in (
        ("logit", 1.0, 3.0, 4.0, "below 1 and an upper one above 1"),
        ("logit", 0.5, 1.0, 1.5, "below 1 and an upper one above 1"),
        ("logit", 0.5, np.inf, 2.0, "below 1 and an upper one above 1"),
        ("linear", 0.0, 3.0, 2.0, "needs a lower bound above 0"),
        ("chance", 0.5, 3.0, 2.0, "must be one of raking, logit, linear"),
    ):
        with pytest.raises(ValueError, match=words):
            factors([[total] * 2] * 2, lower, upper, distance=distance)
    for distance in DISTANCES:
        found = factors(whole, 0.5, 3.0, (2.0, 1, 1, 0.5), distance)
        sums = [found[[0, 1]] @ [2, 1], found[[2, 3]] @ [1, 0.5], found[[0, 2]] @ [2, 1], found[[1, 3]] @ [1, 0.5]]
        assert sums == pytest.approx([*whole[0], *whole[1]], rel=1e-9)
        # the margins have no product among the factors: F^-1 of them is a sum, so that its second difference is 0
        inverse = {
            "raking": np.log(found), "linear": found - 1,
            "logit": np.log((found - 0.5) * 2 / ((3 - found) * 0.5)) * (0.5 * 2) / 2.5,
        }[distance]  # fmt: skip
        assert inverse[0] - inverse[1] - inverse[2] + inverse[3] == pytest.approx(0, abs=1e-7)


def test_bounds_of_one_margin_by_hand(con):
    """10 and 20 of f are to be 36, 5 of m 4.5: 1.2 and 0.9 times; where none is above 23, 23 and the rest."""
    con.execute("CREATE TABLE k AS FROM (VALUES (1, 'f', 10), (2, 'f', 20), (3, 'm', 5)) AS v(id, s, f)")
    con.execute("CREATE TABLE known AS FROM (VALUES ('s', 'f', 36.0), ('S', 'm', 4.5)) AS v(variable, value, total)")

    def weights(more=""):
        call = f"sdc_calibrate('k', 'f', 'known', 'id', margins := ['s']{more})"
        return [w for (w,) in con.execute(f"SELECT f FROM {call} ORDER BY id").fetchall()]

    assert weights(", most := 23") == pytest.approx([13, 23, 4.5], rel=1e-9)
    assert weights(", lower := 0.9, upper := 1.2") == pytest.approx([12, 24, 4.5], rel=1e-9)  # at both bounds
    with pytest.raises(Exception, match="cannot be met within the bounds"):
        weights(", upper := 1.19")
    for value, name, words in (
        ("'nan'::DOUBLE", "lower", "lower is nan"), ("-1", "lower", "at least 0"), ("0", "upper", "above 0"),
        ("'infinity'::DOUBLE", "most", "most is inf"),
    ):  # fmt: skip
        with pytest.raises(Exception, match=words):
            execute(con, f"SELECT sdc__bound_given({value}, '{name}', 7)").fetchall()
    found = execute(con, "SELECT sdc__bound_given(0, 'lower', 7), sdc__bound_given(NULL, 'upper', 7)").fetchall()
    assert found == [(0, 7)]


def test_totals_by_hand_and_what_the_log_has_of_weights(con):
    con.execute(
        "CREATE TABLE k AS FROM (VALUES (1, 'f', 2, 1.0), (2, NULL, 1, 2.0), (3, 'm', 2, 5.0), (4, 'f', NULL, 0.5))"
        ' AS v(id, "it\'s", a, w)'
    )
    counts = [("it's", None, 1), ("it's", "f", 2), ("it's", "m", 1), ("a", None, 1), ("a", "1", 1), ("a", "2", 2)]
    sums = [2, 1.5, 5, 0.5, 2, 6]
    assert con.execute("FROM sdc_totals('k', ['it''s', 'A'])").fetchall() == counts
    found = con.execute("FROM sdc_totals('k', ['it''s', 'A'], 'w')").fetchall()
    assert found == [(*row[:2], total) for row, total in zip(counts, sums, strict=True)]
    # n times the sum of squares over the square of the sum (Kish): 4 (1 + 4 + 25 + 1/4) / 8.5^2
    effect = "SELECT least, greatest, weight_effect FROM sdc__weight_effect('k', 'w')"
    assert execute(con, effect).fetchall() == [(0.5, 5, pytest.approx(4 * 30.25 / 8.5**2, rel=1e-12))]
