"""The list of what there is: a line for each file of sql/, put between two lines of its README.

What the lines leave out (arguments, formulas, sources, results, what a mask keeps) stands in the headers, in
``sdc_help()`` and on the pages of the documentation that are made from them.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.db.catalogue.functions import Declaration

FIRST, LAST = "<!-- list: written from the headers -->", "<!-- end of the list -->"
ROOMS = {
    "core": "Cells, frequencies and draws",
    "risk": "Risk",
    "linkage": "Found in a released file",
    "mask": "Masks",
    "loss": "Information lost",
}


def insert_list(text: str, declared: Iterable[Declaration]) -> str:
    """Return the text with the list between its two lines."""
    head, _, rest = text.partition(FIRST)
    _, last, tail = rest.partition(LAST)
    if not last:
        raise ValueError(f"sql/README.md must hold the lines {FIRST} and {LAST}.")
    rooms: dict[str, dict[str, list[Declaration]]] = {room: {} for room in ROOMS}
    for declaration in declared:
        rooms[declaration.file.partition("/")[0]].setdefault(declaration.file, []).append(declaration)
    parts = [f"### {ROOMS[room]}\n\n" + "\n".join(map(_write_line, files.values())) for room, files in rooms.items()]
    return f"{head}{FIRST}\n\n" + "\n\n".join(parts) + f"\n\n{LAST}{tail}"


def _write_line(functions: list[Declaration]) -> str:
    """Return the line of one file: what the function of its name, or its first, is; what the others are called."""
    stem = PurePosixPath(functions[0].file).stem
    first = next((one for one in functions if one.name == f"sdc_{stem}"), functions[0])
    others = ", ".join(f"`{one.name}`" for one in functions if one is not first)
    summary = first.summary[0].upper() + first.summary[1:]
    return f"- [`{first.name}`]({first.file}): {summary}{f' Also {others}.' if others else ''}"
