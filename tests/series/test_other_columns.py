"""What hangs on another column of a record, or on the order of the columns, is not masked for a second time."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import sdc_sql
from sdc_sql.errors import SeriesError

pytestmark = pytest.mark.slow  # whole releases, one after another


def release_masked(con, folder, name, table, after, call):  # noqa: PLR0917 - what a release is
    with sdc_sql.Series(folder / "l", "p", name, after=after) as series:
        call(sdc_sql.Microdata(con, table, id="id", series=series).mask, name)
    return series.head


@pytest.mark.parametrize(
    "call",
    [lambda m, into: m.microaggregate(["x", "y"], 3, into=into), lambda m, into: m.noise(["x", "y"], 0.1, into=into)],
    ids=["microaggregate", "noise"],
)
def test_columns_in_another_order(con, tmp_path, call):
    """What is kept stands by the place of a column: in another order y would get what was released of x."""
    con.execute("""CREATE TABLE one_way AS SELECT i AS id, (i * i)::DOUBLE AS x, i / 7 AS y FROM range(12) t(i);
                   CREATE VIEW other_way AS SELECT id, y, x FROM one_way""")
    head = release_masked(con, tmp_path, "one", "one_way", "", call)
    with pytest.raises(SeriesError, match="columns in the order y, x, not x, y"):
        release_masked(con, tmp_path, "two", "other_way", head, call)
    release_masked(con, tmp_path, "two", "one_way", head, call)
    assert con.execute("FROM one EXCEPT FROM two").fetchall() == []


def test_a_changed_value_is_placed_no_better_than_by_the_first_release(con, tmp_path):
    """By its column alone it would find the nearest of all averages; by hand, it joins by what stands beside it."""
    rng = np.random.default_rng(0)
    names, x = ["a", "b", "c", "d", "e"], rng.lognormal(8, 0.7, (600, 5)).round(2)

    def call(mask, into):
        mask.microaggregate(names, 5, into=into)

    head, found, changed = "", [], np.arange(0, 600, 5)
    for name in ("one", "two"):
        con.register("given", pa.table({"id": np.arange(600), **dict(zip(names, x.T.copy(), strict=True))}))
        con.execute("CREATE OR REPLACE TABLE tonight AS FROM given")
        con.unregister("given")
        head = release_masked(con, tmp_path, name, "tonight", head, call)
        found.append(np.array(con.execute(f"SELECT COLUMNS(* EXCLUDE id) FROM {name} ORDER BY id").fetchall()))
        if name == "one":
            first = x.copy()
            x[changed, 0] = rng.lognormal(8, 0.7, len(changed)).round(2)
    one, two = found
    assert (one[:, 1:] == two[:, 1:]).all()
    near = np.abs(one[:, 0] / first[:, 0] - 1) < 0.03
    joined = np.abs(two[changed, 0] / x[changed, 0] - 1) < 0.03
    assert joined.mean() < near.mean() + 3 * np.sqrt(near.mean() / len(changed))
    groups, of = np.unique(one, axis=0, return_inverse=True)
    unit = groups[of].std(axis=0)
    for i in changed:
        here = np.array([x[i, 0], *one[i, 1:]])
        assert two[i, 0] == groups[(((groups - here) / unit) ** 2).sum(axis=1).argmin(), 0]


def test_a_newcomer_with_null_where_no_group_has_it_waits(con, tmp_path):
    """By the one column that he has he would join the nearest of all averages, and be known."""
    con.execute("CREATE TABLE t AS SELECT i AS id, (i * i)::DOUBLE AS x, (i / 7)::DOUBLE AS y FROM range(12) t(i)")

    def call(mask, into):
        mask.microaggregate(["x", "y"], 3, into=into)

    head = release_masked(con, tmp_path, "one", "t", "", call)
    con.execute("UPDATE t SET y = NULL WHERE id = 4; INSERT INTO t VALUES (12, NULL, NULL)")
    head = release_masked(con, tmp_path, "two", "t", head, call)
    assert con.execute("SELECT x, y FROM two WHERE id = 12").fetchall() == [(None, None)]
    assert con.execute("SELECT two.x = one.x, two.y FROM one JOIN two USING (id) WHERE id = 4").fetchall() == [
        (True, None)
    ]
    con.execute("INSERT INTO t VALUES (13, 50, NULL)")
    release_masked(con, tmp_path, "three", "t", head, call)
    assert con.execute("SELECT count(*), max(id) FROM three").fetchall() == [(13, 12)]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda m: m.pram(["a", "b"], "crossing", into="z"), "all the columns"),
        (lambda m: m.recode("a", relative_to="b", into="z"), "a place that stays"),
        (lambda m: m.round_points(["x", "y"], "points", into="z"), "round_points of several columns"),
    ],
)  # fmt: skip
def test_a_draw_that_hangs_on_another_column_is_refused(con, tmp_path, call, said):
    """Who changes there is drawn for again, night after night, beside a value that stays."""
    con.execute("""
        CREATE TABLE t AS SELECT i AS id, i // 2 AS home, 'f' AS a, 'g' AS b, i::DOUBLE AS x, i::DOUBLE AS y
            FROM range(20) t(i);
        CREATE TABLE matrix AS SELECT 'f' AS "from", 'f' AS "to", 1.0 AS probability, 'g' AS b;
        CREATE TABLE crossing AS SELECT {'a': 'f', 'b': 'g'} AS "from", {'a': 'f', 'b': 'g'} AS "to",
                                     1.0 AS probability;
        CREATE TABLE points AS SELECT i * 5.0::DOUBLE AS x, i * 5.0::DOUBLE AS y FROM range(5) t(i);
    """)
    series = sdc_sql.Series(tmp_path / "l", "p", "one")
    with pytest.raises(SeriesError, match=said):
        call(sdc_sql.Microdata(con, "t", id="id", series=series).mask)


def test_by_one_column_points_are_admitted(con, tmp_path):
    con.execute("""CREATE TABLE t AS SELECT i AS id, i::DOUBLE AS x FROM range(20) t(i);
                   CREATE TABLE points AS SELECT i * 5.0::DOUBLE AS x FROM range(5) t(i)""")
    release_masked(con, tmp_path, "one", "t", "", lambda m, into: m.round_points(["x"], "points", into=into))
    assert con.execute("SELECT count(DISTINCT x) FROM one").fetchone() == (5,)
