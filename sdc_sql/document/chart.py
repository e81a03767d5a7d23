"""Bars and dots as SVG: lengths in per cent, so that a picture is as wide as the page and its letters stay as they are.

The first of two series is drawn hollow and the second filled, which is seen in black and white too.
"""

from __future__ import annotations

import html
import math
from typing import TYPE_CHECKING

from sdc_sql.document.blocks import format_readable, format_short, is_shown_number

if TYPE_CHECKING:
    from collections.abc import Callable

    from sdc_sql.document.blocks import Chart

LINE, BAR, GAP = 18, 14, 10  # heights: of a line of text, of a bar, between labels
# per cent: where the longest bar ends and its number begins; where dots end that have one number, or two, beside them
RIGHT, RIGHT_OF_TWO = 84, 70
LEFT, LETTER = 30, 7.0  # per cent: where bars begin beside their labels; pixels: of a letter
# a label of so many letters stands beside its bars; one of more than the second number is cut
BESIDE, LONGEST = 18, 60


def list_series_kinds(chart: Chart) -> tuple[str, ...]:
    """Return how each series is drawn; one by itself is filled."""
    return ("before", "after", "third") if len(chart.series) > 1 else ("after",)


def draw_chart(chart: Chart, name: str, width: float | None = None) -> str:
    """Return the picture; `name` is used for its ids, which must not occur twice in a page.

    In a picture of so many pixels a label stands beside its bars only where it has room.

    Examples
    --------
    >>> from sdc_sql.document.blocks import Chart
    >>> picture = draw_chart(Chart("Cells", ("1", "2"), (("before", (309, 136)),)), "c1")
    >>> '<rect class="after"' in picture, "1: before 309; 2: before 136" in picture
    (True, True)
    """
    room = BESIDE if width is None else min(BESIDE, int(LEFT / 100 * width / LETTER))
    beside = all(len(format_readable(text)) <= room for text in chart.labels)
    left = LEFT if beside else 0
    place = _make_scale(chart, left)
    parts: list[str] = []
    y = 0
    for i, text in enumerate(chart.labels):
        shown = format_readable(text)
        cut = shown if len(shown) <= LONGEST else shown[: LONGEST - 1] + "\N{HORIZONTAL ELLIPSIS}"
        found = [(kind, numbers[i]) for kind, (_, numbers) in zip(list_series_kinds(chart), chart.series, strict=False)]
        own = BAR * len(found) if chart.kind == "bars" else BAR
        parts.append(_draw_text("0", y + (own / 2 + 4 if beside else BAR), cut, "label"))
        y += 0 if beside else LINE
        draw = _bars if chart.kind == "bars" else _dots
        parts += draw(chart, found, place, y)
        y += own + GAP
    figures = "; ".join(_describe_point(chart, i) for i in range(len(chart.labels)))
    head = (
        f'<title id="{name}-title">{html.escape(format_readable(chart.title))}</title>'
        f'<desc id="{name}-desc">{html.escape(figures)}</desc>'
    )
    return (
        f'<svg class="{chart.kind}" role="img" aria-labelledby="{name}-title {name}-desc" width="100%" height="{y}">'
        f"{head}{''.join(parts)}</svg>"
    )


def _write_number(chart: Chart, value: object) -> str:
    return format_readable(value) if chart.digits is None else format_short(value, chart.digits)


def _describe_point(chart: Chart, i: int) -> str:
    told = ", ".join(
        f"{format_readable(series)} {_write_number(chart, numbers[i])}" for series, numbers in chart.series
    )
    return f"{format_readable(chart.labels[i])}: {told}"


def _make_scale(chart: Chart, left: float) -> Callable[[float], float]:
    """Return where a number stands, in per cent of the width."""
    found = [v for _, numbers in chart.series for v in numbers if is_shown_number(v) and math.isfinite(v or 0)]
    numbers = [float(v) for v in found if v is not None]
    least = 0.0 if chart.kind == "bars" else min([*numbers, 0.0])
    most = max([*numbers, 0.0]) if chart.most is None else chart.most

    def share(v: float) -> float:
        if most <= least:
            return 0
        if not chart.logarithmic:
            return (v - least) / (most - least)
        # 0 and 1 have their own places, for counts
        return math.log1p(max(v, 0)) / math.log1p(most)

    # a dot at either end needs room
    start, end = (left, RIGHT) if chart.kind == "bars" else (left + 2, _find_right_edge(len(chart.series)) - 2)
    return lambda v: start + (end - start) * min(max(share(v), 0), 1)


def _find_right_edge(series: int) -> int:
    return RIGHT if series == 1 else RIGHT_OF_TWO


def _bars(chart: Chart, found: list[tuple[str, float | None]], place: Callable[[float], float], y: float) -> list[str]:
    parts = []
    start = place(0)
    for j, (kind, value) in enumerate(found):
        top = y + j * BAR
        end = place(value) if value is not None and math.isfinite(value) else start
        if end > start:
            across = f'x="{start:.2f}%" width="{end - start:.2f}%"'
            parts.append(f'<rect class="{kind}" {across} y="{top + 1.5}" height="{BAR - 3}" />')
        parts.append(_draw_text(f"{end:.2f}%", top + BAR - 3, _write_number(chart, value), "number", dx=6))
    return parts


def _dots(chart: Chart, found: list[tuple[str, float | None]], place: Callable[[float], float], y: float) -> list[str]:
    middle = y + BAR / 2
    ends = [place(v) for _, v in found if v is not None and math.isfinite(v)]
    parts = [
        f'<line class="track" x1="{place(-math.inf):.2f}%" x2="{place(math.inf):.2f}%" y1="{middle}" y2="{middle}" />'
    ]
    if len(ends) > 1:
        parts.append(f'<line class="way" x1="{min(ends):.2f}%" x2="{max(ends):.2f}%" y1="{middle}" y2="{middle}" />')
    parts += [
        f'<circle class="{kind}" cx="{place(v):.2f}%" cy="{middle}" r="5" />'
        for kind, v in found
        if v is not None and math.isfinite(v)
    ]
    numbers = " \N{RIGHTWARDS ARROW} ".join(_write_number(chart, v) for _, v in found)
    return [*parts, _draw_text(f"{_find_right_edge(len(found))}%", middle + 4, numbers, "number", dx=10)]


def _draw_text(x: str, y: float, text: str, kind: str, dx: float = 0) -> str:
    return f'<text class="{kind}" x="{x}" y="{y:g}" dx="{dx:g}">{html.escape(text)}</text>'
