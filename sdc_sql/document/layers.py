"""The levels of a hierarchy as SVG: a row of boxes each, as wide as the values they stand for, the coarsest on top."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from sdc_sql.document.blocks import format_readable

if TYPE_CHECKING:
    from sdc_sql.document.blocks import Layers

TEXT, BOX, GAP = 18, 22, 8  # pixels: of a name, of a row of boxes, between levels
USUAL, LETTER, MARGIN = 340.0, 7.2, 6.0  # pixels: as wide as a picture is taken to be; of a letter, beside a label
MOST = 120  # boxes of a level: more are lines without room between, and are drawn as one
TOLD = 40  # labels of a level in the description


def draw_layers(layers: Layers, name: str, width: float = USUAL) -> str:
    """Return the picture; `name` is used for its ids, which must not occur twice in a page.

    A box has its label where that has room, the picture so many pixels wide.

    Examples
    --------
    >>> from sdc_sql.document.blocks import Layers
    >>> levels = ((("f", 1), ("m", 1)), (("anyone", 2),))
    >>> picture = draw_layers(Layers("sex", ("0", "1"), levels, 1), "h1")
    >>> picture.count('<rect class="box"'), picture.count('<rect class="share"'), "level 1, chosen: anyone" in picture
    (2, 1, True)
    """
    parts, told = [], []
    y = 0
    # a reader goes from the coarsest down, as in a tree
    for i in reversed(range(len(layers.names))):
        chosen = i == layers.chosen
        words = f"level {format_readable(layers.names[i])}" + (", chosen" if chosen else "")
        labels = layers.labels[i]
        count = f"{len(labels):,} label{'' if len(labels) == 1 else 's'}"
        parts.append(f'<text class="label" x="0" y="{y + 13}">{html.escape(f"{words} ({count})")}</text>')
        y += TEXT
        parts += _draw_boxes(labels, y, "share" if chosen else "box", width)
        y += BOX + GAP
        shown = ", ".join(format_readable(label) for label, _ in labels[:TOLD])
        more = f" and {len(labels) - TOLD:,} more" if len(labels) > TOLD else ""
        told.append(f"{words}: {shown}{more}")
    head = (
        f'<title id="{name}-title">{html.escape(format_readable(layers.title))}</title>'
        f'<desc id="{name}-desc">{html.escape("; ".join(told))}</desc>'
    )
    return (
        f'<svg class="layers" role="img" aria-labelledby="{name}-title {name}-desc" width="100%" '
        f'height="{y}">{head}{"".join(parts)}</svg>'
    )


def _draw_boxes(labels: tuple[tuple[str, int], ...], y: float, kind: str, width: float) -> list[str]:
    total = sum(number for _, number in labels)
    if len(labels) > MOST or not total:
        return [f'<rect class="{kind}" x="0%" width="100%" y="{y}" height="{BOX}" />']
    parts, x = [], 0.0
    for label, number in labels:
        wide = 100 * number / total
        at = f'x="{x:.2f}%" width="{wide:.2f}%" y="{y}" height="{BOX}"'
        parts.append(f'<rect class="{kind}" {at} />' + f'<rect class="frame" {at} />' * (kind == "share"))
        text = format_readable(label)
        if LETTER * len(text) + MARGIN <= width * wide / 100:
            middle = f'x="{x + wide / 2:.2f}%" y="{y + 15}" text-anchor="middle"'
            parts.append(f'<text class="inside" {middle}>{html.escape(text)}</text>')
        x += wide
    return parts
