"""The fourth stage: the steps, whether they may be repeated, and the other releases that were considered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc_sql.db.catalogue.macros import find_effect
from sdc_sql.document.blocks import Points, Section, Table, Text
from sdc_sql.release.reporting import frontier_report
from sdc_sql.release.reporting.internal.steps import describe_parameters, name_method, number_steps
from sdc_sql.release.reporting.stages import CONTROL

if TYPE_CHECKING:
    from sdc_sql.document.blocks import Block
    from sdc_sql.release.running.outcome import Outcome

STEPS = ("step", "method", "variables", "parameters", "records changed")


def write_control(outcome: Outcome) -> Section:
    """Return the section."""
    rows = tuple(
        (number, name_method(step.method), ", ".join(step.columns), describe_parameters(step), step.changed)
        for number, step in number_steps(outcome)
    )
    steps = [Table("Steps, in their order", STEPS, rows)] if rows else []
    considered = frontier_report.list_frontier_sections(outcome)
    alone = Section(frontier_report.TITLE, (Text("None: the release file has no [frontier]."),))
    return Section(
        CONTROL, (Text(_answer(outcome)), *steps, *_describe_next_release(outcome), *(considered or (alone,)))
    )


def _answer(outcome: Outcome) -> str:
    methods = list(dict.fromkeys(name_method(step.method) for step in outcome.steps))
    if not methods:
        return "No step changed the file."
    many = f"{len(outcome.steps)} steps by {len(methods)} methods" if len(outcome.steps) > 1 else "One step"
    return f"{many} changed the file: {', '.join(methods)}."


def _describe_next_release(outcome: Outcome) -> list[Block]:
    """Say which steps are for one release only, of a table that is released again when it has changed."""
    words = {step.method: find_effect(step.method).repeated for step in outcome.steps}
    once = [
        f"{name_method(step.method)}: {words[step.method].reason}"
        for step in {step.method: step for step in outcome.steps}.values()
        if words[step.method].find_word(step.parameters) == "once"
    ]
    if not once:
        return []
    said = Text(
        "Next month's release of a table that has changed, masked by the same steps, would together with this one tell "
        "more than either. For one release only are:"
    )
    return [Section("The next release", (said, Points(tuple(once))))]
