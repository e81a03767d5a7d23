"""Results that can be drawn: the list of them, with its picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from sdc_sql.db.showing.results import Result, Results

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sdc_sql.pictures.picture import Picture

Kind = TypeVar("Kind", bound=Result)


class DrawnResults(Results[Kind]):
    """A list of results of one kind that is drawn by ``plot``.

    Examples
    --------
    >>> import sdc_sql
    >>> found = sdc_sql.example().risk.suda_contributions()
    >>> found[0].variable, found.plot().title
    ('age', 'SUDA: due to each key, per cent of the total score')
    """

    def __init__(self, found: Iterable[Kind], draw: Callable[[Iterable[Result]], Picture]) -> None:
        super().__init__(found)
        self._draw = draw

    def plot(self) -> Picture:
        """Return the picture, which a notebook shows; its ``write`` makes a file of it."""
        return self._draw(self)
