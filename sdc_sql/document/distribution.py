"""The values of a variable as SVG: columns filled after masking, their outline before it, on one scale."""

from __future__ import annotations

import html
from itertools import pairwise
from typing import TYPE_CHECKING

from sdc_sql.document.blocks import Chart, format_readable, format_short
from sdc_sql.document.plane import choose_ticks

if TYPE_CHECKING:
    from typing import TypeAlias

    from sdc_sql.document.blocks import Bars, Distribution

    # where it begins and ends, in per cent, and its height
    Column: TypeAlias = "tuple[float, float, float]"

SMALL = (132, 30)  # pixels: in a cell of a table
HEIGHT, TOP, FOOT = 210, 8, 26  # of a large one, of which the scale takes the foot
# per cent: between values and those that are missing, and between two sides; the least width of what is missing
APART, LEAST, TOUCHING = 5.0, 6.0, 0.01
PER_CENT = "per cent of the records"
MISSING = "missing"


def draw_distribution(found: Distribution, name: str) -> str:
    """Return the large picture: columns on a scale of numbers, bars by their labels where values are none.

    Examples
    --------
    >>> from sdc_sql.document.blocks import Bars, Distribution
    >>> before = Bars(("1", "2"), (0.5, 0.5), ((1, 2), (2, 3)))
    >>> picture = draw_distribution(Distribution("age", before, Bars(("1-2",), (1.0,), ((1, 3),))), "d1")
    >>> picture.count('<rect class="share"'), "before: 1 50, 2 50; after: 1-2 100" in picture
    (1, True)
    """
    bottom = HEIGHT - FOOT
    parts = [f'<line class="axis" x1="0" x2="100%" y1="{bottom}" y2="{bottom}" />']
    parts += _draw_sides(found, TOP, bottom)
    low, high, end = _find_span(found)
    # a mark at either end of the picture stands within it
    for tick in choose_ticks(low, high):
        if low <= tick <= high:
            x = _place(tick, low, high, 0, end)
            anchor = "start" if x < 3 else "end" if x > 97 else "middle"  # noqa: PLR2004 - per cent
            parts.append(f'<line class="axis" x1="{x:.2f}%" x2="{x:.2f}%" y1="{bottom}" y2="{bottom + 5}" />')
            parts.append(
                f'<text class="tick" x="{x:.2f}%" y="{HEIGHT - 5}" text-anchor="{anchor}">{format_short(tick)}</text>'
            )
    if end < 100:  # noqa: PLR2004 - per cent
        parts.append(f'<text class="tick" x="100%" y="{HEIGHT - 5}" text-anchor="end">{MISSING}</text>')
    inside = _describe_picture(found, name) + "".join(parts)
    return f'<svg class="columns" {_head(name)} width="100%" height="{HEIGHT}">{inside}</svg>'


def draw_small_distribution(found: Distribution, name: str) -> str:
    """Return the picture for a cell of a table, which has no scale."""
    width, height = SMALL
    inside = "".join(_draw_sides(found, 2, height - 1))
    axis = f'<line class="axis" x1="0" x2="100%" y1="{height - 0.5}" y2="{height - 0.5}" />'
    return (
        f'<svg class="small columns" {_head(name)} width="{width}" height="{height}">'
        f"{_describe_picture(found, name)}{inside}{axis}</svg>"
    )


def chart_distribution(found: Distribution) -> tuple[Chart, ...]:
    """Return a distribution as bars with labels: for values that are no numbers, and for a page of text.

    Two sides that have nothing in common are two charts.

    Examples
    --------
    >>> from sdc_sql.document.blocks import Bars, Distribution
    >>> (chart,) = chart_distribution(Distribution("sex", Bars(("f", "m"), (0.5, 0.5)), Bars(("f", "m"), (0.4, 0.6))))
    >>> chart.labels, chart.series
    (('f', 'm'), (('before', (50.0, 50.0)), ('after', (40.0, 60.0))))
    """
    title = name_distribution(found)
    if found.after is None:
        return (Chart(title, *_list_series({"records": found.before}), digits=3),)
    if found.before.labels == found.after.labels:
        return (Chart(title, *_list_series({"before": found.before, "after": found.after}), digits=3),)
    return tuple(
        Chart(f"{found.title}, {side}, {PER_CENT}", *_list_series({side: bars}), digits=3)
        for side, bars in (("before", found.before), ("after", found.after))
    )


def name_distribution(found: Distribution) -> str:
    """Return the title with what is counted."""
    return f"{found.title}, {PER_CENT}" if found.title else PER_CENT


def _list_series(
    sides: dict[str, Bars],
) -> tuple[tuple[str, ...], tuple[tuple[str, tuple[float | None, ...]], ...]]:
    """Return the labels, which are those of all sides, and the shares of each side in per cent."""
    labels = next(iter(sides.values())).labels
    missing = any(side.missing for side in sides.values())
    series = tuple(
        (name, tuple(float(f"{100 * share:.3g}") for share in (*side.shares, *([side.missing] if missing else []))))
        for name, side in sides.items()
    )
    return (*labels, *([MISSING] if missing else [])), series


def _head(name: str) -> str:
    return f'role="img" aria-labelledby="{name}-title {name}-desc"'


