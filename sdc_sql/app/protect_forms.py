"""The form of a step: its method, what it masks and its arguments, all from the header of the method.

A form is what the fields hold, texts by the names of the fields; ``make_step`` makes of it a step as a release file
writes it, and ``fill_form`` the form of a step again.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from sdc_sql.app.protect_words import describe_argument, name_step
from sdc_sql.db.catalogue.macros import read_catalogue
from sdc_sql.errors import ParameterError
from sdc_sql.release.reading.step_fields import LEFT_OUT, find_target, list_own_parameters
from sdc_sql.session.toml import format_toml_value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sdc_sql.db.catalogue.functions import Declaration
    from sdc_sql.db.catalogue.headers import Parameter

# a run fills these in
_FILLED = ("stream", "release", "ghosts", "subset")
_LISTS = ("columns", "names", "numbers", "values")
_EITHER = ("number or numbers", "truth value or truth values")
_WRITTEN = ("levels", "lists of columns", "combinations")  # these are lists within lists, as TOML writes them
NUMBERS = ("number", "whole number")
# (an argument of several methods is called method)
METHOD, TARGET, SCENARIO, WHERE, HOUSEHOLD = "mask", "columns", "scenario", "where", "by_household"


@dataclass(frozen=True)
class Kind:
    """A kind of methods, by what their headers say that they do to a file."""

    name: str
    words: str
    methods: tuple[Declaration, ...]


@cache
def list_kinds() -> tuple[Kind, ...]:
    """Return the methods by kind.

    Examples
    --------
    >>> [(kind.name, kind.methods[-1].name) for kind in list_kinds()][:2]
    [('coarser', 'sdc_top_bottom_code'), ('suppressed', 'sdc_suppress_risky')]
    """
    every = [d for d in read_catalogue() if d.is_step and d.verb not in LEFT_OUT]
    found: dict[str, list[Declaration]] = {name: [] for name in _KINDS}
    for mask in every:
        found[_find_kind(mask)].append(mask)
    return tuple(Kind(name, words, tuple(found[name])) for name, words in _KINDS.items() if found[name])


_KINDS = {
    "coarser": "Make values coarser",
    "suppressed": "Take values out",
    "categories": "Change categories at random",
    "numbers": "Change numbers",
    "records": "Leave records or columns out",
    "anew": "Exchange values, or draw them anew",
}


def _find_kind(mask: Declaration) -> str:
    effect = mask.effect
    if effect.coarsens.kind != "no":
        return "coarser"
    if effect.suppresses.kind != "nothing":
        return "suppressed"
    if effect.matrix.kind in {"logged", "by retention", "withheld"} and mask.masks:
        return "categories"
    if effect.records.kind != "stay" or not mask.masks:
        return "records"
    return "numbers" if effect.values.kind == "numbers" else "anew"


def find_method(name: str) -> Declaration:
    """Return a method by the name of its macro.

    Raises
    ------
    ParameterError
        Where there is none of that name.
    """
    for kind in list_kinds():
        for mask in kind.methods:
            if mask.name == name:
                return mask
    raise ParameterError(f"There is no method {name}: choose one of the list.")


def list_fields(mask: Declaration) -> list[Parameter]:
    """Return the arguments that a person gives, those that a method cannot do without first.

    Examples
    --------
    >>> [field.name for field in list_fields(find_method("sdc_recode_intervals"))]
    ['breaks', 'ends', 'labels']
    """
    own = [p for p in list_own_parameters(mask) if p.name not in _FILLED]
    return sorted(own, key=lambda p: p.default is not None)


def takes_several(mask: Declaration) -> bool:
    """Return whether a method masks several columns together, or each of several; False: one column."""
    return find_target(mask.verb) in {"columns", "keys"}


def takes_keys(mask: Declaration) -> bool:
    """Return whether a method masks the keys of a scenario."""
    return find_target(mask.verb) == "keys"


def make_step(form: Mapping[str, Any]) -> dict[str, Any]:
    """Return the step of a form, as a release file writes it.

    Raises
    ------
    ParameterError
        Where a field cannot be read; its place (``protect-base``) stands before the message.

    Examples
    --------
    >>> make_step({"mask": "sdc_recode_intervals", "columns": ["age"], "breaks": "20, 40", "ends": "open"})
    {'mask': 'recode', 'column': 'age', 'breaks': [20, 40], 'ends': 'open'}
    """
    mask = find_method(str(form.get(METHOD)))
    step: dict[str, Any] = {"mask": mask.verb, **_read_target(mask, form)}
    for parameter in list_fields(mask):
        value = _read_field(parameter, form.get(parameter.name))
        if value is None and parameter.default is None:
            raise ParameterError(f"{parameter.name}: it is not given yet: {parameter.meaning}.")
        if value is not None and not _is_default(parameter, value):
            step[parameter.name] = value
    if mask.switch:
        step[mask.switch] = True
    for name in (WHERE, HOUSEHOLD):
        if form.get(name):
            step[name] = str(form[name])
    return step


def _read_target(mask: Declaration, form: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is masked, as the step says it."""
    target = find_target(mask.verb)
    columns = [str(name) for name in form.get(TARGET) or ()]
    if target is None:
        return {}
    if takes_keys(mask) and form.get(SCENARIO):
        return {"scenario": str(form[SCENARIO])}
    if target == "column" and len(columns) != 1:
        raise ParameterError("column: choose the column that is masked.")
    if not columns:
        what = "keys" if takes_keys(mask) else "columns"
        raise ParameterError(f"{what}: choose the {what} that are masked.")
    return {target: columns[0] if target == "column" else columns}


