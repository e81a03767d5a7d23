"""Losses by models: regressions and propensity scores against numpy, nothing lost, columns permuted."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING

import duckdb
import numpy as np
import pytest
from sdc_sql.udfs.loss.regression import regression, survey_regression, weighted_regression

from sdc_sql import Microdata
from sdc_sql.errors import ColumnError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable


def table(con: duckdb.DuckDBPyConnection, name: str, **columns: Iterable) -> None:
    lists = {n: np.asarray(c).tolist() for n, c in columns.items()}
    named = ", ".join(f'unnest(${i}) AS "{n}"' for i, n in enumerate(lists, 1))
    con.execute(f"CREATE OR REPLACE TABLE {name} AS SELECT {named}", list(lists.values()))


def rows(con: duckdb.DuckDBPyConnection, call: str) -> list[dict]:
    found = con.execute(f"SELECT * FROM {call}")
    names = [d[0] for d in found.description]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def least_squares(y: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    x = np.column_stack([np.ones(len(y)), x])
    b = np.linalg.solve(x.T @ x, x.T @ y)
    variance = ((y - x @ b) ** 2).sum() / (len(y) - x.shape[1])
    return b, np.sqrt(variance * np.diag(np.linalg.inv(x.T @ x)))


def test_regression(con):
    draw = np.random.default_rng(3)
    x = draw.normal(size=(60, 2)) * [1, 100] + [2, 1000]
    y = x @ [2, 0.01] + draw.normal(size=60)
    x2 = x + draw.normal(size=(60, 2)) * [0.3, 20]
    table(con, "k", x=x[:, 0], y=y, Select=x[:, 1])
    table(con, "f", Select=x2[:, 1], Y=y, x=x2[:, 0])
    con.execute("INSERT INTO f VALUES (NULL, 1e9, 1)")  # misses a value
    found = rows(con, "sdc_confidence_overlap('k', 'f', 'y', ['x', 'select'], confidence := 0.9)")
    z = NormalDist().inv_cdf(0.95)
    (b, s), (c, t) = least_squares(y, x), least_squares(y, x2)
    over = np.minimum(b + z * s, c + z * t) - np.maximum(b - z * s, c - z * t)
    overlaps = (over / (2 * z * s) + over / (2 * z * t)) / 2
    assert [r["coefficient"] for r in found] == [None, "(intercept)", "x", "Select"]
    for name, expected in {"before": b, "error_before": s, "after": c, "error_after": t, "overlap": overlaps}.items():
        assert [r[name] for r in found[1:]] == pytest.approx(list(expected), rel=1e-7)
    assert found[0]["overlap"] == pytest.approx(overlaps.mean(), rel=1e-7)
    assert {r["overlap"] for r in rows(con, "sdc_confidence_overlap('k', 'k', 'y', ['x', 'select'])")} == {1}


def test_regression_of_a_predictor_that_was_permuted(con):
    """x crossed with all of y: the slope is exactly 0, and the interval of what it was is far from it: no overlap."""
    i = np.arange(256)
    x, noise = i % 8, (i * 5 % 16 - 7.5) / 10
    table(con, "k", x=x, y=x + noise)
    table(con, "p", x=i // 8 % 8, y=x + i // 64 % 4 / 10)
    table(con, "same", x=x[::-1], y=(x + noise)[::-1])
    slope = rows(con, "sdc_confidence_overlap('k', 'p', 'y', ['x'])")[2]
    assert slope["after"] == pytest.approx(0, abs=1e-12)
    # from the lower end of one to the upper end of the other, as shares of their lengths
    z = NormalDist().inv_cdf(0.975)
    s, t = slope["error_before"], slope["error_after"]
    over = z * (s + t) - slope["before"]
    assert slope["overlap"] == pytest.approx((over / (2 * z * s) + over / (2 * z * t)) / 2)
    assert slope["overlap"] < 0
    assert {r["overlap"] for r in rows(con, "sdc_confidence_overlap('k', 'same', 'y', ['x'])")} == {1}


def test_regression_by_weights(con):
    """Coefficients are those of repeated records; errors are linearised, by their definition; columns in any order."""
    draw = np.random.default_rng(4)
    x = draw.normal(size=(50, 2)) * [1, 100] + [2, 1000]
    y, w = x @ [2, 0.01] + draw.normal(size=50), draw.integers(1, 6, 50)
    v, x2 = draw.uniform(0.5, 9, 50), x + draw.normal(size=(50, 2)) * [0.3, 20]
    table(con, "k", x=x[:, 0], y=y, Select=x[:, 1], w=w)
    table(con, "f", W=v, Select=x2[:, 1], Y=y, x=x2[:, 0])
    found = rows(con, "sdc_confidence_overlap('k', 'f', 'y', ['x', 'select'], weight := 'w')")[1:]
    for predictors, weights, name in ((x, w, "before"), (x2, v, "after")):
        design = np.column_stack([np.ones(50), predictors])
        inverse = np.linalg.inv(design.T @ (design * weights[:, None]))
        b = inverse @ design.T @ (weights * y)
        told = design * (weights * (y - design @ b))[:, None]
        errors = np.sqrt(np.diag(inverse @ told.T @ told @ inverse) * 50 / 49)
        assert [r[name] for r in found] == pytest.approx(list(b), rel=1e-7)
        assert [r[f"error_{name}"] for r in found] == pytest.approx(list(errors), rel=1e-7)
    repeated, _ = least_squares(np.repeat(y, w), np.repeat(x, w, axis=0))
    assert [r["before"] for r in found] == pytest.approx(list(repeated), rel=1e-7)
    same = rows(con, "sdc_confidence_overlap('k', 'k', 'y', ['x', 'select'], weight := 'w')")
    assert {r["overlap"] for r in same} == {1}
    con.execute("CREATE TABLE other AS SELECT * FROM k ORDER BY hash(x)")
    assert rows(con, "sdc_confidence_overlap('other', 'f', 'y', ['x', 'select'], weight := 'w')")[1:] == found
    con.execute("UPDATE k SET w = NULL WHERE w = 3")
    with pytest.raises(duckdb.Error, match="sampling weight is NULL"):
        rows(con, "sdc_confidence_overlap('k', 'f', 'y', ['x'], weight := 'w')")
    with pytest.raises(duckdb.Error, match="not a column"):
        rows(con, "sdc_confidence_overlap('k', 'f', 'y', ['x'], weight := 'wt')")


@pytest.mark.slow
def test_regressions_that_cannot_be_made(con):
    con.execute("CREATE TABLE k AS SELECT i AS id, i AS x, 2 * i AS y, 5 AS c, i * i AS z FROM range(9) t(i)")
    for predictors, words in {
        "['x', 'y']": "follows from the others",
        "['x', 'c']": "is constant",
        "[]": "no predictors",
    }.items():
        with pytest.raises(duckdb.Error, match=words):
            rows(con, f"sdc_confidence_overlap('k', 'k', 'z', {predictors})")
    con.execute("CREATE TABLE two AS FROM k LIMIT 2")
    with pytest.raises(duckdb.Error, match="too few for 2 coefficients"):
        rows(con, "sdc_confidence_overlap('k', 'two', 'z', ['x'])")


def score(design: np.ndarray, released: np.ndarray) -> float:
    """pMSE by Newton's method on the whole design."""
    beta = np.zeros(design.shape[1])
    for _ in range(60):
        p = 1 / (1 + np.exp(-design @ beta))
        beta += np.linalg.lstsq((design * (p * (1 - p))[:, None]).T @ design, design.T @ (released - p), rcond=None)[0]
    p = 1 / (1 + np.exp(-design @ beta))
    return float(np.mean((p - released.mean()) ** 2))


