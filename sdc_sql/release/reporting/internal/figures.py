"""The figures of a scenario in words, those that say the same once: for the stages before and after protection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sdc_sql.document.blocks import Table, is_shown_number
from sdc_sql.figures.condition import Named
from sdc_sql.figures.words import describe_figure
from sdc_sql.release.reporting.internal.steps import format_parameter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.figures.asked import Asked
    from sdc_sql.release.running.outcome import ScenarioOutcome
    from sdc_sql.report import RiskReport

SINGLE = {
    "frequency_summary": "frequency_summary", "theta": "theta", "global_risk": "global_risk",
    "household_global_risk": "household_global_risk", "suda_summary": "suda_summary",
}  # fmt: skip
# they stand under the frequencies, or say in per cent what a share says
REPEATED = {"theta": ("records", "cells", "n1", "n2"), "global_risk": ("records", "percent"),
            "household_global_risk": ("records", "percent"), "suda_summary": ("records",)}  # fmt: skip

ATTRIBUTE = ("l_diversity", "t_closeness", "likeness")


def list_figures(report: RiskReport, more: Mapping[str, Any], asked: Mapping[str, Asked]) -> dict[str, object]:
    """Return the figures of the file as a whole, by what they are in words."""
    found: dict[str, object] = {}
    for attribute, measure in SINGLE.items():
        result = getattr(report, attribute)
        for name, value in (result.to_dict() if result else {}).items():
            if name not in REPEATED.get(measure, ()):
                found[describe_figure(Named("", measure, None, name), asked)] = value
    for violation in report.k_anonymity:
        row = str(violation.k)
        found[describe_figure(Named("", "k_anonymity", row, "records"), asked)] = violation.records
    for of_one in report.attribute:
        found |= {f"{of_one['sensitive']}: {_describe_attribute(n, asked)}": _tell_bound(v)
                  for n, v in of_one.items() if n != "sensitive"}  # fmt: skip
    for label, rows in more.items():
        if isinstance(rows, dict):  # of the whole file
            found |= {describe_figure(Named("", label, None, n), asked): _tell_bound(v) for n, v in rows.items()}
    return found


def tabulate_more(found: ScenarioOutcome, asked: Mapping[str, Asked], *, after: bool) -> list[Table]:
    """Return the measures of several rows, as of each set of keys, a table each."""
    tables = []
    for label, rows in (found.more_after if after else found.more_before).items():
        if isinstance(rows, dict) or not rows:
            continue
        by = asked[label].measure.by if label in asked else ()
        names = sorted(rows[0], key=lambda name: name not in by)
        body = tuple(tuple(_tell_bound(format_parameter(row[name])) for name in names) for row in rows)
        when = "after" if after else "before"
        title = f"{label.replace('_', ' ')}, {when} protection, scenario {found.scenario.name}"
        tables.append(Table(title, tuple(name.replace("_", " ") for name in names), body))
    return tables


def pair_figures(found: ScenarioOutcome, asked: Mapping[str, Asked]) -> tuple[tuple[object, ...], ...]:
    """Return the figures of the file as a whole, before beside after."""
    before = list_figures(found.before, found.more_before, asked)
    after = list_figures(found.after, found.more_after, asked)
    return tuple((name, before.get(name), after.get(name)) for name in dict.fromkeys([*before, *after]))


def _describe_attribute(name: str, asked: Mapping[str, Asked]) -> str:
    """Return a figure of attribute disclosure in words; the report has those of several measures in one row."""
    for measure in ATTRIBUTE:
        if name in asked[measure].measure.declaration.words:
            return describe_figure(Named("", measure, None, name), asked)
    return name.replace("_", " ")


def _tell_bound(value: object) -> object:
    """Return a figure; one without bound is said to have none."""
    if isinstance(value, dict | list | tuple):
        return format_parameter(value)
    return "without bound" if is_shown_number(value) and value == float("inf") else value
