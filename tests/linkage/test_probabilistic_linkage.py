"""Probabilistic record linkage of two tables: by hand, by every pair, what is refused, and 10,000,000,000 pairs."""

from __future__ import annotations

import itertools
import math
import random
from pathlib import Path

import duckdb
import numpy as np
import pytest

from sdc_sql import Microdata
from sdc_sql.errors import ColumnError, InputError, ParameterError

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
MEASURE = "sdc_probabilistic_linkage"
EVERY = ("", "_parameters", "_patterns", "_records")
DRAWN = ["s", "e", "a", "o"]
VARIABLES = ["sex", "age", "region"]
COLUMNS = ["a", "Select", "x", "y'"]
CALL = """('k', '"f''"', ['a', 'Select', 'x', 'y'''], 'f', continuous := ['x', 'y'''], tolerance := [2, 0.1]"""


def table(con, name, rows):
    con.execute(f'CREATE OR REPLACE TABLE {name} (f INTEGER, a INTEGER, "Select" VARCHAR, x DOUBLE, "y\'" DOUBLE)')
    con.execute(f"INSERT INTO {name} VALUES {', '.join(['(?, ?, ?, ?, ?)'] * len(rows))}", [v for r in rows for v in r])


@pytest.fixture
def files(con):
    """An original `k` and a released table `f'`, shuffled, of overlapping persons, with NULLs, ties and odd names."""
    draw = random.Random(3)  # noqa: S311 - a table for a test

    def one(i):
        return (i, draw.choice([1, 2, 30, None]), draw.choice(["p'", "q", "r", None]), draw.choice(range(40)),
                draw.choice([None, 0.1, 0.2, 0.3, 0.4, 0.5]))  # fmt: skip

    before = [one(i) for i in range(60)]
    after = [(i, draw.choice([a, a, a, 2]), draw.choice([s, s, s, "q", None]), x + draw.choice([-3, 0, 1]), y)
             for i, a, s, x, y in before[10:]]  # fmt: skip
    table(con, "k", before)
    table(con, '"f\'"', draw.sample([*after, one(70), one(71)], 52))
    return con, before, con.sql('FROM "f\'"').fetchall()


def agrees(old, new):
    """Return which variables agree, with tolerances of 2 and 0.1 for the numbers; the first was not suppressed."""
    known = [True, *(x is not None and y is not None for x, y in zip(old[2:], new[2:], strict=True))]
    near = [old[1] == new[1], old[2] == new[2], *(abs((o or 0) - (n or 0)) <= t + 1e-9
            for o, n, t in zip(old[3:], new[3:], (2, 0.1), strict=True))]  # fmt: skip
    return tuple(both and yes for both, yes in zip(known, near, strict=True))


def rows_of(con, query):
    found = con.execute(query)
    names = [d[0] for d in found.description]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


