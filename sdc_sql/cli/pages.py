"""``sdc-sql risk --html`` and ``--markdown``: the report as a page, written to a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sdc_sql.cli.options import add_readable
from sdc_sql.db.files.released_file import check_place
from sdc_sql.document.blocks import Section, Table
from sdc_sql.document.files import write_page
from sdc_sql.errors import ParameterError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Mapping

    from sdc_sql.document.blocks import Page

ENDINGS = {"html": (".html", ".htm"), "markdown": (".md", ".markdown")}


def add(command: argparse.ArgumentParser) -> None:
    """Add the options."""
    command.add_argument(
        "--html", type=Path, metavar="FILE",
        help="write the report as one HTML page with pictures; a page of that name is replaced",
    )  # fmt: skip
    command.add_argument("--markdown", type=Path, metavar="FILE", help="write it as Markdown, likewise")
    add_readable(command, "these files")


def check(arguments: argparse.Namespace) -> None:
    """Refuse, before anything is computed, a file that cannot be written or that may be something else than a page."""
    for option, endings in ENDINGS.items():
        path: Path | None = getattr(arguments, option)
        if path is None:
            continue
        check_place(path)
        if path.suffix.lower() not in endings:
            raise ParameterError(f"--{option} {path} must end in {' or '.join(endings)}.")
        if path.exists() and Path(arguments.source).exists() and path.samefile(arguments.source):
            raise ParameterError(f"--{option} {path} is the file that is measured: give another name.")


def limits(found: Mapping[str, bool], required: Iterable[str] = ()) -> list[Section]:
    """Return a section of the limits, each kept or not, or none."""
    must = {*required}
    words = {True: ("does not hold", "holds"), False: ("exceeded", "not exceeded")}
    rows = tuple((limit, words[limit in must][0 if broken else 1]) for limit, broken in found.items())
    return [Section("Limits", (Table("", ("limit", "result"), rows),))] if rows else []


def write(arguments: argparse.Namespace, page: Page) -> None:
    """Write the pages that were asked for."""
    for path in (arguments.html, arguments.markdown):
        if path is not None:
            write_page(page, path, arguments.readable)