def _read_field(parameter: Parameter, given: Any) -> Any:  # noqa: ANN401 - of a page
    """Return the value of a field as TOML has it; None where it is empty."""
    if given is None or given in ("", []):
        return None
    kind = parameter.type
    if isinstance(given, bool) or kind == "truth value":
        return given in {True, "true", "True", "on"}
    if kind in _WRITTEN or (kind != "text" and str(given).lstrip()[:1] in {"{", "["}):
        return _read_toml(parameter.name, str(given))
    several = kind in _LISTS or (kind in _EITHER and "," in str(given))
    if not several:
        return _read_one(parameter, str(given).strip())
    parts = given if isinstance(given, list) else str(given).split(",")
    return [_read_one(parameter, str(part).strip()) for part in parts if str(part).strip()]


def _read_toml(name: str, text: str) -> Any:  # noqa: ANN401 - of a page
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (tomllib.TOMLDecodeError, KeyError, RecursionError):
        raise ParameterError(f'{name}: it cannot be read: write a list as [["a", "b"], ["c"]].') from None


def _read_one(parameter: Parameter, text: str) -> Any:  # noqa: ANN401 - a number or a text
    kind = parameter.type
    if kind in {*NUMBERS, "numbers", "number or numbers"}:
        found = read_number(text)
        if found is None:
            raise ParameterError(f"{parameter.name}: it is {text!r}: give a number, with a point before decimals.")
        return found
    if kind in {"column or number", "value", "values"}:
        found = read_number(text)
        return text if found is None else found
    if kind.startswith("truth value"):
        return text.lower() == "true"
    return text


def read_number(text: str) -> int | float | None:
    """Return the number that a text is, a whole one where it is written as such; None where it is none."""
    try:
        return int(text)
    except ValueError:
        pass
    try:
        found = float(text)
    except ValueError:
        return None
    return found if abs(found) < float("inf") else None


def _is_default(parameter: Parameter, value: object) -> bool:
    return parameter.default is not None and str(parameter.default).strip("'") == str(value)


def fill_form(step: Mapping[str, Any]) -> dict[str, Any]:
    """Return the form of a step, to be edited.

    Examples
    --------
    >>> fill_form({"mask": "recode", "column": "age", "breaks": [20, 40], "ends": "open"})["breaks"]
    '20, 40'
    """
    mask = _find_fitting(step)
    if mask is None:
        raise ParameterError("This step has a form that the page does not know: change it in the release file.")
    columns: Any = next((step[name] for name in ("columns", "column", "keys") if name in step), [])
    form: dict[str, Any] = {METHOD: mask.name, TARGET: [columns] if isinstance(columns, str) else list(columns)}
    form |= {name: step[name] for name in (SCENARIO, WHERE, HOUSEHOLD) if name in step}
    for parameter in list_fields(mask):
        if parameter.name in step:
            value = step[parameter.name]
            flat = isinstance(value, list) and not any(isinstance(one, list) for one in value)
            form[parameter.name] = ", ".join(map(str, value)) if flat else _write_field(value)
    return form


def _write_field(value: Any) -> Any:  # noqa: ANN401 - of a release file
    if isinstance(value, bool):
        return value
    if isinstance(value, dict | list):
        return format_toml_value(value)
    return str(value)


def _find_fitting(step: Mapping[str, Any]) -> Declaration | None:
    """Return the method whose form a step has, or None."""
    every = (mask for kind in list_kinds() for mask in kind.methods if mask.verb == step.get("mask"))
    return next((mask for mask in every if _fits(mask, step)), None)


def _fits(mask: Declaration, step: Mapping[str, Any]) -> bool:
    needed = {p.name for p in list_own_parameters(mask) if p.default is None}
    known = {p.name for p in list_own_parameters(mask)} | {
        "mask", "column", "columns", "keys", SCENARIO, WHERE, HOUSEHOLD, "unit", "household", "household_columns",
    }  # fmt: skip
    known |= {mask.switch} if mask.switch else set()
    return needed <= {*step} and {*step} <= known and bool(mask.switch and step.get(mask.switch)) == bool(mask.switch)


def describe_step(step: Mapping[str, Any]) -> tuple[str, str]:
    """Return a step in words: what it does to which columns, and its arguments.

    Examples
    --------
    >>> describe_step({"mask": "recode", "column": "age", "breaks": [20, 40], "ends": "open"})
    ('Recode age into intervals', 'cut points 20 and 40; open at both ends')
    >>> describe_step({"mask": "local_suppression", "scenario": "neighbour", "k": 3})
    ('Local suppression of the keys of neighbour', 'k: 3')
    """
    columns: Any = next((step[name] for name in ("columns", "column", "keys") if name in step), [])
    named = [columns] if isinstance(columns, str) else [*columns]
    of = ", ".join(map(str, named)) or (f"the keys of {step['scenario']}" if "scenario" in step else "")
    mask = _find_fitting(step)
    verb = str(step.get("mask", "")).replace("_", " ")
    words = name_step(mask, of) if mask is not None else f"{verb[:1].upper()}{verb[1:]}: {of}".rstrip(": ")
    said = [
        describe_argument(name, value)
        for name, value in step.items()
        if name not in {"mask", "column", "columns", "keys", "scenario", mask.switch if mask else None}
    ]
    return words, "; ".join(said)


def order_columns(columns: Sequence[str], numbers: set[str], mask: Declaration) -> list[str]:
    """Return the columns that a method is likely for first: numbers, where it masks numbers."""
    if mask.effect.values.kind != "numbers":
        return [*columns]
    return sorted(columns, key=lambda name: name not in numbers)