@pytest.mark.slow
def test_by_every_pair(files):
    """Counts, weights, decisions, best candidates and their probabilities, from the definitions."""
    con, before, after = files
    parameters = rows_of(con, f"FROM {MEASURE}_parameters{CALL})")
    assert [row["variable"] for row in parameters] == COLUMNS
    m, u = ([row[name] for row in parameters] for name in ("m", "u"))
    patterns = rows_of(con, f"FROM {MEASURE}_patterns{CALL}, false_match := 0.02, false_nonmatch := 0.1)")
    by_hand = {p: [0, 0] for p in itertools.product([False, True], repeat=4)}
    for old, new in itertools.product(before, after):
        by_hand[agrees(old, new)][0] += 1
        by_hand[agrees(old, new)][1] += old[0] == new[0]

    def weight(pattern, m, u):
        return sum(math.log2(a / b if yes else (1 - a) / (1 - b)) for yes, a, b in zip(pattern, m, u, strict=True))

    def likely(pattern, shares):
        return math.prod(s if yes else 1 - s for yes, s in zip(pattern, shares, strict=True))

    order = sorted(by_hand, key=lambda p: -weight(p, m, u))
    assert len(patterns) == 16
    (whole,) = rows_of(con, f"FROM {MEASURE}{CALL}, false_match := 0.02, false_nonmatch := 0.1)")
    pairs = len(before) * len(after)
    share = whole["expected_matches"] / pairs
    decisions = {}
    for row in patterns:
        pattern = tuple(name in row["agreeing"] for name in COLUMNS)
        at = order.index(pattern)
        assert [row["pairs"], row["true_pairs"]] == by_hand[pattern]
        assert row["weight"] == pytest.approx(weight(pattern, m, u))
        above, below = sum(likely(p, u) for p in order[: at + 1]), sum(likely(p, m) for p in order[at:])
        decisions[pattern] = "link" if above <= 0.02 else "non-link" if below <= 0.1 else "possible"
        assert row["decision"] == decisions[pattern]
        assert [row["matched"], row["unmatched"]] == pytest.approx([likely(pattern, m), likely(pattern, u)])
        odds = share * likely(pattern, m), (1 - share) * likely(pattern, u)
        assert row["expected_matches"] == pytest.approx(row["pairs"] * odds[0] / sum(odds), abs=1e-4)
    assert {"link", "non-link", "possible"} == set(decisions.values())
    linked = [sum(by_hand[p][i] for p, decision in decisions.items() if decision == "link") for i in (0, 1)]
    assert [whole["links"], whole["correct_links"]] == linked
    assert (whole["records"], whole["originals"], whole["true_pairs"], whole["pairs"]) == (52, 60, 50, pairs)
    assert whole["link_rate"] == pytest.approx(whole["correct_links"] / 50)
    true_m = [sum(n[1] for p, n in by_hand.items() if p[j]) / 50 for j in range(4)]
    true_u = [sum(n[0] - n[1] for p, n in by_hand.items() if p[j]) / (pairs - 50) for j in range(4)]
    assert [row["true_m"] for row in parameters] == pytest.approx(true_m)
    assert [row["true_u"] for row in parameters] == pytest.approx(true_u)

    def chances(m, u):
        found = {}
        for new in after:
            weights = {old[0]: round(weight(agrees(old, new), m, u), 9) for old in before}
            best = [person for person, w in weights.items() if w == max(weights.values())]
            found[new[0]] = (max(weights.values()), len(best), new[0] in best)
        return found

    estimated, known = chances(m, u), chances(true_m, true_u)
    records = {row["f"]: row for row in rows_of(con, f"FROM {MEASURE}_records{CALL})")}
    assert len(records) == 52
    for person, row in records.items():
        assert row["weight"] == pytest.approx(estimated[person][0])
        assert (row["candidates"], row["correct"]) == estimated[person][1:]
        assert row["probability"] == pytest.approx(row["correct"] / row["candidates"])
        assert row["probability_known"] == pytest.approx(known[person][2] / known[person][1])
    for name, column in (("rate_estimated", "probability"), ("rate_known", "probability_known")):
        assert whole[name] == pytest.approx(sum(row[column] for row in records.values()) / 50)
    assert whole["rate"] == max(whole["rate_estimated"], whole["rate_known"])


def example(con):
    con.execute("CREATE TABLE original AS FROM (VALUES (1, 'f', 30, 'north'), (2, 'f', 40, 'south'), "
                "(3, 'm', 40, 'south'), (4, 'm', 50, 'north')) t(id, sex, age, region)")  # fmt: skip
    con.execute("CREATE TABLE released AS SELECT * REPLACE (CASE id WHEN 3 THEN 50 ELSE age END AS age) FROM original")


@pytest.mark.slow
def test_the_header_by_hand(con):
    example(con)
    data = Microdata(con, "released", id="id")
    found = data.linkage.probabilistic_linkage_records("original", VARIABLES).order("id").fetchall()
    assert [(row[0], row[2], row[3], row[4]) for row in found] == [
        (1, 1, True, 1), (2, 1, True, 1), (3, 1, False, 0), (4, 1, True, 1),
    ]  # fmt: skip
    whole = data.linkage.probabilistic_linkage("original", VARIABLES)
    assert (whole.pairs, whole.rate_estimated, whole.rate_known, whole.rate) == (16, 0.75, 1, 1)
    assert whole.false_match == pytest.approx(4 / 20 / 16)
    assert [row.true_m for row in data.linkage.probabilistic_linkage_parameters("original", VARIABLES)] == [1, 0.75, 1]
    assert data.linkage.probabilistic_linkage_patterns("original", VARIABLES)[0].agreeing == VARIABLES


