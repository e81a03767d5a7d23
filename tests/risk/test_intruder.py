"""Lambert's intruder: every figure of the slides on identification, and all choices by brute force.

Lambert (1993), JOS 9, 313-331, as presented by J. Lynch; the slide stands at each figure.
"""

from __future__ import annotations

import itertools
import math
import random

import duckdb
import pytest

from sdc_sql import Microdata
from sdc_sql.errors import ColumnError, ParameterError, SdcError, TableError

# slide 27: x, f1, f2, f1 / f2, P with 90, P with 900
TEN_OF_HUNDRED = [
    (0.05, 0.089778, 0.0000304, 2955.62, 0.861949, 0.697245),
    (0.14, 0.412456, 0.0010941, 376.99, 0.109942, 0.088934),
    (1.50, 0.244974, 0.0745956, 3.28, 0.000958, 0.000775),
    (2.40, 0.113310, 0.0883285, 1.28, 0.000374, 0.000303),
    (3.20, 0.063384, 0.0878392, 0.72, 0.000210, 0.000170),
    (3.80, 0.043065, 0.0841587, 0.51, 0.000149, 0.000121),
    (4.60, 0.027068, 0.0775133, 0.35, 0.000102, 0.000082),
    (8.70, 0.004417, 0.0452479, 0.10, 0.000028, 0.000023),
    (10.30, 0.002553, 0.0366537, 0.07, 0.000020, 0.000016),
    (10.70, 0.002247, 0.0348145, 0.06, 0.000019, 0.000015),
]
# slide 32, table 1: the source values and the two columns of probabilities
SOURCES = [9.8, 10.8, 14.1, 14.6, 14.7, 15.0, 30.0, 40.7, 47.1, 53.2]
TABLE_1 = {
    32: [0.016, 0.024, 0.065, 0.072, 0.074, 0.078, 0.202, 0.183, 0.156, 0.130],
    35: [0.010, 0.017, 0.048, 0.054, 0.056, 0.059, 0.199, 0.205, 0.188, 0.164],
}


def table(con: duckdb.DuckDBPyConnection, name: str, columns: str, rows: list[tuple]) -> None:
    marks = ", ".join(f"({', '.join(['?'] * len(rows[0]))})" for _ in rows)
    con.execute(f"CREATE OR REPLACE TABLE {name} AS FROM (VALUES {marks}) t({columns})", [v for r in rows for v in r])


def links(con: duckdb.DuckDBPyConnection, spread: object, density: object = "normal", **named: object) -> dict:
    more = "".join(f", {name} := ${name}" for name in named)
    found = con.execute(
        f"FROM sdc_intruder_links('external', 'released', ['x'], 'id', $spread, $density{more})",
        {"spread": spread, "density": density, **named},
    ).fetchall()
    return {(int(j), int(i)): p for j, i, p in found}


def perceived(con: duckdb.DuckDBPyConnection, *arguments: object, **named: object) -> object:
    return Microdata(con, "released", id="id").risk.perceived_risk("external", ["x"], *arguments, **named)


def two_persons(con: duckdb.DuckDBPyConnection, released: list[tuple]) -> None:
    """Example 4.1: M(Y) is lognormal (0, 1), around 1; M(Y') is lognormal (2, 1), around e^2."""
    table(con, "external", "id, x", [(1, 1.0), (2, math.exp(2))])
    table(con, "released", "id, x", released)


@pytest.mark.slow
def test_example_4_1(con):
    """Slides 19 to 21: p_1 = .89, D(X) = max(.89, .11) = .89; of one record p_1 = .13, D(X) = max(.13, .87) = .87."""
    # slide 19: E(M(Y)) = 1.65 and E(M(Y')) = 12.2, by the parameters that the figures are made with
    assert (round(1.0 * math.exp(0.5), 2), round(math.exp(2) * math.exp(0.5), 1)) == (1.65, 12.2)
    two_persons(con, [(1, 7.0), (2, 20.0)])
    found = links(con, 1, "lognormal")
    assert {pair: round(p, 2) for pair, p in found.items()} == {(1, 1): 0.89, (1, 2): 0.11, (2, 1): 0.11, (2, 2): 0.89}
    assert round(perceived(con, 1, density="lognormal").maximum, 2) == 0.89
    two_persons(con, [(1, 7.0)])
    assert {pair: round(p, 2) for pair, p in links(con, 1, "lognormal").items()} == {(1, 1): 0.13, (2, 1): 0.87}
    assert round(perceived(con, 1, density="lognormal").maximum, 2) == 0.87


