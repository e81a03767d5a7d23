"""Losses with weights: all of 1 change nothing, whole ones are as many records, others as computed in Python."""

from __future__ import annotations

import math
import statistics
from collections import Counter

import duckdb
import pytest

import sdc_sql
from sdc_sql.errors import InputError
from sdc_sql.microdata import call_method

N = 60
MEASURES = {
    "il1": (["x", "y"], {"max_term": 0.4}),
    "direct_distance": (["c", "o"], {"ordinal": ["o"]}),
    "entropy_loss": (["c", "o"], {}),
    "lambda_loss": (["c", "o", "x", "y"], {"ordinal": ["o"], "continuous": ["x", "y"]}),
}
COUNTS = {"records", "changed", "values", "suppressed"}


@pytest.fixture
def files(con):
    """Return a connection with an original (weights: 1, whole, broken) and what was released of all but 6 of 60."""
    con.execute(
        f"""
        CREATE TABLE k AS SELECT range AS id, ['a', 'b', 'c', NULL][1 + range * 7 % 11 % 4] AS c,
               range * 5 % 13 % 5 AS o,
               CASE WHEN range % 9 <> 2 THEN (range * 37 % 101) / 4e0 END AS x, 1e6 + range * 11 % 17 AS y,
               1 AS one, 1 + range % 4 AS "it's", (1 + range * 13 % 7) * 0.61e0 AS w
        FROM range({N});
        CREATE TABLE r AS SELECT id, CASE WHEN id % 4 = 1 THEN NULL WHEN c = 'a' THEN 'b' ELSE c END AS c,
               CASE WHEN id % 7 = 0 THEN NULL ELSE o // 2 * 2 END AS o,
               CASE WHEN id % 8 = 3 THEN NULL ELSE x + id % 3 - 1 END AS x,
               y + (id % 5) / 2 AS y
        FROM k WHERE id % 10 <> 4;
        CREATE TABLE k_many AS
        SELECT id * 10 + n AS id, * EXCLUDE (id, n) FROM (SELECT *, unnest(range("it's")) AS n FROM k);
        CREATE TABLE r_many AS
        SELECT id * 10 + n AS id, * EXCLUDE (id, n)
        FROM (SELECT r.*, unnest(range("it's")) AS n FROM r JOIN k USING (id));
        """
    )
    return con


def figures(con, measure, original="k", released="r", **given):
    columns, arguments = MEASURES[measure]
    found = call_method(sdc_sql.Microdata(con, released, id="id"), measure, original, columns, **arguments, **given)
    return {
        (row.variable, name): value
        for row in found
        for name, value in vars(row).items()
        if name not in COUNTS | {"variable", "scale"}
    }


@pytest.mark.slow
def test_weights_of_one_and_whole_ones(files):
    for measure in MEASURES:
        bare = figures(files, measure)
        assert figures(files, measure, weight="one") == pytest.approx(bare, rel=1e-12), measure
        many = figures(files, measure, "k_many", "r_many")
        assert figures(files, measure, weight="it's") == pytest.approx(many, rel=1e-12), measure
        assert many != bare, measure


def records(con):
    names = "k.c, k.o, k.x, k.y, r.c, r.o, r.x, r.y, k.w"
    return con.execute(f"SELECT {names} FROM k LEFT JOIN r USING (id) ORDER BY id").fetchall()


