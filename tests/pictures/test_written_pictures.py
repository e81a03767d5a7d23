"""The pictures of the documentation are what the example files give; each is shown, and said in words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sdc_sql.write.pictures import FOLDER, draw_pictures, generate_pictures

ROOT = Path(__file__).resolve().parents[2]
SHOWN = re.compile(r"!\[([^\]]*)\]\((?:\.\./)*\.github/pictures/(\w+)\.svg\)")


@pytest.mark.slow
def test_the_pictures_are_those_that_are_drawn():
    stale = [name for name, text in generate_pictures().items() if (ROOT / name).read_text(encoding="utf-8") != text]
    assert stale == [], "python -m sdc_sql.write.pictures"


@pytest.mark.slow
def test_what_is_said_of_them_are_their_figures():
    said = {name: words for page in ("README.md", "sdc_sql/pictures/README.md")
            for words, name in SHOWN.findall((ROOT / page).read_text(encoding="utf-8"))}  # fmt: skip
    drawn = draw_pictures()
    assert said.keys() == drawn.keys()
    for name in ("keys", "suda"):
        numbers = [float(n) for n in re.findall(r"(?<!\w)\d+(?:\.\d)?\b", said[name])]
        assert numbers == [round(v, 1) for v in drawn[name].block.series[0][1]]
    spots = {spot.label: spot.y for spot in drawn["frontier"].block.spots}
    assert [spots[label] for label in "1234"] == [430, 98, 18, 8]


def test_each_picture_is_shown():
    pages = [(ROOT / page).read_text(encoding="utf-8") for page in ("README.md", "sdc_sql/pictures/README.md")]
    shown = {name for page in pages for words, name in SHOWN.findall(page) if len(words) > 40}
    assert shown == {path.stem for path in (ROOT / FOLDER).glob("*.svg")}
    assert "frontier" in {name for _, name in SHOWN.findall(pages[0])}
