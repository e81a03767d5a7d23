"""The arguments of a masking, checked against its declaration before anything runs.

An error of DuckDB would abort the transaction that the caller has open, and lose what was done in it.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING

from sdc_sql.db.checks import checked_weight, is_number, told
from sdc_sql.db.macros import declared
from sdc_sql.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sdc_sql.db.catalogue import Declaration

NUMBERS = ("number", "number or numbers", "whole number")
BOUNDS = ("lower", "upper")
BOUND = 1e150  # the squares of greater numbers are infinite
# What a number is, by the name of its argument, where that is the same of every method: whether it is, and in words.
RANGES: dict[str, tuple[Callable[[float], bool], str]] = {
    **dict.fromkeys(
        ("alpha", "size", "spread", "variance", "bias", "standard_deviation"),
        (lambda v: 0 <= v < BOUND, "at least 0 and below 1e150"),
    ),
    "p": (lambda v: 0 < v <= 100, "above 0 and at most 100 (percent)"),  # noqa: PLR2004 - percent
    "rate": (lambda v: 0 < v <= 1, "above 0 and at most 1"),
    "xi": (lambda v: 3 / 7 <= v < 1, "at least 3/7 and below 1"),
    **dict.fromkeys(
        ("keep_first", "drop_last", "dimension"), (lambda v: v >= 1 and v == int(v), "whole and at least 1")
    ),
    "classes": (lambda v: 2 <= v <= 1000 and v == int(v), "whole, at least 2 and at most 1,000"),  # noqa: PLR2004 - likewise
    "most_substituted": (lambda v: 0 <= v <= 1, "from 0 to 1"),
}


@cache
def _declarations() -> dict[str, Declaration]:
    return {entry.name: entry for entry in declared()}


def check(macro: str, arguments: Mapping[str, object]) -> None:
    """Refuse a choice or a number that is none, a number out of its range, and bounds the wrong way round.

    Parameters
    ----------
    macro
        The name without its prefix.
    arguments
        Those of its arguments that are given, by name.

    Raises
    ------
    ParameterError
        It names the argument, and says what it must be.

    Examples
    --------
    >>> check("massc", {"bias": 0.1, "variance": float("nan")})
    Traceback (most recent call last):
    sdc_sql.errors.ParameterError: variance is nan: it must be a finite number, at least 0 and below 1e150.
    """
    entry = _declarations().get(f"sdc_{macro}")
    for p in entry.parameters if entry else ():
        if p.name not in arguments:
            continue
        value = arguments[p.name]
        if value is None and p.default is not None and (p.default == "NULL" or not p.choices):
            continue
        if p.choices and value not in p.choices:
            raise ParameterError(f"{p.name} is {told(value)}: it must be one of {', '.join(p.choices)}.")
        if p.type.startswith("truth value") and any(v is not None and v not in (0, 1) for v in _each(value)):
            raise ParameterError(f"{p.name} is {told(value)}: it must be True or False.")
        if p.name == "weight" and is_number(value):
            checked_weight(value)
        if p.type not in NUMBERS or (p.type == "number or numbers" and p.name not in {*RANGES, *BOUNDS}):
            continue
        several = value if isinstance(value, list | tuple) and p.type == "number or numbers" else [value]
        for number in several:
            _check_number(p.name, number)
        if p.name == "upper" and p.type == "number or numbers":  # the lower one has been looked at
            _check_bounds(arguments)


def _check_number(name: str, value: object) -> None:
    fits, said = RANGES.get(name, (math.isfinite, ""))
    if value is None and name in {*BOUNDS, "p"}:  # no bound; of rank swapping the correlation
        return
    if not is_number(value) or not math.isfinite(float(value)) or not fits(float(value)):  # type: ignore[arg-type] # one
        raise ParameterError(f"{name} is {told(value)}: it must be a finite number{said and ', '}{said}.")


def _check_bounds(arguments: Mapping[str, object]) -> None:
    """Refuse a lower bound that is not below the upper one, of each column."""
    low, high = (_each(arguments.get(name)) for name in BOUNDS)
    if len(low) > 1 < len(high) and len(low) != len(high):
        return  # told of with the columns
    for i in range(max(len(low), len(high))):
        one, other = low[i % len(low)], high[i % len(high)]
        if one is not None and other is not None and not float(one) < float(other):  # type: ignore[arg-type] # numbers
            raise ParameterError(f"lower is {one} and upper {other}: give a lower bound below the upper one.")


def _each(value: object) -> list[object]:
    return list(value) or [None] if isinstance(value, list | tuple) else [value]
