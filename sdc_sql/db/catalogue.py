"""What the headers of the SQL files say of each function, as data and as a macro of its own.

The headers are the one place of truth: directly above a public macro stand ``-- name: what it gives.`` and
``-- Example: a call``; ``-- Source:`` stands in the header of the file, or in the macro's own comment.
"""

from __future__ import annotations

import re
from dataclasses import astuple, dataclass, fields
from typing import TYPE_CHECKING

from sqlglot import exp

if TYPE_CHECKING:
    from collections.abc import Iterable

CREATE = "CREATE OR REPLACE MACRO"
ENTRIES = "core/help (made from the headers)"

_MACRO = re.compile(rf"^{CREATE} (?P<name>sdc_\w+)\((?P<arguments>.*?)\) AS\b", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"(?:^--.*\n)+\Z", re.MULTILINE)


@dataclass(frozen=True)
class Entry:
    """One public function as a person looks it up."""

    name: str
    arguments: str
    summary: str
    example: str
    source: str
    needs_python: bool
    file: str
    description: str

    @property
    def signature(self) -> str:
        """Return the call with all its arguments and their defaults."""
        return f"{self.name}({self.arguments})"


def _lines(comment: str) -> list[str]:
    return [line.removeprefix("--").removeprefix(" ").rstrip() for line in comment.splitlines()]


def _told(lines: list[str], tag: str, *, until: str = "") -> str:
    """Return what follows a tag: to the next blank line, or to the line that begins with another tag."""
    found: list[str] = []
    for line in lines:
        if found and (not line or (until and line.startswith(until))):
            break
        if found or line.startswith(tag):
            found.append(line.removeprefix(tag).strip() if not found else line.strip())
    return " ".join(found)


@dataclass(frozen=True)
class _Macro:
    """A macro as it stands in its file: the comment above it, its name and arguments, and the macros it calls."""

    file: str
    header: str
    comment: str
    name: str
    arguments: str
    calls: frozenset[str]


def _macros(file: str, text: str) -> list[_Macro]:
    heads = list(_MACRO.finditer(text))
    ends = [*(h.start() for h in heads[1:]), len(text)]
    found = []
    for head, end in zip(heads, ends, strict=True):
        comment = _COMMENT.search(text, 0, head.start())
        body = re.sub(r"^--.*", "", text[head.end() : end], flags=re.MULTILINE)
        found.append(
            _Macro(
                file, text.partition("\n\n")[0], comment[0] if comment else "", head["name"],
                " ".join(head["arguments"].split()), frozenset(re.findall(r"\bsdc_\w+", body)),
            )
        )  # fmt: skip
    return found


def _needing_python(macros: Iterable[_Macro]) -> set[str]:
    """Return the names of the kernels, of the macros that call one, and of those that call such a macro."""
    called = {macro.name: macro.calls for macro in macros}
    needing = {name for name in called if name.startswith("sdc__kernel_")}
    while more := {name for name, calls in called.items() if calls & needing} - needing:
        needing |= more
    return needing


def entries(files: Iterable[tuple[str, str]]) -> list[Entry]:
    r"""Return an entry for each public macro of the files, given by name and text.

    Examples
    --------
    >>> header = "-- Source: A (2002).\n\n-- sdc_x: the x.\n-- Example: FROM sdc_x('t');\n"
    >>> (entry,) = entries([("risk/x.sql", header + "CREATE OR REPLACE MACRO sdc_x(tbl) AS TABLE FROM t;\n")])
    >>> entry.signature, entry.summary, entry.source
    ('sdc_x(tbl)', 'the x.', 'A (2002).')
    """
    macros = [macro for file, text in files for macro in _macros(file, text)]
    needing = _needing_python(macros)
    return [_entry(macro, macro.name in needing) for macro in macros if not macro.name.startswith("sdc__")]


def _entry(macro: _Macro, needs_python: bool) -> Entry:
    own, header = _lines(macro.comment), _lines(macro.header)
    summary, example = f"{macro.name}: ", "Example: "
    about = [line for line in [*header, "", *own] if not line.startswith((summary, example))]
    return Entry(
        macro.name,
        macro.arguments,
        _told(own, summary, until=example),
        _told(own, example),
        _told(own, "Source: ") or _told(header, "Source: "),
        needs_python,
        macro.file,
        "\n".join(about).strip(),
    )


def entries_sql(found: Iterable[Entry]) -> str:
    """Return the entries as a table macro, ``sdc__help()``."""
    names = ", ".join(f.name for f in fields(Entry))
    rows = ",\n".join(
        "    " + exp.Tuple(expressions=[exp.convert(value) for value in astuple(entry)]).sql("duckdb")
        for entry in found
    )
    return (
        "-- What the headers of the other files say of each function; made when the files are read.\n"
        f"{CREATE} sdc__help() AS TABLE FROM (VALUES\n{rows}\n) AS t({names});\n"
    )
