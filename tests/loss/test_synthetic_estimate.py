"""Combining rules for synthetic copies: closed forms, and the coverage of intervals over a thousand synthetic files."""

from __future__ import annotations

import math
from itertools import permutations
from statistics import NormalDist, fmean, variance
from typing import TYPE_CHECKING

import numpy as np
import pytest

from sdc_sql import Microdata
from sdc_sql.errors import ColumnError, InputError, ParameterError, TableError

if TYPE_CHECKING:
    import duckdb


def estimates(con: duckdb.DuckDBPyConnection, call: str) -> list[dict]:
    found = con.execute(f"SELECT * FROM {call}")
    names = [d[0] for d in found.description]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def test_quantiles_of_student(con):
    """Closed forms of 1, 2 and 4 degrees (any textbook), and for 3.7 the integral; far ones by Cornish and Fisher."""
    for p in (0.6, 0.9, 0.975, 0.9995):
        found = con.execute(
            "SELECT list_transform([1e0, 2e0, 4e0, 3.7e0, 99999e0, 100001e0, NULL],"
            " lambda n: sdc__student_quantile($p, n, sdc__normal_quantile($p)))",
            {"p": p},
        ).fetchall()[0][0]
        a = 4 * p * (1 - p)
        q = math.cos(math.acos(math.sqrt(a)) / 3) / math.sqrt(a)
        expected = [math.tan(math.pi * (p - 0.5)), (2 * p - 1) * math.sqrt(2 / a), 2 * math.sqrt(q - 1)]
        assert found[:3] == pytest.approx(expected, rel=1e-7)
        t = (np.arange(200_000) + 0.5) / 200_000 * found[3]
        density = math.gamma(2.35) / math.sqrt(3.7 * math.pi) / math.gamma(1.85) * (1 + t**2 / 3.7) ** -2.35
        assert 0.5 + density.mean() * found[3] == pytest.approx(p, abs=1e-8)
        z = NormalDist().inv_cdf(p)
        assert found[4:6] == pytest.approx([z + (z**3 + z) / 4e5] * 2, rel=1e-8)
        assert found[6] == pytest.approx(z)


@pytest.mark.slow
@pytest.mark.whole
def test_the_rules_by_hand(con):
    """Each rule by Python's statistics; two quantities, one of them NULL; the order of the records does not matter."""
    q, u = [1.0, 1.5, 0.25, 2.5], [0.5, 0.6, 0.4, 0.3]
    seen = []
    for order in [*permutations(range(4))][::7]:
        rows = [(None, q[j], u[j]) for j in order] + [("b'c", 10 + q[j] / 100, u[j]) for j in order]
        con.execute('CREATE OR REPLACE TABLE k (f VARCHAR, "Select" DOUBLE, "it\'s" DOUBLE)')
        con.executemany("INSERT INTO k VALUES (?, ?, ?)", rows)
        call = "sdc_synthetic_estimate('k', 'select', 'it''s', '{}', quantity := 'F', ratio := 0.5, confidence := 0.9)"
        found = {kind: estimates(con, call.format(kind)) for kind in ("partial", "full", "complete")}
        seen.append(found)
        assert found == seen[0]
    b, w, m = variance(q), fmean(u), 4
    expected = {"partial": w + b / m, "full": 1.25 * b - w, "complete": 0.75 * w}
    degrees = {"partial": 3 * (1 + w / (b / m)) ** 2, "full": max(1, 3 * (1 - w / (1.25 * b)) ** 2), "complete": None}
    for kind, (first, second) in found.items():
        assert (first["quantity"], second["quantity"]) == (None, "b'c")
        assert first["estimate"] == pytest.approx(fmean(q))
        assert (first["within"], first["between"]) == pytest.approx((w, b))
        assert first["variance"] == pytest.approx(expected[kind])
        assert first["degrees"] == pytest.approx(degrees[kind])
        assert not first["adjusted"]
        assert first["upper"] - first["estimate"] == pytest.approx(first["estimate"] - first["lower"])
    # the copies of the second nearly agree: its variance would be negative, and is that of half a copy
    second = found["full"][1]
    assert 1.25 * second["between"] - w < 0
    assert second["adjusted"] is True
    assert second["degrees"] is None
    assert second["variance"] == pytest.approx(0.5 * w)
    assert second["upper"] - second["estimate"] == pytest.approx(NormalDist().inv_cdf(0.95) * math.sqrt(0.5 * w))


