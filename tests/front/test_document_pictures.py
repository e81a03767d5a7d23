"""The pictures of a page: a distribution before and after, and a limit with the figures beside it."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from sdc_sql.document.blocks import Bars, Distribution, Gauge, Page, Section, Table, format_short
from sdc_sql.document.distribution import draw_distribution, draw_small_distribution
from sdc_sql.document.gauge import draw_gauge, place_use
from sdc_sql.document.markdown import markdown
from sdc_sql.document.page import page_html

HOSTILE = '<b>"&\u202e'
YEARS = Bars(("0", "1", "2", "3"), (0.1, 0.2, 0.3, 0.4), ((0, 1), (1, 2), (2, 3), (3, 4)))
CLASSES = Bars(("0-1", "2-3"), (0.3, 0.6), ((0, 2), (2, 4)), 0.1)
WORDS = Bars(("f", HOSTILE), (0.5, 0.5))


def tree(text: str) -> ET.Element:
    return ET.fromstring(text.replace("<!DOCTYPE html>", ""))  # noqa: S314 - a page of our own


def measure_areas(picture: str) -> list[float]:
    found = tree(picture).iter("rect")
    return [float(e.attrib["width"].strip("%")) * float(e.attrib["height"]) for e in found if e.get("class") == "share"]


def test_areas_are_shares_of_the_records():
    # a class of two years that holds as many records as two classes of one year is as large as both
    areas = measure_areas(draw_distribution(Distribution("age", YEARS), "d"))
    assert [area / areas[0] for area in areas] == pytest.approx([1, 2, 3, 4], rel=0.02)
    wide = measure_areas(
        draw_distribution(Distribution("age", YEARS, Bars(("0-1", "2-3"), (0.3, 0.7), CLASSES.ends)), "d")
    )
    assert wide[1] / wide[0] == pytest.approx(7 / 3, rel=0.02)


@pytest.mark.parametrize("draw", [draw_distribution, draw_small_distribution])
@pytest.mark.parametrize(
    ("before", "after"),
    [(YEARS, CLASSES), (YEARS, None), (WORDS, WORDS), (WORDS, CLASSES), (Bars((), ()), Bars((), (), (), 1.0))],
)
def test_a_picture_says_what_it_shows(draw, before, after):
    found = tree(draw(Distribution(HOSTILE, before, after), "d"))
    assert found.attrib["aria-labelledby"].split() == [e.attrib["id"] for e in found if e.tag in {"title", "desc"}]
    assert ("; after:" in found.find("desc").text) == (after is not None)
    assert "\u202e" not in "".join(found.itertext())
    assert not any("nan" in value for e in found.iter() for value in e.attrib.values())


def test_what_is_missing_stands_apart():
    picture = draw_distribution(Distribution("age", YEARS, CLASSES), "d")
    assert "missing 10" in picture
    assert ">missing</text>" in picture
    assert ">missing</text>" not in draw_distribution(Distribution("age", YEARS), "d")


@pytest.mark.parametrize(
    ("gauge", "before", "after"),
    [
        (Gauge(30, 3, 10), 3, 0.3),
        (Gauge(0.2, 0.9, 0.8, at_most=False), 4, 0.8 / 0.9),
        (Gauge(34, 0, 0), 35, 1),  # a limit of 0 leaves no room: 0 holds it exactly, whatever is more does not
        (Gauge(1e-9, 0.0, 0.0), 1 + 1e-9, 1),
        (Gauge(None, float("nan"), 1), None, None),
        (Gauge(0, 5, 0, at_most=False), 1, 0),
        (Gauge(-1, 1, -2), None, None),
    ],
)
def test_a_gauge_shows_how_much_of_the_limit_is_used(gauge, before, after):
    assert (gauge.measure_use(gauge.before), gauge.measure_use(gauge.after)) == (before, after)
    dots = [float(e.attrib["cx"]) for e in tree(draw_gauge(gauge, "g")).iter("circle")]
    assert dots == pytest.approx([place_use(use) for use in (before, after) if use is not None], abs=0.1)


def test_what_holds_stands_before_the_limit_and_what_does_not_beyond_it():
    places = [place_use(use) for use in (0, 0.5, 1, 1.01, 2, 50, 1e6)]
    assert places == sorted(places)
    assert place_use(1.01) > place_use(1) > place_use(0.99)


def test_a_page_holds_them_in_cells_and_by_themselves():
    rows = ((HOSTILE, Gauge(30, 3, 10), Distribution("age", YEARS, CLASSES)),)
    table = Table("Limits", ("of", "share of the limit", "before and after"), rows)
    page = Page("x", (), (Section("y", (table, Distribution("a", YEARS, CLASSES), Distribution("b", WORDS, CLASSES))),))
    found = tree(page_html(page))
    ids = [e.attrib["id"] for e in found.iter() if "id" in e.attrib]
    assert len(ids) == len(set(ids))
    assert len([e for e in found.iter("svg") if e.get("role") == "img"]) == 5  # two in cells, one large, two charts
    text = markdown(page)
    assert "before 3 times the limit, after 0.3 of it" in text
    assert "| 2-3 | 60 |" in text


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.0465169, "0.0465"), (99.96, "100"), (999.6, "1,000"), (1e-9, "1.00e-09"), (-0.5, "-0.5"), (123456, "123,456")],
)
def test_numbers_are_shown_with_three_digits(value, shown):
    assert format_short(value) == shown
