"""theta under misclassification, data intrusion simulation: Skinner & Elliot (2002), (6), (10) to (13), 5.3."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import product

import duckdb
import numpy as np
import pytest

from sdc_sql import ColumnError, Microdata, ParameterError, TableError

A, B = ["x", "y", "z"], [1, 2, None]


@pytest.fixture(scope="module")
def people(connect):
    """Return a connection with a file of three keys and matrices of two of them, sixteenths throughout."""
    with connect() as con:
        rows = [(A[i * i // 4 % 3], B[i // 3 % 3], i % 5 == 0, 0.25 if i % 2 else 0.5) for i in range(17)]
        con.execute('CREATE TABLE t (a VARCHAR, "b""c" INTEGER, "Select" BOOLEAN, pi DOUBLE)')
        con.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows)
        for name, matrix in MATRICES.items():
            kind = "VARCHAR" if name == "ma" else "INTEGER"
            con.execute(f'CREATE TABLE {name} ("from" {kind}, "to" {kind}, probability DOUBLE)')
            con.executemany(f"INSERT INTO {name} VALUES (?, ?, ?)", [(*pair, float(p)) for pair, p in matrix.items()])
        con.execute("""
            CREATE TABLE joint AS
            SELECT {'b"c': mb."from", 'a': ma."from"} AS "from", {'b"c': mb."to", 'a': ma."to"} AS "to",
                   ma.probability * mb.probability AS probability
            FROM ma, mb
        """)
        yield con


def matrix_of(categories, rows):
    return {
        (f, t): Fraction(p, 16)
        for f, row in zip(categories, rows, strict=True)
        for t, p in zip(categories, row, strict=True)
        if p
    }


MATRICES = {
    "ma": matrix_of(A, [(10, 4, 2), (0, 16, 0), (5, 3, 8)]),
    "mb": matrix_of(B, [(12, 4, 0), (1, 14, 1), (2, 2, 12)]),
}
KEYS = ["a", 'b"c', "Select"]


def by_the_formulas(records, m, pi):
    """Return (12) and its parts from the definition of A, one record and one category at a time; m(j, j*) is M."""
    f = Counter(records)
    kept_uniques = sum(m(j, j) for j in f if f[j] == 1)
    kept_pairs = sum(m(j, j) for j in f if f[j] == 2)
    n_a = sum(m(x, j) for x in records for j in f if f[j] == 1 and j != x)
    down = pi * kept_uniques + 2 * (1 - pi) * kept_pairs + n_a
    return kept_uniques, kept_pairs, n_a, pi * kept_uniques / down if down else 0


def by_enumeration(records, m, pi):
    """Return the limit of the simulation of section 4: every record removed, every X~, copied back or not."""
    f = Counter(records)
    unique = correct = Fraction(0)
    for x in records:
        for seen in {y for y in f if m(x, y)}:
            for copied, p in ((1, pi), (0, 1 - pi)):
                there = f[seen] - (x == seen) + (copied if x == seen else 0)
                if there == 1:
                    unique += m(x, seen) * p
                    correct += m(x, seen) * p * (x == seen and copied)
    return correct / unique if unique else Fraction(0)


def records_of(con):
    return con.execute('SELECT a, "b""c", "Select" FROM t').fetchall()


def together(changed):
    """Return M of the whole key: the product of the matrices of the changed columns, and agreement in the others."""

    def m(x, y):
        found = Fraction(1)
        for i, name in enumerate(KEYS):
            found *= MATRICES[changed[name]].get((x[i], y[i]), 0) if name in changed else x[i] == y[i]
        return found

    return m


@pytest.mark.one_in(3)
@pytest.mark.parametrize("pi", [0.125, 0.5, 0.875])
@pytest.mark.parametrize("changed", [{"a": "ma"}, {'b"c': "mb"}, {"a": "ma", 'b"c': "mb"}, {'b"c': "mb", "a": "ma"}])
def test_the_formulas_and_the_limit_of_the_simulation(people, changed, pi):
    call = "FROM sdc_theta_misclassified('t', ?, ?, ?, ?)"
    (row,) = people.execute(call, [KEYS, pi, list(changed), list(changed.values())]).fetchall()
    records, m = records_of(people), together(changed)
    assert row[4:8] == pytest.approx([float(v) for v in by_the_formulas(records, m, Fraction(pi))], rel=1e-12)
    assert row[7] == pytest.approx(float(by_enumeration(records, m, Fraction(pi))), rel=1e-12)
    assert row[7] <= row[8]


def test_a_joint_matrix_equals_independent_ones(people):
    call = "FROM sdc_theta_misclassified('t', ?, 0.25, ['a', 'b\"c'], ['ma', 'mb'])"
    (apart,) = people.execute(call, [KEYS]).fetchall()
    call = "FROM sdc_theta_misclassified_crossing('t', ?, 0.25, ['b\"c', 'A'], 'joint')"
    (joint,) = people.execute(call, [KEYS]).fetchall()
    assert joint == pytest.approx(apart, rel=1e-12)


def test_without_misclassification_it_is_theta(people):
    people.execute(
        """CREATE OR REPLACE TABLE same AS
        FROM (VALUES ('x', 'x', 1), ('y', 'y', 1), ('z', 'z', 1)) AS s("from", "to", probability)"""
    )
    call = "SELECT theta, most_theta FROM sdc_theta_misclassified('t', ?, 0.3, ['a'], ['same'])"
    found = people.execute(call, [KEYS]).fetchall()
    expected = people.execute("SELECT theta, theta FROM sdc_theta('t', ?, 0.3)", [KEYS]).fetchall()
    assert found == [pytest.approx(expected[0], rel=1e-14)]


def test_the_example_of_the_header(con):
    """By hand: pi (m stays) = 0.4; 2 (1 - pi) (f stays) = 0.9; n A = two f at 0.1."""
    con.execute("CREATE TABLE persons AS FROM (VALUES ('f'), ('f'), ('m')) AS t(sex)")
    con.execute(
        """CREATE TABLE matrix AS
        FROM (VALUES ('f', 'f', 0.9), ('f', 'm', 0.1), ('m', 'f', 0.2), ('m', 'm', 0.8))
        AS m("from", "to", probability)"""
    )
    (row,) = con.execute("FROM sdc_theta_misclassified('persons', ['sex'], 0.5, ['sex'], ['matrix'])").fetchall()
    assert row == (3, 2, 1, 1, 0.8, 0.9, pytest.approx(0.2), pytest.approx(0.4 / 1.5), pytest.approx(0.4 / 1.3))


@pytest.mark.parametrize(("columns", "matrices"), [(["a"], ["ma"]), (["a", 'b"c'], ["ma", "mb"])])
def test_the_simulation_tends_to_the_closed_form(people, columns, matrices):
    call = "FROM sdc_data_intrusion_misclassified('t', ?, 0.25, ?, ?, repetitions := 40000)"
    ((n, unique, correct, theta, error, limit),) = people.execute(call, [KEYS, columns, matrices]).fetchall()
    assert n == 40_000
    assert theta == correct / unique
    assert error == pytest.approx(math.sqrt(theta * (1 - theta) / unique))
    m = together(dict(zip(columns, matrices, strict=True)))
    assert limit == pytest.approx(float(by_enumeration(records_of(people), m, Fraction(1, 4))), rel=1e-12)
    assert abs(theta - limit) < 4.5 * error


@pytest.mark.parametrize("pi", ["0.25", "'pi'"])
def test_the_simulation_without_misclassification(people, pi):
    """Section 5.3: record i is removed with probability proportional to 1 / pi_i; its limit by enumeration."""
    call = f"FROM sdc_data_intrusion_simulation('t', ['a', 'b\"c', 'Select'], {pi}, repetitions := 40000)"
    ((n, unique, correct, theta, error, limit),) = people.execute(call).fetchall()
    rows = people.execute('SELECT a, "b""c", "Select", pi FROM t').fetchall()
    f = Counter(r[:3] for r in rows)
    chances = [(f[r[:3]], r[3] if pi == "'pi'" else 0.25) for r in rows]
    hits = sum(1 / p * p for k, p in chances if k == 1)
    misses = sum(1 / p * (1 - p) for k, p in chances if k == 2)
    assert limit == pytest.approx(hits / (hits + misses), rel=1e-12)
    assert abs(theta - limit) < 4.5 * error
    expected = (hits + misses) / sum(1 / p for _, p in chances)
    assert abs(unique / n - expected) < 4.5 * math.sqrt(expected * (1 - expected) / n)
    assert people.execute(call).fetchall() == [(n, unique, correct, theta, error, limit)]
    other = people.execute(call.replace("40000", "40000, stream := 'other'")).fetchall()
    assert other[0][1] != unique


def test_a_stratum_that_is_taken_whole(con):
    """By hand, pi = 1 for the first stratum: two uniques, and a pair of which one stands for three others."""
    con.execute("CREATE TABLE t AS FROM (VALUES (1, 1e0), (2, 0.25), (3, 0.25), (3, 1e0)) AS t(a, pi)")
    call = "FROM sdc_data_intrusion_simulation('t', ['a'], 'pi', repetitions := 40000)"
    ((n, unique, correct, theta, error, limit),) = con.execute(call).fetchall()
    # a match is unique: n_1 weighs 1 / pi * pi = 1 each, the pair (1 - pi) / pi = 3 and 0
    assert limit == pytest.approx(2 / (2 + 3), rel=1e-12)
    assert abs(theta - limit) < 4.5 * error
    expected = 5 / (1 + 4 + 4 + 1)
    assert abs(unique / n - expected) < 4.5 * math.sqrt(expected * (1 - expected) / n)
    assert correct < unique
    with pytest.raises(duckdb.Error, match=r"The sampling fraction is 1"):
        con.execute(call.replace("'pi'", "1")).fetchall()


def direct_theta(population, sampled, seen):
    """Return (10): cells of the sample by X, and what the intruder has of each person of the population."""
    f = Counter(population[i] for i in sampled)
    f_seen = Counter(seen)
    return sum(f[population[i]] == 1 and seen[i] == population[i] for i in sampled) / sum(
        f_seen[j] for j in f if f[j] == 1
    )


def compared(con, population, matrices, pi, *, samples, seed):
    """Return theta (10) by direct simulation and theta-hat (12), for some Bernoulli samples; keys a0, a1, ..."""
    rng = np.random.default_rng(seed)
    data = np.asarray(population)
    found = []
    names = [f"a{i}" for i in range(data.shape[1])]
    for i, matrix in matrices.items():
        k = len(matrix)
        rows = [(f, t, float(matrix[f][t])) for f, t in product(range(k), range(k))]
        con.execute(f'CREATE OR REPLACE TABLE m{i} ("from" BIGINT, "to" BIGINT, probability DOUBLE)')
        con.executemany(f"INSERT INTO m{i} VALUES (?, ?, ?)", rows)
    for _ in range(samples):
        seen = data.copy()
        for i, matrix in matrices.items():
            u = rng.random(len(data))
            seen[:, i] = (u[:, None] > np.cumsum(matrix, axis=1)[data[:, i]]).sum(axis=1)
        sampled = np.flatnonzero(rng.random(len(data)) < pi)
        sample = data[sampled]
        con.register("drawn", {n: sample[:, i].copy() for i, n in enumerate(names)})
        con.execute("CREATE OR REPLACE TABLE s AS FROM drawn")
        con.unregister("drawn")
        columns = [f"a{i}" for i in matrices]
        call = "SELECT theta, most_theta FROM sdc_theta_misclassified('s', ?, ?, ?, ?)"
        tables = [f"m{i}" for i in matrices]
        (estimate,) = con.execute(call, [names, pi, columns, tables]).fetchall()
        truth = direct_theta(list(map(tuple, data.tolist())), sampled, list(map(tuple, seen.tolist())))
        found.append((truth, *estimate))
    return np.array(found)


@pytest.mark.slow
def test_a_generated_population(con):
    """Proposition 5: theta-hat less theta is small beside either, and its mean within 4.5 standard errors of 0."""
    rng = np.random.default_rng(11)
    population = np.column_stack(
        [np.minimum(rng.geometric(0.1, 8000) - 1, 39), rng.integers(0, 12, 8000), rng.integers(0, 3, 8000)]
    )
    forty = np.full((40, 40), 0.2 / 39) + np.eye(40) * (0.8 - 0.2 / 39)
    three = np.array([[0.9, 0.1, 0.0], [0.05, 0.9, 0.05], [0.0, 0.3, 0.7]])
    found = compared(con, population, {0: forty, 2: three}, 0.15, samples=25, seed=5)
    error = found[:, 1] - found[:, 0]
    assert abs(error.mean()) < 4.5 * error.std(ddof=1) / math.sqrt(len(error))
    assert abs(error.mean()) < 0.1 * found[:, 0].mean()
    # without A it would be far too much
    assert found[:, 2].mean() > found[:, 0].mean() + 20 * error.std(ddof=1) / math.sqrt(len(error))


@pytest.mark.slow
def test_a_known_population(shared, con):
    """The synthetic EU-SILC population of simPop (../shared/data/README.md), age misreported by a year for a fifth."""
    path = shared / "data" / "eusilc_population.parquet"
    ranks = ", ".join(
        f"dense_rank() OVER (ORDER BY {c}) - 1" for c in ("age", "gender", "ecoStat", "citizenship", "region", "hsize")
    )
    rows = con.execute(f"SELECT {ranks} FROM '{path}'").fetchall()
    k = max(r[0] for r in rows) + 1
    ages = np.zeros((k, k))
    for i in range(k):
        ages[i, max(i - 1, 0)] += 0.1
        ages[i, min(i + 1, k - 1)] += 0.1
        ages[i, i] += 0.8
    found = compared(con, rows, {0: ages}, 0.05, samples=4, seed=3)
    error = found[:, 1] - found[:, 0]
    assert abs(error.mean()) < max(4.5 * error.std(ddof=1) / math.sqrt(len(error)), 0.05 * found[:, 0].mean())
    assert np.all(np.abs(error) < 0.25 * found[:, 0])


def test_pram_reversed_is_bayes_theorem(con):
    """By hand: of 110 women and 90 men, 0.9 kept (handbook, 3.4.6): 99 of the 108 called women are, 81 of 92 men."""
    con.execute("CREATE TABLE t AS SELECT CASE WHEN i < 110 THEN 'f' ELSE 'm' END AS sex FROM range(200) r(i)")
    con.execute("CREATE TABLE m AS FROM sdc_pram_retention_matrix('t', 'sex', 0.9)")
    rows = con.execute("FROM sdc_pram_reversed('t', 'sex', 'm') ORDER BY ALL").fetchall()
    assert [r[:2] for r in rows] == [("f", "f"), ("f", "m"), ("m", "f"), ("m", "m")]
    assert [r[2] for r in rows] == pytest.approx([99 / 108, 9 / 108, 11 / 92, 81 / 92], rel=1e-12)


def test_pram_reversed_of_a_crossing_is_bayes_theorem(con):
    """(f, 1) 50, (f, NULL) 10, (m, 1) 5, (m, NULL) 35: P(original | released) from the joint frequencies, by Fractions.

    The keys depend on one another, so the product of the two reversed matrices is another, and wrong.
    """
    counts = {("f", 1): 50, ("f", None): 10, ("m", 1): 5, ("m", None): 35}
    tenths = {"f": {"f": 9, "m": 1}, "m": {"m": 7, "f": 3}, 1: {1: 8, None: 2}, None: {None: 10}}
    con.execute('CREATE TABLE t (sex VARCHAR, "a""b" INTEGER)')
    con.executemany("INSERT INTO t VALUES (?, ?)", [pair for pair, n in counts.items() for _ in range(n)])
    con.execute("CREATE TABLE m (f VARCHAR, a INTEGER, g VARCHAR, b INTEGER, p DOUBLE)")
    chances = {
        ((f, a), (g, b)): Fraction(p * q, 100)
        for f, a in counts
        for g, p in tenths[f].items()
        for b, q in tenths[a].items()
    }
    con.executemany("INSERT INTO m VALUES (?, ?, ?, ?, ?)", [(*x, *y, float(p)) for (x, y), p in chances.items()])
    con.execute("""CREATE TABLE joint AS SELECT {'a"b': a, 'sex': f} AS "from", {'a"b': b, 'sex': g} AS "to",
                          p AS probability FROM m""")
    rows = con.execute("FROM sdc_pram_reversed_crossing('t', ['sex', 'A\"b'], 'joint')").fetchall()
    found = {(tuple(y.values()), tuple(x.values())): p for y, x, p in rows}
    whole = {y: sum(counts[x] * p for (x, z), p in chances.items() if z == y) for _, y in chances}
    assert found == pytest.approx({(y, x): float(counts[x] * p / whole[y]) for (x, y), p in chances.items()}, rel=1e-12)
    # the result is a matrix as theta takes it
    con.execute("CREATE TABLE reversed AS FROM sdc_pram_reversed_crossing('t', ['sex', 'a\"b'], 'joint')")
    call = (
        "SELECT records FROM sdc_theta_misclassified_crossing('t', ['sex', 'a\"b'], 0.1, ['sex', 'a\"b'], 'reversed')"
    )
    assert con.execute(call).fetchall() == [(100,)]


@pytest.mark.one_in(5)
@pytest.mark.whole
@pytest.mark.parametrize(
    ("matrix", "words"),
    [
        ("('x', 'x', 0.9), ('y', 'y', 1), ('z', 'z', 1)", r"A row of the PRAM matrix sums to 0\.9"),
        ("('x', 'x', 1), ('y', 'y', 1)", "A category of a is not in its PRAM or misclassification matrix"),
        ("('x', 'x', 1.5), ('x', 'y', -0.5), ('y', 'y', 1), ('z', 'z', 1)", "A PRAM probability is"),
        ("('x', 'x', 0.5), ('x', 'x', 0.5), ('y', 'y', 1), ('z', 'z', 1)", "twice"),
        ("('x', 'x', NULL), ('y', 'y', 1), ('z', 'z', 1)", "A PRAM probability is NULL"),
    ],
)
def test_a_matrix_that_is_none(people, matrix, words):
    people.execute(f'CREATE OR REPLACE TABLE ill AS FROM (VALUES {matrix}) AS m("from", "to", probability)')
    data = Microdata(people, "t", keys=KEYS, sampling_fraction=0.1)
    with pytest.raises(ParameterError, match=words):
        data.risk.theta_misclassified({"a": "ill"})
    with pytest.raises(ParameterError, match=words):
        data.risk.data_intrusion_simulation(matrices={"a": "ill"}, repetitions=10)


@pytest.mark.slow
def test_what_is_given_wrong(people):
    data = Microdata(people, "t", keys=["a", "Select"], sampling_fraction=0.1)
    for wrong, error, words in (
        ({'b"c': "mb"}, ParameterError, "not among the keys"),
        ({"nobody": "mb"}, ColumnError, "is not a column"),
        ({}, ParameterError, "name of a table for each key"),
        ({"a": "nowhere"}, TableError, "nowhere"),
        ({("a", 'b"c'): "joint"}, ParameterError, "not among the keys"),
    ):
        with pytest.raises(error, match=words):
            data.risk.theta_misclassified(wrong)
    for call, words in (
        ("['a'], 0.1, ['a'], []", "name a matrix for each"),
        ("['a'], 0.1, [], []", "name a matrix for each"),
        ("['a'], 0.1, ['a', 'A'], ['ma', 'ma']", "named twice"),
        ("['a'], 0.1, ['Select'], ['ma']", "not among the keys"),
        ("['a', 'ab'], 0.1, ['a'], ['ma']", '"ab" is not a column of the table'),
        ("['a'], 1.5, ['a'], ['ma']", "The sampling fraction is 1.5"),
        ("['a'], 0.1, ['a'], ['t']", '"from" is not a column'),
    ):
        for macro in ("sdc_theta_misclassified", "sdc_data_intrusion_misclassified"):
            with pytest.raises(duckdb.Error, match=words):
                people.execute(f"FROM {macro}('t', {call})").fetchall()
    for macro in ("simulation('t', ['a'], 0.1, ", "misclassified('t', ['a'], 0.1, ['a'], ['ma'], "):
        with pytest.raises(duckdb.Error, match="stream is NULL"):
            people.execute(f"FROM sdc_data_intrusion_{macro}stream := NULL)").fetchall()
    with pytest.raises(duckdb.Error, match="repetitions is 0"):
        people.execute("FROM sdc_data_intrusion_simulation('t', ['a'], 0.1, repetitions := 0)").fetchall()
    with pytest.raises(duckdb.Error, match="has no rows"):
        people.execute(
            "FROM sdc_theta_misclassified((SELECT 't'), ['a'], 0.1, ['a'], ['ma'])".replace("(SELECT 't')", "'none'")
        )


@pytest.fixture(autouse=True, scope="module")
def none(people):
    people.execute("CREATE TABLE none AS FROM t LIMIT 0")


def test_a_matrix_of_several_strata_is_not_read_as_one(persons):
    """Strata with categories of their own: every row sums to 1, and yet it is no matrix of the file."""
    persons.execute("""
        CREATE TABLE by_region AS
        FROM (VALUES ('north', 'f', 'f', 0.5), ('north', 'f', 'm', 0.5), ('south', 'm', 'm', 1))
        AS t(region, "from", "to", probability)
    """)
    calls = (
        "sdc_pram_reversed('persons', 'sex', 'by_region')",
        "sdc_pram_reversed_crossing('persons', ['sex'], 'by_region')",
        "sdc_theta_misclassified('persons', ['age', 'sex'], 0.1, ['sex'], ['by_region'])",
        "sdc_theta_misclassified_crossing('persons', ['age', 'sex'], 0.1, ['sex'], 'by_region')",
        "sdc_data_intrusion_misclassified('persons', ['age', 'sex'], 0.1, ['sex'], ['by_region'])",
    )
    for call in calls:
        with pytest.raises(duckdb.Error, match='"region" stands in the matrix besides from, to and probability'):
            persons.execute(f"FROM {call}").fetchall()


def test_the_simulation_where_pairs_or_uniques_lack(con):
    """The limit, n_1 / (n_1 + sum over pairs of (1 - pi) / pi): 1 without pairs, 0 without uniques, else by hand."""
    call = "FROM sdc_data_intrusion_simulation('t', ['a'], 0.5{})"
    con.execute("CREATE TABLE t AS SELECT unnest([1, 2, 3, 3, 3]) AS a")
    ((n, unique, correct, theta, error, limit),) = con.execute(call.format(", repetitions := 400")).fetchall()
    assert (n, theta, error, limit) == (400, 1, 0, 1)
    # of five records two are alone, and half of them are copied back
    assert abs(unique - 80) < 4.5 * math.sqrt(400 * 0.2 * 0.8)
    assert correct == unique
    con.execute("DELETE FROM t WHERE a < 3")
    assert con.execute(call.format(", repetitions := 7")).fetchall() == [(7, 0, 0, None, None, 0)]
    con.execute("INSERT INTO t VALUES (1), (2), (4), (4)")
    ((n, unique, correct, theta, error, limit),) = con.execute(call.format("")).fetchall()
    assert (n, limit) == (10_000, pytest.approx(2 / (2 + 2)))
    assert abs(unique / n - 2 / 7) < 4.5 * math.sqrt(2 / 7 * 5 / 7 / n)
    assert abs(theta - 0.5) < 4.5 * error


def test_theta_without_uniques_or_pairs_that_stay(con):
    """(12) and (13) by hand: without uniques all is 0; a pair that never stays costs nothing, a false match does."""
    con.execute(
        """CREATE TABLE m AS FROM (VALUES (1, 2, 1.0), (2, 2, 0.75), (2, 1, 0.25)) t("from", "to", probability)"""
    )
    con.execute("CREATE TABLE s AS SELECT unnest([1, 1, 2]) AS a")
    call = "FROM sdc_theta_misclassified('s', ['a'], 0.25, ['a'], ['m'])"
    # kept: of the unique 2 three quarters, of the pair of 1 nothing; both of the pair are taken for the unique
    down = 0.25 * 0.75 + 2
    assert con.execute(call).fetchall() == [(3, 2, 1, 1, 0.75, 0, 2, pytest.approx(0.1875 / down), 1)]
    con.execute("INSERT INTO s VALUES (1)")  # no pair at all: the three of 1 are taken for the unique
    down = 0.25 * 0.75 + 3
    assert con.execute(call).fetchall() == [(4, 2, 1, 0, 0.75, 0, 3, pytest.approx(0.1875 / down), 1)]
    con.execute("INSERT INTO s VALUES (2), (2)")
    assert con.execute(call).fetchall() == [(6, 2, 0, 0, 0, 0, 0, 0, 0)]
    con.execute("DELETE FROM s WHERE a = 1; INSERT INTO s VALUES (1), (1)")
    assert con.execute(call).fetchall() == [(5, 2, 0, 1, 0, 0, 0, 0, 0)]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("['a', 'b'], ['a'], []", "There are 1 misclassified columns and 0 matrices"),
        ("['a', 'b'], [], []", "There are 0 misclassified columns and 0 matrices"),
        ("['a', 'b'], ['a', 'b'], ['m', NULL]", "There are 2 misclassified columns and 1 matrices"),
        ("['a', 'b'], ['a', 'A'], ['m', 'm']", "A column is named twice"),
        ("['a', 'b'], ['a', 'c'], ['m', 'm']", '"c" has a misclassification matrix and is not among the keys'),
        ("['a', 'b'], ['a', NULL], ['m', 'm']", '"NULL" has a misclassification matrix and is not among the keys'),
    ],
)
def test_columns_and_matrices_that_do_not_go_together(con, arguments, words):
    with pytest.raises(duckdb.Error, match=words):
        con.execute(f"SELECT sdc__check_changed({arguments})").fetchall()
    assert con.execute("SELECT sdc__check_changed(['a', 'b'], ['B', 'a'], ['m', 'm'])").fetchall() == [(True,)]


def test_a_value_that_is_missing_stays_where_the_matrix_has_no_row_for_it(con):
    """By hand: of f 3, m 1, NULL 2; one in four f is called m, and no m is called f."""
    con.execute("""CREATE TABLE t AS SELECT unnest(['f', 'f', 'f', 'm', NULL, NULL]) AS sex,
        unnest([1, 1, 1, 1, NULL, NULL]) AS b""")
    con.execute("""CREATE TABLE m AS FROM (VALUES ('f', 'f', 0.75), ('f', 'm', 0.25), ('f', 'x', 0), ('m', 'm', 1.0))
        t("from", "to", probability)""")
    rows = con.execute("FROM sdc_pram_reversed('t', 'sex', 'm') ORDER BY ALL").fetchall()
    # m is released of 0.75 f and one m
    assert rows == [
        ("f", "f", 1),
        ("m", "f", pytest.approx(0.75 / 1.75)),
        ("m", "m", pytest.approx(1 / 1.75)),
        (None, None, 1),
    ]
    con.execute("""CREATE TABLE crossed AS SELECT {'sex': "from", 'b': 1} AS "from", {'sex': "to", 'b': 1} AS "to",
        probability FROM m""")
    call = """SELECT "from".sex, "to".sex, probability FROM sdc_pram_reversed_crossing('t', ['sex', 'b'], 'crossed')"""
    assert con.execute(f"{call} ORDER BY 1, 2").fetchall() == rows
    con.execute("UPDATE t SET b = 2 WHERE sex IS NULL")
    with pytest.raises(duckdb.Error, match="A category of sex, b is not in its PRAM or misclassification matrix"):
        con.execute(call).fetchall()
    con.execute("UPDATE t SET sex = 'y' WHERE sex IS NULL")
    with pytest.raises(duckdb.Error, match="A category of sex is not in its PRAM or misclassification matrix"):
        con.execute("FROM sdc_pram_reversed('t', 'sex', 'm')").fetchall()