def test_propensity(con):
    draw = np.random.default_rng(5)
    n, m = 300, 200
    sex, area = draw.choice(["f", "m"], n), draw.choice(["a", "b", "c"], n)
    income = draw.normal(size=n)
    sex2, area2 = draw.choice(["f", "m"], m, p=[0.6, 0.4]), draw.choice(["a", "b", "c"], m)
    income2 = draw.normal(size=m) + (sex2 == "f")
    table(con, "k", sex=sex, area=area, income=income)
    table(con, "f", sex=sex2, area=area2, income=income2)
    s = np.concatenate([sex, sex2]) == "f"
    a = np.concatenate([area, area2])
    x = np.concatenate([income, income2])
    released = np.repeat([0.0, 1.0], [n, m])
    main = [s, a == "a", a == "b", x]
    products = [s * (a == "a"), s * (a == "b"), s * x, (a == "a") * x, (a == "b") * x]
    for pairs, terms in ((False, main), (True, main + products)):
        design = np.column_stack([np.ones(n + m), *terms]).astype(float)
        (found,) = rows(
            con, f"sdc_propensity('k', 'f', ['sex', 'area', 'income'], continuous := ['income'], pairs := {pairs})"
        )
        assert found["parameters"] == design.shape[1]
        assert found["pmse"] == pytest.approx(score(design, released), rel=1e-6)
        c = m / (n + m)
        assert found["expected"] == pytest.approx((design.shape[1] - 1) * (1 - c) ** 2 * c / (n + m))
        assert found["ratio"] == pytest.approx(found["pmse"] / found["expected"])
        assert (found["records"], found["share"]) == (n + m, pytest.approx(found["pmse"] / (c * (1 - c))))


