"""The risk or the loss of a candidate release: a figure of a measure by its name, ``theta.upper_bound``."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from sdc_sql.db.catalogue.macros import read_catalogue
from sdc_sql.db.checks import is_number, text_for_message
from sdc_sql.errors import ParameterError
from sdc_sql.figures.condition import list_named_figures
from sdc_sql.figures.given import name_figures as asked_by_name
from sdc_sql.figures.limits import collect_figures
from sdc_sql.figures.measured import Beside, measure_rows
from sdc_sql.methods import Methods

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.figures.asked import Asked
    from sdc_sql.figures.condition import Named

    Figure: TypeAlias = "str | tuple[str, Mapping[str, Any]]"

FORM = (
    "it must be a figure of a measure, as in 'theta.upper_bound' or 'k_anonymity.3.records', or such a name with the "
    "measure's arguments, as in ('il1.il1', {'columns': ['income']})"
)


def list_frontier_masks() -> set[str]:
    """Return the names of the methods that mask."""
    return {d.verb for d in read_catalogue() if d.masks and hasattr(Methods, d.verb)}


def resolve_figure(asked: Figure, role: str) -> tuple[Named, Asked]:
    """Return a figure as it is named, and its measure with the arguments; the lower must be the better.

    Examples
    --------
    >>> name, asked = resolve_figure("k_anonymity.3.records", "risk")
    >>> name.row, name.figure, asked.measure.name
    ('3', 'records', 'k_anonymity')
    """
    text, given = asked if isinstance(asked, tuple) and len(asked) == 2 else (asked, {})  # noqa: PLR2004 - a pair
    if not isinstance(text, str) or not isinstance(given, Mapping):
        raise ParameterError(f"{role} is {text_for_message(asked)}: {FORM}.")
    try:
        (name,) = list_named_figures(f"{text} <= 0")
    except ParameterError:
        raise ParameterError(f"{role} is {text_for_message(text)}: {FORM}.") from None
    try:
        found = asked_by_name({name.label: (name.label, dict(given))})[name.label]
        column = found.measure.figure(name.figure)
    except ParameterError as error:
        raise ParameterError(f"{role} is {text_for_message(text)}: {error}") from None
    if name.part or (name.row is not None and len(found.measure.by) != 1):
        raise ParameterError(f"{role} is {text_for_message(text)}: {FORM}.")
    if column.bears and not column.more:
        raise ParameterError(
            f"{role} is {text_for_message(text)}, of which a low value is {column.bears}: give a figure of which the "
            "lower is the better."
        )
    return name, found


def format_figure_name(asked: Figure, role: str) -> str:
    """Return a figure's name with its row, as limits write it: ``k_anonymity.3.records``."""
    name, _ = resolve_figure(asked, role)
    return ".".join(part for part in (name.label, name.row, name.figure) if part is not None)


def call_method(candidate: Methods, method: str, arguments: Mapping[str, Any]) -> Any:  # noqa: ANN401 - what it gives
    """Return what a method gives; an error where it does not take these arguments."""
    function = getattr(Methods, method)
    try:
        inspect.signature(function).bind(candidate, **arguments)
    except TypeError as e:
        takes = ", ".join(name for name in inspect.signature(function).parameters if name != "data")
        raise ParameterError(f"{method}: {e}; its arguments are {takes}.") from None
    return function(candidate, **arguments)


def find_coarsened_columns(steps: Iterable[tuple[str, Mapping[str, Any]]], keys: tuple[str, ...]) -> set[str]:
    """Return the columns, in small letters, whose released values stand for several original ones.

    Examples
    --------
    >>> find_coarsened_columns([("round", {"columns": "Age", "base": 5}), ("pram_retention", {"column": "sex"})], ())
    {'age'}
    """
    recoding = {d.verb for d in read_catalogue() if d.masks and d.effect.coarsens.kind != "no"}
    found: set[str] = set()
    for method, arguments in steps:
        if method in recoding:
            given = next((arguments[n] for n in ("columns", "column", "keys") if arguments.get(n)), keys)
            found |= {str(name).lower() for name in ([given] if isinstance(given, str) else given)}
    return found


def add_recoded_columns(asked: Figure, recoded: set[str], keys: tuple[str, ...]) -> Figure:
    """Return a figure with the columns that were recoded, where its measure takes them and they are not given."""
    text, given = asked if isinstance(asked, tuple) else (asked, {})
    _, found = resolve_figure(asked, "it")
    if "recoded" not in found.measure.arguments or "recoded" in given:
        return asked
    compared = given.get("columns") or given.get("keys") or keys
    own = [name for name in ([compared] if isinstance(compared, str) else compared) if str(name).lower() in recoded]
    return (text, {**given, "recoded": own}) if own else asked


def measure_figure(candidate: Methods, original: str, keys: tuple[str, ...], asked: Figure, role: str) -> float | None:
    """Return the figure of a candidate; a measure that compares is given the original and its keys.

    A measure with several rows gives the worst one by the direction of the figure, as for limits; a row is named as in
    ``il1.income.il1``.
    """
    name, found = resolve_figure(asked, role)
    k = {"k": int(name.row)} if name.row is not None and name.row.isdigit() else {}
    rows = measure_rows(found, candidate._roles, Beside(original, given=k, linked={"columns": [*keys]} if keys else {}))  # noqa: SLF001 - as its methods take them
    text = ".".join(part for part in (name.label, _quote_row(name.row), name.figure) if part)
    (value,) = collect_figures(f"{text} <= 0", {name.label: rows}, {name.label: found}).values()
    if value is not None and not is_number(value):
        raise ParameterError(f"{role}: {name.label}.{name.figure} is no number: {FORM}.")
    return None if value is None else float(value)


def _quote_row(row: str | None) -> str:
    return "" if row is None else '"' + row.replace('"', '""') + '"'
