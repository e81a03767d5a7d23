"""How much a search may do: the cells it looks at are counted, and past a bound it stops."""

from __future__ import annotations

MOST_WORK = 100_000_000_000  # cells looked at: some minutes
MOST_BYTES = 2_000_000_000  # so much may be held between two sizes


class TooMuchWorkError(Exception):
    """The search has looked at, or holds, more than it may."""


class Work:
    """The cells that were looked at, and the bytes that are held."""

    def __init__(self, most: int) -> None:
        self.most, self.done, self.held = most, 0, 0

    def add(self, cells: int) -> None:
        """Count cells that are looked at."""
        self.done += cells
        if self.done > self.most:
            raise TooMuchWorkError

    def hold(self, size: int) -> None:
        """Count bytes that are held."""
        self.held += size
        if self.held > MOST_BYTES:
            raise TooMuchWorkError
