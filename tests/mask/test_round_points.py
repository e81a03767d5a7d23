"""Rounding to given points and the largest possible value (SDC handbook, 3.4.2.5)."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest

import sdc_sql
from sdc_sql import InputError, ParameterError

POINTS = [0.0, 500.0, 1500.0, 5000.0]
PAIRS = [(0, 10), (0, 90), (40, 50), (100, 10), (100, 90)]


@pytest.fixture
def k(con):
    con.execute("CREATE TABLE points AS SELECT unnest([500, 0, 5000, 1500, 500]) AS f")
    con.execute(f'CREATE TABLE pairs AS FROM (VALUES {", ".join(map(str, PAIRS))}) AS t("it\'s", F)')
    con.execute(
        "CREATE TABLE k AS SELECT range AS id, CASE WHEN range % 11 <> 3 THEN range * 37 % 9001 - 250 END AS f,"
        ' (range * 17 % 101)::DOUBLE AS "it\'s" FROM range(600)'
    )
    return con


def test_each_value_goes_to_the_point_whose_set_of_attraction_it_lies_in(k):
    rows = k.execute("SELECT k.f, r.f FROM sdc_round_points('k', ['F'], 'points', 'id') r JOIN k USING (id)").fetchall()
    edges = [-math.inf, *((a + b) / 2 for a, b in itertools.pairwise(POINTS)), math.inf]
    for x, y in rows:  # [(p_{i-1} + p_i) / 2, (p_i + p_{i+1}) / 2)
        expected = (
            None if x is None else next(p for p, a, b in zip(POINTS, edges, edges[1:], strict=False) if a <= x < b)
        )
        assert y == expected
    k.execute("CREATE TABLE half AS SELECT 1 AS id, 250 AS f")
    assert k.execute("SELECT f FROM sdc_round_points('half', ['f'], 'points', 'id')").fetchall() == [(500,)]


def test_several_columns_go_to_the_nearest_point_of_them_all(k):
    data = sdc_sql.Microdata(k, "k", id="id")
    before = k.execute('SELECT f, "it\'s" FROM k ORDER BY id').fetchall()
    step = data.mask.round_points(["f", "it's"], "pairs")
    assert step.columns == ("f", "it's")
    points = [(b, a) for a, b in PAIRS]
    for (x, y), found in zip(before, k.execute('SELECT f, "it\'s" FROM k ORDER BY id').fetchall(), strict=True):
        far = {p: (0 if x is None else ((x - p[0]) / 80) ** 2) + ((y - p[1]) / 100) ** 2 for p in points}
        nearest = min(far.values())
        fit = [p for p in points if far[p] <= nearest * (1 + 1e-12)]
        assert any((None if x is None else p[0], p[1]) == found for p in fit)


@pytest.mark.parametrize("kind", ["DOUBLE", "INTEGER", "DECIMAL(9, 2)"])
def test_a_missing_value_stays_missing_where_a_largest_one_is_named(k, kind):
    k.execute(f"CREATE TABLE n AS SELECT range AS id, nullif(range, 3)::{kind} AS x FROM range(9)")
    rounded = "FROM sdc_round('n', ['x'], 5, 'id', x_max := 98) ORDER BY id"
    assert [x for _, x in k.execute(rounded).fetchall()] == [0, 0, 0, None, 5, 5, 5, 5, 10]
    sdc_sql.Microdata(k, "n", id="id").mask.round("x", 5, x_max=98)
    assert k.execute("SELECT id FROM n WHERE x IS NULL").fetchall() == [(3,)]


@pytest.mark.slow
def test_no_rounded_value_is_above_the_largest_that_is_possible(k):
    k.execute("CREATE TABLE n AS SELECT range AS id, range / 10 AS x FROM range(981)")  # up to X_max = 98
    rows = k.execute("SELECT n.x, r.x FROM sdc_round('n', ['x'], 10, 'id', x_max := 98) r JOIN n USING (id)").fetchall()
    for x, y in rows:  # handbook: the last set of attraction is [p_r - b/2, X_max]
        assert y == (90 if x >= 85 else 10 * math.floor(x / 10 + 0.5))
    data = sdc_sql.Microdata(k, "n", id="id")
    with pytest.raises(ParameterError, match="above x_max"):
        data.mask.round("x", 10, x_max=97)
    with pytest.raises(ParameterError, match="to the nearest"):
        data.mask.round("x", 10, at_random=True, x_max=98)
    data.mask.round("x", 10, x_max=98)
    assert k.execute("SELECT max(x) FROM n").fetchone() == (90,)


@pytest.mark.parametrize(("points", "words"), [
    ("SELECT NULL::INTEGER AS f", "A rounding point is NULL"), ("SELECT 'infinity'::DOUBLE AS f", "NaN or infinite"),
    ("SELECT 1 AS g", "not a column"), ("SELECT 1 AS f LIMIT 0", "no rows"),
])  # fmt: skip
def test_what_is_refused(k, points, words):
    k.execute(f"CREATE TABLE wrong AS {points}")
    with pytest.raises(InputError, match=words):
        sdc_sql.Microdata(k, "k", id="id").mask.round_points("f", "wrong")


@pytest.mark.slow
def test_a_point_that_the_type_does_not_hold_is_refused(k):
    """2.5 in INTEGER was released as 2 or 3, which no one had chosen."""
    k.execute("CREATE TABLE halves AS SELECT unnest([2.5, 250.25, 7000]) AS f")
    k.execute("CREATE TABLE d AS SELECT 1 AS id, 2.4::DECIMAL(9, 1) AS f, 3::FLOAT AS g, 9 AS n")
    for table, words in (("k", "f is no value of its type, BIGINT"), ("d", r"its type, DECIMAL\(9,1\)")):
        if table == "d":
            k.execute("UPDATE d SET f = 240")
        with pytest.raises(InputError, match=words):
            sdc_sql.Microdata(k, table, id="id").mask.round_points("f", "halves", into="r")
    k.execute("UPDATE d SET f = 2.4")
    data = sdc_sql.Microdata(k, "d", id="id")
    k.execute("SET VARIABLE sdc_key = 'vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U'")
    data.mask.round_points("f", "halves", into="r")
    assert k.execute("SELECT f::DOUBLE FROM r").fetchall() == [(2.5,)]
    for column, base in (("n", 2.5), ("f", 0.25)):
        with pytest.raises(ParameterError, match="does not hold its multiples"):
            data.mask.round(column, base)
        with pytest.raises(ParameterError, match="does not hold its multiples"):
            data.mask.round(column, base, at_random=True)
    data.mask.round(["f", "g"], 0.1)


@pytest.mark.slow
def test_with_a_largest_value_a_value_is_moved_by_less_than_a_base(k):
    k.execute("CREATE TABLE n AS SELECT range AS id, range / 10 AS x FROM range(981)")
    far = "SELECT max(abs(n.x - r.x)) FROM sdc_round('n', ['x'], 10, 'id', x_max := 98) r JOIN n USING (id)"
    assert k.execute(far).fetchone() == (8.0,)
    ((said,),) = k.execute("SELECT keeps FROM sdc_help() WHERE name = 'sdc_round'").fetchall()
    assert said == "every value to within half a base, with x_max those above its last multiple to within a base."


@pytest.mark.one_in(3)
@pytest.mark.parametrize("base", [0.1, 0.25, 0.005, 0.3, 1, 2.5, 40])
def test_each_value_goes_to_the_nearest_multiple_of_any_base(con, base):
    """By exact fractions, either one of a half; the DOUBLE that is nearest to it where 1 is a multiple of the base."""
    con.execute("CREATE TABLE t AS SELECT range AS id, (range - 200) / 16e0 AS x FROM range(401)")
    step = Fraction(str(base))
    query = "SELECT t.x, r.x FROM sdc_round('t', ['x'], $base, 'id') r JOIN t USING (id)"
    rows = con.execute(query, {"base": base}).fetchall()
    assert len(rows) == 401
    for x, y in rows:
        low, half = divmod(Fraction(x), step)
        wanted = {low} if 2 * half < step else {low + 1} if 2 * half > step else {low, low + 1}
        slack = 0 if (1 / step).denominator == 1 else math.ulp(x)
        assert any(abs(y - float(n * step)) <= slack for n in wanted), (x, y)
