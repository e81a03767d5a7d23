"""The catalogue: a table for each room of sql/, put between two lines of its README."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.db.catalogue.functions import Declaration

FIRST, LAST = "<!-- catalogue: written from the headers -->", "<!-- end of the catalogue -->"
ROOMS = {
    "core": "Cells, frequencies and draws",
    "risk": "Risk",
    "linkage": "Found in a released file",
    "mask": "Masks",
    "loss": "Information lost",
}


def insert_tables(text: str, declared: Iterable[Declaration]) -> str:
    """Return the text with the tables between its two lines."""
    head, _, rest = text.partition(FIRST)
    _, last, tail = rest.partition(LAST)
    if not last:
        raise ValueError(f"sql/README.md must hold the lines {FIRST} and {LAST}.")
    rooms: dict[str, list[Declaration]] = {room: [] for room in ROOMS}
    for declaration in declared:
        rooms[declaration.file.partition("/")[0]].append(declaration)
    tables = "\n\n".join(_write_room(ROOMS[room], listed) for room, listed in rooms.items())
    return f"{head}{FIRST}\n\n{tables}\n\n{LAST}{tail}"


def _write_room(title: str, listed: list[Declaration]) -> str:
    """Return a table of measures, or of masks with what they keep and promise."""
    masks = [d for d in listed if d.masks]
    others = [d for d in listed if not d.masks]
    parts = [f"### {title}"]
    if masks:
        parts.append(
            _write_table(
                [
                    "mask",
                    "what it does",
                    "keeps; guarantees",
                    "release of a table that changes",
                    "in a series of releases",
                    "scope",
                    "source",
                ],
                [
                    [
                        _write_call(d),
                        _capitalise(d.summary),
                        _promise(d),
                        d.repeated,
                        d.series,
                        str(d.scope),
                        d.source,
                    ]
                    for d in masks
                ],
            )
        )
    parts.append(
        _write_table(
            ["function", "what it is", "columns of the result", "source"],
            [[_write_call(d), _capitalise(d.summary), ", ".join(d.given.names), d.source] for d in others],
        )
    )
    return "\n\n".join(parts)


def _write_table(names: list[str], rows: list[list[str]]) -> str:
    lines = [names, ["---"] * len(names), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _write_call(declaration: Declaration) -> str:
    python = "" if not declaration.needs_python else " (Python)"
    return f"[`{declaration.signature}`]({declaration.file}){python}"


def _capitalise(text: str) -> str:
    return text[0].upper() + text[1:]


def _promise(mask: Declaration) -> str:
    return f"{mask.keeps} Guarantees: {mask.guarantees}" if mask.guarantees else mask.keeps