def test_propensity_of_one_category_is_the_distance_of_its_shares(con):
    """p = 1/3 for f and 3/5 for m, as in the header."""
    table(con, "k", sex=list("ffmm"))
    table(con, "f", sex=list("fmmm"))
    (found,) = rows(con, "sdc_propensity('k', 'f', ['sex'])")
    assert found["pmse"] == pytest.approx((3 * (1 / 3 - 1 / 2) ** 2 + 5 * (3 / 5 - 1 / 2) ** 2) / 8, rel=1e-8)
    assert found["expected"] == 1 / 8 / 8
    assert [found[name] for name in ("records", "parameters")] == [8, 2]
    assert [found[name] for name in ("ratio", "share")] == pytest.approx([16 / 15, 1 / 15], rel=1e-8)
    # a variable that is constant tells nothing, and nothing is expected of it
    table(con, "none", sex=list("fff"))
    (found,) = rows(con, "sdc_propensity('none', 'none', ['sex'])")
    assert [*found.values()] == [6, 1, 0, 0, None, 0]


def test_an_interval_without_a_width_overlaps_with_itself_alone(con):
    """A response that is constant, and another constant after: of the level nothing overlaps, so that no mean is."""
    table(con, "k", x=[0, 1, 2, 3], y=[5] * 4)
    table(con, "f", x=[0, 1, 2, 3], y=[6] * 4)
    assert [tuple(r.values()) for r in rows(con, "sdc_confidence_overlap('k', 'f', 'y', ['x'])")] == [
        (None, None, None, None, None, None), ("(intercept)", 5, 0, 6, 0, None), ("x", 0, 0, 0, 0, 1),
    ]  # fmt: skip


def test_propensity_of_the_same_and_of_permuted_and_of_other_records(con):
    draw = np.random.default_rng(8)
    x = draw.normal(size=500)
    table(con, "k", x=x, g=x > 0)
    table(con, "p", x=draw.permutation(x), g=x > 0)
    table(con, "o", x=x + 100, g=x > 0)
    calls = [f"sdc_propensity('k', '{f}', ['x', 'g'], continuous := ['x'], pairs := {p})"
             for f, p in (("k", True), ("p", False), ("p", True), ("o", True))]  # fmt: skip
    same, alone, together, other = (rows(con, call)[0] for call in calls)
    assert same["pmse"] == pytest.approx(0, abs=1e-20)
    assert alone["pmse"] == pytest.approx(0, abs=1e-12)  # each variable by itself is as it was
    assert together["ratio"] > 10
    assert other["share"] > 0.999  # they can be told apart


