"""Pictures in a browser: axe-core finds nothing, none is wider than a telephone, colours follow the screen."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from browser import Browser, find_chromium

from sdc_sql.pictures.colours import read_colours
from sdc_sql.write.pictures import draw_pictures

ROOT = Path(__file__).resolve().parents[2]
AXE = Path(os.environ.get("SDC_AXE", ROOT / ".axe" / "node_modules" / "axe-core" / "axe.min.js"))
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_chromium() is None, reason="no Chromium is installed"),
]
BACKGROUND = "getComputedStyle(document.querySelector('rect.paper')).fill"
VIOLATIONS = "axe.run().then(r => r.violations.map(v => v.id + ': ' + v.nodes.map(n => n.html).slice(0, 3).join(' ')))"


def parse_colour(text):
    """Return a colour of a style as a browser says it."""
    return f"rgb({', '.join(str(int(text[i : i + 2], 16)) for i in (1, 3, 5))})"


def test_pictures_in_a_page(tmp_path):
    drawn = [picture.to_svg(360) for picture in draw_pictures().values()]
    page = (
        "<!DOCTYPE html><html lang='en'><head><title>x</title><meta name='viewport' content='width=device-width' />"
        "<meta name='color-scheme' content='light dark' /></head><body style='margin: 0'><main><h1>x</h1>"
        f"<svg width='9' height='9'><rect width='9' height='9' /></svg>{''.join(drawn)}</main></body></html>"
    )
    browser = Browser(tmp_path)
    try:
        for dark, colours in zip((False, True), read_colours(), strict=True):
            browser.show(page, width=360, height=800, dark=dark)
            assert browser.ask("document.documentElement.scrollWidth") == 360
            assert browser.ask(BACKGROUND) == parse_colour(colours["paper"])
            # a shape of the page that is none of the picture's stays as it is
            assert browser.ask("getComputedStyle(document.querySelector('rect')).fill") == "rgb(0, 0, 0)"
            if AXE.exists():
                browser.ask(AXE.read_text(encoding="utf-8") + "; true")
                assert browser.ask(VIOLATIONS) == []
    finally:
        browser.close()