@pytest.mark.slow
def test_records_that_are_not_unique(con):
    """Slide 23: p_1 = 1/N = 1/3 where all three are alike; 1/(N - 1) = 1/2 where two are and the third cannot be."""
    table(con, "released", "id, x", [(1, 7.0), (2, 20.0)])
    table(con, "external", "id, x", [(1, 9.0), (2, 9.0), (3, 9.0)])
    assert {round(p, 12) for p in links(con, 3).values()} == {round(1 / 3, 12)}
    # of the slide's two persons alike, 1/2 is the most: reached where the third one is far away
    table(con, "external", "id, x", [(1, 9.0), (2, 9.0), (3, 1000.0)])
    found = links(con, 3)
    assert [found[1, 1], found[2, 1]] == pytest.approx([1 / 2, 1 / 2])
    table(con, "external", "id, x", [(1, 9.0), (2, 9.0), (3, 11.0)])
    assert links(con, 3)[1, 1] < 1 / 2


def test_one_of_two_with_unlike_densities(con):
    """Slide 24: Y_1 uniform on [-4, 4], Y_2 standard normal, x_1 = -2.25: p_1 = .798."""
    table(con, "external", "id, x, s, kind", [(1, 0.0, 4.0, "uniform"), (2, 0.0, 1.0, "normal")])
    table(con, "released", "id, x", [(1, -2.25)])
    assert round(links(con, "s", "kind")[1, 1], 3) == 0.798


@pytest.mark.parametrize("method", ["exact", "mean_of_others"])
def test_ten_of_a_hundred(con, method):
    """Slide 27: f1, f2, f1/f2 and P; the column 90 is that of the model, N - n; the column 900 is not.

    Slide 26 has 1/100 C(99,9)/C(100,10) before f_1(x_i), and C(99,10)/C(100,10) where the target is not sampled, whose
    ratio is 1 to 900. But the record of a target who was sampled (probability C(99,9)/C(100,10) = 1/10) stands in one
    of n = 10 places, not 100: 1/10 1/10 to 9/10, or 1 to 90. The enumeration gives 90. The column of 900 follows
    from ours, where the odds of the null link are taken ten times.
    """
    table(con, "external", "id, x, n", [(1, 1.0, 1), (2, math.exp(2), 99)])
    table(con, "released", "id, x", [(i, x) for i, (x, *_) in enumerate(TEN_OF_HUNDRED)])
    found = links(con, 1, "lognormal", stands_for="n", method=method)
    mine = [found[1, i] for i in range(10)]
    nobody = 1 - sum(mine)
    for p, (x, f1, f2, ratio, with_90, with_900) in zip(mine, TEN_OF_HUNDRED, strict=True):
        density = [math.exp(-((math.log(x) - m) ** 2) / 2) / (x * math.sqrt(2 * math.pi)) for m in (0, 2)]
        assert density == pytest.approx([f1, f2], abs=6e-7)
        assert 90 * p / nobody == pytest.approx(ratio, abs=0.006)  # f1 / f2 is in the links
        assert p == pytest.approx(with_90, abs=1.1e-6)  # 0.861949 and 0.109942 are cut, not rounded
        assert p / (sum(mine) + 10 * nobody) == pytest.approx(with_900, abs=1.1e-6)