@pytest.mark.slow
def test_broken_weights_by_hand(files):
    """The formulas of the headers, in Python."""
    rows = records(files)
    whole = math.fsum(row[8] for row in rows)

    def mean(terms, of=whole):
        return math.fsum(w * term for w, term in zip((row[8] for row in rows), terms, strict=True)) / of

    found = figures(files, "il1", weight="w")
    there = [row for row in rows if row[2] is not None]
    total = math.fsum(row[8] for row in there)
    centre = math.fsum(row[8] * row[2] for row in there) / total
    spread = math.sqrt(math.fsum(row[8] * (row[2] - centre) ** 2 for row in there) / (total - 1))
    pairs = [(row[8], abs(row[2] - row[6]) / math.sqrt(2) / spread if row[6] is not None else None) for row in there]
    compared = [(w, term) for w, term in pairs if term is not None]
    assert found["x", "il1"] == pytest.approx(math.fsum(w * t for w, t in compared) / math.fsum(w for w, _ in compared))
    bounded = math.fsum(w * min(0.4 if term is None else term, 0.4) for w, term in pairs) / total
    assert found["x", "bounded"] == pytest.approx(bounded)

    share = mean(float(row[0] != row[4]) for row in rows)
    assert figures(files, "direct_distance", weight="w")["c", "distance"] == pytest.approx(share)

    def sums(*places):
        found: dict[tuple[object, ...], float] = {}
        for row in rows:
            key = tuple(row[place] for place in places)
            found[key] = found.get(key, 0) + row[8]
        return found

    alone, both, after = sums(0), sums(0, 4), sums(4)
    lost = -math.fsum(w * math.log(w / after[key[1:]]) for key, w in both.items())
    most = -math.fsum(w * math.log(w / whole) for w in alone.values())
    entropy = figures(files, "entropy_loss", weight="w")
    of_c = [entropy["c", name] for name in ("loss", "mean_loss", "share")]
    assert of_c == pytest.approx([lost, lost / whole, lost / most])

    ordered = sorted((row[2], row[8]) for row in there)
    half = next(x for i, (x, _) in enumerate(ordered) if math.fsum(w for _, w in ordered[: i + 1]) >= total / 2)
    low, high = ordered[0][0], ordered[-1][0]

    def moved(x, y):
        if x is None:
            return float(y is not None)
        return 2 / math.pi * math.atan(abs(x - (y if y is not None else high if x <= half else low)))

    loss = {variable: value for (variable, _), value in figures(files, "lambda_loss", weight="w").items()}
    assert loss["x"] == pytest.approx(mean(moved(row[2], row[6]) for row in rows))
    assert loss[None] == pytest.approx(statistics.fmean(loss[name] for name in "coxy"))


@pytest.mark.slow
def test_wrong_weights(files):
    files.execute("CREATE TABLE bad AS SELECT * REPLACE (CASE WHEN id <> 3 THEN w END AS w, 0.001 AS one) FROM k")
    released = sdc_sql.Microdata(files, "r", id="id")
    for measure, (columns, arguments) in MEASURES.items():
        with pytest.raises(InputError, match="A sampling weight is NULL"):
            call_method(released, measure, "bad", columns, **arguments, weight="w")
        with pytest.raises(InputError, match="not a column"):
            call_method(released, measure, "k", columns, **arguments, weight="W's")
    with pytest.raises(InputError, match="sum to"):
        released.loss.il1("bad", ["y"], weight="one")
    with pytest.raises(InputError, match="name of a column"):
        released.loss.il1("k", ["y"], weight=3)


@pytest.fixture
def weighed(con):
    """Return a connection with six records of weights 1 to 6, `k`, and what was released of them but the fourth."""
    con.execute("""
        CREATE TABLE k AS FROM (VALUES
            (1, 1, 'a', 0.0, 1, 2), (2, 2, 'a', 2.0, 2, 1), (3, 3, NULL, 4.0, 3, 3), (4, 3, 'b', 10.0, 4, 4),
            (5, NULL, NULL, NULL, 5, 2), (6, 1, 'b', 6.0, 6, 2)) AS t(id, o, "it's", x, w, v);
        CREATE TABLE r AS FROM (VALUES
            (1, 'a', 1, 1.0), (3, 'b', 2, 2.0), (NULL, NULL, 3, NULL), (1, 'a', 5, 5.0), (NULL, 'b', 6, 7.0))
            AS t(o, "it's", id, x)""")
    return con


def answers(con, call):
    return [pytest.approx(row) for row in con.execute(f"FROM {call}").fetchall()]


def test_steps_and_changes_of_weighed_records_by_hand(weighed):
    """The categories are NULL, 1, 2, 3: the steps 0, 1, 3 (suppressed), 3 (not released), 1 (from NULL) and 2 (1 gone).

    Of the nominal one the second, the fourth and the fifth differ: 2 + 4 + 5 of 21, or three of six.
    """
    call = "sdc_direct_distance('k', 'r', ['o', 'it''s'], 'id', ordinal := ['O']{})"
    for weight, steps, share in (("", 10 / 6, 3 / 6), (", weight := 'W'", 40 / 21, 11 / 21)):
        assert answers(weighed, call.format(weight)) == [
            (None, 6, 8, (steps / 4 + share) / 2), ("o", 6, 5, steps / 4), ("it's", 6, 3, share),
        ]  # fmt: skip


