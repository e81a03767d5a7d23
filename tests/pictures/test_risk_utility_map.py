"""The map of a frontier: where its points stand, which names they have, and what is said of those not drawn."""

from __future__ import annotations

from itertools import combinations
from xml.etree import ElementTree as ET

import pytest

from sdc_sql.document.plane import LETTER, place_labels
from sdc_sql.frontier.found import Frontier, FrontierCandidate
from sdc_sql.pictures.risk_utility_map import draw_map

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "<img src=x onerror=alert(1)>'\"&\u202e"


def make_frontier(points, chosen=0, names=None, max_risk=None):
    """Return a frontier of points (risk, loss), judged by brute force."""
    found = [
        FrontierCandidate(
            names[i] if names else f"release {i}", i, risk, loss,
            not any((r <= risk and s <= loss) and (r < risk or s < loss) for r, s in points if None not in (r, s))
            if None not in (risk, loss) else None,
            i == chosen,
        )
        for i, (risk, loss) in enumerate(points)
    ]  # fmt: skip
    return Frontier(found, risk="k_anonymity.3.records", loss="il1.all.il1", max_risk=max_risk)


def read_spots(picture):
    """Return where each spot stands: per cent across, pixels down."""
    root = ET.fromstring(picture.to_svg())  # noqa: S314 - a picture of our own
    return [
        (float(e.attrib["x"].strip("%")), float(e.attrib["y"]))
        for e in root.iter(f"{SVG}svg")
        if e.get("class") == "spot" and e.attrib["x"].endswith("%")
    ]


def test_points_stand_by_loss_and_risk():
    points = [(0.4, 0.0), (0.3, 0.1), (0.35, 0.3), (0.0, 0.5)]
    picture = make_frontier(points, chosen=1, max_risk=0.3).plot()
    spots = read_spots(picture)
    # scales run from 0 to 0.5 across and from 0 to 0.4 down
    assert [x for x, _ in spots] == pytest.approx([15 + (93 - 15) * loss / 0.5 for _, loss in points], abs=0.01)
    assert [y for _, y in spots] == pytest.approx([270 - (270 - 34) * risk / 0.4 for risk, _ in points], abs=0.06)
    text = picture.to_svg()
    assert all(f">release {i}</text>" in text for i in range(4))
    assert ">disclosure risk (k_anonymity.3.records)<" in text
    assert ">loss (il1.all.il1)<" in text
    assert "release 1, chosen: loss (il1.all.il1) 0.1, disclosure risk (k_anonymity.3.records) 0.3" in text
    assert "| release 2 | 0.3 | 0.35 | dominated |" in str(picture)


@pytest.mark.parametrize("width", [680, 320])
def test_no_name_stands_on_another_or_on_a_point(width):
    points = [(0.4 - i / 100, i * i / 900) for i in range(12)] + [(0.4, 0.01), (0.39, 0.13)]
    plane = make_frontier(points, names=[f"mask {i}" for i in range(14)]).plot().block
    found = place_labels(plane, width)
    boxes = []
    for spot, (x, y, side) in found.items():
        long = LETTER * len(spot.label)
        left = x if side == "start" else x - long
        boxes.append((left, y - 12, left + long, y + 2))
    for one, other in combinations(boxes, 2):
        assert one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
    assert found


def test_names_that_have_no_room_stand_below():
    points = [((50 - i) / 100, i / 1000) for i in range(50)] + [(5.0, 0.5), (0.6, 0.4), (None, 0.1)]
    picture = make_frontier(points, chosen=3).plot()
    assert "1: release 0" in picture.to_svg()
    assert "4: release 3, chosen" in picture.to_svg()
    assert "10 further names of the frontier are not listed." in picture.note
    assert "1 dominated candidates are not drawn" in picture.note
    assert "1 candidates have no risk or no loss" in picture.note
    assert len(read_spots(picture)) == 51
    assert "release 51" not in picture.to_svg()  # it is dominated: of many, the frontier alone is named


def test_names_are_texts():
    text = make_frontier([(0.1, 0.2), (0.2, 0.1)], names=[HOSTILE, "f"]).plot().to_svg()
    assert "<img" not in text
    assert "\u202e" not in text
    assert "&lt;img" in text


@pytest.mark.parametrize("point", [(0, 0), (0.0, 0.0), (1, 1), (-1, -2), (1e300, 1e-300)])
def test_a_map_of_one(point):
    (spot,) = read_spots(make_frontier([point]).plot())
    assert 15 <= spot[0] <= 93
    assert 34 <= spot[1] <= 270


@pytest.mark.parametrize("points", [[], [(None, 1)], [(float("nan"), 1), (1, float("inf"))]])
def test_nothing_to_draw(points):
    with pytest.raises(ValueError, match="No candidate has both a risk and a loss"):
        draw_map([c.to_dict() for c in make_frontier(points)], "r", "l")
