"""The lines of earlier sessions, in a file that only the user can read; never one that sets the secret key."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from sdc_sql.shell.statements import is_harmless

if TYPE_CHECKING:
    from collections.abc import Callable

MOST = 2000


def history_file() -> Path:
    """Return the path of the history: ``$XDG_STATE_HOME/sdc-sql/history``, by default below ``~/.local/state``."""
    state = os.environ.get("XDG_STATE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(state) if state else Path.home() / ".local" / "state") / "sdc-sql" / "history"


class History:
    """A file of lines. It is written at each statement, so a killed shell loses nothing.

    Parameters
    ----------
    path
        The file; made, for the user alone, when the first line is kept.
    recall
        Called with each line that the arrow keys are to bring back.
    """

    def __init__(self, path: Path, recall: Callable[[str], None]) -> None:
        self.path = path
        self.recall = recall

    def load(self) -> None:
        """Bring back the lines of earlier sessions."""
        try:
            lines = self.path.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return
        for line in lines[-MOST:]:
            self.recall(line)
        if len(lines) > 2 * MOST:
            self._write("\n".join([*lines[-MOST:], ""]), "w")

    def keep(self, text: str) -> None:
        """Keep a statement, line by line, unless it may hold the key."""
        lines = [line for line in text.splitlines() if line.strip()]
        if not lines or not is_harmless(text):
            return
        for line in lines:
            self.recall(line)
        self._write("\n".join([*lines, ""]), "a")

    def _write(self, text: str, mode: str) -> None:
        """Write to the file where that can be done; a shell works without its history too."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            flags = os.O_WRONLY | os.O_CREAT | (os.O_APPEND if mode == "a" else os.O_TRUNC)
            with open(os.open(self.path, flags, 0o600), mode, encoding="utf-8") as file:  # noqa: PTH123 - of a descriptor
                file.write(text)
        except (OSError, UnicodeError):
            return
