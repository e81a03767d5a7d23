"""A plane of releases by loss and risk as SVG: shapes, numbers and strokes tell them apart, not colours."""

from __future__ import annotations

import html
import math
from itertools import pairwise
from typing import TYPE_CHECKING

from sdc_sql.document.blocks import format_readable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sdc_sql.document.blocks import Plane, Spot

# across in per cent, so that a picture is as wide as the page and its letters stay as they are; down in pixels
LEFT, RIGHT, TOP, BOTTOM, HEIGHT = 15.0, 93.0, 34.0, 270.0, 318
USUAL = 480.0  # pixels: as wide as a picture is taken to be, where labels look for room
LETTER, LETTERS, RADIUS = 7.0, 12, 6  # pixels: how wide a letter is, how high, and half a spot
RANKS = ("chosen", "frontier", "dominated")
TICKS = 5  # a scale has at most so many steps
SHAPES = {
    "frontier": '<circle class="before" r="5" />',
    "chosen": '<circle class="after" r="6" />',
    "dominated": '<path class="cross" d="M-4.5,-4.5 L4.5,4.5 M-4.5,4.5 L4.5,-4.5" />',
    "own": '<rect class="ring" x="-10" y="-10" width="20" height="20" />',
    "bound": '<path class="bound" d="M-9,0 H9" />',
}
NAMED = {"frontier": "on the frontier", "chosen": "chosen", "dominated": "dominated", "own": "", "bound": ""}


def draw_plane(plane: Plane, name: str, width: float = USUAL) -> str:
    """Return the picture; `name` is used for its ids, which must not occur twice in a page.

    It is as wide as there is room; of so many pixels no label stands on another.

    Examples
    --------
    >>> from sdc_sql.document.blocks import Plane, Spot
    >>> spots = (Spot("1", 0.1, 0.3, "frontier"), Spot("2", 0.4, 0.2, "chosen"), Spot("3", 0.5, 0.4, "dominated"))
    >>> picture = draw_plane(Plane("Releases", "loss", "risk", spots, "1", 0.25), "m1")
    >>> picture.count("<circle"), picture.count('class="cross"'), "2, chosen: loss 0.4, risk 0.2" in picture
    (2, 1, True)
    """
    across, down = _make_scales(plane)
    parts = [*_axes(plane, _list_marks(plane), across, down), *_draw_line(plane, across, down)]
    if plane.bound is not None:
        y = down(plane.bound)
        parts.append(f'<line class="bound" x1="{LEFT}%" x2="100%" y1="{y:.1f}" y2="{y:.1f}" />')
    for spot in plane.spots:
        shapes = [spot.kind, *(["own"] if spot.label == plane.own else [])]
        inside = "".join(SHAPES[shape] for shape in shapes)
        parts.append(f'<svg class="spot" x="{across(spot.x):.2f}%" y="{down(spot.y):.1f}">{inside}</svg>')
    parts += _draw_labels(plane, width)
    told = "; ".join(_describe_spot(plane, spot) for spot in plane.spots)
    bound = "" if plane.bound is None else f"; {plane.bounded} {format_readable(plane.bound)}"
    head = (
        f'<title id="{name}-title">{html.escape(format_readable(plane.title))}</title>'
        f'<desc id="{name}-desc">{html.escape(told + bound)}</desc>'
    )
    return (
        f'<svg role="img" aria-labelledby="{name}-title {name}-desc" width="100%" '
        f'height="{HEIGHT}">{head}{"".join(parts)}</svg>'
    )


def draw_legend(plane: Plane) -> str:
    """Return what each shape of the picture stands for, as HTML."""
    there = {spot.kind for spot in plane.spots} | {"own" for spot in plane.spots if spot.label == plane.own}
    there |= {"bound"} if plane.bound is not None else set()
    words = NAMED | {"own": plane.own or "", "bound": plane.bounded}
    items = "".join(
        f'<li class="mark"><svg width="26" height="22" aria-hidden="true"><svg class="spot" x="11" y="11">{shape}</svg>'
        f"</svg>{html.escape(format_readable(words[kind]))}</li>"
        for kind, shape in SHAPES.items()
        if kind in there
    )
    return f'<ul class="legend">{items}</ul>'


def choose_ticks(low: float, high: float) -> list[float]:
    """Return round numbers from one at or below ``low`` to one at or above ``high``.

    Examples
    --------
    >>> choose_ticks(0, 0.37), choose_ticks(-3, 11)
    ([0.0, 0.1, 0.2, 0.3, 0.4], [-5.0, 0.0, 5.0, 10.0, 15.0])
    """
    if not high > low:
        low, high = (low, low + 1) if low >= 0 else (low, 0.0)
    power = 10.0 ** math.floor(math.log10((high - low) / TICKS))
    step = next(power * f for f in (1, 2, 5, 10, 20) if (high - low) / (power * f) <= TICKS)
    places = max(0, -math.floor(math.log10(step)))
    first, last = math.floor(round(low / step, 9)), math.ceil(round(high / step, 9))
    return [round(i * step, places) for i in range(first, last + 1)]