@pytest.mark.slow
def test_table_1(con):
    """Slide 32: lognormal noise of deviation 0.5 around the source, 2 of 10 without replacement.

    The sources are printed to a tenth and the released values to a unit: three of the twenty differ by one in the
    third place. No other reading comes near: with replacement (slide 31) they differ by up to 0.017, with 0.5 as the
    variance by 0.04, with 0.5 as the deviation and y as the mean by 0.04.
    """
    table(con, "external", "id, x", list(enumerate(SOURCES)))
    table(con, "released", "id, x", [(5, 32.0), (6, 35.0)])
    found = links(con, 0.5, "lognormal")
    off = [abs(found[j, i] - TABLE_1[x][j]) for i, x in ((5, 32), (6, 35)) for j in range(10)]
    assert max(off) < 0.0013
    assert sum(o > 0.0005000001 for o in off) <= 5
    replaced = links(con, 0.5, "lognormal", method="with_replacement")
    assert max(abs(replaced[j, i] - TABLE_1[x][j]) for i, x in ((5, 32), (6, 35)) for j in range(10)) > 0.016
    # what the slide says of it: of everybody the null link is likelier; 15.0 would be found (0.078), 30.0 not
    assert all(1 - found[j, 5] - found[j, 6] > max(found[j, 5], found[j, 6]) for j in range(10))
    risk = perceived(con, 0.5, density="lognormal")
    assert (risk.linked, risk.correct_links, risk.best_correct) == (0, 0, 1)
    records = Microdata(con, "released", id="id").risk.perceived_risk_records(
        "external", ["x"], 0.5, density="lognormal"
    )
    by_target = {int(t): (int(r), round(p, 3), c) for t, r, p, _, _, c in records.fetchall()}
    assert (by_target[5], by_target[6]) == ((5, 0.078, 1), (5, 0.202, 0))
    # the claimed risk of matching is 1/2: 35 is nearer to 30 (its own) than to 40.7, 32 is nearer to 30 than to 15
    assert (risk.matched, risk.matching_rate) == (1, 0.5)
    assert risk.total == pytest.approx(sum(max(found[j, 5], found[j, 6]) for j in range(10)))
    assert risk.average == pytest.approx(risk.total / 10)
    assert perceived(con, 0.5, density="lognormal", tau=0.2).perceived == 2  # 30.0 and 40.7


def brute_force(density: list[list[float]]) -> dict:
    """Return P_ij by every choice of persons for the records; density[i][j] is of record i and person j."""
    n, m = len(density), len(density[0])
    total, found = 0.0, dict.fromkeys(itertools.product(range(m), range(n)), 0.0)
    for chosen in itertools.permutations(range(m), n):
        weight = math.prod(density[i][j] for i, j in enumerate(chosen))
        total += weight
        for i, j in enumerate(chosen):
            found[j, i] += weight
    return {pair: p / total for pair, p in found.items()}


def density_of(kind: str, x: float | None, y: float, s: float) -> float:
    if x is None:
        return 1.0
    if kind == "uniform":
        return 1 / (2 * s) if abs(x - y) <= s else 0.0
    if kind == "lognormal":
        return 0.0 if x <= 0 else math.exp(-((math.log(x / y) / s) ** 2) / 2) / (x * s * math.sqrt(2 * math.pi))
    return math.exp(-(((x - y) / s) ** 2) / 2) / (s * math.sqrt(2 * math.pi))


@pytest.mark.one_in(4)
@pytest.mark.parametrize("seed", range(4))
def test_against_every_choice(con, seed):
    """Products over three attributes of three densities, NULL, hostile names; D, null links and true links."""
    draw = random.Random(seed)  # noqa: S311 - a table for a test
    n, m = draw.randint(1, 4), draw.randint(4, 6)
    kinds = ["normal", "lognormal", "uniform"]
    people = [(j, *(draw.uniform(1, 9) for _ in kinds), draw.uniform(0.5, 2)) for j in range(m)]
    records = [
        (i, *(None if draw.random() < 0.1 else max(y + draw.uniform(-2, 2), 0.1) for y in people[i][1:4]))
        for i in range(n)
    ]
    table(con, '"k"', '"f\'s", "Select", "a""b", "c, d", w', people)
    con.execute('CREATE OR REPLACE TABLE "r\'s" ("f\'s" INTEGER, "select" DOUBLE, "a""b" DOUBLE, "C, D" DOUBLE)')
    con.executemany('INSERT INTO "r\'s" VALUES (?, ?, ?, ?)', records)
    columns, spreads = ["Select", 'a"b', "c, d"], ["w", 0.7, 9]
    given = [
        [math.prod(density_of(*one) for one in zip(kinds, r[1:], p[1:4], (p[4], 0.7, 9), strict=True)) for p in people]
        for r in records
    ]
    expected = brute_force(given)
    rows = con.execute(
        "FROM sdc_intruder_links('k', '\"r''s\"', ?, 'f''s', ?, ?, least := 1e-6)",
        [columns, [str(s) for s in spreads], kinds],
    ).fetchall()
    found = {(int(j), int(i)): p for j, i, p in rows}
    assert found == pytest.approx({pair: p for pair, p in expected.items() if p >= 1e-6}, rel=1e-9)
    data = Microdata(con, '"r\'s"', id="f's")
    risk = data.risk.perceived_risk("k", columns, spreads, density=kinds, tau=0.4)
    best = [max(expected[j, i] for i in range(n)) for j in range(m)]
    linked = [b >= 1 - sum(expected[j, i] for i in range(n)) for j, b in enumerate(best)]
    right = [j < n and expected[j, j] == best[j] for j in range(m)]
    assert (risk.records, risk.population, risk.tau) == (n, m, 0.4)
    assert (risk.maximum, risk.total, risk.average) == pytest.approx((max(best), sum(best), sum(best) / m))
    assert risk.perceived == sum(b >= 0.4 for b in best)
    assert (risk.linked, risk.best_correct) == (sum(linked), sum(right))
    assert risk.correct_links == sum(a and b for a, b in zip(linked, right, strict=True))
    assert risk.rate == pytest.approx(risk.correct_links / n)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("method", ["exact", "mean_of_others", "with_replacement"])
