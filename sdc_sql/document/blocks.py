"""What a page is made of. The same blocks are written as HTML and as Markdown, so that both hold the same figures."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from sdc_sql.db.showing.results import format_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


DASH = "\N{EN DASH}"


@dataclass(frozen=True)
class Text:
    """A paragraph."""

    text: str


@dataclass(frozen=True)
class Points:
    """A list of sentences."""

    points: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """Rows under a title; numbers stand to the right."""

    title: str
    names: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]


@dataclass(frozen=True)
class Chart:
    """Numbers to look at: a bar, or a dot, for each label and series. In Markdown it is a table.

    ``bars`` are lengths from 0, for numbers of at least 0; ``dots`` are places on a line, by the logarithm where
    ``logarithmic``. The scale ends at ``most``, by default the largest number. None is a number that is not there.
    """

    title: str
    labels: tuple[str, ...]
    series: tuple[tuple[str, tuple[float | None, ...]], ...]
    kind: Literal["bars", "dots"] = "bars"
    logarithmic: bool = False
    most: float | None = None


@dataclass(frozen=True)
class Spot:
    """A release in a plane, by its number in the table beside."""

    label: str
    x: float
    y: float
    kind: Literal["frontier", "chosen", "dominated"]


@dataclass(frozen=True)
class Plane:
    """Releases by two figures, and the frontier. In Markdown it is left out: a table beside it must have the figures.

    ``own`` is the label of the spot that is marked, ``bound`` a line across, at a figure of the upright scale.
    """

    title: str
    x: str
    y: str
    spots: tuple[Spot, ...]
    own: str
    bound: float | None = None
    bounded: str = "bound"


@dataclass(frozen=True)
class Section:
    """A heading and what stands under it, sections among it."""

    title: str
    blocks: tuple[Text | Points | Table | Chart | Plane | Section, ...]


Block = Text | Points | Table | Chart | Plane | Section


@dataclass(frozen=True)
class Page:
    """A title, a line or more about what it is, and the sections."""

    title: str
    about: tuple[str, ...]
    sections: tuple[Section, ...]


def make_facts_block(title: str, found: Mapping[str, object]) -> Table:
    """Return figures by their names as a table of two columns.

    Examples
    --------
    >>> make_facts_block("Frequencies", {"sample_uniques": 3}).rows
    (('sample uniques', 3),)
    """
    return Table(title, ("", ""), tuple((name.replace("_", " "), value) for name, value in found.items()))


def make_table_block(title: str, rows: Iterable[Mapping[str, Any]], labels: Iterable[str] = ()) -> Table:
    """Return rows by name as a table; the values of `labels` are text, even where they are numbers.

    Examples
    --------
    >>> make_table_block("", [{"born": 1990, "records": 1990}], labels=["born"]).rows
    (('1990', 1990),)
    """
    listed, text = list(rows), set(labels)
    names = tuple(listed[0]) if listed else ()
    return Table(
        title,
        tuple(name.replace("_", " ") for name in names),
        tuple(tuple(make_label(row[n]) if n in text else row[n] for n in names) for row in listed),
    )


def make_label(value: object) -> str:
    """Return a value of a key as text: a number among them is a code."""
    return "NULL" if value is None else str(value)


def format_readable(value: object) -> str:
    r"""Return a value for display, on one line: characters that are not seen, or that turn others round, as escapes.

    A figure that is not defined is a dash.

    Examples
    --------
    >>> format_readable("a\n\u202eb"), format_readable(1234567)
    ('a\\n\\u202eb', '1,234,567')
    """
    if value is None:
        return DASH
    return "".join(c.encode("unicode_escape").decode() if _is_hidden(c) else c for c in format_value(value))


def _is_hidden(character: str) -> bool:
    # two of them join and part the letters of some scripts, and are shown
    kind = unicodedata.category(character)
    return kind in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"} and character not in "\u200c\u200d"


def is_shown_number(value: object) -> bool:
    """Return whether a value is shown as a number is."""
    return isinstance(value, int | float) and not isinstance(value, bool)
