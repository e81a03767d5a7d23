"""Several files put in their places last: all or none, each whole, for their owner alone."""

from __future__ import annotations

import os
import tomllib
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

from sdc_sql.db.files import work
from sdc_sql.db.files.released_file import is_file, match_files, sync_file
from sdc_sql.db.interruption import hold_signals
from sdc_sql.errors import ParameterError, TableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path


@contextmanager
def make_folder(folder: Path) -> Iterator[None]:
    """Make a folder if it is not there; remove it afterwards where nothing was put in it.

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
        with suppress(OSError):  # a folder that holds something is not removed, and ends the loop
            for path in made:
                path.rmdir()


def refuse_existing_files(paths: Iterable[Path]) -> None:
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


def refuse_input_files(paths: Iterable[Path], release_file: Path) -> None:
    """Refuse to replace the release file, or a file that it names other than as an output.

    Raises
    ------
    TableError
        It names the file.
    """
    asked = tomllib.loads(release_file.read_text(encoding="utf-8-sig"))
    named = [str(release_file.parent / text) for text in list_texts({**asked, "output": None})]
    _refuse_same_file(paths, [str(release_file), *named], release_file.name)


def _refuse_same_file(paths: Iterable[Path], named: Iterable[str], reader: str) -> None:
    read = [found for text in named for found in [text, *match_files(text)] if is_file(found)]
    for path in paths:
        if path.is_file() and any(path.samefile(other) for other in read):
            raise TableError(f"{path} is read by {reader}: it is not replaced by what is made of it.")


def list_texts(value: object) -> Iterator[str]:
    """Yield every text of what is given, as of a release file, however deep."""
    if isinstance(value, str):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ():
        yield from list_texts(inner)


def place_outputs(outputs: Iterable[tuple[Path, Callable[[Path], None]]], *, replace: bool = False) -> tuple[Path, ...]:
    """Write each file under a temporary name in its folder, then put all in their places; return the places.

    Where one cannot be written or put in its place, none is there afterwards; what stood there, if it was to be
    replaced, stands there again.
    """
    outputs = list(outputs)
    with ExitStack() as folders:
        ready = []
        for target, writer in outputs:
            part = folders.enter_context(work.make_work_folder(target.absolute().parent)) / target.name
            writer(part)
            part.chmod(work.OWNER)
            sync_file(part)
            ready.append((part, target, part.with_name(".former")))
        placed: list[Path] = []
        with hold_signals():  # a signal is handled before all files are placed, or after
            try:
                for part, target, former in ready:
                    if replace and target.is_file():
                        os.link(target, former)  # the place of the file is never empty
                    else:
                        refuse_existing_files([target])
                    os.replace(part, target)  # noqa: PTH105 - atomic
                    placed.append(target)
            except BaseException:
                for _, target, former in ready:
                    if former.exists():
                        os.replace(former, target)  # noqa: PTH105
                    elif target in placed:
                        target.unlink(missing_ok=True)
                raise
        for parent in {target.parent for target in placed}:
            sync_file(parent)
    return tuple(placed)
