"""A page as one HTML file: no script, nothing from outside, well-formed as XML too."""

from __future__ import annotations

import html
from itertools import count
from typing import TYPE_CHECKING, assert_never

from sdc_sql.document import plane
from sdc_sql.document.blocks import (
    Chart,
    Code,
    Distribution,
    Gauge,
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
from sdc_sql.document.chart import draw_chart, list_series_kinds
from sdc_sql.document.distribution import (
    chart_distribution,
    draw_distribution,
    draw_small_distribution,
    name_distribution,
)
from sdc_sql.document.gauge import draw_gauge, draw_gauge_scale
from sdc_sql.document.grid import draw_grid
from sdc_sql.document.layers import draw_layers
from sdc_sql.document.style import STYLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sdc_sql.document.blocks import Block, Page, Words

# a reader of the page fetches nothing, whatever a label says
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
LONG = 30  # text of more letters may be broken into lines
RUNNING = 100  # letters of the title at the head of a printed page
MENU = 4  # a page with so many sections begins with a list of them


def page_html(page: Page) -> str:
    """Return a page as HTML.

    Examples
    --------
    >>> from sdc_sql.document.blocks import Page, Section, Text
    >>> written = page_html(Page("<Risk>", (), (Section("One", (Text("a & b"),)),)))
    >>> "<h1>&lt;Risk&gt;</h1>" in written, "<p>a &amp; b</p>" in written, "<script" in written
    (True, True, False)
    """
    number = count(1)
    title = _escape_value(page.title)
    running = html.escape(_write_running_title(page.title), quote=False)
    body = "".join(_write_section(section, 2, number, f"s{i}") for i, section in enumerate(page.sections, 1))
    menu = "".join(f'<li><a href="#s{i}">{_escape_value(s.title)}</a></li>' for i, s in enumerate(page.sections, 1))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8" />\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1" />\n'
        f'<meta http-equiv="Content-Security-Policy" content="{html.escape(POLICY)}" />\n'
        '<meta name="color-scheme" content="light dark" />\n'
        f"<title>{title}</title>\n<style>\n{STYLE}{running}</style>\n</head>\n<body>\n<main>\n"
        + ('<div class="cover">\n' if page.cover else "")
        + f"<header>\n<h1>{title}</h1>\n"
        + "".join(f"<p>{_escape_value(line)}</p>\n" for line in page.about)
        + "</header>\n"
        + "".join(_write_block(block, number) for block in page.cover)
        + ("</div>\n" if page.cover else "")
        + (f'<nav aria-label="Sections"><ul>{menu}</ul></nav>\n' if len(page.sections) >= MENU else "")
        + body
        + "</main>\n</body>\n</html>\n"
    )


def write_blocks(blocks: Iterable[Block], number: Iterator[int]) -> str:
    """Return blocks as HTML for another page; `number` numbers their ids, none of which may occur twice there.

    Examples
    --------
    >>> from sdc_sql.document.blocks import Text
    >>> write_blocks([Text("a < b")], count(1)).strip()
    '<p>a &lt; b</p>'
    """
    return "".join(_write_block(block, number) for block in blocks)


def _write_running_title(title: str) -> str:
    """Return what repeats the title on each printed page but the first, as CSS: every character by its number."""
    shown = format_readable(title)
    shown = shown if len(shown) <= RUNNING else f"{shown[: RUNNING - 1]}\N{HORIZONTAL ELLIPSIS}"
    text = "".join(c if c.isascii() and c.isalnum() else f"\\{ord(c):06x}" for c in shown)
    return (
        f'@media print {{ @page {{ @top-left {{ content: "{text}"; font: 8pt sans-serif; }} }}\n'
        "@page :first { @top-left { content: none; } } }\n"
    )


def _escape_value(value: object) -> str:
    return html.escape(format_readable(value))


def _write_section(section: Section, level: int, number: Iterator[int], name: str = "") -> str:
    head = f"<h{level}>{_escape_value(section.title)}</h{level}>\n"
    body = "".join(
        _write_section(block, min(level + 1, 6), number) if isinstance(block, Section) else _write_block(block, number)
        for block in section.blocks
    )
    return f"<section{f' id={name!r}' if name else ''}>\n{head}{body}</section>\n"


def _write_block(block: Block, number: Iterator[int]) -> str:
    if isinstance(block, Section):
        return _write_section(block, 3, number)
    return _write_picture(block, number) if isinstance(block, Picture) else _write_words(block, number)


def _write_words(block: Words, number: Iterator[int]) -> str:
    if isinstance(block, Text):
        return f"<p>{_escape_value(block.text)}</p>\n"
    if isinstance(block, Points):
        return f"<ul>{''.join(f'<li>{_escape_value(point)}</li>' for point in block.points)}</ul>\n"
    if isinstance(block, Table):
        return _write_table(block, number)
    if isinstance(block, Code):
        return _write_code(block, f"p{next(number)}")
    if isinstance(block, Verdict):
        return _write_verdict(block)
    if isinstance(block, Signatures):
        return _write_signatures(block)
    assert_never(block)


