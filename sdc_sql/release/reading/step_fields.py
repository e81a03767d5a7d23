"""The steps of a release file, checked against what the headers of the SQL files declare of each method."""

from __future__ import annotations

import inspect
import json
from functools import cache
from typing import TYPE_CHECKING, Any

from sdc_sql import methods
from sdc_sql.db.catalogue.macros import index_former_names, read_catalogue
from sdc_sql.db.checks import text_for_message
from sdc_sql.db.masking.subset import resolve_condition
from sdc_sql.db.table import Table
from sdc_sql.errors import InputError
from sdc_sql.mask.at_risk import find_figure
from sdc_sql.mask.columns import is_numeric_mask
from sdc_sql.release.reading import step_values
from sdc_sql.release.reading.plan import ORIGINAL, Step
from sdc_sql.release.reading.problems import hint_nearest

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sdc_sql.db.catalogue.functions import Declaration
    from sdc_sql.db.catalogue.headers import Parameter
    from sdc_sql.release.reading.fields import Reading
    from sdc_sql.release.reading.plan import RolesOfColumns, Scenario

TARGETS = ("columns", "column", "keys")
# any step that masks may have these: which records, and whether households are one record each
ASIDE = ("where", "by_household")
CONDITIONS = ("subset", "drawn")
LEFT_OUT = ("renumber",)  # these masks are no step of a release file
_OF_TARGET = {"column_name": "column"}  # verbs call an argument of the macros so
# what a mask asks for besides its table, and a step does not say; what it compares with is what was read
_NOT_OWN = {"tbl", "id", "original", "columns", "column_name", "keys"}


@cache
def index_methods() -> dict[str, list[Declaration]]:
    """Return the masks by the name that a step gives: that of the verb, of the command and of the macro."""
    found: dict[str, list[Declaration]] = {}
    for mask in read_catalogue():
        if mask.is_step:
            found.setdefault(mask.verb, []).append(mask)
    return found


def _current(name: str, fields: Collection[str]) -> str:
    """Return what a mask is called that a step names in the form of an earlier version."""
    name = name.replace("-", "_")
    name = index_former_names().get(name, name)
    if any(_list_needed(mask) <= {*fields} for mask in index_methods().get(name, [])):
        return name
    for other, masks in index_methods().items():  # `pram` with a retention
        if other.startswith(f"{name}_") and any(_list_needed(mask) <= {*fields} for mask in masks):
            return other
    return name


def _list_needed(mask: Declaration) -> set[str]:
    return {p.name for p in list_own_parameters(mask) if p.default is None}


