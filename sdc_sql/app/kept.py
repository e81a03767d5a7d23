"""Where the release file of a table stays when the page has ended, to be taken up again."""

from __future__ import annotations

import hashlib
import os
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sdc_sql.db.files.work import LOCK, OWNER
from sdc_sql.errors import TableError

try:
    import fcntl
except ImportError:  # Windows has no such module
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Iterator


def find_folder(path: Path, table: str | None) -> Path:
    """Return the folder of a table: among what programs of this user keep, for him alone.

    Its name tells nothing of the data: it is a digest of where they stand.

    Examples
    --------
    >>> len(find_folder(Path("/data/survey.parquet"), None).name)
    16
    """
    if sys.platform == "win32":
        home = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    else:
        home = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    name = hashlib.sha256(f"{path.resolve()}\0{table or ''}".encode()).hexdigest()[:16]
    return home / "sdc-sql" / "app" / name


@contextmanager
def hold_folder(folder: Path) -> Iterator[Path]:
    """Make a folder for its owner alone, and hold it: two pages of one table would undo what the other did.

    Raises
    ------
    TableError
        Where it cannot be made, or another page holds it.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
        lock = os.open(folder / LOCK, os.O_CREAT | os.O_RDWR, OWNER)
    except OSError as error:
        raise TableError(f"The release file cannot be kept in {folder}: {error.strerror}.") from None
    try:
        if fcntl is not None:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise TableError(
                    "A page of this table is open already: go to its terminal, where Enter gives another address."
                ) from None
        yield folder
    finally:
        os.close(lock)