def test_rounding_hides_nobody(con, method):
    """Ten alike: 1/10 each, one is right; also where nine records say nothing. The sums come in different orders."""
    table(con, "external", "id, x", [(i, 5.0) for i in range(10)])
    table(con, "released", "id, x", [(i, 5.0) for i in range(10)])
    for _ in range(2):
        risk = perceived(con, 1, method=method, tau=0.1)
        assert (risk.perceived, risk.linked, risk.correct_links, risk.best_correct) == (10, 10, 1, 1)
        con.execute("UPDATE released SET x = NULL WHERE id < 9")


def by_hand(density: list[list[float]], weights: list[float]) -> dict:
    """Return P_ij of the mean of the others, from the formula of the header."""
    persons, n = sum(weights), len(density)
    found = {}
    for j in range(len(weights)):
        ratio = []
        for row in density:
            others = sum(w * f for w, f in zip(weights, row, strict=True)) - row[j]
            ratio.append(row[j] * (persons - 1) / others)
        for i, r in enumerate(ratio):
            found[j, i] = r / (sum(ratio) + persons - n)
    return found


@pytest.mark.slow
def test_mean_of_others_and_with_replacement(con):
    draw = random.Random(9)  # noqa: S311 - a table for a test
    people = [(j, draw.uniform(0, 9), draw.choice([1, 2, 2.5])) for j in range(7)]
    records = [(i, draw.uniform(0, 9)) for i in range(6)]
    table(con, "external", "id, x, w", people)
    table(con, "released", "id, x", records)
    density = [[density_of("normal", x, y, 1.5) for _, y, _ in people] for _, x in records]
    weights = [w for *_, w in people]
    found = links(con, 1.5, stands_for="w")  # without a method: weights that are not whole are not enumerated
    assert found == pytest.approx(by_hand(density, weights), rel=1e-9)
    found = links(con, 1.5, stands_for="w", method="with_replacement")
    totals = [sum(w * f for w, f in zip(weights, row, strict=True)) for row in density]
    assert found == pytest.approx({(j, i): density[i][j] / totals[i] for j in range(7) for i in range(6)}, rel=1e-9)
    risk = perceived(con, 1.5, stands_for="w")
    best = [max(by_hand(density, weights)[j, i] for i in range(6)) for j in range(7)]
    assert risk.total == pytest.approx(sum(w * b for w, b in zip(weights, best, strict=True)))
    assert risk.average == pytest.approx(risk.total / sum(weights))


@pytest.mark.parametrize("method", ["exact", "mean_of_others"])
def test_far_apart_densities_are_not_lost(con, method):
    """Every density is 0 to a computer, their ratios are not: two records at one person, and two persons far off."""
    table(con, "external", "id, x", [(1, 0.0), (2, 1000.0)])
    table(con, "released", "id, x", [(1, 0.0), (2, 100.0)])
    found = links(con, 1, method=method)
    assert found == pytest.approx({(1, 1): 1, (2, 2): 1, (1, 2): 0, (2, 1): 0})  # by order: exp(-95000) to 1
    table(con, "released", "id, x", [(1, 100.0), (2, 100.0)])
    assert set(links(con, 1, method=method).values()) == {0.5}