def _describe_picture(found: Distribution, name: str) -> str:
    """Return what the picture is called and what it shows, in words."""
    sides = [("before", found.before), *([("after", found.after)] if found.after else [])]
    told = "; ".join(f"{side}: {_describe_bars(bars)}" for side, bars in sides)
    return (
        f'<title id="{name}-title">{html.escape(format_readable(name_distribution(found)))}</title>'
        f'<desc id="{name}-desc">{html.escape(told)}</desc>'
    )


def _describe_bars(side: Bars) -> str:
    parts = [
        f"{format_readable(label)} {format_short(100 * float(share))}"
        for label, share in zip(side.labels, side.shares, strict=True)
    ]
    return ", ".join([*parts, *([f"{MISSING} {format_short(100 * float(side.missing))}"] if side.missing else [])])


def _find_span(found: Distribution) -> tuple[float, float, float]:
    """Return the least and greatest number of both sides, and where the scale ends, in per cent."""
    sides = [side for side in (found.before, found.after) if side]
    ends = [end for side in sides for end in _list_ends(side)]
    low, high = min((e[0] for e in ends), default=0.0), max((e[1] for e in ends), default=1.0)
    missing = any(side.missing for side in sides)
    # what is missing takes the place of one column
    return low, high, 100 - (APART + max(LEAST, 100 / (len(found.before.labels) + 1)) if missing else 0.0)


def _list_ends(side: Bars) -> tuple[tuple[float, float], ...]:
    return side.ends or tuple((float(i), float(i + 1)) for i in range(len(side.labels)))


def _place(value: float, low: float, high: float, start: float, end: float) -> float:
    return start + (end - start) * (value - low) / (high - low) if high > low else start


def _draw_sides(found: Distribution, top: float, bottom: float) -> list[str]:
    """Return both sides one over the other, or side by side where they have nothing in common."""
    low, high, end = _find_span(found)
    # a column of what is missing is as high as one of as many records among the wider ones
    width = max(_find_usual_width(side) for side in (found.before, found.after) if side)
    left = right = None
    if found.after is None or found.alike:
        left = _list_columns(found.before, (low, high), (0, end, 100), width)
        right = _list_columns(found.after, (low, high), (0, end, 100), width) if found.after else None
    else:
        middle = (100 - APART) / 2
        left = _draw_alone(found.before, 0, middle)
        right = _draw_alone(found.after, middle + APART, 100)
    most = max((height for *_, height in (*left, *(right or ()))), default=0.0)
    if right is None or found.after is None:
        return _fill_columns(found.before, left, (top, bottom, most))
    return [*_fill_columns(found.after, right, (top, bottom, most)), *_outline_columns(left, (top, bottom, most))]


def _draw_alone(side: Bars, start: float, end: float) -> list[Column]:
    ends = _list_ends(side)
    span = min((e[0] for e in ends), default=0.0), max((e[1] for e in ends), default=1.0)
    stop = end - (APART + LEAST if side.missing else 0.0)
    found = _list_columns(side, span, (start, stop, end), _find_usual_width(side))
    # heights of two scales are shares of the highest
    return found if not side.ends else [(a, b, height * _find_usual_width(side)) for a, b, height in found]


def _list_columns(
    side: Bars, span: tuple[float, float], across: tuple[float, float, float], width: float
) -> list[Column]:
    """Return where each column begins and ends, in per cent, and its height, so that areas are shares."""
    start, end, last = across
    found = [
        (
            _place(left, *span, start, end),
            _place(right, *span, start, end),
            share / (right - left if right > left else width),
        )
        for (left, right), share in zip(_list_ends(side), side.shares, strict=True)
    ]
    return [*found, (end + APART, last, side.missing / width)] if side.missing else found


def _find_usual_width(side: Bars) -> float:
    widths = sorted(right - left for left, right in _list_ends(side))
    return (widths[len(widths) // 2] if widths else 0.0) or 1.0


def _fill_columns(side: Bars, columns: list[Column], scale: tuple[float, float, float]) -> list[str]:
    # columns of numbers touch
    gap = 0.0 if side.ends else 0.8
    bottom = scale[1]
    return [
        f'<rect class="share" x="{left + gap / 2:.2f}%" width="{max(right - left - gap, 0.2):.2f}%" '
        f'y="{_rise(height, scale):.1f}" height="{bottom - _rise(height, scale):.1f}" />'
        for left, right, height in columns
        if height > 0
    ]


def _outline_columns(columns: list[Column], scale: tuple[float, float, float]) -> list[str]:
    """Return the line over the columns, which goes down to the ground between two that do not touch."""
    corners: list[tuple[float, float]] = []
    bottom = scale[1]
    for left, right, height in columns:
        y = _rise(height, scale)
        if not corners or abs(corners[-1][0] - left) > TOUCHING:
            corners += [(corners[-1][0], bottom)] if corners else []
            corners.append((left, bottom))
        corners += [(left, y), (right, y)]
    corners += [(corners[-1][0], bottom)] if corners else []
    return [
        f'<line class="outline" x1="{x:.2f}%" x2="{to:.2f}%" y1="{y:.1f}" y2="{end:.1f}" />'
        for (x, y), (to, end) in pairwise(corners)
        if (x, y) != (to, end) and not y == end == bottom
    ]


def _rise(height: float, scale: tuple[float, float, float]) -> float:
    top, bottom, most = scale
    return bottom - (bottom - top) * height / most if most else bottom
