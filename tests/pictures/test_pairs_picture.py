"""The margins of pairs drawn: the shade of each cell, from an independent count of the pair's table."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from xml.etree import ElementTree as ET

import pytest

import sdc_sql
from sdc_sql.document.blocks import Grid, Layers, Page, Section
from sdc_sql.document.grid import draw_grid
from sdc_sql.document.markdown import markdown
from sdc_sql.document.page import page_html

SVG = "{http://www.w3.org/2000/svg}"
ODD = ["f", "Select", "<img src=x onerror=alert(1)>'\"&"]
BEFORE = [(i % 3, "ab"[i % 2], i % 4 if i % 5 else None) for i in range(40)]
AFTER = [(i % 3, "ab"[i % 7 % 2], i % 4 if i % 3 else None) for i in range(40)]


def make_table(con, name, rows):
    quoted = [n.replace('"', '""') for n in ODD]
    con.execute(f'CREATE TABLE {name} ("{quoted[0]}" INTEGER, "{quoted[1]}" VARCHAR, "{quoted[2]}" INTEGER)')
    con.executemany(f"INSERT INTO {name} VALUES (?, ?, ?)", rows)


def list_cells(root):
    """Return how much each cell is shaded, row by row; the last shades are those of the scale."""
    found = [e for e in root.iter(f"{SVG}rect") if e.get("class") == "share"]
    return [float(e.attrib["fill-opacity"]) for e in found[:-6]]


def test_cells_are_shaded_by_the_total_variation_of_the_pair(con):
    make_table(con, "k", BEFORE)
    make_table(con, "released", AFTER)
    found = sdc_sql.Microdata(con, "released").loss.pair_distance("k", ODD)
    picture = found.plot()
    expected = {}
    for i, j in combinations(range(3), 2):
        one, other = (Counter((row[i], row[j]) for row in rows) for rows in (BEFORE, AFTER))
        expected[j, i] = sum(abs(one[c] - other[c]) / 40 for c in one | other) / 2
    most = max(expected.values())
    root = ET.fromstring(picture.to_svg())  # noqa: S314 - a picture of our own
    assert list_cells(root) == pytest.approx([expected[place] / most for place in sorted(expected)], abs=0.001)
    assert "<img" not in picture.to_svg()
    assert not picture.confidential
    assert "Confidential" not in picture.to_svg()
    assert f"f and Select {expected[1, 0]:.3g}" in "".join(root.itertext())


def test_distances_of_variables_are_bars(con):
    make_table(con, "k", BEFORE)
    make_table(con, "released", AFTER)
    found = sdc_sql.Microdata(con, "released").loss.margin_distance("k", ODD)
    one, other = (Counter(row[1] for row in rows) for rows in (BEFORE, AFTER))
    chart = found.plot().block
    shown = dict(zip(chart.labels, chart.series[0][1], strict=True))
    assert shown["Select"] == pytest.approx(sum(abs(one[c] - other[c]) / 40 for c in one | other) / 2)
    assert list(shown.values()) == sorted(shown.values(), reverse=True)


@pytest.mark.parametrize("rows", [(), ((),), ((), (None,)), ((), (0.0,)), ((), (float("nan"),)), ((), (1,))])
def test_a_grid_of_few_or_of_nothing(rows):
    grid = Grid("<b>", tuple(f"<i{i}>" for i in range(len(rows))), rows)
    picture = draw_grid(grid, "g")
    ET.fromstring(picture)  # noqa: S314 - as above
    assert "nan%" not in picture
    assert "<i" not in picture.replace("<img", "")
    assert markdown(Page("x", (), (Section("y", (grid,)),)))


def test_a_page_holds_grids_and_hierarchies():
    grid = Grid("Pairs", ("a", "b"), ((), (0.5,)))
    layers = Layers("sex", ("sex", "all"), ((("f", 1), ("m", 1)), (("*", 2),)), 1)
    page = Page("x", (), (Section("y", (grid, layers)),))
    found = ET.fromstring(page_html(page).replace("<!DOCTYPE html>", ""))  # noqa: S314 - as above
    ids = [e.attrib["id"] for e in found.iter() if "id" in e.attrib]
    assert len(ids) == len(set(ids))
    assert len([e for e in found.iter("svg") if e.get("role") == "img"]) == 2
    assert "| a | b | 0.5 |" in markdown(page)
    assert "| all (chosen) | \\* | 2 |" in markdown(page)
