"""The ruleset of a release file: what the file says for it, and the steps and limits that it adds."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sdc_sql.db.checks import text_for_message
from sdc_sql.release.reading.problems import LISTS, TABLE, TEXT, TEXTS, TRUTH, Kind, Problems, hint_nearest, is_whole
from sdc_sql.release.reading.ruleset import Rules, Ruleset, parse_ruleset, read_ruleset_text
from sdc_sql.roles import LEVELS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sdc_sql.release.reading.fields import Reading
    from sdc_sql.release.reading.plan import RolesOfColumns, Scenario

_DAY = Kind(
    lambda v: isinstance(v, dt.date) and not isinstance(v, dt.datetime),
    "a date, as in 2025-12-31",
    {"type": "string", "format": "date"},
)
_WHOLES = Kind(
    lambda v: isinstance(v, list) and all(map(is_whole, v)),
    "a list of rules, as in [3, 4]",
    {"type": "array", "items": {"type": "integer"}},
)
SECTION: Mapping[str, Kind] = {
    "name": TEXT, "looked_at": _WHOLES, "keys": TEXTS, "columns": TABLE, "values": TABLE,
}  # fmt: skip
FACTS: Mapping[str, Mapping[str, Kind]] = {
    "research": {"levels": LISTS, "inhabitants": TEXT, "direct_identifiers": TEXTS, "panel": TRUTH},
    "public": {
        "household_variables": TEXTS, "indirect_regions": TEXTS, "province": TEXT, "municipality": TEXT,
        "withheld": TEXTS, "sensitive": TEXTS, "reference_date": _DAY, "release_date": _DAY,
    },
}  # fmt: skip
_COLUMNS = ("inhabitants", "province", "municipality", "household_variables", "indirect_regions")
KIND = Kind(
    lambda v: isinstance(v, str | dict),
    'a name, as in rules = "nl-research", or a table, [rules]',
    {"type": ["string", "object"]},
)


def read_rules(reading: Reading, roles: RolesOfColumns) -> Rules | None:
    """Return the rules of a file; errors are added to the problems of the reading."""
    said, problems = reading.said.get("rules"), reading.problems
    if said is None:
        return None
    fields = {**SECTION, **{name: kind for facts in FACTS.values() for name, kind in facts.items()}}
    given: dict[str, Any] = {"name": said} if isinstance(said, str) else problems.table("rules", said, fields)
    if "name" not in given:
        problems.add("rules.name", "it is missing: the name of a ruleset, or the path of a file.")
        return None
    ruleset = None
    with problems.collect_at("rules"):
        ruleset = parse_ruleset(read_ruleset_text(given["name"], reading.file.parent), problems)
    if ruleset is None:
        return None
    looked_at = tuple(given.get("looked_at", []))
    strange = [str(n) for n in looked_at if n not in ruleset.rules]
    if strange:
        known = ", ".join(map(str, sorted(ruleset.rules))) or "none"
        problems.add("rules.looked_at", f"{ruleset.name} has no rule {', '.join(strange)}; there are {known}.")
    keys = reading.resolve_columns("rules.keys", "key variable", given.get("keys", []))
    facts = _read_facts(reading, ruleset, {n: v for n, v in given.items() if n not in SECTION}, roles)
    return Rules(ruleset, facts, keys, looked_at, tuple(_list_steps(reading, ruleset, given)))


def _read_facts(reading: Reading, ruleset: Ruleset, given: dict[str, Any], roles: RolesOfColumns) -> dict[str, Any]:
    problems, taken = reading.problems, {*FACTS.get(ruleset.check or "", ())}
    by_levels = any(t.get("levels") for t in ruleset.thresholds)
    taken |= {"levels"} if by_levels else set()
    facts: dict[str, Any] = {}
    for name, value in given.items():
        if name not in taken:
            problems.add(f"rules.{name}", f"{ruleset.name} does not ask for it: leave it out.")
        elif name in _COLUMNS:
            at, one = f"rules.{name}", isinstance(value, str)
            facts[name] = (
                reading.column(at, "column", value) if one else [*reading.resolve_columns(at, "column", value)]
            )
        elif name == "levels":
            strange = [level for level in value if level not in LEVELS]
            if strange:
                problems.add(f"rules.levels.{strange[0]}", f"there is no such level{hint_nearest(strange[0], LEVELS)}")
            facts[name] = {
                n: [*reading.resolve_columns(f"rules.levels.{n}", "key variable", v)] for n, v in value.items()
            }
        else:
            facts[name] = value
    if by_levels and "levels" not in facts:
        problems.add("rules.levels", 'it is missing, as in levels = { very = ["sex"], identifying = ["age"] }.')
    if "reference_date" in facts and "release_date" not in facts:
        problems.add("rules.release_date", "it is missing: the day of release, so that the answer is the same any day.")
    for name, role in (("direct_identifiers", roles.identifiers), ("sensitive", roles.sensitive)):
        if name in taken and role:
            facts.setdefault(name, [*role])
    return facts


def _list_steps(reading: Reading, ruleset: Ruleset, given: dict[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    problems, columns, values = reading.problems, given.get("columns", {}), given.get("values", {})
    for name, known in (("columns", ruleset.variables), ("values", [*ruleset.values])):
        for strange in [n for n in given.get(name, {}) if n not in known]:
            hint = hint_nearest(strange, known) if known else f": {ruleset.name} has none."
            problems.add(f"rules.{name}.{strange}", f"there is no such field{hint}")
    for variable in [v for v in ruleset.variables if v not in columns]:
        problems.add(f"rules.columns.{variable}", "it is missing: the column of this variable ([] for none).")
    missing: set[str] = set()
    for i, step in enumerate(ruleset.coarsening):
        names = columns.get(step["variable"], [])
        if not isinstance(names, str) and not TEXTS[0](names):
            problems.add(
                f"rules.columns.{step['variable']}", f"it is {text_for_message(names)}: it must be a column, or a list."
            )
        elif names:
            own = {n: _fill_value(v, values, missing) for n, v in step.items() if n not in {"variable", "groups"}}
            if "groups" in step:
                groups = _fill_value(step["groups"], values, missing)
                own["mapping"] = {value: label for label, several in groups.items() for value in several}
            yield f"rules.coarsening[{i}]", {**own, "column": names}
    for name in sorted(missing & {*ruleset.values}):
        problems.add(f"rules.values.{name}", f"it is missing: {ruleset.values[name]}.")


def _fill_value(value: Any, values: Mapping[str, Any], missing: set[str]) -> Any:  # noqa: ANN401 - of the ruleset
    """Return a value of a ruleset with what the release file gives in the place of {name}."""
    if isinstance(value, list):
        return [_fill_value(v, values, missing) for v in value]
    if isinstance(value, dict):
        return {name: _fill_value(v, values, missing) for name, v in value.items()}
    if isinstance(value, str) and value.startswith("{") and value.endswith("}"):
        if value[1:-1] not in values:
            missing.add(value[1:-1])
        return values.get(value[1:-1], value)
    return value


def add_threshold(rules: Rules, scenario: Scenario, given: dict[str, Any], problems: Problems) -> Scenario:
    """Return a scenario with the threshold of the ruleset; its limits are checked by the caller."""
    if rules.ruleset.threshold is None:
        return scenario
    if "threshold" in given:
        problems.add(f"{scenario.path}.threshold", f"{rules.ruleset.name} has its own: leave it out.")
    return replace(scenario, threshold=rules.ruleset.threshold)


def add_keys(rules: Rules, scenarios: Sequence[Scenario], problems: Problems) -> Rules:
    """Return the rules with their keys: their own or those of all scenarios, and those of the levels."""
    of_scenarios = {key: None for scenario in scenarios for key in scenario.keys}
    levels = rules.facts.get("levels")
    levelled = [key for names in levels.values() for key in names] if levels is not None else []
    keys = tuple(dict.fromkeys([*(rules.keys or of_scenarios), *levelled]))
    without = [key for key in of_scenarios if key not in keys]
    if without:
        problems.add("rules.keys", f"{', '.join(without)} is a key of a scenario: give it here too.")
    unlevelled = [key for key in keys if key not in levelled]
    if levels is not None and unlevelled:
        problems.add("rules.levels", f"{', '.join(unlevelled)} has no level: give each key one of {', '.join(LEVELS)}.")
    return replace(rules, keys=keys)
