"""What was found in the first release of a series stays, and a recoding may become coarser, for all."""

from __future__ import annotations

import numpy as np
import pytest

import sdc_sql
from sdc_sql.errors import SdcError, SeriesError
from tests.series.test_kept_values import Nights
from tests.series_world import KEY

pytestmark = pytest.mark.slow  # whole releases, one after another

RNG = np.random.default_rng(1)
BEFORE = {"id": np.arange(100), "x": RNG.lognormal(5, 1, 100).round(2), "k": RNG.integers(0, 90, 100)}
MORE = {
    name: np.concatenate([column, [100, 101] if name == "id" else [99999.5, 8.0]]) for name, column in BEFORE.items()
}


@pytest.fixture
def con(connect):
    with connect() as con:
        con.execute("SET VARIABLE sdc_key = ?", [KEY])
        con.execute("CREATE TYPE size AS ENUM ('small', 'middle', 'large', 'huge')")
        yield con


@pytest.mark.parametrize(
    "call",
    [
        lambda m, into: m.top_bottom_code("x", "quantile", top=0.9, bottom=0.1, into=into),
        lambda m, into: m.top_bottom_code("x", "count", top=7, into=into),
        lambda m, into: m.top_bottom_code("x", "count", top=7, replacement="mean", into=into),
        lambda m, into: m.top_bottom_code("x", "value", top=400, replacement="median", into=into),
        lambda m, into: m.top_bottom_code("x", "quantile", top=0.8, top_label="large", into=into),
        lambda m, into: m.recode("x", classes=6, method="equal_count", into=into),
        lambda m, into: m.recode("x", classes=5, method="logarithmic", into=into),
    ],
)
def test_thresholds_breaks_and_means_stay(con, tmp_path, call):
    """A newcomer beyond everything changes nobody, and shows what others showed; without a series some change."""
    nights = Nights(con, tmp_path, call=call)
    first, second = nights.release(BEFORE), nights.release(MORE)
    assert {i: second[i] for i in first} == first
    shown = {v[0] for v in first.values()}
    largest = first[int(np.argmax(BEFORE["x"]))][0]
    assert second[100][0] == largest
    assert second[101][0] in shown or float(second[101][0]) == 8


@pytest.mark.parametrize("place", [1, 3])
def test_the_fault_without_a_series(con, tmp_path, place):
    calls = {1: {"unit": "count", "top": 7}, 3: {"unit": "value", "top": 400, "replacement": "mean"}}

    def call(mask, into):
        mask.top_bottom_code("x", into=into, **calls[place])

    nights = Nights(con, tmp_path, call=call, series=False)
    first, second = nights.release(BEFORE), nights.release(MORE)
    assert {i: second[i] for i in first} != first


def test_of_ordered_categories_and_with_nothing_to_go_by(con, tmp_path):
    """An ENUM keeps its own order; a first release without a value has no threshold, and shows none later."""
    head = ""
    for name in ("one", "two"):
        x = "i::DOUBLE" if head else "NULL::DOUBLE"
        con.execute(f"""CREATE OR REPLACE TABLE t AS
            SELECT i AS id, (['small', 'middle', 'large'])[1 + i % 3]::size AS s, {x} AS x FROM range(30) r(i)""")
        if head:
            con.execute("INSERT INTO t VALUES (99, 'huge', 1)")
        with sdc_sql.Series(tmp_path / "l", "p", name, after=head) as series:
            sdc_sql.Microdata(con, "t", id="id", series=series).mask.top_bottom_code(
                "s", "quantile", top=0.5, into=name
            )
        head = series.head
    shown = con.execute("SELECT DISTINCT s::VARCHAR FROM two ORDER BY ALL").fetchall()
    assert shown == [("middle",), ("small",)]
    con.execute("UPDATE t SET x = NULL")
    series = sdc_sql.Series(tmp_path / "m", "p", "one")
    with pytest.raises(SdcError), series:
        sdc_sql.Microdata(con, "t", id="id", series=series).mask.top_bottom_code("x", "quantile", top=0.5, into="z")


STEPS = [
    ("recode", {"breaks": [10, 30, 50, 70], "ends": "open"}, {"breaks": [30, 70], "ends": "open"}, True),
    ("recode", {"breaks": [10, 30, 50], "ends": "open"}, {"breaks": [10, 40], "ends": "open"}, False),
    ("recode", {"breaks": [10, 30], "ends": "open"}, {"breaks": [10, 30, 50], "ends": "open"}, False),
    ("recode", {"keep_first": 1, "digits": 2}, {"keep_first": 1, "digits": 3}, False),
    ("recode", {"keep_first": 2, "digits": 2}, {"keep_first": 1, "digits": 2}, True),
    ("recode", {"drop_last": 1, "digits": 3}, {"drop_last": 2, "digits": 3}, True),
    ("top_bottom_code", {"unit": "value", "top": 80}, {"unit": "value", "top": 60}, True),
    ("top_bottom_code", {"unit": "value", "top": 60}, {"unit": "value", "top": 80}, False),
    ("top_bottom_code", {"unit": "value", "top": 80, "bottom": 5}, {"unit": "value", "top": 60}, False),
    ("top_bottom_code", {"unit": "count", "top": 9}, {"unit": "count", "top": 12}, False),
    (
        "top_bottom_code",
        {"unit": "value", "top": 80, "top_label": "50"},
        {"unit": "value", "top": 60, "top_label": "large"},
        False,
    ),
    (
        "top_bottom_code",
        {"unit": "value", "top": 80, "top_label": "over 80"},
        {"unit": "value", "top": 60, "top_label": "over 60"},
        True,
    ),
    (
        "recode",
        {"breaks": [10, 50], "ends": "open", "labels": ["a", "b", "a"]},
        {"breaks": [10], "ends": "open", "labels": ["a", "b"]},
        False,
    ),
    ("round", {"base": 5}, {"base": 10}, False),
]


