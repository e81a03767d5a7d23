"""What a page is made of. The same blocks are written as HTML and as Markdown, so that both hold the same figures."""

from __future__ import annotations

import math
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from sdc_sql.db.showing.results import format_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


DASH = "\N{EN DASH}"
HEIGHTS = "\N{LOWER ONE EIGHTH BLOCK}▂▃▄▅▆▇\N{FULL BLOCK}"


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
class Code:
    """Lines to be copied, in a language, under a title."""

    title: str
    language: str
    text: str


@dataclass(frozen=True)
class Chart:
    """Numbers to look at: a bar, or a dot, for each label and series. In Markdown it is a table.

    ``bars`` are lengths from 0, for numbers of at least 0; ``dots`` are places on a line, by the logarithm where
    ``logarithmic``. The scale ends at ``most``, by default the largest number. None is a number that is not there.
    Numbers are shown with so many ``digits``, by default as in tables.
    """

    title: str
    labels: tuple[str, ...]
    series: tuple[tuple[str, tuple[float | None, ...]], ...]
    kind: Literal["bars", "dots"] = "bars"
    logarithmic: bool = False
    most: float | None = None
    digits: int | None = None


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

    ``own`` is the label of the spot that is marked, or None; ``bound`` a line across, at a figure of the upright scale.
    """

    title: str
    x: str
    y: str
    spots: tuple[Spot, ...]
    own: str | None
    bound: float | None = None
    bounded: str = "bound"


@dataclass(frozen=True)
class Bars:
    """The shares of the records by value: 0.25 is a quarter of them.

    ``ends`` says where each stands among numbers, from one up to the next; without it values stand side by side.
    ``missing`` is the share of the records without a value.
    """

    labels: tuple[str, ...]
    shares: tuple[float, ...]
    ends: tuple[tuple[float, float], ...] = ()
    missing: float = 0.0


@dataclass(frozen=True)
class Distribution:
    """The values of a variable, before and after masking or of one file alone (``after`` is None).

    By itself it is a picture with a scale; in a cell of a table it is a small one. Both sides stand on one scale
    where both are numbers, or have the same labels; else side by side.
    """

    title: str
    before: Bars
    after: Bars | None = None

    @property
    def alike(self) -> bool:
        """Whether the two sides can be drawn one over the other."""
        if self.after is None or self.before.labels == self.after.labels:
            return True
        return bool(self.before.ends) and bool(self.after.ends)

    def __str__(self) -> str:
        """Return the heights as characters, for a table of text."""
        return " \N{RIGHTWARDS ARROW} ".join(_draw_heights(side) for side in (self.before, self.after) if side)


@dataclass(frozen=True)
class Grid:
    """A number for each pair of labels, shaded by its share of ``most`` (by default the largest): row i has i numbers.

    In Markdown it is a table.
    """

    title: str
    labels: tuple[str, ...]
    rows: tuple[tuple[float | None, ...], ...]
    most: float | None = None


@dataclass(frozen=True)
class Layers:
    """The levels of a hierarchy, the finest first: the labels of each with how many values each stands for.

    ``chosen`` is the level that is filled, counted from 0. In Markdown it is a table.
    """

    title: str
    names: tuple[str, ...]
    labels: tuple[tuple[tuple[str, int], ...], ...]
    chosen: int | None = None


@dataclass(frozen=True)
class Gauge:
    """A figure before and after, and its limit: in a cell of a table it is a picture, on the scale of its column.

    ``at_most`` is False where the figure must be at least the limit. None is a figure that is not there.
    """

    before: float | None
    after: float | None
    limit: float
    at_most: bool = True

    def measure_use(self, value: float | None) -> float | None:
        """Return how much of the limit a figure uses: 1 is the limit itself, less is within it.

        Examples
        --------
        >>> Gauge(30, 3, 10).measure_use(30), Gauge(0.2, 0.9, 0.8, at_most=False).measure_use(0.2)
        (3.0, 4.0)
        >>> Gauge(34, 0, 0).measure_use(34), Gauge(34, 0, 0).measure_use(0)
        (35.0, 1.0)
        """
        if value is None or math.isnan(value) or self.limit < 0 or value < 0:
            return None
        if value == self.limit:  # a limit of 0 as well: it leaves no room
            return 1.0
        if self.at_most:  # a limit of 0 is passed by whatever there is
            return value / self.limit if self.limit > 0 else value + 1.0
        return self.limit / value if value > 0 else math.inf

    def __str__(self) -> str:
        """Return in words what the picture shows.

        Examples
        --------
        >>> print(Gauge(30, 3, 10))
        before 3 times the limit, after 0.3 of it
        """
        return f"before {_describe_use(self, self.before, 'the limit')}, after {_describe_use(self, self.after, 'it')}"


@dataclass(frozen=True)
class Verdict:
    """What was decided, in a word, and why, in a sentence or more: both stand out, whether it is good or not."""

    word: str
    reason: str
    good: bool

    def __str__(self) -> str:
        """Return it in a line."""
        return f"{self.word}: {self.reason}"


@dataclass(frozen=True)
class Signatures:
    """Lines to sign, each with what its signer is."""

    signers: tuple[str, ...]


@dataclass(frozen=True)
class Section:
    """A heading and what stands under it, sections among it."""

    title: str
    blocks: tuple[Words | Picture | Section, ...]


Words = Text | Points | Table | Code | Verdict | Signatures
Picture = Chart | Plane | Distribution | Grid | Layers
Block = Words | Picture | Section


@dataclass(frozen=True)
class Page:
    """A title, a line or more about what it is, and the sections; ``cover`` stands before them, on a sheet of paper."""

    title: str
    about: tuple[str, ...]
    sections: tuple[Section, ...]
    cover: tuple[Block, ...] = ()


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

    A figure that is not defined is a dash, one with a fraction has three digits: certificates have all of them.

    Examples
    --------
    >>> format_readable("a\n\u202eb"), format_readable(1234567), format_readable(0.0465169)
    ('a\\n\\u202eb', '1,234,567', '0.0465')
    """
    if value is None:
        return DASH
    if isinstance(value, float) and math.isfinite(value):
        return format_short(value)
    return "".join(c.encode("unicode_escape").decode() if _is_hidden(c) else c for c in format_value(value))


