"""A hierarchy, with the level to which a key is recoded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc_sql.document.blocks import Layers, make_label
from sdc_sql.pictures.picture import Picture

if TYPE_CHECKING:
    from collections.abc import Sequence


def draw_hierarchy(
    rows: Sequence[Sequence[str | None]], names: Sequence[str], chosen: int | None = None, title: str = "Hierarchy"
) -> Picture:
    """Draw the labels of each level, as wide as the values that they stand for; the chosen level is filled.

    It shows no record of a file. Its values may be those of the original, and a rare one among them.

    Examples
    --------
    >>> draw_hierarchy([("f", "anyone"), ("m", "anyone")], ["0", "1"], 1).block.labels
    ((('f', 1), ('m', 1)), (('anyone', 2),))
    """
    # what is put together stands together at every level: labels in the order of the coarser ones above them
    order: dict[tuple[str | None, ...], int] = {}
    for row in rows:
        for level in range(len(names)):
            order.setdefault(tuple(row[level:]), len(order))
    ordered = sorted(rows, key=lambda row: [order[tuple(row[level:])] for level in reversed(range(len(names)))])
    labels = []
    for level in range(len(names)):
        numbers: dict[str | None, int] = {}
        for row in ordered:
            numbers[row[level]] = numbers.get(row[level], 0) + 1
        labels.append(tuple((make_label(label), number) for label, number in numbers.items()))
    return Picture(Layers(title, tuple(names), tuple(labels), chosen))
