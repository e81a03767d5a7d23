"""Whom an intruder finds who knows all participants: by enumeration of all assignments, and published figures."""

from __future__ import annotations

import random

import duckdb
import pytest

import sdc_sql

TESTDATA = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex", "age"]


def assignments(original, released):
    """Return, for each original record, the released ones it has in assignments of the most records; None: of none."""
    compatible = [
        [all(y is None or x == y for x, y in zip(old, new, strict=True)) for new in released] for old in original
    ]
    best, found = 0, []

    def assign(place, pairs):
        nonlocal best, found
        if place == len(released):
            if len(pairs) > best:
                best, found = len(pairs), []
            if len(pairs) == best:
                found.append(pairs)
            return
        for old in range(len(original)):
            if old not in pairs and compatible[old][place]:
                assign(place + 1, {**pairs, old: place})
        assign(place + 1, pairs)

    assign(0, {})
    return [{pairs.get(old) for pairs in found} for old in range(len(original))]


def counted(con, original, released, k=2):
    for name, rows in (("original", original), ("released", released)):
        con.execute(f"CREATE OR REPLACE TABLE {name} (a INTEGER, b INTEGER, c VARCHAR)")
        con.executemany(f"INSERT INTO {name} VALUES (?, ?, ?)", rows)
    return sdc_sql.Microdata(con, "released", keys=["a", "b", "c"]).linkage.certain_matches("original", k)


@pytest.mark.slow
def test_the_matches_are_those_of_all_assignments(con):
    """Of files that were suppressed, that were sampled, and that were changed otherwise too."""
    draw = random.Random(1)  # noqa: S311
    wrong = []
    for number in range(12):
        original = [(draw.randint(0, 2), draw.randint(0, 1), draw.choice("xy")) for _ in range(draw.randint(1, 5))]
        share = draw.choice([0.2, 0.5])
        released = [tuple(None if draw.random() < share else value for value in row) for row in original]
        if number % 3:
            released = released[: draw.randint(1, len(original))]
        if number % 3 == 2:
            released[0] = (7, None, None)
        found = counted(con, original, released)
        expected = assignments(original, released)
        below = sum(len(matches - {None}) < 2 for matches in expected)
        certain = sum(len(matches) == 1 and None not in matches for matches in expected)
        if (found.records, found.matches_below_k, found.certain_matches) != (len(original), below, certain):
            wrong.append((original, released, found, below, certain))
    assert not wrong


@pytest.mark.slow
def test_wildcards_that_hide_nobody(con):
    """Three records, k = 2: each released one is compatible with two, and each is known to who knows all three."""
    con.execute("CREATE TABLE t AS FROM (VALUES (1, 0, 2), (2, 1, 0), (3, 0, 0)) AS t(id, a, b)")
    data = sdc_sql.Microdata(con, "t", keys=["a", "b"], id="id")
    step = data.mask.local_suppression(2, guarantee="wildcard", into="r")
    assert (step.parameters["below_wildcard"], step.parameters["compatible_with_one"]) == (0, 1)
    assert step.parameters["certain_matches"] == 3
    released = sdc_sql.Microdata(con, "r", keys=["a", "b"])
    limit = released.check_limits(["certain_matches.certain_matches <= 0"], original=data)[0]
    assert (limit.holds, limit.figures) == (False, {"certain_matches.certain_matches": 3})
    assert data.mask.local_suppression(2, into="i").parameters["certain_matches"] == 0


def test_odd_names_one_record_and_none(con):
    con.execute("""CREATE TABLE k AS FROM (VALUES (1, 2)) AS t(f, "Sel""ect")""")
    data = sdc_sql.Microdata(con, "k", keys=["f", 'Sel"ect'])
    assert data.linkage.certain_matches("k", 2).certain_matches == 1
    con.execute("CREATE TABLE none AS FROM k WHERE false")
    with pytest.raises(sdc_sql.TableError, match="no rows"):
        sdc_sql.Microdata(con, "none", keys=["f"]).linkage.certain_matches("k", 2)
    con.execute("CREATE TABLE less AS SELECT f + NULL AS f FROM k")
    with pytest.raises(duckdb.Error, match="In SQL the original comes first"):
        con.execute("FROM sdc_certain_matches('less', 'k', ['f'])").fetchall()


@pytest.mark.shared
def test_testdata(con, shared):
    """Strong components and matchings of scipy gave the same."""
    con.execute(f"CREATE TABLE t AS SELECT row_number() OVER () AS id, * FROM '{shared / 'data' / 'testdata.parquet'}'")
    data = sdc_sql.Microdata(con, "t", keys=TESTDATA, id="id")
    found = {}
    for guarantee in ("identical", "strong", "wildcard"):
        step = data.mask.local_suppression(3, guarantee=guarantee, into=guarantee)
        released = sdc_sql.Microdata(con, guarantee, keys=TESTDATA).linkage.certain_matches(data, 3)
        assert released.certain_matches == step.parameters["certain_matches"]
        found[guarantee] = (step.parameters["compatible_with_one"], released.certain_matches)
    assert found == {"identical": (0, 0), "strong": (107, 162), "wildcard": (114, 1198)}


def test_every_figure_by_all_assignments(con):
    """The header's three, whom each other's records give away; a sample of five; a file that was changed otherwise."""
    header = [(0, 2, "x"), (1, 0, "x"), (0, 0, "x")], [(0, None, "x"), (1, None, "x"), (None, 0, "x")]
    five = [(0, 0, "x"), (0, 1, "x"), (1, 1, "y"), (1, 1, "y"), (2, 0, "y")]
    sample = five, [(0, None, "x"), (None, 1, "y"), (2, 0, None)]
    changed = five, [(0, 0, "x"), (7, None, None), (1, None, "y"), (1, 1, None), (None, 0, None)]
    seen = []
    for (original, released), k in ((header, 2), (sample, 2), (changed, 3)):
        matches = assignments(original, released)
        below = sum(len(m - {None}) < k for m in matches)
        certain = sum(len(m) == 1 and None not in m for m in matches)
        found = counted(con, original, released, k)
        seen.append((found.k, found.records, found.matches_below_k, found.certain_matches))
        assert seen[-1] == (k, len(original), below, certain)
    assert seen[0] == (2, 3, 3, 3)  # by the header
    assert con.execute("FROM sdc_certain_matches('original', 'released', ['a', 'b', 'c'])").fetchone()[0] == 3
