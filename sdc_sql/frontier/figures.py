"""A figure of a measure by its name, ``theta.upper_bound``: the risk or the loss of a candidate release."""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from sdc_sql.db.checks import is_number, told
from sdc_sql.db.macros import declared
from sdc_sql.db.results import Result
from sdc_sql.errors import ParameterError
from sdc_sql.methods import Methods

if TYPE_CHECKING:
    Figure: TypeAlias = "str | tuple[str, Mapping[str, Any]]"

FORM = (
    "it must be a figure of a measure, as in 'theta.upper_bound' or 'k_anonymity.3.records', or such a name with the "
    "measure's arguments, as in ('il1.il1', {'columns': ['income']})"
)


def masks() -> set[str]:
    """Return the names of the methods that mask."""
    return {d.verb for d in declared() if d.masks and hasattr(Methods, d.verb)}


def named(asked: Figure, role: str) -> tuple[str, str, dict[str, Any]]:
    """Return the measure, the figure and the arguments of what is asked; the k of k-anonymity is one.

    Examples
    --------
    >>> named("k_anonymity.3.records", "risk"), named(("suda_summary.records", {"max_msu": 2}), "risk")
    (('k_anonymity', 'records', {'k': 3}), ('suda_summary', 'records', {'max_msu': 2}))
    """
    name, given = asked if isinstance(asked, tuple) and len(asked) == 2 else (asked, {})  # noqa: PLR2004 - a pair
    if not isinstance(name, str) or not isinstance(given, Mapping):
        raise ParameterError(f"{role} is {told(asked)}: {FORM}.")
    measure, *rest = name.split(".")
    arguments = dict(given)
    if measure == "k_anonymity" and len(rest) == 2 and rest[0].isdigit():  # noqa: PLR2004 - k and figure
        arguments["k"] = int(rest.pop(0))
    there = {d.verb for d in declared() if d.is_table and hasattr(Methods, d.verb)} - masks()
    if len(rest) != 1 or measure not in there:
        raise ParameterError(f"{role} is {told(name)}: {FORM}; the measures are the methods of Microdata.")
    return measure, rest[0], arguments


def called(candidate: Methods, method: str, arguments: Mapping[str, Any]) -> Any:  # noqa: ANN401 - what it gives
    """Return what a method gives; an error where it does not take these arguments."""
    function = getattr(Methods, method)
    try:
        inspect.signature(function).bind(candidate, **arguments)
    except TypeError as e:
        takes = ", ".join(name for name in inspect.signature(function).parameters if name != "data")
        raise ParameterError(f"{method}: {e}; its arguments are {takes}.") from None
    return function(candidate, **arguments)


def figure(candidate: Methods, original: str, keys: tuple[str, ...], asked: Figure, role: str) -> float | None:
    """Return the figure of a candidate; a measure that compares is given the original and its keys.

    Of a measure with several rows it is the one of all together, which stands first, where it compares with the
    original, and the highest of them otherwise.
    """
    measure, name, arguments = named(asked, role)
    wanted = inspect.signature(getattr(Methods, measure)).parameters
    compares = "original" in wanted
    if compares:
        arguments.setdefault("original", original)
    if compares and "columns" in wanted and keys:
        arguments.setdefault("columns", keys)
    found = called(candidate, measure, arguments)
    rows = [found] if isinstance(found, Result) else list(found) if isinstance(found, list) else []
    if "k" in arguments:  # k-anonymity counts for every k up to it
        rows = [row for row in rows if getattr(row, "k", arguments["k"]) == arguments["k"]]
    if not rows or not all(isinstance(row, Result) for row in rows):
        raise ParameterError(f"{role}: {measure} gives no figure of the file: {FORM}.")
    if name not in rows[0].to_dict():
        raise ParameterError(f"{role}: {measure} has no figure {name}; it has {', '.join(rows[0].to_dict())}.")
    figures = [getattr(row, name) for row in (rows[:1] if compares else rows)]
    if any(value is not None and not is_number(value) for value in figures):
        raise ParameterError(f"{role}: {measure}.{name} is no number: {FORM}.")
    return None if None in figures else float(max(figures, key=lambda f: (math.isnan(f), f)))
