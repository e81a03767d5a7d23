"""One small change of a file of the project: what a slip of the hand would make of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Mutant:
    """What stands at a place of a file, and what is put there; what kind of slip it is."""

    file: str  # as in sql/risk/theta.sql
    start: int
    before: str
    after: str
    kind: str
    line: int

    def apply(self, text: str) -> str:
        """Return the text of the file with the change."""
        end = self.start + len(self.before)
        assert text[self.start : end] == self.before, f"{self}: the file is another one"
        return text[: self.start] + self.after + text[end:]

    def __str__(self) -> str:
        return f"{self.file}:{self.line} @{self.start} {self.kind}: {_short(self.before)} -> {_short(self.after)}"


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 60 else f"{flat[:40]} ... {flat[-15:]}"
