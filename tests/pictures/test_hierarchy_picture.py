"""A hierarchy drawn: boxes as wide as the values they stand for, over those values, the chosen level filled."""

from __future__ import annotations

from collections import Counter
from xml.etree import ElementTree as ET

import pytest

import sdc_sql
from sdc_sql.errors import ParameterError

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "<img src=x onerror=alert(1)>'\"&"
AGES = sdc_sql.interval_hierarchy(range(21, 65), [[*range(25, 65, 5)], [*range(30, 65, 10)], [40]])
MIXED = sdc_sql.Hierarchy(
    (("a", "x", "*"), ("b", "y", "*"), ("c", "x", "*"), (None, "y", "*"), (HOSTILE, "z", "*")), ("f", "Select", "all")
)


def list_boxes(picture, levels):
    """Return where the boxes of each level begin and how wide they are, in per cent, the finest level first."""
    root = ET.fromstring(picture.to_svg())  # noqa: S314 - a picture of our own
    rows = {}
    for box in root.iter(f"{SVG}rect"):
        if box.get("class") in {"share", "box"}:
            place = float(box.attrib["x"].strip("%")), float(box.attrib["width"].strip("%"))
            rows.setdefault(float(box.attrib["y"]), []).append((*place, box.get("class")))
    assert len(rows) == levels
    return [rows[y] for y in sorted(rows, reverse=True)]


@pytest.mark.parametrize(("hierarchy", "chosen"), [(AGES, 2), (MIXED, "Select"), (MIXED, 0), (MIXED, None)])
def test_boxes_are_as_wide_as_their_values(hierarchy, chosen):
    boxes = list_boxes(hierarchy.plot(chosen), len(hierarchy.names))
    for level, of_one in enumerate(boxes):
        numbers = Counter(row[level] for row in hierarchy.rows).values()
        assert sorted(wide for _, wide, _ in of_one) == pytest.approx(
            sorted(100 * n / len(hierarchy.rows) for n in numbers), abs=0.01
        )
        is_chosen = chosen is not None and level == hierarchy.level(chosen)
        assert {kind for *_, kind in of_one} == {"share" if is_chosen else "box"}


def test_what_is_put_together_stands_below_its_label():
    # values of one label do not stand beside one another in the hierarchy, and do in its picture
    layers = MIXED.plot().block
    parent = {row[0] or "NULL": row[1] for row in MIXED.rows}
    assert [parent[label] for label, _ in layers.labels[0]] == ["x", "x", "y", "y", "z"]
    boxes = list_boxes(MIXED.plot(), 3)
    starts = {round(x, 1) for x, *_ in boxes[0]}
    assert {round(x, 1) for x, *_ in boxes[1]} <= starts


def test_labels_are_texts_and_many_are_one_box():
    text = MIXED.plot("Select").to_svg()
    assert "<img" not in text
    assert "level Select, chosen: x, y, z" in text
    many = sdc_sql.interval_hierarchy(range(1000), [[500]]).plot(1)
    assert len(list_boxes(many, 3)[0]) == 1
    assert "level 0 (1,000 labels)" in many.to_svg()
    assert "and 960 more" in many.to_svg()
    one = sdc_sql.Hierarchy(((None,),)).plot(0)
    assert list_boxes(one, 1) == [[(0, 100, "share")]]


def test_a_level_that_is_none():
    with pytest.raises(ParameterError, match="the hierarchy has the levels f, Select, all"):
        MIXED.plot("g")


def test_the_level_that_generalise_chose(con):
    con.execute("CREATE TABLE k AS FROM (VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'a')) AS t(id, f)")
    levels = sdc_sql.Hierarchy((("a", "x", "*"), ("b", "y", "*"), ("c", "y", "*")))
    data = sdc_sql.Microdata(con, "k", keys=["f"], id="id")
    step = data.mask.generalise({"f": levels}, k=2, into="released")
    picture = levels.plot(step.parameters["levels"]["f"]).retitle("f")
    assert picture.title == "f"
    assert "level 1, chosen: x, y" in picture.to_svg()