def persons_of(con, records, again, name="before"):
    """Tables of persons, and of the same with each value drawn again with a probability, in blocks of 50."""
    draw = np.random.default_rng(11)
    old = draw.integers(0, [[2], [9], [30], [50]], (4, records))
    new = np.where(draw.random(old.shape) < again, draw.integers(0, [[2], [9], [30], [50]], old.shape), old)
    for table_name, values in ((name, old), ("after", new)):
        con.execute(
            f"CREATE OR REPLACE TABLE {table_name} AS SELECT unnest(range({records})) AS id, "
            f"unnest(range({records})) // 50 AS b, unnest($1) AS s, unnest($2) AS e, unnest($3) AS a, unnest($4) AS o",
            [v.tolist() for v in values],
        )


@pytest.mark.slow
def test_blocks_are_the_files_one_by_one(con):
    """Within blocks the pairs are those of each block; a released record whose block changed is never linked."""
    persons_of(con, 400, 0.1)
    con.execute("UPDATE after SET b = b + 1 WHERE id = 7; UPDATE after SET b = NULL WHERE id = 8")
    data = Microdata(con, "after", id="id")
    found = data.linkage.probabilistic_linkage("before", DRAWN, block=["b"])
    assert (found.pairs, found.true_pairs) == (399 * 50, 400)
    records = {
        row[0]: row[1:] for row in data.linkage.probabilistic_linkage_records("before", DRAWN, block=["b"]).fetchall()
    }
    assert records[7][2:4] == (False, 0)
    assert records[8] == (None, 0, False, 0, 0)
    assert found.rate_estimated == pytest.approx(sum(row[3] for row in records.values()) / 400)
    assert found.rate > 0.9
    # alike to all pairs of the files where the block is one
    con.execute("UPDATE before SET b = 1; UPDATE after SET b = 1")
    assert data.linkage.probabilistic_linkage("before", DRAWN, block=["b"]) == data.linkage.probabilistic_linkage(
        "before", DRAWN
    )


@pytest.mark.slow
def test_the_same_answer_in_any_order_and_on_any_number_of_threads(con):
    persons_of(con, 3000, 0.2)
    con.execute("CREATE TABLE turned AS FROM after ORDER BY hash(id)")
    first = Microdata(con, "after", id="id").linkage.probabilistic_linkage("before", DRAWN)
    con.execute("SET threads = 1")
    second = Microdata(con, "turned", id="id").linkage.probabilistic_linkage("before", DRAWN)
    assert second == first
    assert first.expected_matches == pytest.approx(3000, rel=0.1)
    assert first.expected_false_links <= 150  # 1 record in 20


def test_a_suppressed_value_agrees_with_nothing_and_never_lowers_the_other_records(con):
    persons_of(con, 300, 0.0)
    data = Microdata(con, "after", id="id")
    con.execute("UPDATE after SET o = NULL WHERE id < 100")
    known = {row.variable: row.true_m for row in data.linkage.probabilistic_linkage_parameters("before", DRAWN)}
    assert known == {"s": 1, "e": 1, "a": 1, "o": pytest.approx(2 / 3)}
    # whoever lacks o has as candidates those who agree in all else
    found = {row[0]: row[2] for row in data.linkage.probabilistic_linkage_records("before", DRAWN).fetchall()}
    cells = dict(con.sql("SELECT a.id, count(*) FROM after a JOIN before b USING (s, e, a) WHERE a.id < 100 "
                         "GROUP BY a.id").fetchall())  # fmt: skip
    assert {i: found[i] for i in range(100)} == cells


@pytest.mark.slow
def test_what_was_missing_before_tells_records_apart(con):
    """Where nothing was suppressed NULL is a category, as if it were written out."""
    con.execute(
        "CREATE TABLE k AS SELECT range AS id, range * 7 % 20 AS a, range * 31 % 11 AS b, "
        "CASE WHEN range % 3 > 0 THEN range * 13 % 9 END AS f FROM range(400)"
    )
    con.execute("CREATE TABLE r AS SELECT * REPLACE (CASE WHEN id % 8 = 5 THEN (a + 1) % 20 ELSE a END AS a) FROM k")
    as_null = Microdata(con, "r", id="id").linkage.probabilistic_linkage("k", ["a", "b", "f"])
    for name in ("k", "r"):
        con.execute(f"UPDATE {name} SET f = -1 WHERE f IS NULL")
    assert as_null == Microdata(con, "r", id="id").linkage.probabilistic_linkage("k", ["a", "b", "f"])
    con.execute("UPDATE k SET f = NULL WHERE f = -1; UPDATE r SET f = NULL WHERE f = -1 OR id = 1")
    assert Microdata(con, "r", id="id").linkage.probabilistic_linkage("k", ["a", "b", "f"]).rate < as_null.rate


