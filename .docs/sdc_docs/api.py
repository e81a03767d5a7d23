"""The reference of Python, from the docstrings: the described table, its rooms, what they return, and the errors."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

import sdc_sql
from sdc_sql import errors, methods, results

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

ROOMS: Mapping[str, tuple[str, str]] = {
    "risk": ("Measures of risk", "`data.risk`: how likely an intruder is to find someone in a described table."),
    "mask": ("Masking", "`data.mask`: what changes a described table, in place or into a new one."),
    "linkage": ("Found in a released table", "`released.linkage`: a released table beside its original."),
    "loss": ("Information lost", "`released.loss`: what masking did to a table, beside its original."),
}
_TABLE = ("Microdata", "example")
_RELEASES = ("run_release", "read_release", "propose_release", "verify", "Verification", "Series")


def write_api() -> dict[str, str]:
    """Return the text of each page by its path below reference/api/."""
    public = [*sdc_sql.__all__]
    raised = [n for n in public if _is_error(n)]
    given = [n for n in results.__all__ if n in public]
    others = sorted({*public} - {*raised, *given, *_TABLE, *_RELEASES}, key=str.lower)
    pages = {
        "microdata": ("A described table", "A table with the roles of its columns, and what is asked of it.",
                      "\n\n".join(_auto(f"sdc_sql.{n}") for n in _TABLE)),
        "release": ("Releases", "A release file that is run, proposed or verified, and a series of releases.",
                    "\n\n".join(_auto(f"sdc_sql.{n}") for n in _RELEASES)),
        "others": ("Further functions and classes", "Macros on a connection, hierarchies, compiled queries, reports.",
                   "\n\n".join(_auto(f"sdc_sql.{n}") for n in others)),
        "results": ("Results", "What measures of a whole file return: frozen records, shown as tables in a notebook.",
                    "\n\n".join(_auto(f"sdc_sql.{n}") for n in given)),
        "errors": ("Errors", "Whatever is wrong with the input is one of these; the message says what to do.",
                   f"```text\n{inspect.cleandoc(errors.__doc__ or '')}\n```\n\n"
                   + "\n\n".join(_auto(f"sdc_sql.{n}") for n in raised)),
    }  # fmt: skip
    for room, (title, words) in ROOMS.items():
        listed = [n for n in vars(getattr(methods, room.title())) if not n.startswith("_")]
        pages[room] = title, words, "\n\n".join(_write_verb(room, n) for n in sorted(listed))
    found = {f"{name}.md": f"# {title}\n\n{words}\n\n{text}\n" for name, (title, words, text) in pages.items()}
    order = ("microdata", *ROOMS, "results", "release", "others", "errors")
    listed = "\n".join(order)
    lines = "\n".join(f"- [{pages[name][0]}]({name}.md): {pages[name][1]}" for name in order)
    found["index.md"] = (
        "# Python\n\nThe public names of `sdc_sql`, from their docstrings; every example is run by the tests.\n\n"
        f"{lines}\n\n```{{toctree}}\n:hidden:\n\n{listed}\n```\n"
    )
    return found


def _is_error(name: str) -> bool:
    found = getattr(sdc_sql, name)
    return inspect.isclass(found) and issubclass(found, Exception)


def _auto(name: str) -> str:
    """Return the directive that shows a function, or a class with the methods that it declares."""
    found = getattr(sdc_sql, name.rpartition(".")[2])
    if not inspect.isclass(found):
        return _write_directive("autofunction", name)
    shown = [] if issubclass(found, Exception) else [":members:"]
    return _write_directive("autoclass", name, shown)


def _write_verb(room: str, verb: str) -> str:
    heading = f"## {verb}"
    macro = f"sdc_{verb}"
    link = f"The function in SQL, and at every door: [`{macro}`](#{macro}).\n\n" if macro in _macros() else ""
    return f"{heading}\n\n{link}{_write_directive('automethod', f'sdc_sql.methods.{room.title()}.{verb}')}"


def _macros() -> Iterable[str]:
    from sdc_sql.db.catalogue.macros import index_catalogue  # noqa: PLC0415 - where it is asked

    return index_catalogue()


def _write_directive(name: str, of: str, options: Iterable[str] = ()) -> str:
    lines = "".join(f"\n   {option}" for option in options)
    return f"```{{eval-rst}}\n.. {name}:: {of}{lines}\n```"