def _is_hidden(character: str) -> bool:
    # two of them join and part the letters of some scripts, and are shown
    kind = unicodedata.category(character)
    return kind in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"} and character not in "\u200c\u200d"


def is_shown_number(value: object) -> bool:
    """Return whether a value is shown as a number is."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def format_short(value: object, digits: int = 3) -> str:
    """Return a value as a picture or a page for reading shows it: a number with so many digits, whole ones in full.

    Examples
    --------
    >>> format_short(0.0465169), format_short(12345.678), format_short(22272), format_short(0.00004321)
    ('0.0465', '12,346', '22,272', '0.0000432')
    >>> format_short(1.0), format_short(0.0), format_short("north"), format_short(99.96)
    ('1', '0', 'north', '100')
    """
    if not isinstance(value, float) or not math.isfinite(value):
        return format_readable(value)
    value = float(value)  # numpy's numbers are written otherwise
    if value == 0:
        return "0"
    rounded = float(f"{value:.{digits - 1}e}")
    size = math.floor(math.log10(abs(rounded)))
    if size >= digits - 1:
        return f"{value:,.0f}"
    if size < -6:  # noqa: PLR2004 - a longer row of zeros is not read
        return f"{rounded:.{digits - 1}e}"
    text = f"{rounded:.{digits - 1 - size}f}"
    return text.rstrip("0").rstrip(".")


def _draw_heights(side: Bars) -> str:
    most = max(side.shares, default=0)
    return "".join(HEIGHTS[round(share / most * (len(HEIGHTS) - 1)) if most else 0] for share in side.shares)


def _describe_use(gauge: Gauge, value: float | None, limit: str) -> str:
    use = gauge.measure_use(value)
    if use is None or value is None:
        return "not known"
    if not gauge.at_most and gauge.limit > 0:  # in words it is what it is; the picture shows how much room is left
        share = value / gauge.limit
        return f"{format_short(float(share))} {'times' if share > 1 else 'of'} {limit}"
    if gauge.limit == 0 or math.isinf(use):
        return f"exactly at {limit}" if use == 1 else f"within {limit}" if use < 1 else f"beyond {limit}"
    return f"{format_short(float(use))} {'times' if use > 1 else 'of'} {limit}"