def test_one_copy(con):
    """Raab, Nowok & Dibben: one copy of a completely synthetic file, T = 2 u; of any other an error."""
    con.execute("CREATE TABLE one AS SELECT 3e0 AS q, 4e0 AS u")
    data = Microdata(con, "one")
    found = data.loss.synthetic_estimate("q", "u", "complete")[0]
    assert (found.variance, found.between, found.degrees) == (8, None, None)
    assert found.upper == pytest.approx(3 + 1.959963984540054 * math.sqrt(8))
    for kind in ("partial", "full"):
        with pytest.raises(ParameterError, match="There is one copy"):
            data.loss.synthetic_estimate("q", "u", kind)


def test_copies_that_agree(con):
    """No variance between copies: partial T = u; full T = u in the place of -u; of no variance at all no width."""
    con.execute("CREATE TABLE two AS FROM (VALUES (3, 4), (3, 4)) AS t(q, u)")
    con.execute("CREATE TABLE none AS SELECT q, 0 AS u FROM two")
    calls = (f"sdc_synthetic_estimate('two', 'q', 'u', '{kind}')" for kind in ("partial", "full"))
    partial, full = (estimates(con, call)[0] for call in calls)
    assert (partial["variance"], partial["degrees"], partial["adjusted"]) == (4, None, False)
    assert (full["variance"], full["degrees"], full["adjusted"]) == (4, None, True)
    for kind in ("partial", "full", "complete"):
        found = estimates(con, f"sdc_synthetic_estimate('none', 'q', 'u', '{kind}')")[0]
        assert (found["variance"], found["lower"], found["upper"], found["adjusted"]) == (0, 3, 3, False)


def test_what_is_refused(con):
    con.execute("CREATE TABLE e AS FROM (VALUES ('a', 1, 1), ('a', 2, 1), ('b', 3, 1)) AS t(k, q, u)")
    con.execute("CREATE TABLE gaps AS FROM (VALUES (1, NULL, -1, 'x'), (2, 1, 1, '')) AS t(q, missing, negative, word)")
    data, gaps = Microdata(con, "e"), Microdata(con, "gaps")
    with pytest.raises(TableError, match="One quantity has 1 records and another 2"):
        data.loss.synthetic_estimate("q", "u", "complete", quantity="k")
    with pytest.raises(ColumnError, match="missing holds NULL or NaN"):
        gaps.loss.synthetic_estimate("q", "missing", "partial")
    with pytest.raises(ColumnError, match="negative holds negative values"):
        gaps.loss.synthetic_estimate("q", "negative", "partial")
    with pytest.raises(InputError, match="word"):
        gaps.loss.synthetic_estimate("word", "q", "partial")
    with pytest.raises(ParameterError, match="ratio"):
        data.loss.synthetic_estimate("q", "u", "partial", ratio=0)
    with pytest.raises(ParameterError, match="synthesis"):
        data.loss.synthetic_estimate("q", "u", "simple")


def coverage(con: duckdb.DuckDBPyConnection, q: np.ndarray, u: np.ndarray, kind: str, truth: float) -> list[float]:
    """Return the share of runs (rows of q and u) whose interval holds the truth, and that of adjusted ones."""
    runs, copies = q.shape
    lists = [np.repeat(np.arange(runs), copies).tolist(), q.ravel().tolist(), u.ravel().tolist()]
    con.execute("CREATE OR REPLACE TABLE runs AS SELECT unnest($1) AS run, unnest($2) AS q, unnest($3) AS u", lists)
    found = estimates(con, f"sdc_synthetic_estimate('runs', 'q', 'u', '{kind}', quantity := 'run')")
    assert len(found) == runs
    return [fmean(f["lower"] <= truth <= f["upper"] for f in found), fmean(f["adjusted"] for f in found)]


