"""A number for each pair, as SVG: a triangle of cells, shaded by their numbers."""

from __future__ import annotations

import html
import math
from typing import TYPE_CHECKING

from sdc_sql.document.blocks import format_readable, format_short

if TYPE_CHECKING:
    from sdc_sql.document.blocks import Grid

ROW, HEAD, FOOT = 30, 20, 26  # pixels: of a row, of the numbers over the columns, of the scale
LEFT, LONGEST = 26.0, 12  # per cent, for the labels, which are cut there to so many letters
NUMBERED = 9  # so many labels have their numbers in the cells


def draw_grid(grid: Grid, name: str) -> str:
    """Return the picture; `name` is used for its ids, which must not occur twice in a page.

    Examples
    --------
    >>> from sdc_sql.document.blocks import Grid
    >>> picture = draw_grid(Grid("Pairs", ("age", "sex", "region"), ((), (0.5,), (0.25, None))), "g1")
    >>> "age and sex 0.5; age and region 0.25" in picture
    True
    """
    count = len(grid.labels)
    most = find_most(grid)
    # neither the first row nor the last column has a cell
    wide = (100 - LEFT) / max(count - 1, 1)
    parts, told = [], []
    for j in range(count - 1):
        x = LEFT + wide * (j + 0.5)
        parts.append(f'<text class="tick" x="{x:.2f}%" y="13" text-anchor="middle">{j + 1}</text>')
    for i, label in enumerate(grid.labels):
        y = HEAD + ROW * i
        shown = f"{i + 1} {format_readable(label)}"
        cut = shown if len(shown) <= LONGEST else shown[: LONGEST - 1] + "\N{HORIZONTAL ELLIPSIS}"
        parts.append(f'<text class="label" x="0" y="{y + 19}">{html.escape(cut)}</text>')
        for j, value in enumerate(grid.rows[i]):
            told.append(f"{format_readable(grid.labels[j])} and {format_readable(label)} {format_short(value)}")
            parts += _draw_cell(value, most, (LEFT + wide * j, wide, y), numbered=count <= NUMBERED)
    end = HEAD + ROW * count
    parts.append(_draw_scale(most, end))
    head = (
        f'<title id="{name}-title">{html.escape(format_readable(grid.title))}</title>'
        f'<desc id="{name}-desc">{html.escape("; ".join(told))}</desc>'
    )
    return (
        f'<svg class="grid" role="img" aria-labelledby="{name}-title {name}-desc" width="100%" '
        f'height="{end + FOOT}">{head}{"".join(parts)}</svg>'
    )


def find_most(grid: Grid) -> float:
    """Return the number whose cell is shaded in full."""
    there = [float(v) for row in grid.rows for v in row if v is not None and math.isfinite(v)]
    return grid.most if grid.most is not None else max(there, default=0.0)


def _draw_cell(value: float | None, most: float, place: tuple[float, float, float], *, numbered: bool) -> list[str]:
    x, wide, y = place
    at = f'x="{x:.2f}%" width="{wide:.2f}%" y="{y}" height="{ROW}"'
    parts = []
    if value is not None and math.isfinite(value):
        share = min(max(value / most, 0.0), 1.0) if most > 0 else 0.0
        parts.append(f'<rect class="share" {at} fill-opacity="{share:.3f}" />')
    parts.append(f'<rect class="cell" {at} />')
    if numbered or value is None:
        text = html.escape(format_short(value, 2))
        parts.append(f'<text class="number" x="{x + wide / 2:.2f}%" y="{y + 19}" text-anchor="middle">{text}</text>')
    return parts


def _draw_scale(most: float, y: float) -> str:
    """Return the scale of the shades, from none to the most."""
    steps = "".join(
        f'<rect class="share" x="{i * 14 + 22}" y="{y + 9}" width="14" height="12" fill-opacity="{i / 5:g}" />'
        for i in range(6)
    )
    return (
        f'<text class="tick" x="8" y="{y + 19}">0</text>{steps}'
        f'<rect class="cell" x="22" y="{y + 9}" width="84" height="12" />'
        f'<text class="tick" x="112" y="{y + 19}">{html.escape(format_short(most, 2))}</text>'
    )
