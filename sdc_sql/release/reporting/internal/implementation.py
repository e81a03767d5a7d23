"""The fifth stage: what the steps did, value by value, with what they drew by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc_sql.document.blocks import Section, Table, Text, format_short, make_facts_block, make_label
from sdc_sql.release.reporting import lost, matrices
from sdc_sql.release.reporting.internal.steps import describe_findings, name_method, number_steps
from sdc_sql.release.reporting.stages import IMPLEMENTATION

if TYPE_CHECKING:
    from sdc_sql.document.blocks import Block
    from sdc_sql.release.running.outcome import Outcome

DONE = ("step", "method", "records", "records changed", "SSE/SST", "what it found", "release", "stream")


def write_implementation(outcome: Outcome) -> Section:
    """Return the section."""
    numbered = number_steps(outcome)
    drawn = any(step.release or step.stream for _, step in numbered)
    rows = tuple(
        (number, name_method(step.method), step.records, step.changed, step.sse_sst, describe_findings(step),
         *((step.release or "", step.stream or "") if drawn else ()))
        for number, step in numbered
    )  # fmt: skip
    done = [Table("What each step did", DONE if drawn else DONE[:-2], rows)] if rows else []
    shown = [
        Section(f"Step {number}: {name_method(step.method)}", tuple(found))
        for (number, step), log in zip(numbered, matrices.find_logged_steps(outcome), strict=True)
        if log is not None and (found := matrices.show_matrix(log))
    ]
    software = make_facts_block("Software", outcome.versions)
    return Section(IMPLEMENTATION, (Text(_answer(outcome)), *done, *shown, *_suppressions(outcome), software))


def _answer(outcome: Outcome) -> str:
    rows = lost.count_by_variable(outcome)
    if not rows:
        return "How many values the steps changed is not known: that needs the id of the records (roles.id)."
    whole, changed, gone = (sum(row[name] for row in rows) for name in ("records", "changed", "suppressed"))
    share = format_short(100.0 * changed / whole) if whole else "0"
    return (
        f"Of {whole:,} values {changed:,} ({share} per cent) are not as they were collected, {gone:,} of them because "
        "they were suppressed."
    )


def _suppressions(outcome: Outcome) -> list[Block]:
    variables = lost.count_by_variable(outcome)
    touched = [row for row in variables if row["changed"]]
    if not touched:
        return []
    names = ("variable", "records", "changed", "per cent", "suppressed")
    rows = tuple(
        (r["variable"], r["records"], r["changed"], round(100 * r["changed"] / r["records"], 3), r["suppressed"])
        for r in touched
    )
    blocks: list[Block] = [Table("Values that were changed, and those of them that were suppressed", names, rows)]
    left = len(variables) - len(touched)
    if left:
        blocks.append(Text(f"{left} more variables have every value as it was collected."))
    gone = [row["variable"] for row in variables if row["suppressed"]]
    for name, found in lost.count_by_dimension(outcome, gone).items():
        rows_of = tuple(
            (make_label(row["value"]), row["records"], *(row["suppressed"][v] for v in gone)) for row in found
        )
        blocks.append(Table(f"Suppressed values of each variable, by {name}", (name, "records", *gone), rows_of))
    return [Section("Changes and suppressions", tuple(blocks))]
