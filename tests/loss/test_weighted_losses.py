"""Losses with weights: all of 1 change nothing, whole ones are as many records, others as computed in Python."""

from __future__ import annotations

import math
import statistics

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
