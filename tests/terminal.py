"""A program at a real terminal: Python's own pseudo-terminal, or tmux where it is installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
import uuid
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PATIENCE = 60  # seconds, on a machine that is busy
_ESCAPES = re.compile(r"\x1b(\[[0-9;?]*[a-zA-Z]|\][^\x07]*\x07|[=>])")


class Pty:
    """A program at a pseudo-terminal of 140 columns."""

    def __init__(self, command: Sequence[str], env: dict[str, str]) -> None:
        import fcntl  # noqa: PLC0415 - Unix only
        import pty  # noqa: PLC0415
        import struct  # noqa: PLC0415
        import termios  # noqa: PLC0415

        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 140, 0, 0))
        # a session whose controlling terminal this is, so that Ctrl-C is a signal (here it may be ignored)
        launch = (
            "import fcntl, os, signal, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0);"
            "signal.signal(signal.SIGINT, signal.SIG_DFL); signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT});"
            "os.execvp(sys.argv[1], sys.argv[1:])"
        )
        self.process = subprocess.Popen(
            [sys.executable, "-c", launch, *command],
            stdin=slave, stdout=slave, stderr=slave, env=env, start_new_session=True,
        )  # fmt: skip
        os.close(slave)
        self.master = master
        self.shown = ""

    def type(self, text: str) -> None:
        os.write(self.master, text.encode())

    def until(self, wanted: str) -> str:
        """Return what was shown up to a text, and forget it."""
        import select  # noqa: PLC0415

        end = time.monotonic() + PATIENCE
        while wanted not in self.shown:
            assert time.monotonic() < end, f"{wanted!r} was not shown, but {self.shown!r}"
            if select.select([self.master], [], [], 0.2)[0]:
                try:
                    more = os.read(self.master, 65536).decode(errors="replace")
                except OSError:
                    more = ""
                assert more, f"it ended before {wanted!r} was shown: {self.shown!r}"
                self.shown += _ESCAPES.sub("", more).replace("\r", "")
        before, _, self.shown = self.shown.partition(wanted)
        return before + wanted

    def ends(self) -> int:
        """Return the exit code; what is still to be shown is read, or the program could not end."""
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < end:
            try:
                self.until("what nobody prints")
            except (AssertionError, OSError):
                time.sleep(0.05)
        return self.process.wait(PATIENCE)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.master)


class Tmux:
    """A program in a tmux server of our own."""

    def __init__(self, command: Sequence[str], env: dict[str, str]) -> None:
        self.name = f"sdc-{uuid.uuid4().hex[:12]}"
        self._tmux("new-session", "-d", "-x", "140", "-y", "100", *command, env=env)

    def _tmux(self, *arguments: str, env: dict[str, str] | None = None) -> str:
        done = subprocess.run(
            ["tmux", "-L", self.name, "-f", "/dev/null", *arguments],
            capture_output=True, text=True, check=True, timeout=PATIENCE, env=env,
        )  # fmt: skip
        return done.stdout

    def type(self, text: str) -> None:
        for part in re.split(r"([\n\t\x03\x04])", text):
            if part:
                key = {"\n": "Enter", "\t": "Tab", "\x03": "C-c", "\x04": "C-d"}.get(part)
                literal = f"{part[:-1]}\\;" if part.endswith(";") else part  # a last ; would be tmux's own
                self._tmux("send-keys", *([key] if key else ["-l", literal]))

    def until(self, wanted: str) -> str:
        """Return the screen once it ends in a text."""
        end = time.monotonic() + PATIENCE
        while not (screen := self._tmux("capture-pane", "-p").rstrip()).endswith(wanted.rstrip()):
            assert time.monotonic() < end, f"{wanted!r} was not shown, but {screen!r}"
            time.sleep(0.1)
        return screen

    def close(self) -> None:
        subprocess.run(["tmux", "-L", self.name, "kill-server"], capture_output=True, check=False)


def has(kind: type) -> bool:
    return shutil.which("tmux") is not None if kind is Tmux else sys.platform != "win32"


def opened(kind: type, command: Sequence[str], **environment: str) -> Iterator[Pty | Tmux]:
    """Yield a program at a terminal; skip where there is no such terminal."""
    if not has(kind):
        pytest.skip(f"no {kind.__name__.lower()} here: the other terminal is driven")
    env = {**os.environ, "TERM": "xterm" if kind is Pty else "screen", **environment}
    for name in ("SDC_KEY", "COLUMNS", "LINES"):  # the size is the terminal's
        env.pop(name, None)
    terminal = kind(command, env)
    try:
        yield terminal
    finally:
        terminal.close()