@pytest.mark.slow
def test_what_is_refused(files):
    con, *_ = files
    data = Microdata(con, '"f\'"', id="f")
    numbers = {"continuous": ["x"], "tolerance": 2}
    for wrong, error, words in [
        ({"columns": ["a", "x"], **numbers}, InputError, "2 variables do not tell matched pairs from others"),
        ({"continuous": ["x"]}, InputError, "tolerance must be the largest difference"),
        ({"continuous": ["x"], "tolerance": -1}, InputError, "tolerance must be"),
        ({"continuous": ["x"], "tolerance": [1, 2]}, ParameterError, "must be one value, or one for each"),
        ({"continuous": ["y'"], "tolerance": 1}, ColumnError, "continuous names"),
        ({"tolerance": 1}, ParameterError, "tolerance is given"),
        ({**numbers, "false_match": "x"}, ParameterError, "false_match is 'x'"),
        ({**numbers, "false_match": 0}, ParameterError, "false_match is 0"),
        ({**numbers, "false_nonmatch": 1}, ParameterError, "false_nonmatch is 1"),
        ({**numbers, "block": ["g"]}, ColumnError, "g"),
        ({"columns": ["a", "Select", "z"]}, ColumnError, "z"),
        ({"continuous": ["Select"], "tolerance": 1}, ColumnError, "type VARCHAR"),
    ]:
        with pytest.raises(error, match=words):
            data.linkage.probabilistic_linkage("k", **{"columns": ["a", "Select", "x"], **wrong})
    con.execute('CREATE TABLE weight AS SELECT f AS Weight, a, "Select" AS s, x FROM k')
    with pytest.raises(duckdb.Error, match="has the name of a column of the result"):
        con.execute(f"FROM {MEASURE}_records('weight', 'weight', ['a', 's', 'x'], 'Weight')")


@pytest.mark.slow
def test_files_that_cannot_be_compared_are_refused(con):
    example(con)
    con.execute("CREATE TABLE doubled AS FROM released UNION ALL FROM released")
    con.execute("CREATE TABLE strange AS SELECT * REPLACE (id + 10 AS id) FROM released")
    con.execute("CREATE TABLE nobody AS SELECT * REPLACE (nullif(id, 2) AS id) FROM released")
    con.execute("CREATE TABLE empty AS FROM released LIMIT 0")
    con.execute("CREATE TABLE coded AS SELECT * REPLACE (age || ' years' AS age) FROM released")
    con.execute("CREATE TABLE one AS FROM original WHERE id = 1")
    con.execute("CREATE TABLE rounded AS SELECT * REPLACE (30 AS age) FROM original")
    for number, (original, released, words) in enumerate(
        [
            ("original", "doubled", "must be unique"),
            ("doubled", "released", "must be unique"),
            ("original", "strange", "No id .id. of the released table occurs"),
            ("original", "nobody", "is NULL on records"),
            ("original", "empty", "has no rows"),
            ("empty", "released", "has no rows"),
            ("original", "coded", "No value of age occurs in both tables"),
            ("original", "rounded", 'Each original value of "age" was released as one value'),
            ("one", "one", "do not tell matched pairs from others"),
        ]
    ):
        measure = MEASURE + EVERY[number % 4]
        with pytest.raises(duckdb.Error, match=words) as raised:
            con.execute(f"FROM {measure}('{original}', '{released}', {VARIABLES}, 'id')").fetchall()
        assert "40" not in str(raised.value)


def test_infinite_numbers_are_refused(con):
    example(con)
    con.execute("CREATE TABLE endless AS SELECT * REPLACE ('inf'::DOUBLE AS age) FROM released")
    with pytest.raises(duckdb.Error, match="NaN or infinite"):
        con.execute(f"FROM {MEASURE}('original', 'endless', {VARIABLES}, 'id', continuous := ['age'], tolerance := 1)")