@pytest.mark.parametrize("step", STEPS)
def test_coarser_only_and_then_for_all(con, tmp_path, step):
    """By brute force: each former class lies in one new class, of all values that there may be; else it is refused."""
    verb, before, now, coarser = step
    con.execute("CREATE TABLE t AS SELECT i AS id, i::INTEGER AS k FROM range(100) r(i)")

    def release(name: str, after: str, given) -> str:
        with sdc_sql.Series(tmp_path / "l", "p", name, after=after) as series:
            getattr(sdc_sql.Microdata(con, "t", id="id", series=series).mask, verb)("k", **given, into=name)
        return series.head

    one = release("one", "", before)
    data = sdc_sql.Microdata(con, "t", id="id")
    getattr(data.mask, verb)("k", **now, into="by_itself")
    ((parted,),) = con.execute("""
        SELECT count(*) FROM (SELECT one.k FROM one JOIN by_itself b USING (id) GROUP BY one.k
                              HAVING count(DISTINCT b.k) > 1)
    """).fetchall()
    if not coarser:
        with pytest.raises(SeriesError, match="may become coarser"):
            release("two", one, now)
        return
    assert parted == 0
    two = release("two", one, now)
    assert con.execute("FROM two EXCEPT FROM by_itself").fetchall() == []
    with pytest.raises(SeriesError, match="is not that of the releases before"):
        release("three", two, before)
    con.execute("DROP TABLE one")
    for given in (before, now):
        with pytest.raises(SeriesError, match="has become coarser since"):
            release("one", "", given)


def make_ladder(con) -> None:
    con.execute("""
        CREATE TABLE ladders AS
            SELECT 'age' AS variable, a::VARCHAR AS value, unnest([0, 1, 2]) AS level,
                unnest(['one', 'ten', 'forty']) AS level_name,
                unnest([a::VARCHAR, 'ten ' || a // 10, 'forty ' || a // 40]) AS label
            FROM range(0, 80) t(a)
            UNION ALL
            SELECT 'r', 'r' || r, unnest([0, 1]), unnest(['one', 'all']), unnest(['r' || r, '*']) FROM range(4) t(r)""")


def test_levels_stay_while_they_hold_and_become_coarser_for_all(con, tmp_path):
    """Finer ones would do when many came, coarser ones must when most left; each new class is of whole former ones."""
    make_ladder(con)
    steps = []

    def release(name: str, after: str, records: int) -> str:
        con.execute(f"""CREATE OR REPLACE TABLE t AS
            SELECT i AS id, (i * 7) % 80 AS age, 'r' || (i // 80) % 4 AS r FROM range({records}) x(i)""")
        with sdc_sql.Series(tmp_path / "l", "p", name, after=after, most_new=1.0, returning=True) as series:
            data = sdc_sql.Microdata(con, "t", id="id", keys=["age", "r"], series=series)
            steps.append(data.mask.generalise("ladders", k=4, into=name).parameters["levels"])
        return series.head

    one = release("one", "", 320)
    two = release("two", one, 6000)
    assert steps[1] == steps[0]
    alone = sdc_sql.Microdata(con, "t", id="id", keys=["age", "r"]).mask.generalise("ladders", k=4, into="alone")
    assert alone.parameters["levels"] != steps[0]  # the fault: by itself it would be finer, and the two intersect
    assert con.execute("FROM one EXCEPT FROM two").fetchall() == []
    three = release("three", two, 30)
    assert steps[2] != steps[0]
    parted = con.execute("""SELECT count(*) FROM (SELECT one.age, one.r FROM one JOIN three USING (id) GROUP BY ALL
                            HAVING count(DISTINCT (three.age, three.r)) > 1)""").fetchall()
    assert parted == [(0,)]
    assert con.execute("SELECT min(n) >= 4 FROM (SELECT count(*) n FROM three GROUP BY age, r)").fetchall() == [(True,)]
    four = release("four", three, 320)
    assert steps[3] == steps[2]
    with pytest.raises(SeriesError, match="too few records"):
        release("five", four, 7)


def test_levels_with_suppression_are_refused(con, tmp_path):
    make_ladder(con)
    con.execute("CREATE TABLE t AS SELECT i AS id, i AS age, 'r1' AS r, i % 3 AS s FROM range(80) x(i)")
    for given in ({"suppression": 0.1}, {"sensitive": "s", "l": 2}):
        data = sdc_sql.Microdata(
            con, "t", id="id", keys=["age", "r"], series=sdc_sql.Series(tmp_path / "l", "p", "one")
        )
        with pytest.raises(SeriesError, match="refused in a series"):
            data.mask.generalise("ladders", k=4, into="z", **given)
