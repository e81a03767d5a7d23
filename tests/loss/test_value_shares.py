"""The shares of the values of a variable, before and after: counted again in Python; and the picture of them."""

from __future__ import annotations

import math
from collections import Counter
from xml.etree import ElementTree as ET

import pytest

import sdc_sql
from sdc_sql.errors import ParameterError

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "<img src=x onerror=alert(1)>'\"&"


def make_tables(con, before, after, kind="DOUBLE", name="f"):
    quoted = name.replace('"', '""')
    for table, values in (("k", before), ("released", after)):
        con.execute(f'CREATE TABLE {table} ("{quoted}" {kind}, w DOUBLE)')
        con.executemany(f"INSERT INTO {table} VALUES (?, ?)", [(v, 1 + i % 3) for i, v in enumerate(values)])
    return sdc_sql.Microdata(con, "released")


def read_columns(picture):
    """Return the columns that are filled, as (left, width, height)."""
    root = ET.fromstring(picture.to_svg())  # noqa: S314 - a picture of our own
    boxes = [e for e in root.iter(f"{SVG}rect") if e.get("class") == "share" and e.attrib["x"].endswith("%")]
    return [(float(e.attrib["x"][:-1]), float(e.attrib["width"][:-1]), float(e.attrib["height"])) for e in boxes]


BEFORE = [*range(21, 65), *range(30, 50), *[40] * 7, None, None]
AFTER = [5 * round(v / 5) for v in BEFORE if v is not None and v < 60] + [None] * 9


@pytest.mark.parametrize("classes", [2, 10, 40, 1000])
def test_intervals_hold_the_records_that_lie_in_them(con, classes):
    found = make_tables(con, BEFORE, AFTER, "INTEGER").loss.value_shares("k", "f", continuous="f", classes=classes)
    there = [row for row in found if row.low is not None]
    widths = {row.high - row.low for row in there}
    assert len(widths) == 1
    (width,) = widths
    assert width in {1, 2, 5, 10, 20, 50}
    assert width == 1 or (65 - 20) / width <= classes
    for row in there:
        assert row.low % width == 0
        inside = [[v for v in values if v is not None and row.low <= v < row.high] for values in (BEFORE, AFTER)]
        assert row.before == pytest.approx(len(inside[0]) / len(BEFORE))
        assert row.after == pytest.approx(len(inside[1]) / len(AFTER))
    (gone,) = (row for row in found if row.low is None)
    assert (gone.before, gone.after) == pytest.approx((2 / len(BEFORE), 9 / len(AFTER)))
    assert sum(row.before for row in found) == pytest.approx(1)


@pytest.mark.one_in(5)
@pytest.mark.whole
@pytest.mark.parametrize(
    "values",
    [
        [0.1, 0.2, 0.3, 0.30000001],
        [1e149, -1e149],
        [1e-300, 2e-300],
        [5.0],
        [None],
        [-0.0, 0.0],
        [1e15, 1e15 + 1],
        [-7, -3],
    ],
)
def test_odd_numbers_stand_in_an_interval(con, values):
    found = make_tables(con, values, values).loss.value_shares("k", "f", continuous="f")
    assert sum(row.before for row in found) == pytest.approx(1)
    for value in values:
        if value is not None:
            # to the ninth digit of the width, so that 0.3 begins the interval from 0.3
            near = [r for r in found if r.low is not None and r.low <= value + abs(value) * 1e-9 and value < r.high]
            assert near, (value, found)
    assert "nan" not in found.plot().to_svg()


def test_categories_and_weights(con):
    before, after = ["a", "b", HOSTILE, None, "a", "10", "9"], ["a", "b", "b", None, None]
    found = make_tables(con, before, after, "VARCHAR", "Select").loss.value_shares("k", "Select", weight="w")
    weights = [1 + i % 3 for i in range(9)]
    for row in found:
        for values, share in ((before, row.before), (after, row.after)):
            own = sum(w for v, w in zip(values, weights, strict=False) if v == row.value)
            assert share == pytest.approx(own / sum(weights[: len(values)]))
    assert [row.value for row in found] == ["9", "10", HOSTILE, "a", "b", None]
    text = found.plot().to_svg()
    assert "<img" not in text
    assert "Confidential" in text
    assert ">NULL</text>" in text


def test_columns_are_as_high_as_shares(con):
    found = make_tables(con, BEFORE, AFTER, "INTEGER").loss.value_shares("k", "f", continuous="f", classes=10)
    after = [row.after for row in found if row.after]
    drawn = read_columns(found.plot())
    areas = [width * height for _, width, height in drawn[:-1]]
    heights = [height for *_, height in drawn]
    # the last one is of the missing values, as high as one of as many records
    assert [area / areas[0] for area in areas] == pytest.approx([share / after[0] for share in after[:-1]], rel=0.01)
    assert [height / heights[0] for height in heights] == pytest.approx([share / after[0] for share in after], rel=0.01)


def test_many_values_are_drawn_together(con):
    values = [f"v{i}" for i in range(60)] + ["often"] * 40
    found = make_tables(con, values, values, "VARCHAR").loss.value_shares("k", "f")
    bars = found.plot().block.before
    assert len(found) == 61
    assert len(bars.labels) == 25
    assert bars.labels[-1] == "all others"
    assert math.fsum(bars.shares) == pytest.approx(1)
    assert Counter(bars.shares)[0.01] == 23
    assert "37 rarer values are drawn together" in found.plot().note


def test_a_picture_is_of_one_variable(con):
    released = make_tables(con, BEFORE, AFTER)
    with pytest.raises(ParameterError, match="A picture is of one variable, and there are 2"):
        released.loss.value_shares("k", ["f", "w"]).plot()


@pytest.mark.slow
@pytest.mark.whole
def test_the_macro_says_the_same(con):
    make_tables(con, BEFORE, AFTER, "INTEGER")
    sdc_sql.load(con)
    rows = con.sql("FROM sdc_value_shares('k', 'released', ['F'], continuous := ['f'], classes := 10)").fetchall()
    found = sdc_sql.Microdata(con, "released").loss.value_shares("k", "f", continuous="f", classes=10)
    assert [tuple(row.to_dict().values()) for row in found] == rows