def _find_marks(numbers: Sequence[float], bound: float | None = None) -> list[float]:
    """Return where a scale has its marks: 0 is always on it."""
    on = [*numbers, 0.0, *([] if bound is None else [bound])]
    return choose_ticks(min(on), max(on))


def _list_marks(plane: Plane) -> tuple[list[float], list[float]]:
    return _find_marks([spot.x for spot in plane.spots]), _find_marks([spot.y for spot in plane.spots], plane.bound)


def _make_scales(plane: Plane) -> tuple[Callable[[float], float], Callable[[float], float]]:
    marks = _list_marks(plane)
    return _make_scale(marks[0], LEFT, RIGHT), _make_scale(marks[1], BOTTOM, TOP)


def _make_scale(marks: list[float], start: float, end: float) -> Callable[[float], float]:
    return lambda v: start + (end - start) * (v - marks[0]) / (marks[-1] - marks[0])


def _axes(
    plane: Plane,
    marks: tuple[list[float], list[float]],
    across: Callable[[float], float],
    down: Callable[[float], float],
) -> list[str]:
    parts = []
    for v in marks[0]:
        x = f"{across(v):.2f}%"
        parts.append(f'<line class="track" x1="{x}" x2="{x}" y1="{TOP}" y2="{BOTTOM}" />')
        parts.append(_draw_text(x, BOTTOM + 18, format_readable(v), "middle"))
    for v in marks[1]:
        y = down(v)
        parts.append(f'<line class="track" x1="{LEFT}%" x2="{RIGHT}%" y1="{y:.1f}" y2="{y:.1f}" />')
        parts.append(_draw_text(f"{LEFT}%", y + 4, format_readable(v), "end", dx=-8))
    return [*parts, _draw_text("0", 14, plane.y, "start"), _draw_text(f"{RIGHT}%", HEIGHT - 6, plane.x, "end")]


def _draw_line(plane: Plane, across: Callable[[float], float], down: Callable[[float], float]) -> list[str]:
    """Return the frontier, in steps: between two of its releases there is none."""
    ends = sorted({(across(s.x), down(s.y)) for s in plane.spots if s.kind != "dominated"})
    parts = []
    for (x, y), (to, end) in pairwise(ends):
        parts.append(f'<line class="way" x1="{x:.2f}%" x2="{to:.2f}%" y1="{y:.1f}" y2="{y:.1f}" />')
        parts.append(f'<line class="way" x1="{to:.2f}%" x2="{to:.2f}%" y1="{y:.1f}" y2="{end:.1f}" />')
    return parts


def place_labels(plane: Plane, width: float = USUAL) -> dict[Spot, tuple[float, float, str]]:
    """Return where the label of each spot stands, in pixels, and which way it is written: those that have room.

    That of the choice comes first, then those of the frontier. No label stands on another, nor on a spot.

    Examples
    --------
    >>> from sdc_sql.document.blocks import Plane, Spot
    >>> spots = (Spot("left", 0, 0.5, "frontier"), Spot("right", 0.4, 0.2, "chosen"), Spot("too", 0.4, 0.2, "frontier"))
    >>> found = place_labels(Plane("Releases", "loss", "risk", spots, None))
    >>> [(spot.label, side) for spot, (_, _, side) in found.items()]
    [('right', 'end'), ('too', 'start'), ('left', 'start')]
    """
    across, down = _make_scales(plane)
    places = {spot: (across(spot.x) * width / 100, down(spot.y)) for spot in plane.spots}
    taken = [(x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS) for x, y in places.values()]
    found: dict[Spot, tuple[float, float, str]] = {}
    labelled = (spot for spot in plane.spots if spot.label and spot.label != plane.own)
    for spot in sorted(labelled, key=lambda spot: (RANKS.index(spot.kind), spot.y, spot.x)):
        x, y = places[spot]
        long = LETTER * len(format_readable(spot.label))
        sides = ("start", "end") if x + 9 + long <= width else ("end",)
        for side, rise in ((side, rise) for rise in (-7, -21, 16, -35) for side in sides):
            left = x + 9 if side == "start" else x - 11 - long
            box = left, y + rise - LETTERS, left + long, y + rise + 2
            if left >= 0 and box[3] < BOTTOM and not any(_overlap(box, other) for other in taken):
                taken.append(box)
                found[spot] = x + (9 if side == "start" else -11), y + rise, side
                break
    return found


def _overlap(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _draw_labels(plane: Plane, width: float) -> list[str]:
    across, _ = _make_scales(plane)
    return [
        _draw_text(f"{across(spot.x):.2f}%", y, format_readable(spot.label), side, dx=x - across(spot.x) * width / 100)
        for spot, (x, y, side) in place_labels(plane, width).items()
    ]


def _describe_spot(plane: Plane, spot: Spot) -> str:
    figures = (
        f"{format_readable(plane.x)} {format_readable(spot.x)}, {format_readable(plane.y)} {format_readable(spot.y)}"
    )
    return f"{format_readable(spot.label)}, {NAMED[spot.kind]}: {figures}"


def _draw_text(x: str, y: float, text: str, anchor: str, dx: float = 0) -> str:
    return f'<text class="over" x="{x}" y="{y:.1f}" dx="{dx:g}" text-anchor="{anchor}">{html.escape(text)}</text>'
