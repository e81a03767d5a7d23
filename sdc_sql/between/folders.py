"""Messages as files: a folder for each pair, ``office-a-to-office-b``, in one that is shared or carried to and fro.

A message is written whole or not at all, under the name of its step. What an earlier run of this party left there it
removes.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path

from sdc_sql.between.envelope import MOST_BYTES
from sdc_sql.between.errors import ExchangeError

STEPS = ("greeting", "share", "part", "ring", "total")


class Folders:
    """The folders of one party beside those of the others.

    Parameters
    ----------
    root
        The folder that holds all of them.
    name
        The party.
    others
        The other parties.
    """

    def __init__(self, root: str | Path, name: str, others: list[str]) -> None:
        self.root, self.name, self.others = Path(root), name, others
        if not self.root.is_dir():
            raise ExchangeError(f"There is no folder {root}: it is where the parties' messages stand.")
        for other in others:
            folder = self._folder(name, other)
            folder.mkdir(exist_ok=True)
            for step in STEPS:
                (folder / step).unlink(missing_ok=True)

    def send(self, to: str, step: str, message: bytes) -> None:
        """Put a message in the place of the one of that step, if there is one."""
        target = self._folder(self.name, to) / step
        part = target.with_name(f".{secrets.token_hex(8)}")
        # others may write to the folder, too: what is there already, or leads elsewhere, is not written to
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644), "wb") as opened:
            opened.write(message)
        os.replace(part, target)  # noqa: PTH105 - atomic

    def receive(self, sender: str, step: str) -> bytes | None:
        """Return the message of a step, or None where it is not there yet."""
        file = self._folder(sender, self.name) / step
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            if file.is_file():
                with file.open("rb") as opened:
                    return opened.read(MOST_BYTES + 1)
        return None

    def close(self, seconds: float) -> None:
        """Leave the messages where they are: the others may still read them."""

    def _folder(self, sender: str, to: str) -> Path:
        return self.root / f"{sender}-to-{to}"
