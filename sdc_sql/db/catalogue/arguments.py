"""The arguments of a masking, checked against its declaration before anything runs.

An error of DuckDB would abort the transaction that the caller has open, and lose what was done in it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeVar

from sdc_sql.db.catalogue.headers import NUMBERS
from sdc_sql.db.catalogue.macros import index_catalogue
from sdc_sql.db.checks import is_number, require_weight_number, text_for_message
from sdc_sql.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.db.catalogue.headers import Parameter

Choice = TypeVar("Choice", bound=str)
_WHOLE = 2**63  # a greater number is no whole number of DuckDB's


def check_arguments(macro: str, arguments: Mapping[str, object]) -> None:
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
    >>> check_arguments("massc", {"bias": 0.1, "variance": float("nan")})
    Traceback (most recent call last):
    sdc_sql.errors.ParameterError: variance is nan: it must be a finite number, at least 0 and below 1e150.
    """
    entry = index_catalogue().get(f"sdc_{macro}")
    for p in entry.parameters if entry else ():
        if p.name not in arguments:
            continue
        value = arguments[p.name]
        if value is None and p.default is not None and (p.default == "NULL" or not p.choices):
            continue
        if p.choices and value not in p.choices:
            raise ParameterError(f"{p.name} is {text_for_message(value)}: it must be one of {', '.join(p.choices)}.")
        if p.type.startswith("truth value") and any(v is not None and v not in (0, 1) for v in _list_values(value)):
            raise ParameterError(f"{p.name} is {text_for_message(value)}: it must be True or False.")
        if p.name == "weight" and is_number(value):
            require_weight_number(value)
        elif p.type in NUMBERS and not (p.type == "column or number" and isinstance(value, str)):
            _check_numbers(p, value)
        if p.range is not None and p.range.below in arguments:
            _check_upper_bound(p, value, arguments[p.range.below])


def require_number(macro: str, name: str, value: Any) -> Any:  # noqa: ANN401 - a whole number, or a float
    """Return a number that a macro takes, once it lies in the range that its header declares; None where none need be.

    Raises
    ------
    ParameterError
        Where it is none, or lies outside.

    Examples
    --------
    >>> require_number("k_anonymity", "k", 3)
    3
    >>> require_number("theta", "confidence", 1)
    Traceback (most recent call last):
    sdc_sql.errors.ParameterError: confidence is 1: it must be a finite number, strictly between 0 and 1.
    """
    (parameter,) = (p for p in index_catalogue()[f"sdc_{macro}"].parameters if p.name == name)
    if value is None and parameter.default == "NULL":
        return None
    _check_number(parameter, value)
    return int(value) if parameter.type == "whole number" else float(value)


def list_choices(macro: str, name: str) -> tuple[str, ...]:
    """Return the words that a macro takes for an argument, in the order of its header.

    Examples
    --------
    >>> list_choices("t_closeness", "distance")
    ('equal', 'ordered')
    """
    return next(p.choices for p in index_catalogue()[f"sdc_{macro}"].parameters if p.name == name)


def require_choice(macro: str, name: str, value: Choice) -> Choice:
    """Return a word that a macro takes.

    Raises
    ------
    ParameterError
        Where its header declares others.

    Examples
    --------
    >>> require_choice("t_closeness", "distance", "nearest")
    Traceback (most recent call last):
    sdc_sql.errors.ParameterError: distance is 'nearest': it must be one of equal, ordered.
    """
    known = list_choices(macro, name)
    if value not in known:
        raise ParameterError(f"{name} is {text_for_message(value)}: it must be one of {', '.join(known)}.")
    return value


def describe_wanted_number(parameter: Parameter, value: object) -> str | None:
    """Return what a number must be, where it is not: the same words in Python and of a release file.

    Examples
    --------
    >>> k = index_catalogue()["sdc_k_map"].parameters[-1]
    >>> describe_wanted_number(k, 1), describe_wanted_number(k, 2)
    ('a whole number of at least 2', None)
    """
    whole, within = parameter.type == "whole number", parameter.range
    right = is_number(value) and math.isfinite(float(value))  # type: ignore[arg-type] # a number
    if right and whole:
        right = value == int(value) and abs(int(value)) < _WHOLE  # type: ignore[call-overload] # a number
    if right and (within is None or float(value) in within):  # type: ignore[arg-type] # a number
        return None
    if whole:
        return f"a whole number{within.words_of_whole if within else ''}"
    return f"a finite number{f', {within.words}' if within and within.words else ''}"


def _check_numbers(parameter: Parameter, value: object) -> None:
    """Check a number, or each number of a list."""
    several = value if isinstance(value, list | tuple) and parameter.type.endswith("numbers") else [value]
    if parameter.type.endswith("numbers") and parameter.range is None and not parameter.or_null:
        return  # the macro checks more of them
    for one in several:
        if one is not None or not parameter.or_null:
            _check_number(parameter, one)


def _check_number(parameter: Parameter, value: object) -> None:
    if (must := describe_wanted_number(parameter, value)) is not None:
        raise ParameterError(f"{parameter.name} is {text_for_message(value)}: it must be {must}.")


def _check_upper_bound(parameter: Parameter, value: object, above: object) -> None:
    """Refuse a number that is not below another argument; of lists, compare those of each column."""
    low, high = _list_values(value), [v if is_number(v) else None for v in _list_values(above)]
    if len(low) > 1 < len(high) and len(low) != len(high):
        return  # the check of the columns refuses such lists
    other = parameter.range.below if parameter.range else ""
    for i in range(max(len(low), len(high))):
        one, bound = low[i % len(low)], high[i % len(high)]
        if one is not None and bound is not None and not float(one) < float(bound):  # type: ignore[arg-type] # numbers
            said = f"give a {parameter.name} bound below the {other} one"
            raise ParameterError(f"{parameter.name} is {one} and {other} {bound}: {said}.")


def _list_values(value: object) -> list[object]:
    return list(value) or [None] if isinstance(value, list | tuple) else [value]
