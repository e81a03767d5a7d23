"""The figures that the limits of a release file name, and ``[figures.NAME]``: measures with arguments of their own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sdc_sql.db.checks import text_for_message
from sdc_sql.errors import ParameterError
from sdc_sql.figures.condition import check_side, list_named_figures
from sdc_sql.figures.given import name_figures
from sdc_sql.figures.measured import Beside, list_lacking
from sdc_sql.figures.registry import find_measure
from sdc_sql.release.reading.problems import hint_nearest
from sdc_sql.release.reading.step_values import Values

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sdc_sql.figures.asked import Asked
    from sdc_sql.figures.registry import Measure
    from sdc_sql.release.reading.fields import Reading
    from sdc_sql.release.reading.plan import RolesOfColumns, Scenario

Given = dict[str, tuple[str, dict[str, Any]]]
# These fields stand in [loss] besides columns and limits, by the arguments of the measures.
LOSS_FIELDS = ("ordinal", "continuous", "domains", "dimension")
_RISK, _LOSS = "risk", "loss"


@dataclass(frozen=True)
class _Described:
    """The roles of the source as a measure asks for them, before the source is read."""

    keys: tuple[str, ...]
    weight: str | float | None
    sampling_fraction: str | float | None
    household: str | None
    stratum: str | None
    id: str | None


def read_figures(reading: Reading, said: Mapping[str, object]) -> Given:
    """Return the figures of ``[figures]``: for each name the measure and its arguments; errors are problems."""
    found: Given = {}
    for label, row in said.items():
        path = f"figures.{label}"
        if not isinstance(row, dict) or not isinstance(row.get("measure"), str):
            reading.problems.add(path, f'it names no measure, as in [{path}] with measure = "k_map".')
            continue
        with reading.problems.collect_at(path):
            its = find_measure(row["measure"])
            arguments = read_arguments(reading, path, its, {n: v for n, v in row.items() if n != "measure"})
            name_figures({label: (its.name, arguments)})
            found[label] = (its.name, arguments)
    return found


def read_arguments(reading: Reading, path: str, its: Measure, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments that are said of a figure, as the measure takes them."""
    values, found = Values(reading, path), {}
    for name, value in given.items():
        parameter = its.parameter(name)
        if name not in its.arguments:
            reading.problems.add(f"{path}.{name}", f"there is no such field{hint_nearest(name, its.arguments)}")
        elif its.takes_tables(name) and (parameter is None or parameter.type == "tables"):
            found[name] = _files(reading, f"{path}.{name}", name, value)
        else:
            found[name] = value if parameter is None else values.convert_value(parameter, value)
    return found


def _files(reading: Reading, at: str, name: str, value: Any) -> Any:  # noqa: ANN401 - of the file
    """Return the paths of several tables: by the keys that they are of, or in a list."""
    kind, words = (dict, '{ sex = "sex.csv" }') if name == "matrices" else (list, '["2024.parquet"]')
    values = [*(value.values() if isinstance(value, dict) else value)] if isinstance(value, kind) else []
    if not values or not all(isinstance(file, str) for file in values):
        reading.problems.add(at, f"it is {text_for_message(value)}: it must be paths of files, as in {words}.")
        return value
    for file in values:
        if not reading.resolve_path(file).exists():
            reading.problems.add(at, f"there is no file {reading.resolve_path(file)}.")
    if isinstance(value, dict):
        return {key: str(reading.resolve_path(file)) for key, file in value.items()}
    return [str(reading.resolve_path(file)) for file in values]


def complete_figures(asked: Mapping[str, Asked], scenario: Scenario) -> dict[str, Asked]:
    """Return the figures with what the scenario says for one of them: what is known about continuous keys."""
    if scenario.neighbourhood is None:
        return dict(asked)
    about = {("continuous" if n == "columns" else n): v for n, v in scenario.neighbourhood.items()}
    return {**asked, "neighbourhood": replace(asked["neighbourhood"], arguments=about)}


def describe_beside(
    roles: RolesOfColumns, scenario: Scenario, numbers: Sequence[str], original: str | None
) -> Beside:  # fmt: skip
    """Return what a measure of risk may ask for besides the roles; records are linked by the keys."""
    given: dict[str, Any] = {"k": scenario.k}
    if scenario.threshold is not None:
        given["threshold"] = list(scenario.threshold) if isinstance(scenario.threshold, tuple) else scenario.threshold
    sensitive = tuple(name for name in roles.sensitive if name not in scenario.keys)
    ordered = tuple(name for name in roles.ordered if name in sensitive)
    linked = {"columns": [*scenario.keys], "continuous": [key for key in scenario.keys if key in numbers] or None}
    return Beside(original, sensitive, ordered, given, linked)


