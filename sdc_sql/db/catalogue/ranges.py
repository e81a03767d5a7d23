"""The range of a number, as a header writes it beside the type: ``number in (0, 1]``, ``whole number in [2, ...)``."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction

_END = r"-?\d+(?:\.\d+)?(?:e-?\d+)?(?:/\d+)?"
FORM = re.compile(rf"(?P<from>[\[(])(?P<low>{_END}|\.\.\.), (?P<high>{_END}|\.\.\.|[a-z_]+)(?P<to>[\])])")
_OPEN = "..."


@dataclass(frozen=True)
class Range:
    """The ends between which a number lies, as they are written, and whether each belongs to the range.

    ``below`` is the parameter that the number is below, where the header names one in the place of an upper end.
    """

    text: str
    low: float = -math.inf
    high: float = math.inf
    with_low: bool = False
    with_high: bool = False
    below: str = ""

    def __contains__(self, value: float) -> bool:
        """Return whether a number lies in it; that of another parameter is looked at with this one.

        Examples
        --------
        >>> xi = parse_range("[3/7, 1)")
        >>> 3 / 7 in xi, 0.4 in xi, 1 in xi
        (True, False, False)
        """
        above = value >= self.low if self.with_low else value > self.low
        return above and (value <= self.high if self.with_high else value < self.high)

    @property
    def words(self) -> str:
        """The range in words, '' where it has no end that is a number.

        Examples
        --------
        >>> parse_range("(0, 1]").words, parse_range("[0, 1]").words
        ('above 0 and at most 1', 'from 0 to 1')
        >>> parse_range("(0, 1)").words, parse_range("[2, ...)").words
        ('strictly between 0 and 1', 'at least 2')
        """
        low, high = (_group_digits(end) for end in self.text[1:-1].split(", "))
        if high == _OPEN or self.below:
            return "" if low == _OPEN else f"{'at least' if self.with_low else 'above'} {low}"
        if low == _OPEN:
            return f"{'at most' if self.with_high else 'below'} {high}"
        if self.with_low == self.with_high:
            return f"from {low} to {high}" if self.with_low else f"strictly between {low} and {high}"
        return f"{'at least' if self.with_low else 'above'} {low} and {'at most' if self.with_high else 'below'} {high}"

    @property
    def words_of_whole(self) -> str:
        """The range of a whole number in words.

        Examples
        --------
        >>> parse_range("[2, ...)").words_of_whole, parse_range("[2, 1000]").words_of_whole
        (' of at least 2', ' of at least 2 (and at most 1,000)')
        """
        low, high = (_group_digits(end) for end in self.text[1:-1].split(", "))
        return f" of at least {low}" + ("" if high == _OPEN else f" (and at most {high})")


def parse_range(text: str) -> Range | None:
    """Return a range as it is written, None where it cannot be read, or holds no number."""
    found = FORM.fullmatch(text)
    if not found:
        return None
    low, high = found["low"], found["high"]
    below = "" if high == _OPEN or not high.islower() or high[0].isdigit() else high
    ends = (
        -math.inf if low == _OPEN else _parse_number(low),
        math.inf if high == _OPEN or below else _parse_number(high),
    )
    closed = found["from"] == "[", found["to"] == "]"
    if ends[0] > ends[1] or any(c and math.isinf(end) for c, end in zip(closed, ends, strict=True)):
        return None
    return Range(text, *ends, *closed, below)


def _parse_number(text: str) -> float:
    return float(Fraction(text))


def _group_digits(end: str) -> str:
    return f"{int(end):,}" if end.isdigit() else end
