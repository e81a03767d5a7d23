"""What was changed, in its order: each state of the release file, to go back to and forth again."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any


@dataclass
class History:
    """The states of a nested dict, each with what made it; the last one taken is ``now``."""

    now: dict[str, Any]
    _before: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    _after: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def add(self, what: str, after: dict[str, Any]) -> None:
        """Take a state; what was undone before it is gone."""
        self._before.append((what, self.now))
        self._after.clear()
        self.now = deepcopy(after)

    @property
    def to_undo(self) -> str | None:
        """What would be undone, in words."""
        return self._before[-1][0] if self._before else None

    @property
    def to_redo(self) -> str | None:
        """What would be done again, in words."""
        return self._after[-1][0] if self._after else None

    def undo(self) -> None:
        """Go one state back, where there is one.

        Examples
        --------
        >>> history = History({})
        >>> history.add("a title", {"title": "Persons"})
        >>> history.undo()
        >>> history.now, history.to_redo
        ({}, 'a title')
        >>> history.redo()
        >>> history.now, history.to_undo
        ({'title': 'Persons'}, 'a title')
        """
        if self._before:
            what, before = self._before.pop()
            self._after.append((what, self.now))
            self.now = before

    def redo(self) -> None:
        """Go one state forth, where one was undone."""
        if self._after:
            what, after = self._after.pop()
            self._before.append((what, self.now))
            self.now = after