@pytest.mark.slow
def test_wrong_input(con):
    table(con, "external", "id, x, kind, none", [(1, 1.0, "normal", None), (2, 2.0, "gamma", 1.0)])
    table(con, "released", "id, x", [(1, 1.0), (2, 2.0)])
    data = Microdata(con, "released", id="id")
    for error, said, arguments, named in (
        (ParameterError, "A spread is NULL, zero, negative", (0,), {}),
        (ParameterError, "A spread is NULL, zero, negative", ("none",), {}),
        (ParameterError, "spread has 3 values", ([1, 2, 3],), {}),
        (ParameterError, "spread is NULL", (None,), {}),
        (ParameterError, "A density is none of", (1,), {"density": "kind"}),
        (ColumnError, '"gauss" is not a column|gauss', (1,), {"density": "gauss"}),
        (ColumnError, '"s" is not a column|s', ("s",), {}),
        (ParameterError, "method is 'best': it must be one of", (1,), {"method": "best"}),
        (ParameterError, "tau is 2", (1,), {"tau": 2}),
        (SdcError, "stands_for is NULL, below 1", (1,), {"stands_for": 0.5}),
        (ParameterError, "whole numbers", (1,), {"stands_for": 1.5, "method": "exact"}),
        (TableError, "nobody can have given it", (0.5,), {"density": "uniform", "_shift": 90}),
        (
            TableError,
            "nobody can have given it",
            (0.5,),
            {"density": "uniform", "_shift": 90, "method": "mean_of_others"},
        ),
    ):
        con.execute("UPDATE released SET x = id + ?", [named.pop("_shift", 0)])
        with pytest.raises(error, match=said):
            data.risk.perceived_risk("external", ["x"], *arguments, **named)
    table(con, "unknown", "id, x", [(1, None), (2, 2.0)])
    table(con, "negative", "id, x", [(1, -1.0), (2, 2.0)])
    table(con, "twice", "id, x", [(1, 1.0), (1, 2.0)])
    con.execute("CREATE OR REPLACE TABLE nobody AS FROM external WHERE id > 9")
    con.execute("DELETE FROM external WHERE id = 2")
    for error, said, name, density in (
        (ColumnError, "holds NULL", "unknown", "normal"),
        (ColumnError, "0 or less", "negative", "lognormal"),
        (ColumnError, "same on several", "twice", "normal"),
        (TableError, "has no rows", "nobody", "normal"),
        (TableError, "has 2 records, and the external one stands for 1", "external", "normal"),
        (TableError, "external is 5", 5, "normal"),
        (ParameterError, "spread or density is a dict", "external", {"x": "normal"}),
    ):
        with pytest.raises(error, match=said):
            data.risk.perceived_risk(name, ["x"], 1, density=density)
    with pytest.raises(TableError, match="has 2 records, and the external one stands for 1"):
        data.risk.perceived_risk("external", "x", 1)  # a name is a list of one
    for macro in ("intruder_links", "perceived_risk_records", "perceived_risk"):  # in SQL
        with pytest.raises(duckdb.Error, match="list of columns is empty"):
            con.execute(f"FROM sdc_{macro}('released', 'released', [], 'id', 1)")


def test_links_are_judged_only_where_the_truth_is_known(con):
    """Where no id is in both files, right links are not 0 but unknown."""
    two_persons(con, [(7, 7.0), (8, 20.0)])
    risk = perceived(con, 1, density="lognormal")
    assert (risk.linked, risk.correct_links, risk.rate, risk.best_correct, risk.matched) == (2, None, None, None, None)