def _bring_into_form(reading: Reading, path: str, row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a step whose mask is named as it is now; the form of earlier versions goes to the problems."""
    given = row.get("mask", row.get("method"))
    if not isinstance(given, str):
        return row
    now = _current(given, row.keys())
    if ("mask" in row and now == given) or now not in index_methods():
        return row
    name = "mask" if "mask" in row else "method"
    said = f"{name} = {json.dumps(given)} is of versions before 0.2.0: write mask = {json.dumps(now)}."
    reading.problems.add(f"{path}.{name}", said)
    return {n: v for n, v in row.items() if n != name} | {"mask": now}


def read_steps(
    reading: Reading,
    rows: Sequence[Mapping[str, Any]],
    roles: RolesOfColumns,
    scenarios: Sequence[Scenario],
    *,
    added: Sequence[tuple[str, Mapping[str, Any]]] = (),
    at: str = "steps",
) -> list[Step]:
    """Return the steps at a place of the file, after those that a ruleset adds; errors go to the problems."""
    found = []
    missing = (
        "roles.id: it is missing: masking finds each record by its id. To a file without one add it: COPY (SELECT "
        "row_number() OVER () AS record, * FROM 'survey.parquet') TO 'numbered.parquet'."
    )
    without = roles.id is None and "id" not in reading.said.get("roles", {})
    if (rows or added) and without and missing not in reading.problems.found:
        reading.problems.found.append(missing)
    gone: dict[str, str] = {}
    for path, row in [*added, *((f"{at}[{i}]", row) for i, row in enumerate(rows))]:
        before = len(reading.problems.found)
        step = _read_step(reading, path, row, scenarios, roles)
        if step is None:
            continue
        _check_still_there(reading, step, gone)
        if step.verb == "drop_identifiers":
            _note_dropped_columns(reading, step, gone, roles, scenarios)
        if len(reading.problems.found) == before:
            found.append(step)
    _ghosts_too(reading, found, roles)
    return found


def _ghosts_too(reading: Reading, steps: Sequence[Step], roles: RolesOfColumns) -> None:
    """Refuse a step that changes a key whose ghost stays as it is: the ghost gives the original back."""
    changed = {column for step in steps if not step.suppresses for column in step.columns}
    for step in steps:
        left = {ghost for key in step.columns for ghost in roles.ghosts.get(key, ())} - changed
        if left and not step.suppresses:
            names = ", ".join(sorted(left))
            why = "would stay as it is, a ghost that tells the original: drop it (roles.identifiers), or mask it too."
            reading.problems.add(step.path, f"{names} {why}")


def _note_dropped_columns(
    reading: Reading, step: Step, gone: dict[str, str], roles: RolesOfColumns, scenarios: Sequence[Scenario]
) -> None:
    named = (roles.weight, roles.sampling_fraction, roles.household, roles.id, *roles.strata, *roles.sensitive)
    used = dict.fromkeys(named, "roles") | {
        key: scenario.path
        for scenario in scenarios
        for key in (*scenario.keys, *(scenario.neighbourhood or {}).get("columns", ()))
    }
    for column in step.columns:
        gone[column] = step.path
        if column in used:
            reading.problems.add(step.path, f"{column} is used by {used[column]}: it cannot be dropped.")


def _check_still_there(reading: Reading, step: Step, gone: Mapping[str, str]) -> None:
    for column in step.columns:
        if column in gone:
            reading.problems.add(step.path, f"{column} is dropped by {gone[column]} already.")


def _read_step(
    reading: Reading, path: str, row: Mapping[str, Any], scenarios: Sequence[Scenario], roles: RolesOfColumns
) -> Step | None:
    row = _bring_into_form(reading, path, row)
    chosen = _mask(reading, f"{path}.mask", row.get("mask"))
    given = {name: value for name, value in row.items() if name not in {"mask", "scenario", *ASIDE}}
    masks = _find_fitting_masks(reading, path, chosen, given) if chosen else None
    if not masks:
        return None
    verb = masks[0].verb
    signature = inspect.signature(getattr(methods.Methods, verb)).parameters
    target = find_target(verb)
    columns = _resolve_columns(reading, path, row, target, scenarios, asked="drawn" in signature)
    own = {p.name: p for mask in masks for p in list_own_parameters(mask)}
    values = step_values.Values(reading, path)
    arguments: dict[str, Any] = {} if target in {"column", None} else {str(target): list(columns)}
    for name, value in given.items():
        if name in CONDITIONS:  # these may also be a condition, in Python and here
            _check_records(reading, path, row, name, scenarios)
            arguments[name] = value
        elif name not in (*TARGETS, "column_name"):
            arguments[name] = values.convert_value(own[name], value) if name in own else value
    if "where" in row and not any(mask.masks for mask in masks):
        what = "a column is dropped from" if verb == "drop_identifiers" else "this method is of"
        reading.problems.add(f"{path}.where", f"{what} all records: leave it out.")
    elif "where" in row:
        _check_condition(reading, f"{path}.where", row["where"], "where")
    ghosts = {key: list(names) for key, names in roles.ghosts.items() if key in columns}
    for name, default in (("release", _name_draws(reading)), ("ghosts", ghosts), ("original", ORIGINAL)):
        if name in signature and default:
            arguments.setdefault(name, default)
    effects = [mask.effect for mask in masks]
    return Step(
        path,
        verb,
        arguments,
        columns,
        row.get("scenario"),
        row.get("where"),
        any(mask.needs_key for mask in masks),
        any(effect.suppresses.kind == "values" for effect in effects),
        any(effect.coarsens.kind != "no" for effect in effects),
        is_numeric_mask(masks),
        any(effect.records.kind == "fewer" for effect in effects),
        _read_household(reading, f"{path}.by_household", row.get("by_household"), masks),
        tuple(mask.name for mask in masks),
    )


def _name_draws(reading: Reading) -> str | None:
    """Return the name by which draws are made: that of the release or, in a series, of the series."""
    series = reading.said.get("series")
    name = series.get("name") if isinstance(series, dict) else reading.said.get("release")
    return name if isinstance(name, str) else None


def _read_household(reading: Reading, path: str, given: Any, masks: Sequence[Declaration]) -> str | None:  # noqa: ANN401 - of the file
    if given is not None and all(mask.effect.households.kind == "checked" for mask in masks):
        why = "this method draws, ranks and groups nothing of one record: like values become like ones"
        reading.problems.add(path, f"{why}. Leave it out.")
        return None
    return None if given is None else reading.column(path, "household", given)


def _mask(reading: Reading, path: str, mask: object) -> list[Declaration] | None:
    known = index_methods()
    if not isinstance(mask, str):
        what = f"it is {text_for_message(mask)}: it must be a name."
        what = what if mask is not None else 'it is missing: name the mask, as in mask = "recode".'
        reading.problems.add(path, what)
        return None
    if mask not in known:
        reading.problems.add(path, f"there is no mask {mask!r}{hint_nearest(mask.replace('-', '_'), sorted(known))}")
    if mask in LEFT_OUT:  # later measures find each record by its id
        reading.problems.add(
            path, 'a release file has no step for this: [output] ids = "recode" orders and numbers anew.'
        )
        return None
    return known.get(mask)


def _find_fitting_masks(
    reading: Reading, path: str, masks: list[Declaration], given: Mapping[str, Any]
) -> list[Declaration] | None:
    """Return the masks of the one verb that the given fields choose; a wrong field hides no other error."""
    own = {mask.name: {p.name: p for p in list_own_parameters(mask)} for mask in masks}
    every = {name for names in own.values() for name in names} | {mask.switch for mask in masks if mask.switch}
    allowed = list_step_fields(masks)
    unknown = [name for name in given if name not in allowed]
    for name in unknown:
        reading.problems.add(
            f"{path}.{name}", f"there is no such field{hint_nearest(name, sorted(allowed | {*ASIDE}))}"
        )
    fitting = [mask for mask in masks if all(p.name in given for p in list_own_parameters(mask) if p.default is None)]
    if not fitting and not unknown:  # the unknown field may be the missing one, misspelled
        ways = dict.fromkeys(
            " and ".join(p.name for p in list_own_parameters(mask) if p.default is None) for mask in masks
        )
        reading.problems.add(path, f"it needs {' or '.join(ways)}.")
    if not fitting:  # further errors are told where all masks are of one verb
        return masks if len({mask.verb for mask in masks}) == 1 else None
    for switch in {mask.switch for mask in fitting} & given.keys():
        if not isinstance(given[switch], bool):
            reading.problems.add(
                f"{path}.{switch}", f"it is {text_for_message(given[switch])}: it must be true or false."
            )
    if any(mask.switch for mask in fitting):
        switched = [mask for mask in fitting if mask.switch and given.get(mask.switch) is True]
        fitting = switched or [mask for mask in fitting if not mask.switch]
    taken = {name for mask in fitting for name in own[mask.name]} | {mask.switch for mask in masks if mask.switch}
    for name in every & {*given} - taken:
        of = dict.fromkeys(
            p.name for m in masks if name in own[m.name] for p in list_own_parameters(m) if p.default is None
        )
        reading.problems.add(f"{path}.{name}", f"it goes with {' or '.join(of) or 'another method'} only.")
    required = [p.name for mask in fitting for p in list_own_parameters(mask) if p.default is None]
    several = [w for w in dict.fromkeys(required) if not all(w in own[mask.name] for mask in fitting)]
    if len(several) > 1:
        reading.problems.add(path, f"{' and '.join(several)} exclude each other: leave all but one out.")
    return fitting


def list_step_fields(masks: Sequence[Declaration]) -> set[str]:
    """Return the fields that a step by these masks may have besides its name, a scenario, and those of any step."""
    every = {p.name for mask in masks for p in list_own_parameters(mask)} | {
        mask.switch for mask in masks if mask.switch
    }
    python = {n for mask in masks for n in inspect.signature(getattr(methods.Methods, mask.verb)).parameters}
    return every | (python - {"self", "data", "into", "in_place", "id", "original", "_", *_OF_TARGET}) | {*TARGETS}


def find_target(verb: str) -> str | None:
    """Return how a verb calls what it masks: columns, one column, or keys; None where it is of whole records."""
    signature = inspect.signature(getattr(methods.Methods, verb)).parameters
    return next((name for name in TARGETS if name in signature), None)


def list_own_parameters(mask: Declaration) -> list[Parameter]:
    """Return the parameters of a mask besides the table, the id and what is masked."""
    return [p for p in mask.parameters if p.name not in _NOT_OWN]


def _resolve_columns(
    reading: Reading,
    path: str,
    row: Mapping[str, Any],
    target: str | None,
    scenarios: Sequence[Scenario],
    *,
    asked: bool,
) -> tuple[str, ...]:
    """Return what is masked: columns, or keys of its own or of a scenario; nothing of a method of whole records.

    ``asked``: by the keys of a scenario the method may ask a figure of the records.
    """
    given = [name for name in (*TARGETS, "column_name") if name in row]
    scenario = row.get("scenario")
    if target is None:
        for name in [*given, *(["scenario"] if scenario is not None else [])]:
            reading.problems.add(f"{path}.{name}", "this method is of whole records: leave it out.")
        return ()
    if scenario is not None:
        found = [s for s in scenarios if s.name == scenario]
        if not found:
            known = hint_nearest(str(scenario), [s.name for s in scenarios])
            reading.problems.add(f"{path}.scenario", f"there is no scenario {text_for_message(scenario)}{known}")
        elif not asked and (target != "keys" or given):
            why = f"{given[0]} is given" if given else "this method takes columns"
            reading.problems.add(f"{path}.scenario", f"a scenario says which keys are masked, and {why}.")
        if not asked:
            return found[0].keys if found else ()
    if len(given) != 1:
        example = '"age"' if target == "column" else '["age", "sex"]'
        what = f"give {target} = {example}" + (", or scenario =." if target == "keys" else ".")
        reading.problems.add(path, what if not given else f"{' and '.join(given)} say the same: give one.")
        return ()
    value, at = row[given[0]], f"{path}.{given[0]}"
    if isinstance(value, str):
        column = reading.column(at, "column", value)
        return (column,) if column is not None else ()
    if not isinstance(value, list) or not value:
        reading.problems.add(at, f"it is {text_for_message(value)}: it must be a column, or a list of columns.")
        return ()
    return reading.resolve_columns(at, "column", value)


def _check_records(
    reading: Reading, path: str, row: Mapping[str, Any], name: str, scenarios: Sequence[Scenario]
) -> None:
    """Check which records are named: by a condition, or by a figure that is asked by the keys of a scenario."""
    value = row[name]
    if name != "drawn" or not isinstance(value, str) or not find_figure(value):
        _check_condition(reading, f"{path}.{name}", value, name)
    elif "scenario" not in row:
        why = "a figure is asked by the keys of a scenario: name it, as in scenario = "
        example = scenarios[0].name if scenarios else "..."
        reading.problems.add(f"{path}.{name}", f'{why}"{example}".')


def _check_condition(reading: Reading, path: str, condition: object, role: str) -> None:
    """Check a condition on columns of the source: a column of truth values, or an expression."""
    table = Table()
    table.table, table.columns = "the source", tuple(reading.columns)
    try:
        if reading.columns:
            resolve_condition(table, condition, role)  # type: ignore[arg-type] # refuses what is no text
    except InputError as error:
        said = str(error)
        reading.problems.add(path, f"it {said.removeprefix(role + ' ')}" if said.startswith(f"{role} ") else said)