def describe_roles(roles: RolesOfColumns, keys: Sequence[str]) -> _Described:
    """Return the roles as a measure asks for them."""
    fraction = roles.sampling_fraction
    weight = 1 / fraction if roles.weight is None and isinstance(fraction, int | float) else roles.weight
    stratum = roles.strata[0] if roles.strata else None
    return _Described(tuple(keys), weight, fraction, roles.household, stratum, roles.id)


def check_risk(
    limit: str, asked: Mapping[str, Asked], roles: RolesOfColumns, scenario: Scenario, continuous: Sequence[str] = ()
) -> None:
    """Refuse a limit of a scenario that cannot be read, bounds the wrong side, or names what cannot be measured.

    Raises
    ------
    ParameterError
        It says what there is, and what is lacking.
    """
    asked = complete_figures(asked, scenario)
    check_side(limit, asked, holds=True)
    for name in list_named_figures(limit):
        its = asked[name.label]
        if its.measure.figures[name.figure].bears == _LOSS or its.measure.list_bearings() == {_LOSS}:
            raise ParameterError(f"{name.label}.{name.figure} is loss: put the limit under [loss].")
        if name.part:
            raise ParameterError(f"{name.part}.{name.label}: a limit is on the released file: leave {name.part} out.")
        if name.row is not None and its.measure.by == ("k",) and not (name.row.isdigit() and int(name.row) > 1):
            raise ParameterError(f"{name.label}.{name.row} is no k: it must be a whole number of at least 2.")
        _check_there(its, roles, scenario.keys, describe_beside(roles, scenario, continuous, "the source"), scenario)


def check_loss(limit: str, asked: Mapping[str, Asked], given: Mapping[str, object], roles: RolesOfColumns) -> None:
    """Refuse a limit on loss likewise; ``given`` are the fields of ``[loss]``.

    Raises
    ------
    ParameterError
        It says what there is, and what is lacking.
    """
    check_side(limit, asked, holds=True)
    for name in list_named_figures(limit):
        its = asked[name.label]
        if its.measure.figures[name.figure].bears == _RISK or its.measure.list_bearings() == {_RISK}:
            raise ParameterError(
                f"{name.label}.{name.figure} is risk: put the limit under [[scenarios]], whose keys an intruder has."
            )
        there = Beside("the source", linked={n: v for n, v in given.items() if n in {"columns", *LOSS_FIELDS} and v})
        needed = [n for n in list_lacking(its, describe_roles(roles, ("columns",)), there) if n != "columns"]
        if needed:
            raise ParameterError(f"{name.label} needs {' and '.join(_name_place(n, its, _LOSS) for n in needed)}.")


def _check_there(
    its: Asked, roles: RolesOfColumns, keys: Sequence[str], beside: Beside, scenario: Scenario
) -> None:  # fmt: skip
    needed = [_name_place(n, its, _RISK) for n in list_lacking(its, describe_roles(roles, keys), beside)]
    pi = its.arguments.get("sampling_fraction", roles.sampling_fraction)
    if its.measure.name == "theta" and pi is not None and not isinstance(pi, int | float):
        needed.append("roles.sampling_fraction, a number")
    if its.measure.name == "theta_by" and not needed and {*keys} == {*roles.strata}:
        needed.append("roles.strata, which are not the only key")
    if needed:
        raise ParameterError(f"{its.label} needs {' and '.join(needed)} ({scenario.path}).")


def _name_place(name: str, its: Asked, room: str) -> str:
    """Return where the release file says what a measure lacks."""
    roles = {
        "weight": "roles.weight or roles.sampling_fraction", "stratum": "roles.strata", "sensitive": "roles.sensitive",
        "targets": "roles.sensitive", "target": "roles.sensitive", "sampling_fraction": "roles.sampling_fraction",
        "household": "roles.household", "id": "roles.id",
        "threshold": "a threshold of the scenario, as in threshold = 20000",
    }  # fmt: skip
    if its.measure.name == "neighbourhood" and name == "continuous":
        return 'a neighbourhood of the scenario, as in neighbourhood = { columns = ["turnover"], width = 0.1 }'
    if room == _LOSS and name in LOSS_FIELDS:
        return f"loss.{name}"
    own = f'{name}, as in [figures.{its.label}] with measure = "{its.measure.name}" and {name} = ...'
    return roles.get(name, own)
