"""The table of the variables: what each is and why, what was done to it, whom it makes unique, and how it looks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc_sql.document.blocks import Table
from sdc_sql.release.judging.measured import describe_table
from sdc_sql.release.reporting.internal.steps import name_method, number_steps
from sdc_sql.release.reporting.internal.values import compare_values
from sdc_sql.release.reporting.public_facts import list_untouched_columns
from sdc_sql.release.reporting.stages import list_output_columns
from sdc_sql.release.running import formats

if TYPE_CHECKING:
    from sdc_sql.release.reading.plan import Scenario
    from sdc_sql.release.running.outcome import Outcome

NAMES = ("variable", "role", "why", "what was done", "makes unique", "before and after")
NO_PICTURE = ("id", "household")  # of numbers there is nothing to see


def tabulate_variables(outcome: Outcome) -> Table:
    """Return the table: a row for each variable of the source, those that were not read last."""
    roles = outcome.plan.roles
    unique = count_made_unique(outcome)
    released = {c.lower() for c in list_output_columns(outcome)}
    drawn = {str(getattr(roles, role)).lower() for role in NO_PICTURE}
    labels, _ = formats.labels(outcome.plan.source.path, {*outcome.plan.columns}, set())
    rows: list[tuple[object, ...]] = []
    for name in outcome.plan.columns:
        role, why = _name_role(outcome, name)
        there = name.lower() in released
        picture = compare_values(outcome, name) if there and name.lower() not in drawn else None
        shown = f"{name}: {labels[name]}" if labels.get(name) else name
        rows.append(
            (shown, role, why, _describe_treatment(outcome, name, there=there), unique.get(name), picture or "")
        )
    rows += [(name, "direct identifier", "names a unit", "not read", None, "") for name in roles.identifiers]
    rows += [(name, "dropped", "not needed", "not read", None, "") for name in roles.drop]
    title = "Variables; a key makes so many records unique that are not so without it (before protection)"
    return Table(title, NAMES, tuple(rows))


def count_made_unique(outcome: Outcome) -> dict[str, int]:
    """Return for each key how many records it makes unique: of its scenarios that in which they are most."""
    found: dict[str, int] = {}
    for scenario in outcome.plan.scenarios:
        for name, count in count_by_key(outcome, scenario).items():
            found[name] = max(count, found.get(name, 0))
    return found


def count_by_key(outcome: Outcome, scenario: Scenario) -> dict[str, int]:
    """Return how many records of the source are unique by the keys of a scenario, and not by the others of them."""
    kept: dict[tuple[str, ...], dict[str, int]] = outcome.kept.setdefault("made_unique", {})
    if scenario.keys not in kept:
        data = describe_table(outcome.original.con, outcome.plan, outcome.original.table, scenario.keys)
        kept[scenario.keys] = {row.variable: row.made_unique for row in data.risk.key_uniques()}
    return kept[scenario.keys]


def _name_role(outcome: Outcome, name: str) -> tuple[str, str]:
    """Return what a variable is, and why: a key by who knows it, the others as the release file has them."""
    roles = outcome.plan.roles
    single = {roles.id: ("id", "tells records apart"), roles.household: ("household", "joins members of a household")}
    if name in single:
        return single[name]
    if name == roles.weight:
        return "weight", "a record stands for so many"
    found: list[tuple[str, str]] = []
    known = [s.name for s in outcome.plan.scenarios if name in _list_known(s)]
    if known:
        found.append(("key", f"known to: {', '.join(known)}"))
    if name in roles.sensitive:
        found.append(("sensitive", "not to be learned of anyone"))
    if name in roles.strata:
        found.append(("stratum", "risk and masking are by it"))
    for key, ghosts in roles.ghosts.items():
        if name in ghosts:
            found.append(("ghost", f"follows {key}"))
    if name in roles.released_as_collected:
        found.append(("other", "released as collected"))
    if not found:
        return "other", "no scenario has it"
    return ", ".join(role for role, _ in found), "; ".join(why for _, why in found)


def _list_known(scenario: Scenario) -> tuple[str, ...]:
    near = scenario.neighbourhood["columns"] if scenario.neighbourhood else ()
    return (*scenario.keys, *near)


def _describe_treatment(outcome: Outcome, name: str, *, there: bool) -> str:
    done = [f"{name_method(step.method)} (step {n})" for n, step in number_steps(outcome) if name in step.columns]
    if not there:
        return "; ".join([*done, "not released"])
    if not done and name.lower() not in {c.lower() for c in list_untouched_columns(outcome)}:
        return "written anew"  # an id, or a number of a household
    return "; ".join(done) or "none"
