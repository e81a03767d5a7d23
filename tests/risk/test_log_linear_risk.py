"""The risk of sample uniques under log-linear models: SDC handbook, section 3.3.6; Skinner & Shlomo (2008)."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations

import duckdb
import numpy as np
import pytest
from sdc_sql.udfs.log_linear.criteria import criteria
from sdc_sql.udfs.log_linear.crossing import Crossing, Fit

import sdc_sql
from sdc_sql.errors import ColumnError, InputError, ParameterError, WeightError

MODELS = ["tree", "independence", "two_way", [["a", "b"], ["c"]], [["a", "b", "c"]]]

NINE = """
    CREATE TABLE t AS SELECT s, r
    FROM (VALUES ('f', 'n', 9), ('f', 's', 1), ('m', 'n', 1), ('m', 's', 9)) AS t(s, r, n), range(n)
"""


@pytest.fixture
def three(con):
    """Three keys, one with NULL, of which two go together; weights of 5 and 20."""
    con.execute("""
        CREATE TABLE t AS
        SELECT i AS id, nullif(i * i % 7 % 4, 3) AS a, chr(97 + (i * i % 7 + i % 3)::INTEGER) AS b,
            (i * i * i + i // 7) % 11 AS c,
            CASE WHEN i % 2 = 0 THEN 5 ELSE 20 END AS w FROM range(60) s(i)
    """)
    return con


def records(con):
    return con.execute("SELECT a, b, c, w FROM t ORDER BY id").fetchall()


def by_fitting(rows, weights, generators, rounds=80):
    """Iterative proportional fitting over the whole crossing, a dictionary of cells: slow and obvious."""
    keys = list(zip(*rows, strict=True))
    categories = [sorted({*k}, key=str) for k in keys]
    cells = [()]
    for k in categories:
        cells = [(*c, v) for c in cells for v in k]
    fit = dict.fromkeys(cells, sum(weights) / len(cells))
    generators = [*generators, *([i] for i in range(len(keys)))]
    for _ in range(rounds):
        for g in generators:
            wanted, has = Counter(), Counter()
            for row, w in zip(rows, weights, strict=True):
                wanted[tuple(row[i] for i in g)] += w
            for cell, value in fit.items():
                has[tuple(cell[i] for i in g)] += value
            for cell in fit:
                part = tuple(cell[i] for i in g)
                fit[cell] *= wanted[part] / has[part] if has[part] else 0
    return fit


def taus(rows, weights, fit):
    counts = Counter(rows)
    found = [(fit[row], w) for row, w in zip(rows, weights, strict=True) if counts[row] == 1]
    x = [lam * (1 - 1 / w) for lam, w in found]
    return sum(math.exp(-v) for v in x), sum((1 - math.exp(-v)) / v if v else 1 for v in x)


def tree(rows):
    """The forest of greatest sum of 2 n I - 2 df, by trying them all."""
    n, m = len(rows), len(rows[0])

    def entropy(part):
        return -sum(v / n * math.log(v / n) for v in Counter(tuple(r[i] for i in part) for r in rows).values())

    size = [len({r[i] for r in rows}) for i in range(m)]
    score = {
        (i, j): 2 * n * (entropy([i]) + entropy([j]) - entropy([i, j])) - 2 * (size[i] - 1) * (size[j] - 1)
        for i, j in combinations(range(m), 2)
    }
    forests = [f for k in range(m) for f in combinations(score, k) if k < 3 or len({*sum(f, ())}) == 4]
    return max(forests, key=lambda f: sum(score[e] for e in f))


def generators(model, rows):
    if isinstance(model, str):
        pairs = list(combinations(range(len(rows[0])), 2))
        return {"tree": tree(rows), "independence": [], "two_way": pairs}[model]
    return [["abc".index(key) for key in g] for g in model]


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("model", "weight"),
    # (the tree of weighted margins may be another: its fit is that of its pairs)
    [*((m, 20) for m in MODELS), *(pytest.param(m, "w", marks=pytest.mark.slow) for m in MODELS[1:])],
    ids=str,
)
def test_the_fit_over_the_whole_crossing(three, model, weight):
    rows = [r[:3] for r in records(three)]
    weights = [float(r[3]) if weight == "w" else 20.0 for r in records(three)]
    uniques = sum(1 for v in Counter(rows).values() if v == 1)
    assert uniques > 10
    fit = by_fitting(rows, weights, generators(model, rows))
    call = f"('t', ['c', 'a', 'b'], {weight!r}, model := {model!r})"
    found = three.execute(f"FROM sdc_log_linear_risk{call}").fetchone()
    assert found[1:3] == (60, uniques)
    near = 0.02 if model == "two_way" else 1e-9  # its margins are reached to a hundredth of a record
    assert (found[3], found[5]) == pytest.approx(taus(rows, weights, fit), rel=near)
    assert (found[4], found[6]) == pytest.approx((found[3] / uniques, found[5] / uniques))
    three.execute(f"CREATE TABLE found AS FROM sdc_log_linear_risk_records{call}")
    sums = "sum(pr_population_unique), sum(log_linear_risk), count(*) FILTER (log_linear_risk IS NULL)"
    assert three.execute(f"SELECT {sums} FROM found").fetchone() == pytest.approx((found[3], found[5], 60 - uniques))
    for *cell, expected in three.execute("SELECT a, b, c, expected_frequency FROM found").fetchall():
        assert expected == pytest.approx(fit[tuple(cell)], rel=1e-2, abs=0.1)


def test_the_tree_is_the_best_forest(three):
    rows = [r[:3] for r in records(three)]
    (found,) = three.execute("SELECT interactions FROM sdc_log_linear_risk('t', ['a', 'b', 'c'], 20)").fetchone()
    assert sorted(found) == sorted([["abc"[i] for i in pair] for pair in tree(rows)])
    assert found == [["a", "b"]]  # of the others the association is by chance


def test_the_example_of_the_header(con):
    """By hand: u = 3 x 1 / 4, l = 7.5, x = 0.9 l = 6.75."""
    con.execute("CREATE TABLE k AS FROM (VALUES ('f', 'n'), ('f', 'n'), ('f', 's'), ('m', 'n')) AS t(f, \"Select\")")
    row = con.execute("FROM sdc_log_linear_risk('k', ['f', 'select'], 10, model := 'independence')").fetchone()
    assert row[:3] == ([], 4, 2)
    assert row[3:7] == pytest.approx(
        [2 * math.exp(-6.75), math.exp(-6.75), *((1 - math.exp(-6.75)) / 6.75 * k for k in (2, 1))]
    )


def test_negative_binomial(con):
    """9, 1, 1, 9 records, weight 2: u = 5, 1/alpha = (4 x 16 - 20) / 100; E(1/F) by its sum (handbook, 3.3.6)."""
    con.execute(NINE)
    row = con.execute(
        "FROM sdc_log_linear_risk('t', ['s', 'r'], 2, model := 'independence', smoothing := 'negative_binomial')"
    ).fetchone()
    alpha = 1 / 0.44
    b = 10 / alpha
    rho = (1 + b / 2) / (1 + b)
    chance = rho ** (alpha + 1)  # F - 1 is negative binomial (alpha + 1, rho)
    one, risk = chance, 0.0
    for h in range(2000):
        risk += chance / (h + 1)
        chance *= (alpha + 1 + h) / (h + 1) * (1 - rho)
    assert (row[3], row[5]) == pytest.approx((2 * one, 2 * risk))


def test_goodness_of_fit(con):
    """The same: B1 and B2 of Skinner & Shlomo (2008), section 3.3, by hand: f - u = +-4 in each of the four cells."""
    con.execute(NINE)
    row = con.execute("FROM sdc_log_linear_fit('t', ['s', 'r'], 2, model := 'independence')").fetchone()
    lam, u, x, more = 10, 5, 5, 4 * 16 - 20
    r = (1 - math.exp(-x)) / x
    a1, b1 = lam / 2 * math.exp(-lam), lam / 4 * math.exp(-lam)
    a2 = math.exp(-u) * r - math.exp(-lam)
    b2 = (math.exp(-u) * r - math.exp(-lam) * (1 + x / 2)) / u
    spread = [4 * (a * a * u + 2 * b * b * u * u) for a, b in ((a1, b1), (a2, b2))]
    assert row[:3] == ([], 4, 3)
    assert row[3:5] == pytest.approx((2 * math.exp(-x), 2 * r))
    assert row[10] is None
    (first, *_) = con.execute("FROM sdc_log_linear_search('t', ['s', 'r'], 2)").fetchall()
    assert first[:4] == (0, [], [], 3)
    assert first[4:10] == pytest.approx(row[3:9])
    assert first[10] is None
    assert row[5:10] == pytest.approx(
        [b1 * more, b1 * more / math.sqrt(spread[0]), b2 * more, b2 * more / math.sqrt(spread[1]), 0.44]
    )


def test_small_expected_counts_do_not_cancel():
    """b2 of the smallest cells tends to (1 - pi)^2 l / 6 pi, where its terms cancel."""

    def of(lam):
        table = Crossing((3,), np.array([0, 1]), np.array([1.0, 1.0]), np.array([10.0, 10.0]))
        return criteria(table, Fit(((0,),), np.arange(3), np.array([lam, 10.0, 10.0]))).b2

    step = 1e-9
    for lam in (1e-6, 0.0111, 0.012):  # x just below and above where the series begins
        assert of(lam + step) == pytest.approx(of(lam), rel=1e-6)


def test_of_two_keys_their_one_interaction_is_tried(con):
    con.execute("""
        CREATE TABLE two AS SELECT (sdc__uniform('k', i::VARCHAR, 'a') * 12)::INTEGER AS a,
            a + (sdc__uniform('k', i::VARCHAR, 'b') * 2)::INTEGER AS b FROM range(400) s(i)
    """)
    steps = con.execute("SELECT step, added FROM sdc_log_linear_search('two', ['a', 'b'], 10)").fetchall()
    assert steps == [(0, []), (1, ["a", "b"])]


def test_the_search_finds_the_interaction(con):
    con.execute("""
        CREATE TABLE t AS SELECT (sdc__uniform('k', i::VARCHAR, 'a') * 12)::INTEGER AS a,
            a + (sdc__uniform('k', i::VARCHAR, 'b') * 2)::INTEGER AS b,
            (sdc__uniform('k', i::VARCHAR, 'c') * 12)::INTEGER AS c FROM range(400) s(i)
    """)
    steps = con.execute(
        "SELECT step, added, interactions, z2, tau2 FROM sdc_log_linear_search('t', ['a', 'b', 'c'], 10)"
    ).fetchall()
    assert [s[:3] for s in steps[:2]] == [(0, [], []), (1, ["a", "b"], [["a", "b"]])]
    assert steps[0][3] > 1.96 >= steps[-1][3]
    model = steps[-1][2]
    fit = con.execute(
        "SELECT tau2, z2 FROM sdc_log_linear_fit('t', ['a', 'b', 'c'], 10, model := ?)", [model]
    ).fetchone()
    assert fit == pytest.approx((steps[-1][4], steps[-1][3]), rel=1e-3)


@pytest.mark.one_in(5)
@pytest.mark.whole
@pytest.mark.parametrize(
    ("call", "says"),
    [
        ("'t', ['a', 'x'], 20", '"x" is not a column'),
        ("'t', [], 20", "list of columns is empty"),
        ("'t', ['a', NULL], 20", "holds a NULL"),
        ("'t', ['a', 'b'], 0.5", "WeightError"),
        ("'t', ['a', 'b'], 0", "WeightError"),
        ("'none', ['a', 'b'], 20", "has no rows"),
        ("'t', ['a', 'b'], 20, model := 'trees'", "model is trees"),
        ("'t', ['a', 'b'], 20, model := NULL", "no model of these keys"),
        ("'t', ['a', 'b'], 20, model := ['a']", "no model of these keys"),
        ("'t', ['a', 'b'], 20, model := [['a', 'c']]", "no model of these keys"),
        ("'t', ['a', 'b'], 20, model := [['a', 'A']]", "no model of these keys"),
        ("'t', ['a', 'b'], 20, model := [['a'], []]", "no model of these keys"),
        ("'t', ['a', 'b'], 20, smoothing := 'lognormal'", "smoothing is lognormal"),
        ("'t', ['a', 'b'], 20, smoothing := NULL", "smoothing is NULL"),
    ],
)
def test_refused(three, call, says):
    three.execute("CREATE TABLE none AS FROM t LIMIT 0")
    with pytest.raises(duckdb.Error, match=says):
        three.execute(f"FROM sdc_log_linear_risk({call})").fetchall()


@pytest.mark.slow
def test_a_crossing_that_is_too_large_is_refused_and_its_tree_is_not(con):
    con.execute("CREATE TABLE t AS SELECT i AS a, i AS b, i % 999 AS c FROM range(1000) s(i)")
    assert con.execute("SELECT sample_uniques FROM sdc_log_linear_risk('t', ['a', 'b', 'c'], 10)").fetchall() == [
        (1000,)
    ]
    for macro in ("sdc_log_linear_risk", "sdc_log_linear_fit"):
        with pytest.raises(duckdb.Error, match="has 999,000,000 cells"):
            con.execute(f"FROM {macro}('t', ['a', 'b', 'c'], 10, model := 'two_way')").fetchall()
    forest = (
        "SELECT sample_uniques FROM sdc_log_linear_risk('t', ['a', 'b', 'c'], 10, model := [['b', 'a'], ['B', 'c']])"
    )
    assert con.execute(forest).fetchall() == [(1000,)]


@pytest.mark.slow
def test_odd_tables(con):
    """One record, a census, texts with quotes, no sample unique."""
    con.execute("CREATE TABLE one AS SELECT 'o''brien' AS \"a\"\"b\", NULL::INTEGER AS c")
    figures = "interactions, records, sample_uniques, tau1, tau1_rate, tau2, tau2_rate"
    assert con.execute(f"SELECT {figures} FROM sdc_log_linear_risk('one', ['a\"b', 'c'], 1)").fetchall() == [
        ([], 1, 1, 1.0, 1.0, 1.0, 1.0)
    ]
    con.execute("CREATE TABLE two AS SELECT 1 AS x FROM range(2)")
    assert con.execute(f"SELECT {figures} FROM sdc_log_linear_risk('two', ['x'], 10)").fetchall() == [
        ([], 2, 0, 0, 0, 0, 0)
    ]
    assert (
        con.execute("FROM sdc_log_linear_risk_records('two', ['x'], 10)").fetchall()
        == [(1, 2, pytest.approx(20), None, None)] * 2
    )
    for macro in ("fit", "search"):
        assert len(con.execute(f"FROM sdc_log_linear_{macro}('two', ['x'], 1)").fetchall()) == 1


@pytest.mark.slow
def test_python(three):
    data = sdc_sql.Microdata(three, "t", keys=["a", "b", "c"], sampling_fraction=0.05)
    found = data.risk.log_linear_risk(model=[["B", "a"], ["c"]])
    assert found.interactions == [["a", "b"]]
    assert found.tau2 == pytest.approx(data.risk.log_linear_risk(model=[["a", "b"]]).tau2)
    assert sum(r[-1] or 0 for r in data.risk.log_linear_risk_records(model=[["a", "b"]]).fetchall()) == pytest.approx(
        found.tau2
    )
    assert data.risk.log_linear_fit(model="independence").interactions == []
    assert data.risk.log_linear_search()[0].step == 0
    with pytest.raises(ParameterError, match="weight"):
        sdc_sql.Microdata(three, "t", keys=["a", "b"]).risk.log_linear_risk()
    with pytest.raises(ParameterError, match="wildcard"):
        sdc_sql.Microdata(three, "t", keys=["a", "b"], weight=5, nulls="wildcard").risk.log_linear_risk()
    with pytest.raises(WeightError, match="sum to less"):
        sdc_sql.Microdata(three, "t", keys=["a", "b"], weight=0.5).risk.log_linear_risk()
    for model in ("x", None, [], [[]], [["a", "w"]], [["a", "a"]], ["a"], [[1]]):
        with pytest.raises(ParameterError):
            data.risk.log_linear_risk(model=model)
    with pytest.raises(ColumnError):
        data.risk.log_linear_risk(model=[["a", "none"]])
    with pytest.raises(ParameterError, match="smoothing"):
        data.risk.log_linear_risk(smoothing="x")
    for settings in ({"enough": -1}, {"enough": "x"}, {"max_keys": 1}):
        with pytest.raises(ParameterError):
            data.risk.log_linear_search(**settings)
    three.execute("CREATE TABLE wide AS SELECT i AS a, i AS b, i AS c FROM range(1000) s(i)")
    with pytest.raises(InputError, match="cells"):
        sdc_sql.Microdata(three, "wide", keys=["a", "b", "c"], weight=5).risk.log_linear_risk(model="two_way")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("enough := -1", "enough is -1"), ("enough := 100", "enough is 100"), ("enough := NULL", "enough is NULL"),
        ("max_keys := 1", "max_keys is 1"), ("max_keys := 65", "max_keys is 65"),
        ("max_keys := NULL", "max_keys is NULL"),
    ],
)  # fmt: skip
def test_a_search_that_is_asked_wrongly_is_refused(three, given, says):
    with pytest.raises(duckdb.Error, match=says):
        three.execute(f"FROM sdc_log_linear_search('t', ['a', 'b'], 20, {given})").fetchall()


def test_a_search_goes_to_the_quantile_of_1_96_and_to_three_keys(con):
    """Of two keys, 11 records where they agree and one where not: z is 2.2 at first. Of four, by parity."""
    con.execute(
        "CREATE TABLE two AS SELECT i % 2 AS a, i // 2 % 2 AS b FROM range(4) t(i), range(if(i % 3 = 0, 11, 1))"
    )
    rows = con.execute("SELECT added, z2 FROM sdc_log_linear_search('two', ['a', 'b'], 10)").fetchall()
    assert [added for added, _ in rows] == [[], ["a", "b"]]
    assert rows[0][1] == pytest.approx(2.24, abs=0.005)
    con.execute("""CREATE TABLE four AS SELECT i % 2 AS a, i // 2 % 2 AS b, i // 4 % 2 AS c, i // 8 AS d
        FROM range(16) t(i), range(if(bit_count(i) % 2 = 0, 6, 1))""")
    call = "SELECT added FROM sdc_log_linear_search('four', ['a', 'b', 'c', 'd'], 10, enough := 0)"
    assert max(len(added) for (added,) in con.execute(call).fetchall()) == 3


def test_why_there_is_no_figure(con):
    """Of the keys a, b and c the third has many values; a and b nearly determine one another; and so on."""

    def told(sparse, unborne, near, uneven, *tells):
        given = [["a", "b", "c"], sparse, unborne, near, uneven, *tells]
        call = "SELECT sdc__no_figure(?, ?::BIGINT[], ?::BIGINT[][], ?::BIGINT[][], ?, ?, ?, 0.126, 12.5)"
        return con.execute(call, given).fetchall()[0][0]

    assert told([3], [], [], 0.1, *(True, True)) is None
    near = told([3], [[1, 3]], [[1, 2]], 0.3, *(False, False))
    assert near.startswith('no figure: one of the keys "a" and "b" nearly determines the other, and')
    one, two = told([3], [[1, 3]], [], 0.3, *(False, False)), told([2, 3], [[1, 3], [2, 3]], [], 0.3, *(False, False))
    assert one.startswith('no figure: "c" has too many values for the records, and the model has "a" with "c", which')
    assert two.startswith('no figure: "b", "c" have too many values')
    assert 'the model has "a" with "c", "b" with "c", which' in two
    uneven = told([3], [], [], 0.31, *(False, True))
    assert uneven.startswith("no figure of tau1: the weights differ among sample uniques that are alike but for")
    assert '"c" (a squared coefficient of variation of 0.31), and' in uneven
    assert told([3], [], [], 0.6, *(False, False)).startswith("no figure of tau1 and tau2: the weights differ")
    for tells1, tells2, names, errors in (
        (False, False, "tau1 and tau2", "13 % and over 1000 %"), (False, True, "tau1", "13 %"),
        (True, False, "tau2", "over 1000 %"),
    ):  # fmt: skip
        found = told([2, 3], [], [], 0.1, tells1, tells2)
        assert found.startswith(f'no figure of {names}: how many values of "b", "c" have one record, two, three')
        assert f"(a standard error of {errors}; 10 % is the most)" in found
