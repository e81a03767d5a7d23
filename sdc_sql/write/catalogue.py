"""The catalogue: a table for each room of sql/, put between two lines of its README."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.db.catalogue import Declaration

FIRST, LAST = "<!-- catalogue: written from the headers -->", "<!-- end of the catalogue -->"
ROOMS = {"core": "Cells, frequencies and draws", "risk": "Risk", "mask": "Masks", "loss": "Information lost"}


def put_into(text: str, declared: Iterable[Declaration]) -> str:
    """Return the text with the tables between its two lines."""
    head, _, rest = text.partition(FIRST)
    _, last, tail = rest.partition(LAST)
    if not last:
        raise ValueError(f"sql/README.md must hold the lines {FIRST} and {LAST}.")
    rooms: dict[str, list[Declaration]] = {room: [] for room in ROOMS}
    for declaration in declared:
        rooms[declaration.file.partition("/")[0]].append(declaration)
    tables = "\n\n".join(_room(ROOMS[room], listed) for room, listed in rooms.items())
    return f"{head}{FIRST}\n\n{tables}\n\n{LAST}{tail}"


def _room(title: str, listed: list[Declaration]) -> str:
    rows = ["| function | what it is | scope | source |", "|---|---|---|---|"]
    rows += [f"| {_link(d)} | {_cell(_what(d))} | {_cell(str(d.scope or ''))} | {_cell(d.source)} |" for d in listed]
    return f"### {title}\n\n" + "\n".join(rows)


def _link(declaration: Declaration) -> str:
    return f"[`{declaration.name}({', '.join(p.name for p in declaration.required)})`]({declaration.file})"


def _what(declaration: Declaration) -> str:
    said = declaration.summary[0].upper() + declaration.summary[1:]
    if declaration.keeps:
        said += f" Keeps {declaration.keeps}"
    if declaration.guarantees:
        said += f" Guarantees: {declaration.guarantees}"
    return said + (" (Needs Python.)" if declaration.needs_python else "")


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