def slopes(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the slope of y on x along the last axis, and its squared standard error."""
    x, y = x - x.mean(-1, keepdims=True), y - y.mean(-1, keepdims=True)
    b = (x * y).sum(-1) / (x * x).sum(-1)
    rest = ((y - b[..., None] * x) ** 2).sum(-1) / (x.shape[-1] - 2)
    return b, rest / (x * x).sum(-1)


@pytest.mark.slow
def test_coverage(con):
    """Of 95 % intervals in 1,000 runs on right models; a binomial share errs by 0.7 % (one standard deviation)."""
    draw, runs, n, m = np.random.default_rng(29), 1000, 100, 5
    normal = draw.standard_normal

    # partially synthetic: y given x from its posterior predictive distribution, x as it is; the slope
    x = normal((runs, n))
    y = 0.5 * x + normal((runs, n))
    b, _ = slopes(x, y)
    middle = x.mean(1, keepdims=True)
    rest = (((y - y.mean(1, keepdims=True)) - b[:, None] * (x - middle)) ** 2).sum(1)
    variance_ = rest[:, None] / draw.chisquare(n - 2, (runs, m))
    b_drawn = b[:, None] + np.sqrt(variance_ / ((x - middle) ** 2).sum(1)[:, None]) * normal((runs, m))
    mean_drawn = y.mean(1)[:, None] + np.sqrt(variance_ / n) * normal((runs, m))
    fitted = mean_drawn[..., None] + b_drawn[..., None] * (x - middle)[:, None]
    drawn = fitted + np.sqrt(variance_)[..., None] * normal((runs, m, n))
    q, u = slopes(np.broadcast_to(x[:, None], drawn.shape), drawn)
    held, _ = coverage(con, q, u, "partial", 0.5)
    assert 0.93 <= held <= 0.97, held

    # fully synthetic: samples of populations drawn anew; the mean
    variance_ = x.var(1, ddof=1)[:, None] * (n - 1) / draw.chisquare(n - 1, (runs, m))
    means = x.mean(1)[:, None] + np.sqrt(variance_ / n) * normal((runs, m))
    drawn = means[..., None] + np.sqrt(variance_)[..., None] * normal((runs, m, n))
    held, negative = coverage(con, drawn.mean(2), drawn.var(2, ddof=1) / n, "full", 0)
    assert 0.93 <= held <= 0.99, held
    # 1.2 b < u where b is distributed as 2 u chi^2_4 / 4: P(chi^2_4 < 1.667) = 1 - exp(-0.8333) (1 + 0.8333) = 0.203
    assert negative == pytest.approx(0.203, abs=0.05)

    # one copy, completely synthetic by the fitted model: x, and y given x; the slope
    fit = y.mean(1, keepdims=True), b[:, None], np.sqrt(rest / (n - 2))[:, None]
    x_drawn = middle + x.std(1, ddof=1)[:, None] * normal((runs, n))
    y_drawn = fit[0] + fit[1] * (x_drawn - middle) + fit[2] * normal((runs, n))
    q, u = slopes(x_drawn, y_drawn)
    held, _ = coverage(con, q[:, None], u[:, None], "complete", 0.5)
    assert 0.93 <= held <= 0.97, held
    naive = (abs(q - 0.5) <= 1.959964 * np.sqrt(u)).mean()  # as if it were a sample: 2 Phi(1.96 / sqrt(2)) - 1 = 0.834
    assert naive == pytest.approx(0.834, abs=0.05)

    # the rule of 'complete' where 30 % were drawn: Var q = 1.51 / n beside T = 2 / n, 2 Phi(1.96 sqrt(2 / 1.51)) - 1
    kept = y.copy()
    kept[:, :30] = y.mean(1, keepdims=True) + y.std(1, ddof=1)[:, None] * normal((runs, 30))
    held, _ = coverage(con, kept.mean(1)[:, None], kept.var(1, ddof=1)[:, None] / n, "complete", 0)
    assert held == pytest.approx(0.976, abs=0.02)


def test_every_figure_by_hand(con):
    """12 = (10 + 12 + 14) / 3, u = 4 and b = 4: the intervals by the distribution function of Student's, summed up."""
    con.execute("CREATE TABLE copies AS FROM (VALUES (14, 5), (10, 3), (12, 4)) AS t(q, u)")

    def inside(t, nu):
        v = (np.arange(200_000) + 0.5) / 200_000 * t
        constant = math.exp(math.lgamma((nu + 1) / 2) - math.lgamma(nu / 2)) / math.sqrt(nu * math.pi)
        return 2 * t * constant * ((1 + v**2 / nu) ** (-(nu + 1) / 2)).mean()

    for kind, variance_, nu in (("partial", 16 / 3, 32), ("full", 4 / 3, 1), ("complete", 16 / 3, None)):
        (found,) = estimates(con, f"sdc_synthetic_estimate('copies', 'Q', 'u', '{kind}')")
        half = found["upper"] - 12
        assert [*found.values()] == [None, 3, 12, 4, 4, pytest.approx(variance_), nu and pytest.approx(nu),
                                     pytest.approx(12 - half), 12 + half, False]  # fmt: skip
        t = half / math.sqrt(variance_)
        held = 2 * NormalDist().cdf(t) - 1 if nu is None else inside(t, nu)
        assert held == pytest.approx(0.95, abs=1e-6)


def test_a_variance_of_just_nothing_is_adjusted(con):
    """Of copies 0 and 2 b = 2, (1 + 1/2) b = 3: with u = 3 nothing is left, and half of u stands in its place."""
    con.execute("CREATE TABLE copies AS FROM (VALUES (0, 3), (2, 3)) AS t(q, u)")
    (found,) = estimates(con, "sdc_synthetic_estimate('copies', 'q', 'u', 'full', ratio := 0.5)")
    assert (found["variance"], found["degrees"], found["adjusted"]) == (1.5, None, True)
