"""A picture of a result: a block of a page, shown by itself as SVG in a notebook and in a file."""

from __future__ import annotations

import hashlib
import html
import textwrap
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from sdc_sql.db.checks import require_whole_number, text_for_message
from sdc_sql.db.files.released_file import open_replacement
from sdc_sql.document import plane
from sdc_sql.document.blocks import Distribution, Page, Plane, Points, Section, Table, Text, format_readable
from sdc_sql.document.distribution import name_distribution
from sdc_sql.document.files import format_page
from sdc_sql.document.markdown import markdown
from sdc_sql.errors import ParameterError
from sdc_sql.pictures.colours import CLASS, write_style
from sdc_sql.pictures.drawing import draw_block

if TYPE_CHECKING:
    from os import PathLike

    from sdc_sql.pictures.drawing import Drawable

WIDTH, NARROWEST = 720, 320  # pixels
EDGE, LINE = 20, 18  # around the picture, and of a line of text
LETTER, SMALL_LETTER = 7.6, 6.4  # the usual width of a letter of the caption, and of a note
HOUSE = "Confidential: for the house that holds the original."
ENDINGS = (".svg", ".html", ".md")


@dataclass(frozen=True)
class Picture:
    """A picture of a result. A notebook shows it; ``write`` makes a file of it.

    Parameters
    ----------
    block
        What is drawn: a chart, a distribution, a plane, a hierarchy, as a report holds it.
    note
        What a reader has to know besides, in a sentence or two.
    lines
        What stands below it, a line each: the names of what is drawn by number.
    confidential
        Whether it tells what users of a released file must not know: the risk of the file, or the original values. All
        do but those of the released file, and of what was done to it, alone.
    """

    block: Drawable
    note: str = ""
    lines: tuple[str, ...] = ()
    confidential: bool = True

    @property
    def title(self) -> str:
        """The title; of a distribution with what is counted."""
        return name_distribution(self.block) if isinstance(self.block, Distribution) else self.block.title

    def __str__(self) -> str:
        """Return the figures as text, as a page of Markdown has them."""
        return markdown(self.page)

    @property
    def page(self) -> Page:
        """The picture as a page with its figures, for a browser or as text."""
        lines = (Points(self.lines),) if self.lines else ()
        blocks = (self.block, *self._figures, *lines, *(Text(note) for note in self._notes))
        return Page(self.title, (), (Section("Picture", blocks),))

    @property
    def _figures(self) -> tuple[Table, ...]:
        """What a plane shows, which a page of text leaves out."""
        if not isinstance(self.block, Plane):
            return ()
        rows = tuple((s.label, s.x, s.y, plane.NAMED[s.kind]) for s in self.block.spots)
        return (Table("", ("", self.block.x, self.block.y, ""), rows),)

    @property
    def _notes(self) -> tuple[str, ...]:
        return tuple(note for note in (self.note, HOUSE if self.confidential else "") if note)

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def to_svg(self, width: int = WIDTH) -> str:
        """Return the picture as SVG: no script and nothing from outside, light or dark as the reader's screen is.

        Parameters
        ----------
        width
            In pixels, at least 320; letters stay as large as they are.

        Examples
        --------
        >>> import sdc_sql
        >>> picture = sdc_sql.example().risk.suda_contributions().plot()
        >>> picture.to_svg()[:38], "<script" in picture.to_svg()
        ('<svg xmlns="http://www.w3.org/2000/svg', False)
        """
        width = require_whole_number(width, "width", least=NARROWEST)
        inner = width - 2 * EDGE
        title = format_readable(self.title)
        # two pictures of a page have no id in common, and the same picture has the same bytes
        name = "p" + hashlib.sha256(repr((self, width)).encode("utf-8", "surrogatepass")).hexdigest()[:12]
        drawn = draw_block(self.block, name, inner)
        parts, y = [], float(EDGE)
        for line in textwrap.wrap(title, max(1, int(inner / LETTER))):
            y += LINE
            parts.append(f'<text class="caption" x="{EDGE}" y="{y - 5:g}">{html.escape(line)}</text>')
        y += 8
        for part, height in drawn:
            parts.append(f'<svg x="{EDGE}" y="{y:g}" width="{inner}" height="{height:g}">{part}</svg>')
            y += height
        y += 6
        for note in (*self.lines, *self._notes):
            for line in textwrap.wrap(format_readable(note), max(1, int(inner / SMALL_LETTER))):
                y += LINE - 2
                parts.append(f'<text class="tick" x="{EDGE}" y="{y:g}">{html.escape(line)}</text>')
        y += EDGE
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="{CLASS}" role="img" '
            f'aria-labelledby="{name}-title {name}-desc" width="{width}" height="{y:g}" viewBox="0 0 {width} {y:g}" '
            f'style="max-width: 100%; height: auto">'
            f"<title>{html.escape(title)}</title><style>{write_style()}</style>"
            f'<rect class="paper" width="100%" height="100%" />{"".join(parts)}</svg>'
        )

    def write(self, path: str | PathLike[str], *, readable: str = "owner") -> None:
        """Write the picture as SVG, as an HTML page that is as wide as the window, or its figures as Markdown.

        Parameters
        ----------
        path
            Of the file that is written: it ends in .svg, .html or .md.
        readable
            Who may read it besides its owner: ``"owner"`` (nobody), ``"group"`` or ``"all"``.

        Raises
        ------
        ParameterError
            Where the path has another ending.
        """
        path = Path(path)
        ending = path.suffix.lower()
        if ending not in ENDINGS:
            raise ParameterError(
                f"The picture is to be written to {text_for_message(path.name)}: give a path that ends in "
                f"{', '.join(ENDINGS)}."
            )
        if ending == ".svg":
            text = self.to_svg() + "\n"
        else:
            text = format_page(self.page, "html" if ending == ".html" else "markdown")
        with open_replacement(path, readable) as part:
            part.write_text(text, encoding="utf-8", newline="\n")

    def retitle(self, title: str) -> Picture:
        """Return the picture under another title."""
        return replace(self, block=replace(self.block, title=title))