def test_every_figure_of_few_records_by_every_choice(con):
    """Four persons, three released records, two of them alike: by the choices of persons, the distances and ties."""
    table(con, "external", "id, x", [(1, 2.0), (2, 2.5), (3, 6.0), (4, 9.0)])
    table(con, "released", "id, x", [(1, 2.25), (2, 2.25), (4, 7.0)])
    people, records = (1, 2, 3, 4), (1, 2, 4)
    y, x = (2.0, 2.5, 6.0, 9.0), (2.25, 2.25, 7.0)
    expected = brute_force([[density_of("normal", one, other, 1.5) for other in y] for one in x])
    p = {(people[j], records[i]): chance for (j, i), chance in expected.items()}
    assert {(j, i): v for (j, i), v in links(con, 1.5).items()} == pytest.approx(p)
    least = sorted(p.values())[4] + 1e-9
    assert links(con, 1.5, least=least) == pytest.approx({pair: v for pair, v in p.items() if v >= least})
    nobody = {j: 1 - sum(p[j, i] for i in records) for j in people}
    most = {j: max(p[j, i] for i in records) for j in people}
    found = con.execute("FROM sdc_perceived_risk_records('external', 'released', ['x'], 'id', 1.5) ORDER BY target")
    # of two records alike the first is named, and is right in half of the cases; the third person has none
    likeliest = {1: ("1", 0.5), 2: ("1", 0.5), 3: ("4", 0), 4: ("4", 1)}
    assert found.fetchall() == [
        (
            str(j),
            likeliest[j][0],
            pytest.approx(most[j]),
            pytest.approx(nobody[j]),
            most[j] >= nobody[j],
            likeliest[j][1],
        )
        for j in people
    ]
    linked = [j for j in people if most[j] >= nobody[j]]
    assert linked == [1, 2, 3]
    risk = con.execute("FROM sdc_perceived_risk('external', 'released', ['x'], 'id', 1.5)").fetchall()
    total, tau = sum(most.values()), 0.5
    # the nearest of 2.25 are the first two persons, each as near; of 7 it is the third, who is another one
    matched = 1 / 2 + 1 / 2
    assert risk == [(
        3, 4, pytest.approx(max(most.values())), pytest.approx(total / 4), pytest.approx(total), tau,
        sum(v >= tau for v in most.values()), 3, 1, pytest.approx(1 / 3), 2, matched, pytest.approx(matched / 3),
    )]  # fmt: skip
    assert 0 < sum(v >= tau for v in most.values()) < 4


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("sdc__persons_of(0.5)", "stands_for is NULL, below"), ("sdc__persons_of(1e13)", "stands_for is NULL, below"),
        ("sdc__persons_of(NULL)", "stands_for is NULL"), ("sdc__spread_of(0)", "A spread is NULL"),
        ("sdc__spread_of(-1)", "A spread is NULL"), ("sdc__spread_of(1e151)", "A spread is NULL"),
        ("sdc__share_between(1.5, 'tau')", "tau is 1.5"), ("sdc__share_between(-0.5, 'tau')", "tau is -0.5"),
        ("sdc__share_between(NULL, 'tau')", "tau is NULL"),
        ("sdc__believed('lognormal', 0, 'x')", "holds 0 or less"),
        ("sdc__believed('normal', NULL, 'x')", "x of the external file holds NULL"),
    ],
)  # fmt: skip
def test_wrong_values_in_sql(con, call, said):
    with pytest.raises(duckdb.Error, match=said):
        con.execute(f"SELECT {call}").fetchall()


def test_values_on_their_bounds(con):
    call = """SELECT sdc__persons_of(1), sdc__persons_of(1e12), sdc__spread_of(1e150), sdc__share_between(0, 'tau'),
        sdc__share_between(1, 'tau'), sdc__believed('normal', -2, 'x'), sdc__believed('lognormal', exp(2), 'x')"""
    assert con.execute(call).fetchall() == [(1, 1e12, 1e150, 0, 1, -2, pytest.approx(2))]


def test_the_method_that_is_taken(con):
    """N n 2^n steps: up to 2^20 it is exact without a word, up to 2^24 where asked for; of eight records N 2^11."""

    def taken(method, n=8, persons=512, **other):
        given = {"known": n, "different": n, "m": n, "others": n, "those": n, "whole": True} | other
        order = [
            method,
            "id",
            n,
            *(given[k] for k in ("known", "different", "m", "others", "those")),
            persons,
            given["whole"],
        ]
        return con.execute("SELECT sdc__intruder_method(?, ?, ?, ?, ?, ?, ?, ?, ?::DOUBLE, ?)", order).fetchall()[0][0]

    assert [taken(None, persons=p) for p in (512, 513)] == ["exact", "mean_of_others"]
    assert taken(None, whole=False) == "mean_of_others"
    assert [taken("exact", persons=8192), taken("with_replacement"), taken("mean_of_others")] == [
        "exact", "with_replacement", "mean_of_others"
    ]  # fmt: skip
    assert taken("exact", persons=8) == "exact"  # as many records as persons
    for said, given in (
        ("takes N n 2.n steps, too many for 8 records of 8193", {"method": "exact", "persons": 8193}),
        ("takes N n 2.n steps", {"method": "exact", "n": 21, "persons": 21}),
        ("needs whole numbers", {"method": "exact", "whole": False}),
        ("it must be one of exact", {"method": "best"}),
        ("has 8 records, and the external one stands for 7.9", {"method": None, "persons": 7.9}),
        ("is NULL on records", {"method": None, "known": 7}), ("is NULL on records", {"method": None, "others": 7}),
        ("is the same on several", {"method": None, "different": 7}),
        ("is the same on several", {"method": None, "those": 7}),
    ):  # fmt: skip
        with pytest.raises(duckdb.Error, match=said):
            taken(**given)
