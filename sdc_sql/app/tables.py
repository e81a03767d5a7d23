"""Tables of a page: numbers to the right, a caption, and a page of a hundred rows of what has many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from htmltools import HTML, Tag, tags

from sdc_sql.app.show import button
from sdc_sql.document.blocks import format_readable, is_shown_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ROWS = 100  # on a page


@dataclass(frozen=True)
class Head:
    """The head of a column: its words, whether numbers stand in it, and what it means where the words do not say."""

    words: str
    number: bool = False
    meaning: str = ""


def write_table(name: str, caption: str, heads: Sequence[Head], rows: Iterable[Tag], *, kind: str = "") -> Tag:
    """Return a table, which scrolls sideways by itself where it is wider than the page.

    Parameters
    ----------
    name
        Its id.
    caption
        What it is, for who listens to the page too.
    heads
        The heads of its columns.
    rows
        Its rows, as :func:`write_row` returns them.
    kind
        A class.
    """
    head = tags.tr(*(_write_head(one) for one in heads))
    table = tags.table(
        tags.caption(caption), tags.thead(head), tags.tbody(*rows), class_=f"data {kind}".strip()
    )  # fmt: skip
    return tags.div(table, class_="wide", id=name, tabindex="0", role="region", aria_label=caption)


def write_row(cells: Iterable[object], heads: Sequence[Head], **more: str) -> Tag:
    """Return a row; the first cell is its head."""
    written = [
        _write_cell(cell, tags.th if i == 0 else tags.td, number=head.number, first=i == 0)
        for i, (cell, head) in enumerate(zip(cells, heads, strict=True))
    ]
    return tags.tr(*written, **more)


def write_value(value: object) -> Tag | str:
    """Return a value of the data as a page shows it; one that is missing is quiet."""
    return tags.span("NULL", class_="quiet") if value is None else format_readable(value)


def write_pager(act: str, page: int, count: int, what: str) -> Tag:
    """Return the buttons that leaf through so many rows.

    Parameters
    ----------
    act
        The act, which sends ``page``, from 0 on.
    page
        The page that is shown.
    count
        How many rows there are.
    what
        What they are: ``records``.
    """
    last = max(0, (count - 1) // ROWS)
    ways = (("First", 0), ("Previous", page - 1), ("Next", page + 1), ("Last", last))
    buttons = [
        button(label, act, id=f"{act}-{label.lower()}", page=to, disabled=not 0 <= to <= last or to == page)
        for label, to in ways
    ]
    if not count:
        return tags.div(tags.p(f"No {what}."), class_="pager")
    said = f"{what.capitalize()} {page * ROWS + 1:,} to {min(count, (page + 1) * ROWS):,} of {count:,}"
    return tags.div(tags.p(said, aria_live="polite"), *buttons, class_="pager", role="group", aria_label="Pages")


def _write_head(head: Head) -> Tag:
    if not head.words:  # a head without words is none for who listens to the page
        return tags.td()
    kind = "number" if head.number else None
    if not head.meaning:
        return tags.th(head.words, scope="col", class_=kind)
    return tags.th(tags.abbr(head.words, title=head.meaning), scope="col", class_=kind)


def _write_cell(cell: object, tag: object, *, number: bool, first: bool) -> Tag:
    shown = cell if isinstance(cell, Tag | HTML | str) else "" if cell is None else format_readable(cell)
    right = number or is_shown_number(cell)
    attributes = {"scope": "row"} if first else {}
    return tag(shown, attributes, class_="number" if right else None)  # type: ignore[operator, no-any-return] # td or th
