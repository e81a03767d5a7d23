"""Samples of households in a series: drawn households stay drawn, whole; who moves is where his household is."""

from __future__ import annotations

import pytest

import sdc_sql
from sdc_sql.errors import SeriesError
from tests.series_world import KEY

pytestmark = pytest.mark.slow  # whole releases, one after another


@pytest.fixture
def con(connect):
    with connect() as con:
        con.execute("SET VARIABLE sdc_key = ?", [KEY])
        con.execute("CREATE TABLE t AS SELECT i AS id, i // 3 AS home, 10.0 AS w FROM range(240) r(i)")
        yield con


def test_who_was_drawn_stays_drawn_and_movers_follow_their_household(con, tmp_path):
    head = ""

    def release(name: str, after: str, **given) -> sdc_sql.Series:
        with sdc_sql.Series(tmp_path / "l", "p", name, after=after, **given) as series:
            data = sdc_sql.Microdata(con, "t", id="id", weight="w", series=series)
            data.mask.sample(fraction=0.5, method="bernoulli", household="home", into=name)
        return series

    def read(name: str) -> dict[int, int]:
        return dict(con.execute(f"SELECT id, home FROM {name}").fetchall())

    head = release("one", "").head
    drawn = {*read("one").values()}
    assert 20 < len(drawn) < 60
    into, out = min(drawn), min({*range(80)} - drawn)
    con.execute("DELETE FROM t WHERE id >= 210")
    con.execute("INSERT INTO t SELECT 900 + i, 100 + i // 2, 10 FROM range(20) r(i)")
    con.execute(f"UPDATE t SET home = {into} WHERE id = {3 * out}")
    con.execute(f"UPDATE t SET home = {out} WHERE id = {3 * into}")
    two = release("two", head)
    assert two.counts["moved"] == 2
    shown, here = read("two"), dict(con.execute("SELECT id, home FROM t").fetchall())
    old = {home for home in here.values() if home < 100}
    assert {h for h in shown.values() if h < 100} == drawn & old
    assert shown == {i: home for i, home in here.items() if home in {*shown.values()}}  # whole households
    assert 3 * out in shown
    assert 3 * into not in shown
    assert con.execute("SELECT DISTINCT w FROM two").fetchall() == [(20.0,)]
    con.execute("DROP TABLE two")
    release("two", head)
    assert read("two") == shown
    con.execute("UPDATE t SET home = home + 7")  # numbered anew: all would be drawn again
    with pytest.raises(SeriesError, match="households must have been numbered anew"):
        release("three", two.head)
    assert release("three", two.head, most_new=1.0).counts["moved"] == len(here)


def test_simple_samples_are_refused(con, tmp_path):
    data = sdc_sql.Microdata(con, "t", id="id", series=sdc_sql.Series(tmp_path / "l", "p", "one"))
    with pytest.raises(SeriesError, match="would not stay drawn"):
        data.mask.sample(size=20, household="home", into="z")
