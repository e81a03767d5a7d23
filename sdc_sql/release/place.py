"""Several files put in their places last: all or none, each whole, for their owner alone."""

from __future__ import annotations

import os
import tempfile
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from sdc_sql.db.released_file import synced
from sdc_sql.errors import ParameterError, TableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

OWNER = 0o600


@contextmanager
def folder_made(folder: Path) -> Iterator[None]:
    """Make a folder if it is not there; where nothing was put in it, it is gone afterwards.

    Raises
    ------
    ParameterError
        Where it cannot be made.
    """
    made = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ParameterError(f"The output folder {folder} cannot be made: {error.strerror}.") from None
        yield
    finally:
        with suppress(OSError):  # the first that has something in it
            for path in made:
                path.rmdir()


def refuse_taken(paths: Iterable[Path]) -> None:
    """Refuse files that are there already.

    Raises
    ------
    TableError
        It names all of them.
    """
    there = [str(path) for path in paths if path.exists() or path.is_symlink()]
    if there:
        raise TableError(
            f"There is a file {', '.join(there)} already: remove {'it' if len(there) == 1 else 'them'} first, or give "
            "another name."
        )


def place(outputs: Iterable[tuple[Path, Callable[[Path], None]]]) -> tuple[Path, ...]:
    """Write each file under a temporary name in its folder, then put all in their places; return the places.

    Where one cannot be written or put in its place, none is there afterwards.
    """
    outputs = list(outputs)
    with ExitStack() as folders:
        ready = []
        for target, writer in outputs:
            folder = folders.enter_context(tempfile.TemporaryDirectory(dir=target.parent, prefix=".sdc-sql-"))
            part = Path(folder) / target.name
            writer(part)
            part.chmod(OWNER)
            synced(part)
            ready.append((part, target))
        placed: list[Path] = []
        try:
            for part, target in ready:
                refuse_taken([target])
                os.replace(part, target)  # noqa: PTH105 - atomic
                placed.append(target)
        except BaseException:
            for target in placed:
                target.unlink(missing_ok=True)
            raise
        for parent in {target.parent for target in placed}:
            synced(parent)
    return tuple(placed)