@pytest.mark.slow
def test_variables_that_hang_together_deceive_em_and_not_the_true_shares(con):
    """What the chapter of sql/risk/README.md says of the labour force survey."""
    variables = ["sex", "age", "marital_status", "country_of_birth", "economic_activity", "residence", "education"]
    con.execute(f"CREATE TABLE before AS SELECT person AS id, {', '.join(variables)} FROM '{FIXTURES}/lfs.parquet'")
    drawn = con.sql("FROM before ORDER BY id").to_arrow_table()
    draw = np.random.default_rng(5)
    for place, name in enumerate(drawn.column_names[1:], 1):
        of = np.arange(len(drawn))
        again = draw.random(len(drawn)) < 0.1
        of[again] = draw.permutation(len(drawn))[again]
        drawn = drawn.set_column(place, name, drawn[name].take(of))
    con.register("drawn", drawn)
    con.execute("CREATE TABLE after AS FROM drawn")
    found = Microdata(con, "after", id="id").linkage.probabilistic_linkage("before", variables)
    assert found.expected_matches == pytest.approx(3.5e6, rel=0.1)
    assert found.rate_estimated == pytest.approx(0.72, abs=0.01)
    assert found.rate == found.rate_known == pytest.approx(0.83, abs=0.01)


@pytest.mark.slow
def test_ten_thousand_million_pairs(con):
    """100,000 by 100,000 records in seconds: none of the pairs is made."""
    persons_of(con, 100_000, 0.1)
    con.execute("CREATE TABLE priced AS SELECT *, (hash(id) % 100000)::DOUBLE AS x FROM before")
    con.execute(
        "CREATE TABLE sold AS SELECT after.*, x + hash(id + 1) % 21 - 10 AS x FROM after JOIN priced USING (id)"
    )
    data = Microdata(con, "sold", id="id")
    found = data.linkage.probabilistic_linkage("priced", [*DRAWN, "x"], continuous=["x"], tolerance=10)
    assert found.pairs == 10**10
    assert found.expected_matches == pytest.approx(100_000, rel=0.01)
    rows = data.linkage.probabilistic_linkage_parameters("priced", [*DRAWN, "x"], continuous=["x"], tolerance=10)
    parameters = {row.variable: row for row in rows}
    for name, kinds in (("s", 2), ("e", 9), ("a", 30), ("o", 50)):
        true = 0.9 + 0.1 / kinds
        assert parameters[name].m == pytest.approx(true, abs=0.01)
        assert parameters[name].u == pytest.approx(1 / kinds, rel=0.01)
    assert found.rate_known == pytest.approx(found.rate_estimated, abs=0.005)


def test_a_continuous_column_is_one_of_those_compared(files):
    con, *_ = files
    given = "'k', '\"f''\"', ['a', 'Select', 'x'], 'f', continuous := ['y''']"
    with pytest.raises(duckdb.Error, match="continuous names"):
        con.execute(f"FROM sdc_probabilistic_linkage_parameters({given})").fetchall()


def test_what_is_decided_without_being_told(files):
    """Of 52 released records one in twenty may be linked wrong, of 3,120 pairs; 0.05 of the matched may be missed."""
    con, *_ = files
    (alone,) = rows_of(con, f"FROM {MEASURE}{CALL})")
    assert alone["false_match"] == pytest.approx(52 / 20 / (52 * 60))
    patterns = rows_of(con, f"FROM {MEASURE}_patterns{CALL}, false_match := 0.02)")
    (whole,) = rows_of(con, f"FROM {MEASURE}{CALL}, false_match := 0.02)")
    assert [row["weight"] for row in patterns] == sorted((row["weight"] for row in patterns), reverse=True)
    above, below = 0, sum(row["matched"] for row in patterns)
    for row in patterns:
        above += row["unmatched"]
        expected = "link" if above <= 0.02 else "non-link" if below <= 0.05 else "possible"
        assert row["decision"] == expected, row
        assert above > 1 / 1200 or row["decision"] == "link"
        below -= row["matched"]
    assert {row["decision"] for row in patterns} == {"link", "non-link", "possible"}

    def summed(name, decision):
        return sum(row[name] for row in patterns if row["decision"] == decision)

    links = summed("pairs", "link")
    assert (whole["links"], whole["possible"]) == (links, summed("pairs", "possible"))
    assert whole["correct_links"] == summed("true_pairs", "link") == round(50 * whole["link_rate"])
    assert whole["expected_false_links"] == pytest.approx(links - summed("expected_matches", "link"))
    assert whole["expected_matches"] == pytest.approx(sum(row["expected_matches"] for row in patterns))
    assert whole["rate"] == max(whole["rate_estimated"], whole["rate_known"])
