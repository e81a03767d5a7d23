"""SUDA contributions drawn: the lengths of the bars, counted again from the records; odd names; what a picture is."""

from __future__ import annotations

from itertools import combinations
from math import factorial
from xml.etree import ElementTree as ET

import pytest

import sdc_sql
from sdc_sql.document.style import STYLE
from sdc_sql.errors import ParameterError
from sdc_sql.pictures.colours import write_style

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "<img src=x onerror=alert(1)>'\"&"


def read_picture(picture, width=720):
    return ET.fromstring(picture.to_svg(width))  # noqa: S314 - a picture of our own


def list_bars(root):
    """Return the length of each bar, in per cent, by its label."""
    lengths, label = {}, None
    for element in root.iter():
        if element.tag == f"{SVG}text" and element.get("class") == "label":
            label = element.text
            lengths[label] = 0.0
        elif element.tag == f"{SVG}rect" and element.get("class") == "after":
            lengths[label] = float(element.attrib["width"].strip("%"))
    return lengths


def score_keys(rows, keys):
    """Return what each key adds to the score, in per cent, from the definition: (m - k)! for each minimal unique."""
    m, total, by_key = len(keys), 0, dict.fromkeys(keys, 0)
    for row in rows:
        uniques: list[frozenset[int]] = []
        for size in range(1, m + 1):
            for some in map(frozenset, combinations(range(m), size)):
                alone = sum(all(other[i] == row[i] for i in some) for other in rows) == 1
                if alone and not any(smaller < some for smaller in uniques):
                    uniques.append(some)
                    total += factorial(m - size)
                    for i in some:
                        by_key[keys[i]] += factorial(m - size)
    return {key: 100 * its / total for key, its in by_key.items()}


def test_bars_are_as_long_as_the_contributions(con):
    rows = [(i % 3, "ab"[i % 2], None if i % 5 == 0 else i % 4) for i in range(13)]
    keys = ["f", "Select", HOSTILE]
    con.execute(f'CREATE TABLE k (f INTEGER, "Select" VARCHAR, "{HOSTILE.replace(chr(34), chr(34) * 2)}" INTEGER)')
    con.executemany("INSERT INTO k VALUES (?, ?, ?)", rows)
    root = read_picture(sdc_sql.Microdata(con, "k", keys=keys).risk.suda_contributions(None).plot())
    expected, bars = score_keys(rows, keys), list_bars(root)
    assert bars.keys() == expected.keys()
    # the scale ends at 100 per cent of the score; labels that are long stand above their bars
    scale = 84 / 100
    assert [bars[key] for key in keys] == pytest.approx([expected[key] * scale for key in keys], abs=0.02)
    tags = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert tags == {"svg", "title", "desc", "style", "rect", "text"}


def test_values_that_add_most_are_drawn_and_the_others_counted(con):
    con.execute("CREATE TABLE k AS SELECT 'v' || range AS f, ? AS g FROM range(40)", [HOSTILE])
    found = sdc_sql.Microdata(con, "k", keys=["f", "g"]).risk.suda_value_contributions()
    picture = found.plot()
    assert len(list_bars(read_picture(picture))) == 30
    assert "11 further values" in picture.to_svg()
    assert "<img" not in picture.to_svg()


def test_a_table_of_one_record_or_none(con):
    con.execute("CREATE TABLE k AS SELECT 1 AS f, NULL::INTEGER AS g")
    data = sdc_sql.Microdata(con, "k", keys=["f", "g"])
    assert list_bars(read_picture(data.risk.suda_contributions().plot())) == pytest.approx(
        {"f": 27, "g": 27}, abs=0.01
    )  # half the score each
    con.execute("DELETE FROM k")
    with pytest.raises(sdc_sql.TableError, match="has no rows"):
        data.risk.suda_contributions()


def test_a_picture_says_what_it_shows_and_where_it_may_go(tmp_path):
    picture = sdc_sql.example().risk.suda_contributions().plot()
    root = read_picture(picture)
    ids = {element.get("id"): element.text for element in root.iter() if element.get("id")}
    title, told = (ids[name] for name in root.attrib["aria-labelledby"].split())
    assert (title, told) == (picture.title, "age: contribution 50; sex: contribution 50")
    assert "Confidential" in picture._repr_svg_()
    assert "| age | 50 |" in str(picture)
    picture.write(tmp_path / "p.svg")
    picture.write(tmp_path / "p.html", readable="all")
    assert ET.parse(tmp_path / "p.svg").getroot().tag == f"{SVG}svg"  # noqa: S314 - as above
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in ("p.svg", "p.html")] == [0o600, 0o644]
    with pytest.raises(ParameterError, match=r"give a path that ends in \.svg"):
        picture.write(tmp_path / "p.png")
    with pytest.raises(ParameterError, match="width"):
        picture.to_svg(100)


def test_two_pictures_in_a_page_have_no_id_in_common():
    data = sdc_sql.example()
    pictures = [data.risk.suda_contributions().plot(), data.risk.suda_value_contributions().plot()]
    ids = [e.get("id") for picture in pictures for e in read_picture(picture).iter() if e.get("id")]
    assert len(ids) == len(set(ids)) == 4
    assert pictures[0].to_svg() == data.risk.suda_contributions().plot().to_svg()


def test_the_style_is_that_of_a_page_and_reaches_no_other_shape():
    lines = [line for line in write_style().splitlines() if "{" in line and not line.startswith("@media")]
    assert all(name.strip().startswith(".sdc-picture") for line in lines for name in line.partition("{")[0].split(","))
    assert "var(" not in write_style()
    # each shape of the page's style that has a colour has one on a dark screen
    dark = write_style().partition("@media")[2]
    for shape in ("rect.share", "line.outline", "rect.before", "text.tick", "path.cross"):
        assert shape in STYLE
        assert shape in dark
