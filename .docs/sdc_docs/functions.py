"""All pages of functions/: one a function, one a room, the index by source, and the tables of the examples."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING

from sdc_docs import rooms, sources
from sdc_docs.function_page import write_page
from sdc_docs.pictures import write_pictures
from sdc_sql.db.catalogue.macros import index_catalogue, read_catalogue

if TYPE_CHECKING:
    from collections.abc import Iterable


def write_functions(processes: int = 1) -> dict[str, str]:
    """Return the text of each page by its path below functions/; every example in SQL runs meanwhile."""
    names = [d.name for d in read_catalogue()]
    parts = [names[i::processes] for i in range(max(1, processes))]
    if processes > 1:
        with ProcessPoolExecutor(processes) as pool:
            found = [*pool.map(_write_some, parts)]
    else:
        found = [_write_some(part) for part in parts]
    pages = {name: text for some in found for name, text in some.items()}
    pages |= {f"{room}/index.md": rooms.write_room(room) for room in rooms.list_by_room()}
    return pages | {
        "index.md": rooms.write_index(),
        "sources.md": sources.write_page(),
        "example_tables.md": rooms.write_example_tables(),
    }


def _write_some(names: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in names:
        declaration = index_catalogue()[name]
        page = rooms.name_page(declaration)
        pictures, shown = write_pictures(declaration)
        found |= pictures
        found[f"{page}.md"] = write_page(declaration, shown)
    return found
