"""The rooms of the functions, and the pages that list them: by room, and all."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from sdc_docs.markdown import capitalise, dropdown, escape, fence, table
from sdc_sql.db.catalogue.macros import example_tables, read_catalogue
from sdc_sql.write.catalogue import ROOMS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.db.catalogue.functions import Declaration

_OF_ALL = (
    "A function is one SQL macro, whose header says what it measures, by which formula, and from which paper. Each has "
    "a page, which is written from that header: the formula, a small table, the arguments, and an example for every "
    "door that it has. Look one up by its name in the search, by its room, or by its source (`handbook 3.3.6`)."
)
_OF_TABLES = (
    "The examples of all functions read these tables: eight persons in three households, a population, a "
    "released table, a matrix of PRAM, hierarchies. In a session with the macros (`sdc-sql shell`) this makes them:"
)
WORDS = {
    "core": "What every measure is made of: cells, frequencies, draws that hang on a secret key.",
    "risk": "How likely an intruder is to find someone in the file, or to learn something about them.",
    "linkage": "Who is found in a released file by the original one, and what it tells of them.",
    "mask": "What changes a table so that it may leave, and what that keeps and promises.",
    "loss": "What masking did to the data.",
}


def find_room(declaration: Declaration) -> str:
    """Return the folder of sql/ in which a function stands."""
    return declaration.file.partition("/")[0]


def name_page(declaration: Declaration) -> str:
    """Return where its page stands, below functions/."""
    return f"{find_room(declaration)}/{declaration.name.removeprefix('sdc_')}"


@cache
def list_by_room() -> Mapping[str, list[Declaration]]:
    """Return the functions of each room, in the order of their names."""
    found: dict[str, list[Declaration]] = {room: [] for room in ROOMS}
    for declaration in sorted(read_catalogue(), key=lambda d: d.name):
        found[find_room(declaration)].append(declaration)
    return found


def write_room(room: str) -> str:
    """Return the page of a room."""
    listed = list_by_room()[room]
    groups = {
        "Masks": [d for d in listed if d.is_step],
        "Functions": [d for d in listed if not d.is_step],
    }
    parts = [f"# {ROOMS[room]}", WORDS[room]]
    for title, group in groups.items():
        if group:
            parts += [f"## {title}"] if all(groups.values()) else []
            parts.append(table(["function", "what it is"], [[_link(d), _summarise(d)] for d in group]))
    pages = "\n".join(name_page(d).partition("/")[2] for d in listed)
    parts.append(f"```{{toctree}}\n:hidden:\n\n{pages}\n```")
    return "\n\n".join(parts) + "\n"


def _link(declaration: Declaration) -> str:
    return f"[`{declaration.name}`](#{declaration.name})"


def _summarise(declaration: Declaration) -> str:
    return escape(capitalise(declaration.summary))


def write_index() -> str:
    """Return the page of all functions: the rooms, then every function by its first letter's place."""
    cards = "\n".join(
        f":::{{grid-item-card}} {ROOMS[room]}\n:link: {room}/index\n:link-type: doc\n\n{WORDS[room]}\n\n"
        "```{card-footer}\n"
        f"{len(listed)} functions\n```\n:::"
        for room, listed in list_by_room().items()
    )
    more = (
        ":::{grid-item-card} By source\n:link: sources\n:link-type: doc\n\nFrom a section of the handbook, a paper or a"
        " book to the functions that rest on it.\n\n```{card-footer}\nall sources\n```\n:::"
    )
    pages = "\n".join([*(f"{ROOMS[room]} <{room}/index>" for room in ROOMS), "sources", "example_tables"])
    rows = [[_link(d), ROOMS[find_room(d)], _summarise(d)] for d in sorted(read_catalogue(), key=lambda d: d.name)]
    return "\n\n".join([
        "# Functions",
        _OF_ALL,
        f"::::{{grid}} 1 2 2 3\n:gutter: 3\n\n{cards}\n{more}\n::::",
        "## All functions",
        table(["function", "room", "what it is"], rows),
        f"```{{toctree}}\n:hidden:\n\n{pages}\n```",
    ]) + "\n"  # fmt: skip


def write_example_tables() -> str:
    """Return the page of the tables that the examples read."""
    names = [line.split()[4] for line in example_tables().splitlines() if line.strip().startswith("CREATE TEMP TABLE")]
    sql = "\n".join(line.removeprefix("   ") for line in example_tables().splitlines()).strip()
    sql = sql.replace("CREATE TEMP TABLE", "CREATE TABLE")
    copies = "\n".join(f"COPY {name} TO '{name}.parquet';" for name in names)
    return "\n\n".join([
        "# The tables of the examples",
        _OF_TABLES,
        fence(sql, "sql"),
        "The command line, dbt and Spark read them as files, which this writes:",
        dropdown("As files", fence(copies, "sql")),
    ]) + "\n"  # fmt: skip
