"""The risks of a scenario in the file as it is: measured once, and shown by every step that asks."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sdc_sql.app.checked import read_plan
from sdc_sql.app.worked import describe_measured
from sdc_sql.db.checks import text_for_message
from sdc_sql.errors import InputError, ParameterError, ReleaseFileError
from sdc_sql.figures.limits import collect_figures, holds_limit
from sdc_sql.release.judging.measured import describe_table, measure_limited, measure_scenario
from sdc_sql.release.running.household_columns import find_plan_households

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    import duckdb

    from sdc_sql.app.desk import Desk
    from sdc_sql.app.jobs import Job
    from sdc_sql.app.state import State
    from sdc_sql.microdata import Microdata
    from sdc_sql.release.reading.plan import Plan, Scenario
    from sdc_sql.report import RiskReport


_LIMITS = "scenarios[0].limits"


@dataclass(frozen=True)
class Asked:
    """A scenario of the release file, checked; ``inputs`` are what its figures depend on."""

    plan: Plan
    inputs: Hashable

    @property
    def scenario(self) -> Scenario:
        """The scenario."""
        return self.plan.scenarios[0]

    @property
    def nulls(self) -> str:
        """How NULL in a key counts before anything is suppressed."""
        return self.scenario.nulls or "category"


@dataclass(frozen=True)
class Judged:
    """A limit with what its figure is now, and whether it holds; None where that is not known before protection."""

    text: str
    figures: Mapping[str, float | None]
    holds: bool | None


def read_scenario(state: State, number: int, release: Mapping[str, Any] | None = None) -> Asked:
    """Return a scenario of the release file, checked by itself: errors in the others do not matter.

    Raises
    ------
    ParameterError
        With what is wrong in it, or in the roles.
    """
    said = dict(state.release if release is None else release)
    scenarios = said.get("scenarios", [])
    if not 0 <= number < len(scenarios):
        raise ParameterError("There is no such scenario any more.")
    said["scenarios"] = [scenarios[number]]
    try:
        plan = read_plan(state, said)
    except ReleaseFileError as error:
        # without limits, those are of the check alone
        limited = bool(scenarios[number].get("limits"))
        found = [problem for problem in error.problems if limited or not problem.startswith(_LIMITS)]
        raise ParameterError(" ".join(map(_name_place, found or error.problems))) from None
    its = plan.scenarios[0]
    kept = {name: value for name, value in scenarios[number].items() if name not in {"text", "limits", "name"}}
    inputs = json.dumps([said.get("roles"), kept, its.k, state.table], sort_keys=True, default=str)
    return Asked(plan, inputs)


def describe_scenario(state: State, asked: Asked, cursor: duckdb.DuckDBPyConnection) -> tuple[Plan, Microdata]:
    """Return the plan with its columns of the household, and the table with the roles and the keys of the scenario."""
    roles = asked.plan.roles
    state.read_numbers(cursor, [name for name in (roles.weight, roles.sampling_fraction) if isinstance(name, str)])
    plan, _ = find_plan_households(cursor, asked.plan)
    return plan, describe_table(cursor, plan, state.table, asked.scenario.keys, asked.nulls)


def find_report(desk: Desk, number: int, asked: Asked) -> Job[RiskReport]:
    """Return the work that measures the risks of a scenario, as a release file that is run measures them before."""

    def run(cursor: duckdb.DuckDBPyConnection, tell: Callable[[str], None]) -> RiskReport:
        plan, _ = describe_scenario(desk.state, asked, cursor)
        bare = replace(asked.scenario, limits=(), threshold=None, neighbourhood=None)
        report, _ = measure_scenario(
            cursor, plan, desk.state.table, bare, asked.nulls, name=desk.state.name, progress=tell
        )
        return report

    return desk.find_job(f"report-{number}", asked.inputs, run)


def find_limits(desk: Desk, number: int, asked: Asked, report: RiskReport) -> Job[list[Judged]]:
    """Return the work that judges the limits of a scenario by the file as it is."""
    texts = tuple(limit.text for limit in asked.scenario.limits)

    def run(cursor: duckdb.DuckDBPyConnection, tell: Callable[[str], None]) -> list[Judged]:
        plan, data = describe_scenario(desk.state, asked, cursor)
        found = report.to_dict()
        more = measure_limited(data, plan, asked.scenario, found=found, progress=tell)
        return [_judge_limit(plan, text, {**found, **more}) for text in texts]

    return desk.find_job(f"limits-{number}", (asked.inputs, texts, describe_measured(asked.plan)), run)


def _judge_limit(plan: Plan, text: str, report: Mapping[str, Any]) -> Judged:
    try:
        return Judged(text, collect_figures(text, report, plan.asked), holds_limit(text, report, plan.asked))
    except InputError:  # it compares the released file with the original
        return Judged(text, {}, None)


def _name_place(problem: str) -> str:
    """Return a problem without the number of the scenario, which a reader of the page does not know."""
    place, _, said = problem.partition(": ")
    if place.startswith("scenarios"):
        field = place.partition(".")[2].partition("[")[0]
        said = said.removesuffix(" (scenarios[0]).")
        return f"{field[:1].upper()}{field[1:]}: {said}" if field else said
    return f"{text_for_message(place)}: {said}" if said else problem
