"""A block of a page as SVG alone: its legend, which a page writes as a list, and what is drawn."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, assert_never

from sdc_sql.document import plane
from sdc_sql.document.blocks import Chart, Distribution, Grid, Layers, Plane, format_readable
from sdc_sql.document.chart import draw_chart, list_series_kinds
from sdc_sql.document.distribution import chart_distribution, draw_distribution
from sdc_sql.document.grid import draw_grid
from sdc_sql.document.layers import draw_layers

if TYPE_CHECKING:
    from typing import TypeAlias

    # what is drawn, one below another, each with its height in pixels
    Drawable: TypeAlias = "Chart | Distribution | Plane | Grid | Layers"
    Drawn: TypeAlias = "list[tuple[str, float]]"
    # a shape of the legend, and what it stands for
    Key: TypeAlias = "tuple[str, str]"

ROW, SHAPE, APART, LETTER = 22, 26, 18, 7.0  # pixels: of a legend
BEFORE = '<line class="outline" x1="2" x2="18" y1="11" y2="11" />'
AFTER = '<rect class="share" x="3" y="5" width="13" height="12" />'


def draw_block(block: Drawable, name: str, width: int) -> Drawn:
    """Return a block as pictures one below another; `name` is used for their ids.

    Examples
    --------
    >>> block = Chart("Cells", ("1", "2"), (("before", (3, 1)), ("after", (2, 1))))
    >>> [height for _, height in draw_block(block, "c", 600)]
    [26, 76.0]
    """
    if isinstance(block, Chart):
        return _draw_chart(block, name, width)
    if isinstance(block, Plane):
        return [*_draw_legend(_list_plane_keys(block), width), _measure(plane.draw_plane(block, name, width))]
    if isinstance(block, Grid):
        return [_measure(draw_grid(block, name))]
    if isinstance(block, Layers):
        return [_measure(draw_layers(block, name, width))]
    if isinstance(block, Distribution):
        return _draw_distribution(block, name, width)
    assert_never(block)


def _draw_chart(chart: Chart, name: str, width: int) -> Drawn:
    keys: list[Key] = []
    if len(chart.series) > 1:
        shape = '<rect class="{}" x="3" y="5" width="12" height="12" />'
        if chart.kind == "dots":
            shape = '<circle class="{}" cx="9" cy="11" r="5" />'
        kinds = list_series_kinds(chart)
        keys = [(shape.format(kind), series) for kind, (series, _) in zip(kinds, chart.series, strict=False)]
    return [*_draw_legend(keys, width), _measure(draw_chart(chart, name, width))]


def _draw_distribution(found: Distribution, name: str, width: int) -> Drawn:
    if found.alike and found.before.ends:
        keys = [(BEFORE, "before"), (AFTER, "after")] if found.after else []
        return [*_draw_legend(keys, width), _measure(draw_distribution(found, name))]
    charts = chart_distribution(found)
    drawn: Drawn = []
    for i, chart in enumerate(charts):
        if i:
            drawn.append(("", ROW / 2))
        if len(charts) > 1:
            ((series, _),) = chart.series
            drawn.append((f'<text y="14">{html.escape(series)}</text>', ROW))
        drawn += _draw_chart(chart, name if i == 0 else f"{name}-{i}", width)
    return drawn


def _list_plane_keys(block: Plane) -> list[Key]:
    there = {spot.kind for spot in block.spots} | {"own" for spot in block.spots if spot.label == block.own}
    there |= {"bound"} if block.bound is not None else set()
    words = plane.NAMED | {"own": block.own or "", "bound": block.bounded}
    return [
        (f'<svg class="spot" x="11" y="11">{shape}</svg>', words[kind])
        for kind, shape in plane.SHAPES.items()
        if kind in there
    ]


def _draw_legend(keys: list[Key], width: int) -> Drawn:
    """Return the keys side by side, as many in a line as there is room for."""
    if not keys:
        return []
    parts, x, y = [], 0.0, 0
    for shape, words in keys:
        text = format_readable(words)
        wide = SHAPE + LETTER * len(text) + APART
        if x > 0 and x + wide > width:
            x, y = 0.0, y + ROW
        inside = f'{shape}<text x="{SHAPE}" y="15">{html.escape(text)}</text>'
        parts.append(f'<svg x="{x:g}" y="{y}" width="{wide:g}" height="{ROW}" aria-hidden="true">{inside}</svg>')
        x += wide
    return [("".join(parts), y + ROW + 4)]


def _measure(drawn: str) -> tuple[str, float]:
    """Return a picture with its height."""
    found = re.search(r' height="([0-9.]+)"', drawn)
    return drawn, float(found.group(1)) if found else 0.0
