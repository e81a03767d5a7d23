"""PRAM in a series: one matrix of declared categories."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import sdc_sql
from sdc_sql.errors import InputError, ParameterError, SeriesError

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow  # whole releases, one after another

KEY = "vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U"
REGIONS = ["a", "b", "c", "d"]


@pytest.fixture
def con(connect):
    with connect() as con:
        con.execute("SET VARIABLE sdc_key = ?", [KEY])
        con.execute(
            "CREATE TABLE t AS SELECT i AS id, ['a', 'b', 'c'][1 + i % 3] AS r, i % 2 AS n FROM range(300) x(i)"
        )
        yield con


def release(con, folder: Path, name: str, after: str, categories) -> str:
    with sdc_sql.Series(folder / "l", "p", name, after=after) as series:
        data = sdc_sql.Microdata(con, "t", id="id", series=series)
        data.mask.pram_retention("r", 0.7, categories=categories, into=name)
    return series.head


def test_declared_categories_have_one_matrix(con, tmp_path):
    """A category that nobody had draws nobody anew; one that was not declared is refused, and so is another set."""
    one = release(con, tmp_path, "one", "", REGIONS)
    shown = dict(con.execute("SELECT r, count(*) FROM one GROUP BY r").fetchall())
    assert shown["d"] > 0  # it is nobody's so far: whoever comes with it hides among these
    con.execute("INSERT INTO t VALUES (1000, 'd', 0)")
    two = release(con, tmp_path, "two", one, REGIONS)
    assert con.execute("SELECT id FROM (FROM two EXCEPT FROM one)").fetchall() == [(1000,)]
    con.execute("INSERT INTO t VALUES (1001, 'z', 0)")
    with pytest.raises(InputError, match="recode it to a category that has one"):
        release(con, tmp_path, "three", two, REGIONS)
    with pytest.raises(SeriesError, match="matrix"):
        release(con, tmp_path, "three", two, [*REGIONS, "z"])
    with pytest.raises(SeriesError, match="give categories"):
        release(con, tmp_path, "three", two, None)


def test_categories_of_the_file_draw_all_anew(con):
    """The fault that declared categories mend, by the same attack."""
    data = sdc_sql.Microdata(con, "t", id="id")
    for categories, redrawn in ((None, True), (REGIONS, False)):
        con.execute("DELETE FROM t WHERE id = 1000; DROP TABLE IF EXISTS one; DROP TABLE IF EXISTS two")
        data.mask.pram_retention("r", 0.7, categories=categories, into="one")
        con.execute("INSERT INTO t VALUES (1000, 'd', 0)")
        data.mask.pram_retention("r", 0.7, categories=categories, into="two")
        ((moved,),) = con.execute("SELECT count(*) FROM one JOIN two USING (id) WHERE one.r <> two.r").fetchall()
        assert (moved > 0) is redrawn


def test_sql_and_python_agree_and_refuse_alike(con):
    data = sdc_sql.Microdata(con, "t", id="id")
    data.mask.pram_retention("n", 0.7, categories=[0, 1, 2], into="released")
    call = "sdc_pram_retention('t', {}, 0.7, 'id', categories := {})"
    assert con.execute(f"FROM {call.format(['n'], [0, 1, 2])} EXCEPT FROM released").fetchall() == []
    for columns, categories in ((["n"], [0]), (["n"], [0, 0]), (["n", "r"], [0, 1])):
        with pytest.raises(ParameterError, match="categories"):
            data.mask.pram_retention(columns, 0.7, categories=categories, into="x")
        with pytest.raises(Exception, match="categories"):
            con.execute(f"FROM {call.format(columns, categories)}").fetchall()