def test_losses_of_all_scales_of_weighed_records_by_hand(weighed):
    """Of x, 4 is suppressed and the median or less, so that it counts as 10; 10 is gone, and counts as 0."""
    call = "sdc_lambda_loss('k', 'r', ['x', 'o', 'it''s'], 'id', ordinal := ['o'], continuous := ['X'], weight := {})"

    def arctan(distance):
        return 2 / math.pi * math.atan(distance)

    known = 7 * arctan(1) + 3 * arctan(6) + 4 * arctan(10) + 5  # 5 is where the original has no number
    bare = 2 * arctan(1) + arctan(6) + arctan(10) + 1
    for weight, moved, steps, share in (("NULL", bare / 6, 10 / 6, 3 / 6), ("'W'", known / 21, 40 / 21, 11 / 21)):
        assert answers(weighed, call.format(weight)) == [
            (None, None, 6, 13, (moved + steps / 3 + share) / 3), ("x", "continuous", 6, 5, moved),
            ("o", "ordinal", 6, 5, steps / 3), ("it's", "nominal", 6, 3, share),
        ]  # fmt: skip
    # by v just half of the weight, 6 of 12, is at most 4: it counts as 10, and 6, which is more, as 0
    weighed.execute("UPDATE r SET x = NULL WHERE id = 6")
    moved = 2 * arctan(1) + 3 * arctan(6) + 4 * arctan(10) + 2 + 2 * arctan(6)
    assert answers(weighed, call.format("'v'"))[1] == ("x", "continuous", 6, 5, moved / 14)


def test_numbers_of_weighed_records_by_hand(weighed):
    """The mean is 5.75, the squares about it 143 of a weight of 16; of five records 4.4 and 59.2."""
    call = "sdc_il1('k', 'r', ['x'], 'id'{})"
    t = 1 / math.sqrt(2 * 143 / 15)
    for given, il1, bounded in (
        (", weight := 'w'", 7 * t / 9, (7 * t + 7) / 16),
        ("", 2 / math.sqrt(2 * 14.8) / 3, (2 / math.sqrt(2 * 14.8) + 2) / 5),
    ):
        assert answers(weighed, call.format(given)) == [(None, 3, 2, il1, bounded), ("x", 3, 2, il1, bounded)], given
    # the weight of one person has no deviation: what was changed is lost, as far as it counts; less is nobody's
    weighed.execute("CREATE TABLE one AS SELECT id, x, 1 AS w, 0.5 AS v FROM k WHERE id = 1; CREATE TABLE moved AS "
                    "SELECT id, x + 2 AS x FROM one")  # fmt: skip
    alone = weighed.execute("FROM sdc_il1('one', 'moved', ['x'], 'id', weight := 'w')").fetchall()
    assert alone == [(None, 1, 0, None, 1), ("x", 1, 0, None, 1)]
    with pytest.raises(duckdb.Error, match=r"sum to 0.5: they must say how many persons"):
        weighed.execute("FROM sdc_il1('one', 'moved', ['x'], 'id', weight := 'v')").fetchall()


def test_entropies_of_weighed_records_by_hand(weighed):
    """By the logarithms of the weights: of each released category the weights of the original ones that became it."""
    for weight, by in (("NULL", dict.fromkeys(range(1, 7), 1)), ("'w'", {i: i for i in range(1, 7)})):
        pairs = {
            "o": [(1, 1), (2, 3), (3, None), (3, None), (None, 1), (1, None)],
            "it's": [("a", "a"), ("a", "b"), (None, None), ("b", None), (None, "a"), ("b", "b")],
        }
        whole, expected = sum(by.values()), []
        for name, values in pairs.items():
            x, y, both = Counter(), Counter(), Counter()
            for i, pair in enumerate(values, 1):
                x[pair[0]] += by[i]
                y[pair[1]] += by[i]
                both[pair] += by[i]
            lost = sum(n * math.log(y[pair[1]] / n) for pair, n in both.items())
            most = sum(n * math.log(whole / n) for n in x.values())
            expected.append((name, 6, lost, lost / whole, lost / most))
        lost, most = (sum(row[at] if at == 2 else row[2] / row[4] for row in expected) for at in (2, 4))
        found = answers(weighed, f"sdc_entropy_loss('k', 'r', ['O', 'it''s'], 'id', weight := {weight})")
        assert found == [(None, 6, lost, lost / whole, lost / most), *expected]
