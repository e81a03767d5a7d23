"""The third stage: the risk before protection, by scenario, by key, and by the size of a record's cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc_sql.document.blocks import Chart, Section, Table, Text, format_short
from sdc_sql.release.reading import density
from sdc_sql.release.reporting.annex import tell_annex
from sdc_sql.release.reporting.internal.figures import list_figures, tabulate_more
from sdc_sql.release.reporting.internal.variables import count_by_key
from sdc_sql.release.reporting.stages import RISK

if TYPE_CHECKING:
    from sdc_sql.document.blocks import Block
    from sdc_sql.release.running.outcome import Outcome, ScenarioOutcome

ABREAST = 3  # so many scenarios stand in one table


def write_risk(outcome: Outcome) -> Section:
    """Return the section."""
    scenarios = outcome.scenarios
    tables = [_tabulate(outcome, scenarios[i : i + ABREAST]) for i in range(0, len(scenarios), ABREAST)]
    told = [_write_scenario(outcome, scenario) for scenario in scenarios]
    more = [table for s in scenarios for table in tabulate_more(s, outcome.plan.asked, after=False)]
    return Section(RISK, (Text(tell_worst(outcome)), *told, *tables, *more, Text(tell_annex(outcome))))


def find_worst(outcome: Outcome, *, after: bool = False) -> ScenarioOutcome | None:
    """Return the scenario in which most records are alone with their keys, the first of several; None without one."""

    def count(found: ScenarioOutcome) -> int:
        return (found.after if after else found.before).frequency_summary.sample_uniques

    return max(outcome.scenarios, key=count, default=None)


def tell_worst(outcome: Outcome, *, after: bool = False) -> str:
    """Return how many records are alone with their keys, in the worst scenario."""
    worst = find_worst(outcome, after=after)
    if worst is None:
        return "No scenario was named, so that no risk was measured."
    found = (worst.after if after else worst.before).frequency_summary
    share = f"{format_short(100.0 * found.sample_uniques / found.records)} per cent" if found.records else "none"
    when = "After" if after else "Before"
    where = f", in the scenario {worst.scenario.name}" if len(outcome.scenarios) > 1 and found.sample_uniques else ""
    most = " at the most" if len(outcome.scenarios) > 1 else ""
    return (
        f"{when} protection {found.sample_uniques:,} of {found.records:,} records ({share}) are alone with their "
        f"keys{most}{where}."
    )


def _write_scenario(outcome: Outcome, found: ScenarioOutcome) -> Section:
    scenario = found.scenario
    known = ", ".join(scenario.keys)
    blocks: list[Block] = [
        Text(scenario.text or "Who such an intruder is, and why he knows these keys: not given."),
        Text(
            f"What an intruder may know: {known}{density.describe_neighbourhood(scenario.neighbourhood)}. "
            f"{tell_nulls(found.nulls_before)}"
        ),
        *([Text(found.before.many_uniques)] if found.before.many_uniques else []),
    ]
    made = count_by_key(outcome, scenario)
    if len(made) > 1:
        ordered = sorted(made.items(), key=lambda one: -one[1])
        title = "Records that are unique with a key and not without it, before protection"
        numbers = tuple(float(count) for _, count in ordered)
        blocks.append(Chart(title, tuple(name for name, _ in ordered), (("records", numbers),)))
    return Section(f"Scenario: {scenario.name}", tuple(blocks))


def _tabulate(outcome: Outcome, scenarios: tuple[ScenarioOutcome, ...]) -> Table:
    found = [list_figures(s.before, s.more_before, outcome.plan.asked) for s in scenarios]
    names = dict.fromkeys(name for one in found for name in one)
    rows = tuple((name, *(one.get(name) for one in found)) for name in names)
    return Table("Risk before protection", ("", *(s.scenario.name for s in scenarios)), rows)


def tell_nulls(nulls: str) -> str:
    """Return how NULL in a key counts."""
    return "NULL agrees with every value." if nulls == "wildcard" else "NULL is a value of its own."
