"""A comparison of one figure: what the source or the peer says, what we say, and who is right where they differ."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

Judgement = Literal["", "wrong there", "wrong here", "another question"]


@dataclass(frozen=True)
class Case:
    """One figure by its function, from one source.

    theirs, ours: the two figures; tolerance: how far apart they may be, absolutely, and why where that is more than
    the last digit. A case that is declared to differ has a judgement, what it rests on, and an independent figure:
    of "wrong there" it is ours by another way, of "wrong here" theirs, of "another question" theirs by our macros or by
    hand, asked their question.
    """

    function: str
    figure: str
    data: str
    source: str
    call: str
    theirs: float
    ours: float
    tolerance: float
    why: str = ""
    judgement: Judgement = ""
    independent: float | None = None
    independently: str = ""

    @property
    def agrees(self) -> bool:
        """Whether the two are within the tolerance."""
        return _is_near(self.theirs, self.ours, self.tolerance)

    @property
    def is_proven(self) -> bool:
        """Whether what is said of the case is so: they agree, or they differ and the independent figure tells why."""
        if not self.judgement:
            return self.agrees
        meant = self.ours if self.judgement == "wrong there" else self.theirs
        told = self.independent is not None and _is_near(self.independent, meant, self.tolerance)
        return told and not self.agrees and bool(self.why) and bool(self.independently)


def _is_near(a: float, b: float, tolerance: float) -> bool:
    return a == b or abs(a - b) <= tolerance  # two infinite ones are equal


def printed(text: str) -> tuple[float, float]:
    """Return a figure as it is printed, and half a unit of its last digit.

    Examples
    --------
    >>> printed("0.789")
    (0.789, 0.0005)
    """
    figure = Decimal(text)
    return float(figure), float(Decimal((0, (5,), int(figure.as_tuple().exponent) - 1)))


def within(theirs: float, share: float) -> float:
    """Return a tolerance that is a share of a figure, and for 0 the share itself."""
    return abs(theirs) * share or share
