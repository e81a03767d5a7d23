"""``sdc-sql clean``: remove what killed runs have left behind."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdc_sql.db.files.work import find_leftovers, is_leftover
from sdc_sql.errors import TableError

if TYPE_CHECKING:
    import argparse


def add(commands: Any) -> None:  # noqa: ANN401 - argparse gives it no public name
    """Add the command."""
    words = "remove the folders of work that runs have left which were killed"
    command = commands.add_parser("clean", help=words, description=words[0].upper() + words[1:] + ".")
    command.add_argument(
        "folders", nargs="*", metavar="FOLDER", help="such a folder (default: all among the temporary files)"
    )
    command.set_defaults(handle=run)


def run(arguments: argparse.Namespace) -> int:
    """Remove them; return the exit code."""
    left = [Path(folder) for folder in arguments.folders]
    for folder in left:
        if not is_leftover(folder.absolute()):
            raise TableError(
                f"{folder} is no folder of a run that was killed: it is none of sdc-sql, or its run still works."
            )
    found = left or find_leftovers()
    for folder in found:
        shutil.rmtree(folder)
        print(f"{folder}: removed")
    if not found:
        print("nothing was left behind")
    return 0
