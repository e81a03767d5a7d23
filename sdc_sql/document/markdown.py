"""A page as Markdown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, assert_never

from sdc_sql.document.blocks import (
    Chart,
    Code,
    Distribution,
    Grid,
    Layers,
    Picture,
    Plane,
    Points,
    Section,
    Signatures,
    Table,
    Text,
    Verdict,
    format_readable,
    is_shown_number,
)
from sdc_sql.document.distribution import chart_distribution

if TYPE_CHECKING:
    from sdc_sql.document.blocks import Block, Page, Words

# these would be read as marks, wherever they stand; an underscore within a word is none
_MARK = re.compile(r"([\\`*\[\]|~!$#]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9]))")
_LINK = re.compile(r"(:)(?=//)|(?<=www)(\.)|(@)", re.IGNORECASE)
# these begin a list, or make a heading of the line above
_FIRST = re.compile(r"^(\d*)([-+=.)])")


def escape_markdown(value: object) -> str:
    r"""Return a value as Markdown that shows it as it is.

    Examples
    --------
    >>> print(escape_markdown("<b> a|b_c *d*"))
    &lt;b&gt; a\|b_c \*d\*
    """
    text = format_readable(value).replace("&", "&amp;")
    text = _LINK.sub(lambda m: "\\" + m.group(), _MARK.sub(r"\\\1", text))
    return text.replace("<", "&lt;").replace(">", "&gt;")


def markdown(page: Page) -> str:
    """Return a page as Markdown, with tables as GitHub writes them; pictures are tables of their figures.

    Examples
    --------
    >>> from sdc_sql.document.blocks import Page, Section, make_facts_block
    >>> print(markdown(Page("Risk", (), (Section("One", (make_facts_block("Cells", {"cells": 2}),)),))))
    # Risk
    <BLANKLINE>
    ## One
    <BLANKLINE>
    **Cells**
    <BLANKLINE>
    |  |  |
    |---|---:|
    | cells | 2 |
    <BLANKLINE>
    """
    parts = [f"# {escape_markdown(page.title)}", *(_escape_line(line) for line in page.about)]
    parts += [_write_block(block) for block in page.cover]
    for section in page.sections:
        parts += _write_section(section, 2)
    return "\n\n".join(part for part in parts if part) + "\n"


def _write_section(section: Section, level: int) -> list[str]:
    parts = [f"{'#' * level} {escape_markdown(section.title)}"]
    for block in section.blocks:
        parts += _write_section(block, level + 1) if isinstance(block, Section) else [_write_block(block)]
    return parts


def _write_block(block: Block) -> str:
    if isinstance(block, Section):  # those of a section are written with it
        return "\n\n".join(_write_section(block, 2))
    return _write_picture(block) if isinstance(block, Picture) else _write_words(block)


def _write_words(block: Words) -> str:
    if isinstance(block, Text):
        return _escape_line(block.text)
    if isinstance(block, Points):
        return "\n".join(f"- {_escape_line(point)}" for point in block.points)
    if isinstance(block, Table):
        return _add_title(block.title, _write_table(block.names, block.rows))
    if isinstance(block, Code):
        return _add_title(block.title, _write_code(block))
    if isinstance(block, Verdict):
        return f"**{escape_markdown(block.word)}**: {escape_markdown(block.reason)}"
    if isinstance(block, Signatures):
        return _write_table(("", "name", "date", "signature"), tuple((signer, "", "", "") for signer in block.signers))
    assert_never(block)


def _write_picture(block: Picture) -> str:
    if isinstance(block, Chart):
        numbers = [numbers for _, numbers in block.series]
        rows = tuple((block.labels[i], *(each[i] for each in numbers)) for i in range(len(block.labels)))
        return _add_title(block.title, _write_table(("", *(name for name, _ in block.series)), rows))
    if isinstance(block, Distribution):
        return "\n\n".join(_write_block(chart) for chart in chart_distribution(block))
    if isinstance(block, Grid):
        pairs = [(block.labels[j], block.labels[i], v) for i, row in enumerate(block.rows) for j, v in enumerate(row)]
        return _add_title(block.title, _write_table(("", "", "value"), tuple(pairs)))
    if isinstance(block, Layers):
        found = [
            (f"{name} (chosen)" if i == block.chosen else name, label, number)
            for i, (name, of_one) in enumerate(zip(block.names, block.labels, strict=True))
            for label, number in of_one
        ]
        return _add_title(block.title, _write_table(("level", "label", "values"), tuple(found)))
    if isinstance(block, Plane):
        return ""
    assert_never(block)


def _write_code(code: Code) -> str:
    runs = [len(run) for run in re.findall("`+", code.text)]
    fence = "`" * max(3, *(run + 1 for run in runs), 3)
    lines = "\n".join(format_readable(line) for line in code.text.split("\n"))
    return f"{fence}{code.language}\n{lines}\n{fence}"


def _escape_line(text: str) -> str:
    return _FIRST.sub(r"\1\\\2", escape_markdown(text))


def _add_title(title: str, table: str) -> str:
    return f"**{escape_markdown(title)}**\n\n{table}" if title else table


def _write_table(names: tuple[str, ...], rows: tuple[tuple[object, ...], ...]) -> str:
    if not names:
        return ""
    right = [bool(rows) and all(is_shown_number(row[i]) or row[i] is None for row in rows) for i in range(len(names))]
    lines = [names, *rows]
    cells = ["| " + " | ".join(escape_markdown(v) for v in line) + " |" for line in lines]
    return "\n".join([cells[0], "|" + "|".join("---:" if r else "---" for r in right) + "|", *cells[1:]])
