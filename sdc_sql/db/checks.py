"""Arguments that are numbers or one of a few words, checked in one place with one form of message."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

from sdc_sql.errors import ParameterError, WeightError

SMALL_WEIGHTS = ("error", "at_least_one")


def is_number(value: object) -> bool:
    """Return whether a value is a number (True and False are not).

    Examples
    --------
    >>> is_number(0.5), is_number(True), is_number("0.5")
    (True, False, False)
    """
    return isinstance(value, Real | Decimal) and not isinstance(value, bool)


def text_for_message(value: object) -> str:
    """Return how a message shows an argument: a text or a number as it is, and anything else by its kind alone.

    A table or a list of values that is given for a name would otherwise stand in the message, record by record.

    Examples
    --------
    >>> text_for_message("age"), text_for_message(0.5), text_for_message(None), text_for_message([1,
    ...     2]), text_for_message({"a": 1})
    ("'age'", '0.5', 'None', 'a list of 2', 'a dict of 1')
    """
    if isinstance(value, str):
        return repr(value) if len(value) <= 100 else f"a text of {len(value):,} characters"  # noqa: PLR2004 - no name
    if value is None or isinstance(value, int | float | complex | Decimal | date):
        return repr(value)
    of = f" of {len(value):,}" if isinstance(value, list | tuple | set | dict) else ""
    return f"a {type(value).__name__}{of}"


def require_fraction(value: object, name: str) -> float:
    """Return a number strictly between 0 and 1, as a float.

    Raises
    ------
    ParameterError
        Where it is anything else.

    Examples
    --------
    >>> require_fraction(0.25, "confidence")
    0.25
    """
    if isinstance(value, Real | Decimal) and is_number(value) and 0 < float(value) < 1:
        return float(value)
    raise ParameterError(
        f"The {name} is {text_for_message(value)}: it must be a number and must lie strictly between 0 and 1."
    )


def require_positive(value: object, name: str) -> float:
    """Return a positive and finite number, as a float.

    Raises
    ------
    ParameterError
        Where it is anything else.

    Examples
    --------
    >>> require_positive(2, "c")
    2.0
    """
    if isinstance(value, Real | Decimal) and is_number(value) and 0 < float(value) < math.inf:
        return float(value)
    raise ParameterError(f"{name} is {text_for_message(value)}: it must be a positive and finite number.")


def require_flag(value: object, name: str) -> bool:
    """Return True or False.

    Raises
    ------
    ParameterError
        Where it is anything else: text and None would silently count as one of the two.

    Examples
    --------
    >>> require_flag(False, "inclusive")
    False
    """
    if isinstance(value, bool):
        return value
    raise ParameterError(f"{name} is {text_for_message(value)}: it must be True or False.")


def require_weight_number(value: object) -> float:
    """Return a number that every record weighs.

    Raises
    ------
    WeightError
        Where it is not positive and finite, of a size whose sums are exact.

    Examples
    --------
    >>> require_weight_number(12.5)
    12.5
    """
    if is_number(value) and 1e-9 <= float(value) <= 1e15:  # type: ignore[arg-type]  # noqa: PLR2004 - sql/core/checks.sql
        return float(value)  # type: ignore[arg-type] # a number
    raise WeightError(f"The weight is {text_for_message(value)}: it must be positive and finite, from 1e-9 to 1e15.")


def require_thresholds(threshold: Any) -> Any:  # noqa: ANN401 - as it is given, a list for a sequence
    """Return a threshold, or a list of one for each dimension (None: not checked).

    Raises
    ------
    ParameterError
        Where there is none, or one is no positive number.

    Examples
    --------
    >>> require_thresholds(100), require_thresholds((None, 50))
    (100, [None, 50])
    """
    listed = threshold if isinstance(threshold, Sequence) and not isinstance(threshold, str) else [threshold]
    some = [t for t in listed if t is not None]
    if not some or not all(is_number(t) and 0 < float(t) < math.inf for t in some):
        raise ParameterError(
            f"The threshold is {text_for_message(threshold)}: it must be a positive number, or a list of them, one for "
            "each "
            "dimension (None: not checked)."
        )
    return list(threshold) if isinstance(threshold, Sequence) else threshold


def require_whole_number(value: object, name: str, *, least: int, most: int = 1_000_000) -> int:
    """Return a whole number from a range, as an int.

    Raises
    ------
    ParameterError
        Where it is anything else.

    Examples
    --------
    >>> require_whole_number(3, "k", least=2)
    3
    """
    if isinstance(value, Integral) and is_number(value) and least <= int(value) <= most:
        return int(value)
    raise ParameterError(
        f"{name} is {text_for_message(value)}: it must be a whole number of at least {least} (and at most {most:,})."
    )


def require_small_weights(given: str) -> str:
    """Return what a cell whose weights sum to less than its records is, once checked.

    Raises
    ------
    ParameterError
        Where it is none of SMALL_WEIGHTS.
    """
    if given not in SMALL_WEIGHTS:
        raise ParameterError(
            f"small_weights is {text_for_message(given)}: it must be one of {', '.join(SMALL_WEIGHTS)}."
        )
    return given