def test_missing_numbers_tell_the_files_apart(con):
    con.execute("CREATE TABLE k AS SELECT i::DOUBLE AS x FROM range(50) t(i)")
    con.execute("CREATE TABLE f AS SELECT CASE WHEN x % 2 = 0 THEN x END AS x FROM k")
    (found,) = rows(con, "sdc_propensity('k', 'f', ['x'], continuous := ['x'])")
    assert found["parameters"] == 3
    # 25 of the 100 records are surely released ones, of the 75 others a third
    assert found["pmse"] == pytest.approx((25 * 0.25 + 75 * (1 / 3 - 1 / 2) ** 2) / 100, rel=0.02)


def test_models_of_too_many_parameters_are_refused(con):
    con.execute("CREATE TABLE k AS SELECT i AS a, i % 97 AS b FROM range(3000) t(i)")
    with pytest.raises(duckdb.Error, match="1,000 is the most"):
        rows(con, "sdc_propensity('k', 'k', ['a', 'b'])")


@pytest.mark.slow
def test_in_python(con):
    con.execute("CREATE TABLE k AS SELECT i AS id, i AS x, i * i AS y, i % 2 AS g FROM range(30) t(i)")
    con.execute("CREATE TABLE f AS SELECT * REPLACE (x + 1 AS x) FROM k")
    before, after = Microdata(con, "k", id="id"), Microdata(con, "f", id="id")
    assert math.isfinite(after.loss.confidence_overlap(before, "Y", ["x"])[0].overlap)
    assert after.loss.propensity(before, ["g"]).share == 0
    with pytest.raises(ParameterError, match="strictly between 0 and 1"):
        after.loss.confidence_overlap(before, "y", ["x"], confidence=1)
    with pytest.raises(ParameterError, match="True or False"):
        after.loss.propensity(before, ["g"], pairs="yes")
    with pytest.raises(ColumnError, match="among the columns measured"):
        after.loss.propensity(before, ["g"], continuous=["x"])


def test_regressions_of_too_few_records_and_of_predictors_that_tell_nothing():
    """Two coefficients need three records; those of a survey are unknown where the others are refused."""
    x, y, w = np.array([0.0, 1, 3]), np.array([1.0, 2, 7]), np.array([1.0, 2, 1])
    design = np.array([np.zeros(3), np.arange(3.0), np.full(3, 3.0)])
    b, s = regression(3, np.array([y.mean(), x.mean()]), np.cov(y, x), 1)
    expected = least_squares(y, x[:, None])
    assert [*b, *s] == pytest.approx([*expected[0], *expected[1]])
    repeated, _ = least_squares(np.repeat(y, [1, 2, 1]), np.repeat(x, [1, 2, 1])[:, None])
    assert weighted_regression(np.array([y, x]), w, 1)[0] == pytest.approx(repeated)
    assert survey_regression(np.array([x, y]), w, 2, design)[0] == pytest.approx(repeated)
    assert survey_regression(np.array([x, y]), w, 2, design)[1] == pytest.approx(
        weighted_regression(np.array([y, x]), w, 1)[1]
    )
    for columns, words in (
        (np.array([y, x])[:, :2], "2 records are too few for 2 coefficients"),
        (np.array([y, np.ones(3)]), "is constant"),
        (np.array([y, x, 2 * x, x**3])[:3, [0, 1, 2, 2, 1]], "follows from the others"), (y[None], "no predictors"),
    ):  # fmt: skip
        n = columns.shape[1]
        with pytest.raises(ValueError, match=words):
            regression(n, columns.mean(axis=1), np.atleast_2d(np.cov(columns)), 1)
        with pytest.raises(ValueError, match=words):
            weighted_regression(columns, np.ones(n), 1)
        if len(columns) > 1:
            found = survey_regression(columns, np.ones(n), 1, np.array([np.zeros(n), np.arange(n), np.full(n, n)]))
            assert np.isnan(found).all()
