"""The user's folder for what can be made again at any time: for this user alone, or none."""

from __future__ import annotations

import os
import stat
from pathlib import Path

PRIVATE = 0o700
_OTHERS = 0o022  # what lets the group, or everybody, write
VARIABLE = "SDC_CACHE"  # of the environment: another folder; empty, none


def find_cache_folder() -> Path | None:
    """Return the folder, which is made where it is not there; None where there can be none that is the user's alone.

    It is ``sdc-sql`` in ``XDG_CACHE_HOME``, by default ``~/.cache``, or what ``SDC_CACHE`` names. A folder of another
    user's is none, nor is one that others may read or write, or in whose place others may put one of theirs.
    """
    named = os.environ.get(VARIABLE)
    if named == "" or not hasattr(os, "getuid"):  # Windows does not say so whose a folder is
        return None
    try:
        folder = Path(named) if named else _find_base() / "sdc-sql"
        if not folder.is_absolute():
            return None
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=PRIVATE, exist_ok=True)
        its = folder.lstat()  # of a link itself: it is no folder
    except (OSError, RuntimeError):  # no home, or none that can be written
        return None
    alone = stat.S_ISDIR(its.st_mode) and its.st_uid == os.getuid() and not its.st_mode & ~PRIVATE & 0o777
    return folder if alone and not any(map(_is_replaceable, folder.parents)) else None


def is_own_file(path: Path) -> bool:
    """Return whether a path is a file, of this user's, that no other may write."""
    try:
        its = path.lstat()
    except OSError:
        return False
    return stat.S_ISREG(its.st_mode) and its.st_uid == os.getuid() and not its.st_mode & _OTHERS


def _find_base() -> Path:
    given = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return given if given.is_absolute() else Path.home() / ".cache"


def _is_replaceable(parent: Path) -> bool:
    """Return whether others may rename what is in a folder, and put something else in its place."""
    its = parent.stat()
    foreign = its.st_uid not in {0, os.getuid()}
    return foreign or bool(its.st_mode & _OTHERS and not its.st_mode & stat.S_ISVTX)