def _write_picture(block: Picture, number: Iterator[int]) -> str:
    if isinstance(block, Chart):
        return _write_figure(block, f"c{next(number)}")
    if isinstance(block, Distribution):
        return _write_distribution(block, number)
    name = f"c{next(number)}"
    if isinstance(block, Plane):
        drawn = plane.draw_legend(block) + plane.draw_plane(block, name)
    elif isinstance(block, Grid):
        drawn = draw_grid(block, name)
    elif isinstance(block, Layers):
        drawn = draw_layers(block, name)
    else:
        assert_never(block)
    return f"<figure><figcaption>{_escape_value(block.title)}</figcaption>{drawn}</figure>\n"


def _write_verdict(verdict: Verdict) -> str:
    kind = "good" if verdict.good else "bad"
    word, reason = _escape_value(verdict.word), _escape_value(verdict.reason)
    return f'<p class="verdict {kind}"><strong>{word}</strong>: {reason}</p>\n'


def _write_signatures(block: Signatures) -> str:
    lines = "".join(
        f"<li><span>{_escape_value(signer)}</span><span>Date</span><span>Signature</span></li>"
        for signer in block.signers
    )
    return f'<ul class="sign">{lines}</ul>\n'


def _write_code(code: Code, name: str) -> str:
    lines = "\n".join(_escape_value(line) for line in code.text.split("\n"))
    caption = f'<figcaption id="{name}">{_escape_value(code.title)}</figcaption>'
    # who has no mouse scrolls it by the keys
    inside = f'<pre tabindex="0" role="region" aria-labelledby="{name}"><code>{lines}</code></pre>'
    return f'<figure class="code">{caption}{inside}</figure>\n'


def _write_figure(chart: Chart, name: str) -> str:
    named = zip(list_series_kinds(chart), chart.series, strict=False)
    legend = _write_legend([(kind, series) for kind, (series, _) in named]) if len(chart.series) > 1 else ""
    return f"<figure><figcaption>{_escape_value(chart.title)}</figcaption>{legend}{draw_chart(chart, name)}</figure>\n"


def _write_legend(named: list[tuple[str, str]]) -> str:
    keys = "".join(f'<li class="{kind}">{_escape_value(series)}</li>' for kind, series in named)
    return f'<ul class="legend">{keys}</ul>'


def _write_distribution(found: Distribution, number: Iterator[int]) -> str:
    if not found.alike or not found.before.ends:
        return "".join(_write_figure(chart, f"c{next(number)}") for chart in chart_distribution(found))
    title = name_distribution(found)
    legend = _write_legend([("outline", "before"), ("share", "after")]) if found.after else ""
    drawn = draw_distribution(found, f"c{next(number)}")
    return f"<figure><figcaption>{_escape_value(title)}</figcaption>{legend}{drawn}</figure>\n"


def _write_table(table: Table, number: Iterator[int]) -> str:
    name = f"t{next(number)}"
    right = [
        bool(table.rows) and all(is_shown_number(row[i]) or row[i] is None for row in table.rows)
        for i in range(len(table.names))
    ]
    caption = f'<figcaption id="{name}">{_escape_value(table.title)}</figcaption>' if table.title else ""
    titled = f' aria-labelledby="{name}"' if table.title else ""
    # a head without words is none for who listens to the page
    head = "".join(
        f'<th scope="col"{_align_side(r)}>{_escape_value(n)}{_write_scale(table, i)}</th>' if n else "<td></td>"
        for i, (n, r) in enumerate(zip(table.names, right, strict=True))
    )
    # a table of figures by their names has no heads
    head = f"<thead><tr>{head}</tr></thead>" if any(table.names) else ""
    rows = "".join(
        "<tr>"
        + "".join(
            _write_cell(
                value,
                number,
                right=side or (is_shown_number(value) and any(table.names)),
                first=i == 0 and not any(table.names),
            )
            for i, (value, side) in enumerate(zip(row, right, strict=True))
        )
        + "</tr>"
        for row in table.rows
    )
    kind = "" if any(table.names) else ' class="facts"'
    inside = f'<div class="wide" tabindex="0"><table{kind}{titled}>{head}<tbody>{rows}</tbody></table></div>'
    return f'<figure class="table">{caption}{_write_table_legend(table)}{inside}</figure>\n'


def _write_scale(table: Table, column: int) -> str:
    """Return the scale over a column of gauges."""
    return draw_gauge_scale() if any(isinstance(row[column], Gauge) for row in table.rows) else ""


def _write_table_legend(table: Table) -> str:
    """Return what the small pictures of a table mean, where it has some."""
    cells = [value for row in table.rows for value in row]
    named: list[tuple[str, str]] = []
    if any(isinstance(value, Gauge) for value in cells):
        named += [("dot before", "before"), ("dot after", "after"), ("beyond", "beyond the limit")]
    if any(isinstance(value, Distribution) and value.after for value in cells):
        named += [("outline", "before"), ("share", "after")]
    return _write_legend(named) if named else ""


def _write_cell(value: object, number: Iterator[int], *, right: bool, first: bool) -> str:
    if isinstance(value, Gauge):
        return f'<td class="picture">{draw_gauge(value, f"g{next(number)}")}</td>'
    if isinstance(value, Distribution):
        return f'<td class="picture">{draw_small_distribution(value, f"g{next(number)}")}</td>'
    if first:
        return f'<th scope="row">{_escape_value(value)}</th>'
    long = ' class="long"' if not right and len(format_readable(value)) > LONG else ""
    return f"<td{_align_side(right) or long}>{_escape_value(value)}</td>"


def _align_side(right: bool) -> str:
    return ' class="number"' if right else ""
