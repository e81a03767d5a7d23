"""A limit and the figures beside it, as SVG in a cell: hollow before, filled after, what is beyond the limit shaded.

All gauges of a column have one scale: the limit stands at the same place, up to it the scale is linear, beyond it
logarithmic, so that a figure of a hundred times the limit is on the page and one of half of it is seen.
"""

from __future__ import annotations

import html
import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sdc_sql.document.blocks import Gauge

WIDTH, HEIGHT, EDGE = 200, 22, 8  # pixels; a dot at either end needs room
LIMIT = 96.0  # where the limit stands
FARTHEST = 100.0  # times the limit: what is farther stands at the end
MARKS = {0.0: "0", 1.0: "limit", 10.0: "10\N{MULTIPLICATION SIGN}", 100.0: "100\N{MULTIPLICATION SIGN}"}


def place_use(use: float) -> float:
    """Return where a figure stands, in pixels, by how much of its limit it uses.

    Examples
    --------
    >>> place_use(0), place_use(1), place_use(100), place_use(1e9)
    (8.0, 96.0, 192.0, 192.0)
    """
    if use <= 1:
        return EDGE + (LIMIT - EDGE) * use
    return LIMIT + (WIDTH - EDGE - LIMIT) * math.log(min(use, FARTHEST)) / math.log(FARTHEST)


def draw_gauge(gauge: Gauge, name: str) -> str:
    """Return the picture of one row; `name` is used for its ids.

    Examples
    --------
    >>> from sdc_sql.document.blocks import Gauge
    >>> picture = draw_gauge(Gauge(30, 3, 10), "g1")
    >>> picture.count("<circle"), "before 3 times the limit, after 0.3 of it" in picture
    (2, True)
    """
    middle = HEIGHT / 2
    places = [
        (kind, place_use(use))
        for kind, use in (("before", gauge.measure_use(gauge.before)), ("after", gauge.measure_use(gauge.after)))
        if use is not None
    ]
    way = ""
    if len(places) > 1:
        (_, start), (_, end) = places
        way = f'<line class="way" x1="{start:.1f}" x2="{end:.1f}" y1="{middle:g}" y2="{middle:g}" />'
    dots = "".join(f'<circle class="{kind}" cx="{x:.1f}" cy="{middle:g}" r="4.5" />' for kind, x in places)
    return (
        f'<svg class="gauge" role="img" aria-labelledby="{name}-title" width="{WIDTH}" height="{HEIGHT}">'
        f'<title id="{name}-title">{html.escape(str(gauge))}</title>{_draw_back(0, HEIGHT)}{way}{dots}</svg>'
    )


def draw_gauge_scale() -> str:
    """Return the scale that stands over the gauges of a column; each of them says in words what it shows."""
    words = "".join(
        f'<text class="tick" x="{place_use(use):g}" y="11" text-anchor="{_choose_anchor(use)}">{text}</text>'
        for use, text in MARKS.items()
    )
    return f'<svg class="gauge" aria-hidden="true" width="{WIDTH}" height="16">{words}</svg>'


def _choose_anchor(use: float) -> str:
    return "start" if use == 0 else "end" if use == max(MARKS) else "middle"


def _draw_back(top: float, bottom: float) -> str:
    ticks = "".join(
        f'<line class="track" x1="{place_use(use):g}" x2="{place_use(use):g}" y1="{top:g}" y2="{bottom:g}" />'
        for use in MARKS
        if use != 1
    )
    middle = (top + bottom) / 2
    return (
        f'<rect class="beyond" x="{LIMIT:g}" y="{top:g}" width="{WIDTH - EDGE - LIMIT:g}" height="{bottom - top:g}" />'
        f'{ticks}<line class="track" x1="{EDGE}" x2="{WIDTH - EDGE}" y1="{middle:g}" y2="{middle:g}" />'
        f'<line class="limit" x1="{LIMIT:g}" x2="{LIMIT:g}" y1="{top:g}" y2="{bottom:g}" />'
    )
