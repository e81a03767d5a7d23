"""The section ``[frontier]`` of a release file: other releases that were considered, and how they are compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sdc_sql.db.checks import text_for_message
from sdc_sql.figures.measured import list_lacking
from sdc_sql.figures.registry import ROLES
from sdc_sql.frontier.figures import list_frontier_masks, resolve_figure
from sdc_sql.mask.loss_expression import arithmetic
from sdc_sql.release.reading import figures, step_fields
from sdc_sql.release.reading.plan import THIS, Candidate, Considered
from sdc_sql.release.reading.problems import NUMBER, TABLES, TEXT, Kind, hint_nearest
from sdc_sql.release.reading.step_values import Values

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sdc_sql.figures.asked import Asked
    from sdc_sql.frontier.figures import Figure
    from sdc_sql.release.reading.fields import Reading
    from sdc_sql.release.reading.plan import RolesOfColumns, Scenario


def _is_question(value: Any) -> bool:  # noqa: ANN401 - of the file
    if isinstance(value, list):
        return len(value) == 2 and isinstance(value[0], str) and isinstance(value[1], dict)  # noqa: PLR2004 - a pair
    return isinstance(value, str)


FIGURE = Kind(
    _is_question,
    'a figure of a measure, "theta.upper_bound", or one with arguments, ["il1.il1", { columns = ["income"] }]',
    {
        "type": ["string", "array"],
        "prefixItems": [{"type": "string"}, {"type": "object"}],
        "minItems": 2,
        "maxItems": 2,
    },
)
FRONTIER = {
    "risk": FIGURE, "loss": FIGURE, "max_risk": NUMBER, "utility": TEXT, "scenario": TEXT, "candidates": TABLES,
}  # fmt: skip
CANDIDATE = {"name": TEXT, "steps": TABLES}


def read_frontier(reading: Reading, roles: RolesOfColumns, scenarios: Sequence[Scenario]) -> Considered | None:
    """Return the section, or None where the file has none; errors are added to the problems of the reading."""
    said = reading.said.get("frontier")
    if said is None:
        return None
    given, problems = reading.problems.table("frontier", said, FRONTIER), reading.problems
    for name in ("risk", "loss", "candidates"):
        if name not in said:
            problems.add(f"frontier.{name}", "it is missing.")
        elif name == "candidates" and given.get(name) == []:
            problems.add("frontier.candidates", "give one at least: what this release is compared with.")
    if "utility" in given:
        with problems.collect_at("frontier.utility"):
            arithmetic(given["utility"], ("risk", "loss"), f"it is {text_for_message(given['utility'])}: it must be")
    scenario = _find_scenario(reading, given, scenarios)
    asked: dict[str, Figure] = {}
    for name in ("risk", "loss"):
        if name in given and scenario is not None:
            asked[name] = given[name] if isinstance(given[name], str) else (given[name][0], given[name][1])
            _check_figure(reading, name, asked[name], roles, scenario)
    candidates = _read_candidates(reading, given.get("candidates", []), roles, scenarios)
    if scenario is None or len(asked) < 2:  # noqa: PLR2004 - both
        return None
    return Considered(**asked, scenario=scenario.name, max_risk=given.get("max_risk"), utility=given.get("utility"),
                      candidates=candidates)  # fmt: skip


def _find_scenario(reading: Reading, given: Mapping[str, Any], scenarios: Sequence[Scenario]) -> Scenario | None:
    """Return the scenario whose keys the intruder has: the only one of the file, where it has no other."""
    names = [scenario.name for scenario in scenarios]
    if "scenario" not in given:
        if len(scenarios) > 1 and "scenario" not in reading.said["frontier"]:
            reading.problems.add("frontier.scenario", f"it is missing: say which, of {', '.join(names)}.")
        return scenarios[0] if len(scenarios) == 1 else None
    if given["scenario"] not in names:
        hint = hint_nearest(given["scenario"], names) if names else "."
        reading.problems.add("frontier.scenario", f"there is no scenario {given['scenario']!r}{hint}")
    return next((scenario for scenario in scenarios if scenario.name == given["scenario"]), None)


def _read_candidates(
    reading: Reading, rows: Sequence[Mapping[str, Any]], roles: RolesOfColumns, scenarios: Sequence[Scenario]
) -> tuple[Candidate, ...]:
    found: list[Candidate] = []
    for i, row in enumerate(rows):
        found.append(_candidate(reading, f"frontier.candidates[{i}]", row, roles, scenarios))
        if found[-1].name and found[-1].name in [THIS, *(candidate.name for candidate in found[:-1])]:
            reading.problems.add(f"{found[-1].path}.name", f"there is another candidate {found[-1].name!r}.")
    return tuple(found)


def _candidate(
    reading: Reading, path: str, row: Mapping[str, Any], roles: RolesOfColumns, scenarios: Sequence[Scenario]
) -> Candidate:
    given = reading.problems.table(path, row, CANDIDATE)
    for name in CANDIDATE:
        if name not in row:
            reading.problems.add(f"{path}.{name}", "it is missing.")
    if given.get("name") == "":
        reading.problems.add(f"{path}.name", "it is empty.")
    rows = given.get("steps", [])
    steps = step_fields.read_steps(reading, rows, roles, scenarios, at=f"{path}.steps")
    for step in steps:
        if step.verb not in list_frontier_masks():
            reading.problems.add(f"{step.path}.mask", f"the frontier cannot take {step.verb}; it can take "
                                 f"{', '.join(sorted(list_frontier_masks()))}.")  # fmt: skip
        if step.by_household is not None:
            reading.problems.add(f"{step.path}.by_household", "a candidate takes roles.household_columns for it.")
        if step.where is not None:
            reading.problems.add(f"{step.path}.where", "the frontier cannot take it: a candidate masks every record.")
    return Candidate(path, given.get("name", ""), tuple(steps))


def _check_figure(reading: Reading, role: str, asked: Figure, roles: RolesOfColumns, scenario: Scenario) -> None:
    """Check the measure, its figure and its arguments, and that they can be measured."""
    path, before = f"frontier.{role}", len(reading.problems.found)
    with reading.problems.collect_at(path):
        text, given = asked if isinstance(asked, tuple) else (asked, {})
        _, bare = resolve_figure(text, "it")
        strange = [n for n in given if n not in bare.measure.arguments]
        for n in strange:
            reading.problems.add(f"{path}[1].{n}", f"there is no such field{hint_nearest(n, bare.measure.arguments)}")
        name, its = resolve_figure((text, {n: v for n, v in given.items() if n not in strange}), "it")
        _check_arguments(reading, path, its)
    if len(reading.problems.found) > before:
        return
    beside = figures.describe_beside(roles, scenario, (), "the source")
    for lacks in list_lacking(its, figures.describe_roles(roles, scenario.keys), beside):
        if lacks in ROLES:
            of_roles = {"stratum": "strata", "weight": "weight or roles.sampling_fraction"}
            reading.problems.add(f"roles.{of_roles.get(lacks, lacks)}", f"it is missing: {its.label} needs it.")
        else:
            example = f'["{name.label}.{name.figure}", {{ {lacks} = ... }}]'
            reading.problems.add(path, f"{its.label} needs {lacks}, as in {example}.")


def _check_arguments(reading: Reading, path: str, its: Asked) -> None:
    values = Values(reading, f"{path}[1]")
    for name, value in its.arguments.items():
        parameter = its.measure.parameter(name)
        if parameter is not None:
            values.convert_value(parameter, value)
