"""Pieces of MyST Markdown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_CODE = re.compile(r"(``.+?``|`[^`]+`)")
_SPECIAL = re.compile(r"([\\*<>\[\]$#|])")


def escape(text: str) -> str:
    r"""Return prose as Markdown that shows it as it is; what stands between backticks stays code.

    Examples
    --------
    >>> print(escape("a [b] costs $5, `x[1]` nothing"))
    a \[b\] costs \$5, `x[1]` nothing
    """
    parts = _CODE.split(text)
    return "".join(part if i % 2 else _SPECIAL.sub(r"\\\1", part) for i, part in enumerate(parts))


def capitalise(text: str) -> str:
    """Return a sentence that begins with a capital, unless it begins with code or a symbol."""
    return text[:1].upper() + text[1:]


def code(text: str) -> str:
    """Return a text as code in a line."""
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def fence(text: str, language: str = "text", options: Sequence[str] = ()) -> str:
    """Return a block of code."""
    marks = "`" * max(3, *(len(run) + 1 for run in re.findall(r"`{3,}", text)), 3)
    body = "\n".join([*options, *([""] if options else []), text.rstrip("\n")])
    name = f"{{code-block}} {language}" if options else language
    return f"{marks}{name}\n{body}\n{marks}"


def table(names: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table of cells that are Markdown already."""
    names = list(names)
    lines = [names, ["---"] * len(names), *([_cell(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(text: str) -> str:
    text = re.sub(r"(?<!\\)\|", r"\\|", text)
    return " ".join(text.split()) or " "


def tabs(pages: Iterable[tuple[str, str]], group: str = "") -> str:
    """Return tabs by their titles; those of one group are chosen together on all pages."""
    items = [
        "\n".join([f":::{{tab-item}} {title}", *([f":sync: {title}"] if group else []), "", text, "", ":::"])
        for title, text in pages
    ]
    head = ["::::{tab-set}", *([f":sync-group: {group}"] if group else []), ""]
    return "\n".join([*head, "\n".join(items), "", "::::"])


def dropdown(title: str, text: str) -> str:
    """Return a part that is folded up."""
    return f"::::{{dropdown}} {title}\n\n{text}\n\n::::"
