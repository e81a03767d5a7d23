"""The sources of the functions: sections of the handbook, papers and books, and the page that lists them all."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from sdc_docs.markdown import escape
from sdc_sql.db.catalogue.macros import read_catalogue

if TYPE_CHECKING:
    from sdc_sql.db.catalogue.functions import Declaration

_SECTION = re.compile(r"(?<![\w(.])(3(?:\.\d+)+)")
_EQUATION = re.compile(r"\((3\.\d+)\)")
_NAME = r"(?:d[ei] |[Vv]an (?:den |der |de )?)?[A-Z][\w.'\u2019-]*(?: [A-Z][\w.'-]*)*"
_PAPER = re.compile(rf"(?P<authors>{_NAME}(?:(?:, | & |, & ){_NAME})*(?: et al\.)?) \((?P<year>\d{{4}})\)")


@dataclass(frozen=True)
class Cited:
    """A source as it is looked up, a section or equation of the handbook or a paper, and how it is cited."""

    title: str
    anchor: str
    words: str = ""
    terms: tuple[str, ...] = ()


@cache
def list_cited(source: str) -> tuple[Cited, ...]:
    """Return what a source cites.

    Examples
    --------
    >>> [c.title for c in list_cited("Skinner & Elliot (2002), (7); SDC handbook, section 3.3.3 and (3.3).")]
    ['Skinner & Elliot (2002)', 'SDC handbook 3.3.3', 'SDC handbook (3.3)']
    """
    found: dict[str, Cited] = {}
    for part in source.split("; "):
        if "handbook" in part:
            said = part[part.index("handbook") :]
            for number in _SECTION.findall(said):
                found[f"s{number}"] = Cited(
                    f"SDC handbook {number}", f"handbook-{number.replace('.', '-')}", number,
                    (f"handbook {number}", f"SDC handbook {number}"),
                )  # fmt: skip
            for number in _EQUATION.findall(said):
                found[f"e{number}"] = Cited(
                    f"SDC handbook ({number})", f"handbook-equation-{number.replace('.', '-')}", f"equation ({number})",
                    (f"handbook ({number})", f"SDC handbook ({number})"),
                )  # fmt: skip
            continue
        papers = [*_PAPER.finditer(part)]
        for i, paper in enumerate(papers):
            title = f"{paper['authors']} ({paper['year']})"
            end = papers[i + 1].start() if i + 1 < len(papers) else len(part)
            words = part[paper.start() : end].strip(" .,").removesuffix(" and")
            found[title] = Cited(title, _make_anchor(title), words, (title, f"{paper['authors']} {paper['year']}"))
    return tuple(found.values())


def _make_anchor(title: str) -> str:
    return "source-" + re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def write_links(declaration: Declaration) -> str:
    """Return the links to where each source stands in the index."""
    return ", ".join(f"[{escape(c.title)}](#{c.anchor})" for c in list_cited(declaration.source))


def write_page() -> str:
    """Return the index: each source with the functions that rest on it."""
    functions: dict[str, list[str]] = {}
    cited: dict[str, Cited] = {}
    others: dict[str, list[str]] = {}
    for declaration in read_catalogue():
        link = f"[`{declaration.name}`](#{declaration.name})"
        there = list_cited(declaration.source)
        for one in there:
            functions.setdefault(one.anchor, []).append(link)
            if len(one.words) >= len(cited[one.anchor].words if one.anchor in cited else ""):
                cited[one.anchor] = one
        if not there and declaration.source:
            others.setdefault(declaration.source, []).append(link)
    handbook = sorted((c for c in cited.values() if "handbook" in c.title), key=_place)
    papers = sorted((c for c in cited.values() if "handbook" not in c.title), key=lambda c: c.title.lower())
    lines = [
        "# By source", "",
        "Every function names the paper, the book or the section that its formula is from. Here is the way back: from",
        "a source to the functions that rest on it.", "", "## SDC handbook", "",
        "Hundepool, Domingo-Ferrer, Franconi, Giessing, Lenz, Longhurst, Schulte Nordholt, Seri & de Wolf,",
        "*Handbook on Statistical Disclosure Control*, chapter 3 (microdata).", "",
    ]  # fmt: skip
    for one in handbook:
        lines += [f"({one.anchor})=", f"### {one.title}", "", ", ".join(functions[one.anchor]), ""]
    lines += ["## Papers and books", ""]
    for one in papers:
        lines += [f"({one.anchor})=", f"### {escape(one.title)}", ""]
        lines += [f"{escape(one.words)}.", ""] if one.words != one.title else []
        lines += [", ".join(functions[one.anchor]), ""]
    lines += ["## Other sources", ""]
    for source, links in sorted(others.items()):
        lines += [f"- {escape(source)} {', '.join(links)}"]
    return "\n".join(lines) + "\n"


def _place(one: Cited) -> tuple[bool, list[int]]:
    return "(" in one.title, [int(n) for n in re.findall(r"\d+", one.title)]
