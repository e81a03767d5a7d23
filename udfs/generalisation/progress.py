"""How far a search has come, on a terminal."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from types import TracebackType

AFTER, EVERY = 2.0, 0.5  # seconds


class Progress:
    """Called with what is settled and all there is; says so on standard error, where that is a terminal."""

    def __init__(self, of: str = "generalisations") -> None:
        self.of = of
        self.next = time.monotonic() + AFTER
        self.said = False

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Wipe the line."""
        if self.said:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()

    def __call__(self, settled: int, every: int) -> None:
        """Say it, where it has taken long and was not said just now."""
        now = time.monotonic()
        if now < self.next:
            return
        self.next = now + EVERY
        if sys.stderr.isatty():
            self.said = True
            sys.stderr.write(f"\r{settled:,} of {every:,} {self.of} ({settled / every:.0%})")
            sys.stderr.flush()
