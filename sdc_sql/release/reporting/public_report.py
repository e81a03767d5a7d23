"""The public report of a release, for the users of its file: what was done to the data, and what that costs them.

It names no risk, no scenario and no limit, no record, and no count of few records.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.table import fetch_rows
from sdc_sql.document.blocks import Chart, Page, Points, Section, Table, Text, make_facts_block, make_label
from sdc_sql.document.files import format_page, write_page
from sdc_sql.errors import ParameterError
from sdc_sql.release.reporting import lost, matrices, public_loss, public_steps
from sdc_sql.release.reporting.public_facts import (
    is_wholly_released,
    list_columns_as_collected,
    list_partial_steps,
    noise_variances,
    treatments,
)
from sdc_sql.release.reporting.stages import (
    CONTROL,
    DATA,
    IMPLEMENTATION,
    NEED,
    RESULT,
    RISK,
    describe_release,
    list_output_columns,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sdc_sql.db.masking.steps import MaskingStep
    from sdc_sql.document.blocks import Block
    from sdc_sql.release.running.outcome import Outcome

UNSEEN = "(not in the file)"  # a category that the released file does not have


def write_public_report(outcome: Outcome, path: Path) -> None:
    """Write the public report, as Markdown where the path ends so, else as HTML."""
    write_page(public_page(outcome), path)


def public_report(outcome: Outcome, format: str = "html") -> str:  # noqa: A002 - the plain word for it
    """Return the report for the users of a released file, as ``"html"`` or ``"markdown"``.

    It tells the methods, what they keep, the matrices of PRAM (to three decimals) and the variances of additive noise,
    by which estimates are corrected, where values were suppressed, and the information that was lost, in round figures.
    ``sdc_sql/release/reporting/public_steps.py`` lists what of each method is told; nothing else is.

    Raises
    ------
    ParameterError
        Where the release was refused: there is no file to report on.
    """
    return format_page(public_page(outcome), format)


def public_page(outcome: Outcome) -> Page:
    """Return the public report as a page."""
    if not outcome.accepted:
        raise ParameterError("The release was refused, so there is no file to report on for its users.")
    plan = outcome.plan
    sections = (
        _write_need(outcome),
        _write_data(outcome),
        _write_risk(),
        _write_control(outcome),
        _write_implementation(outcome),
        _write_result(outcome),
    )
    return Page(
        plan.title or plan.output.path.name, ("Report for the users of the file", *describe_release(outcome)), sections
    )


def _write_need(outcome: Outcome) -> Section:
    told = Text(
        "The units of this file answered in confidence. Before it was released, the risk that someone is recognised in "
        "it was measured, and what is listed below was changed to make it smaller. It is not zero: trying to recognise "
        "anyone is not allowed. This report says what was changed, and what that means for the use of the data."
    )
    population = [make_facts_block("", {"population": outcome.plan.population})] if outcome.plan.population else []
    return Section(NEED, (told, *population))


def _write_data(outcome: Outcome) -> Section:
    plan = outcome.plan
    released = list_output_columns(outcome)
    there = {c.lower() for c in released}
    before = (*plan.roles.identifiers, *plan.roles.drop, *outcome.columns_before)
    removed = [c for c in before if c.lower() not in there]
    size = {"file": plan.output.path.name, "records": outcome.records_after, "variables": len(released)}
    lists = {"variables": ", ".join(released), "not released": ", ".join(removed) or "none"}
    described: list[Block] = [Text(plan.description)] if plan.description else []
    return Section(DATA, (*described, make_facts_block("", size), make_facts_block("Variables", lists)))


def _write_risk() -> Section:
    return Section(
        RISK,
        (Text("The risk that someone is recognised was measured before and after. Its figures are confidential."),),
    )


def _write_control(outcome: Outcome) -> Section:
    rows = tuple((t.of, t.method, t.done, t.keeps, t.parameters) for t in treatments(outcome))
    names = ("variables", "method", "what was done", "what it keeps", "parameters")
    return Section(
        CONTROL,
        (
            Table("Methods, in the order in which they were applied", names, rows) if rows else Text("None."),
            Text(f"Released as they were collected: {', '.join(list_columns_as_collected(outcome)) or 'none'}."),
        ),
    )


def _write_implementation(outcome: Outcome) -> Section:
    blocks: list[Block] = [Text(f"Software: sdc-sql {outcome.versions['sdc_sql']}.")]
    noise = noise_variances(outcome)
    advice: list[str] = []
    for step, logged, part in zip(
        outcome.steps, matrices.find_logged_steps(outcome), list_partial_steps(outcome), strict=True
    ):
        if not is_wholly_released(outcome, step):
            continue
        found = public_steps.show_public_matrix(step, logged, _namer(outcome, step))
        blocks += found
        advice += [line for line in public_steps.advice(step, matrix=bool(found), part=part) if line not in advice]
    if noise:
        rows = tuple((column, variance) for column, variance in noise.items())
        blocks.append(Table("Variance of the noise that was added", ("variable", "variance"), rows))
    if advice:
        blocks.append(Section("For your estimates", (Points(tuple(advice)),)))
    return Section(IMPLEMENTATION, tuple(blocks))


def _write_result(outcome: Outcome) -> Section:
    blocks: list[Block] = []
    withheld = public_loss.list_withheld_columns(outcome)
    rows = [row for row in lost.count_by_variable(outcome) if row["variable"].lower() not in withheld]
    gone = [row["variable"] for row in rows if row["suppressed"]]
    counted = [
        (r["variable"], *(public_loss.round_share(r[n], r["records"]) for n in ("changed", "suppressed"))) for r in rows
    ]
    if counted and counted[0][1] is not None:
        blocks.append(
            Chart(
                "Values that are not the original ones (recoded, changed or suppressed), in per cent of the records",
                tuple(name for name, *_ in counted), (("changed", tuple(changed for _, changed, _ in counted)),),
                "dots", most=100.0,
            )
        )  # fmt: skip
    if gone:
        told = tuple((name, suppressed) for name, _, suppressed in counted if name in gone)
        blocks.append(Table("Suppressed values (NULL), in per cent of the records", ("variable", "suppressed"), told))
    for name, found in lost.count_by_dimension(outcome, gone).items():
        several = tuple(
            (make_label(row["value"]), *(public_loss.round_share(row["suppressed"][v], row["records"]) for v in gone))
            for row in found
        )
        blocks.append(Table(f"Suppressed values by {name}, in per cent of its records", (name, *gone), several))
    losses = public_loss.list_told_losses(outcome)
    if losses:
        names = tuple(losses[0])
        blocks.append(
            Table("Information loss, 0 where nothing is lost", names, tuple(tuple(r.values()) for r in losses))
        )
    blocks.append(
        Text(
            "These figures are round, so that none tells of few records: 0 stands for less than half a step, a dash "
            "for too few records. The risk that is left is confidential."
        )
    )
    return Section(RESULT, tuple(blocks))


def _namer(outcome: Outcome, step: MaskingStep) -> Callable[[object], str]:
    """Return a function that names a category where the released file has it: a rare one may be there no more."""
    columns = [*step.columns, *([str(step.parameters["stratum"])] if step.parameters.get("stratum") else [])]
    there = {c.lower() for c in list_output_columns(outcome)}
    shown = [c for c in columns if c.lower() in there]
    released = query.call_macro("sdc__rows", outcome.released.table).subquery("r")
    rows = exp.select(*(exp.column(c, quoted=True) for c in shown)).distinct().from_(released)
    found = fetch_rows(outcome.released.con, rows) if shown else []
    texts = {make_label(value) for row in found for value in row.values()}
    together = (
        {tuple(make_label(row[c]) for c in step.columns) for row in found} if {*step.columns} <= {*shown} else set()
    )

    def name(category: object) -> str:
        if isinstance(category, dict):
            seen = tuple(make_label(category.get(c)) for c in step.columns) in together
            return matrices.format_category(category) if seen else UNSEEN
        return matrices.format_category(category) if make_label(category) in texts else UNSEEN

    return name
