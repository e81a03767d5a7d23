"""The arguments of a masking, checked against its declaration before anything runs.

An error of DuckDB would abort the transaction that the caller has open, and lose what was done in it.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING

from sdc_sql.db.checks import is_number, told
from sdc_sql.db.macros import declared
from sdc_sql.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.db.catalogue import Declaration

NEVER_NEGATIVE = {"size", "spread", "variance", "bias"}
EITHER = {"rank_swap": "p"}  # what is left out where another argument of the method stands for it


@cache
def _declarations() -> dict[str, Declaration]:
    return {entry.name: entry for entry in declared()}


def check(macro: str, arguments: Mapping[str, object]) -> None:
    """Refuse a choice that is none, and a number that is none, NaN or infinite.

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
    sdc_sql.errors.ParameterError: variance is nan: it must be a finite number, at least 0.
    """
    entry = _declarations().get(f"sdc_{macro}")
    for p in entry.parameters if entry else ():
        if p.name not in arguments:
            continue
        value = arguments[p.name]
        if p.type == "choice" and p.choices and isinstance(value, str) and value not in p.choices:
            raise ParameterError(f"{p.name} is {told(value)}: it must be one of {', '.join(p.choices)}.")
        if p.type != "number" or (value is None and (p.default is not None or EITHER.get(macro) == p.name)):
            continue
        least = p.name in NEVER_NEGATIVE
        wrong = not is_number(value) or not math.isfinite(float(value))  # type: ignore[arg-type] # a number
        if wrong or (least and float(value) < 0):  # type: ignore[arg-type] # likewise
            raise ParameterError(
                f"{p.name} is {told(value)}: it must be a finite number{', at least 0' if least else ''}."
            )
