"""A picture of a simulation: a line for each region, from the 5th to the 95th percentile of estimate by truth."""

from __future__ import annotations

import html
import math
from typing import TYPE_CHECKING

from sdc_sql.pictures.colours import CLASS, write_style

if TYPE_CHECKING:
    from collections.abc import Sequence

    from validation.simulations.region import Region

WIDTH, LEFT, LINE, TOP, FOOT = 840, 410, 20, 44, 34
TICKS = (0.1, 0.2, 0.5, 1, 2, 5, 10)
LEAST, MOST = 0.08, 12.5


def draw_forest(title: str, regions: Sequence[Region], low: float, high: float) -> str:
    """Return the picture as SVG; what lies outside of 0.08 to 12.5 stands at the edge with its figure."""
    height = TOP + LINE * len(regions) + FOOT
    end = height - FOOT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{CLASS}" viewBox="0 0 {WIDTH} {height}" role="img">',
        f"<title>{html.escape(title)}</title><style>{write_style()}</style>",
        f'<rect class="paper" width="{WIDTH}" height="{height}"/>',
        f'<text class="caption" x="12" y="24">{html.escape(title)}</text>',
        (
            f'<rect class="share" x="{_place(low):.1f}" y="{TOP}" width="{_place(high) - _place(low):.1f}"'
            f' height="{end - TOP}" opacity="0.35"/>'
        ),
    ]
    for tick in TICKS:
        x = _place(tick)
        ends = f'x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{end}"'
        parts.append(f'<line {ends} stroke="currentColor" stroke-opacity="0.15"/>')
        parts.append(f'<text x="{x:.1f}" y="{end + 18}" text-anchor="middle">{tick:g}</text>')
    for i, region in enumerate(regions):
        y = TOP + LINE * i + LINE / 2
        parts.append(f'<text x="{LEFT - 10}" y="{y + 4:.1f}" text-anchor="end">{html.escape(_name(region))}</text>')
        ends = _place(region.lower), _place(region.upper)
        parts.append(
            f'<line x1="{ends[0]:.1f}" x2="{ends[1]:.1f}" y1="{y}" y2="{y}" stroke="currentColor" stroke-width="2"/>'
        )
        parts.append(f'<circle cx="{_place(region.ratio):.1f}" cy="{y}" r="4" fill="currentColor"/>')
        if not LEAST <= region.ratio <= MOST:
            x, anchor = (WIDTH - 16, "end") if region.ratio > MOST else (LEFT + 6, "start")
            parts.append(f'<text x="{x}" y="{y - 4:.1f}" text-anchor="{anchor}">{region.ratio:,.2g}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _place(ratio: float) -> float:
    """Return where a ratio stands, on a logarithmic scale."""
    share = math.log(min(max(ratio, LEAST), MOST) / LEAST) / math.log(MOST / LEAST)
    return LEFT + share * (WIDTH - LEFT - 20)


def _name(region: Region) -> str:
    return f"{region.population}, {region.sample.partition(' of ')[0]}"
