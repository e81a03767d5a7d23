"""The public report of a release, for the users of its file: what was done to the data, and what that costs them.

It names no risk, no scenario and no limit, no record, and no count of few records.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.table import fetch_rows
from sdc_sql.document.blocks import Page, Points, Section, Table, Text, make_facts_block, make_label
from sdc_sql.document.files import format_page, write_page
from sdc_sql.errors import ParameterError
from sdc_sql.release.reporting import (
    matrices,
    public_changes,
    public_code,
    public_corrections,
    public_loss,
    public_steps,
)
from sdc_sql.release.reporting.public_facts import (
    is_wholly_released,
    list_columns_as_collected,
    list_partial_steps,
    list_uses,
    noise_variances,
    treatments,
)
from sdc_sql.release.reporting.stages import describe_release, list_output_columns
from sdc_sql.release.running import formats

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from sdc_sql.document.blocks import Block
    from sdc_sql.release.running.outcome import Outcome

# what users ask, in their order: the six stages are those of who releases the file
FILE = "1. The file"
DONE = "2. What was done to the variables"
USE = "3. What you may compute, and how to correct for the masking"
LOST = "4. What was lost"
UNSEEN = "(not in the file)"  # a category that the released file does not have


def write_public_report(outcome: Outcome, path: Path) -> None:
    """Write the public report, as Markdown where the path ends so, else as HTML."""
    write_page(public_page(outcome), path)


def public_report(outcome: Outcome, format: str = "html") -> str:  # noqa: A002 - the plain word for it
    """Return the report for the users of a released file, as ``"html"`` or ``"markdown"``.

    It tells the methods, what they keep, the matrices of PRAM (to three decimals) and the variances of additive noise,
    by which estimates are corrected, code that does it, where values were suppressed, and the information that was
    lost, in round figures.
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
    sections = (_write_file(outcome), _write_treatments(outcome), _write_estimates(outcome), _write_losses(outcome))
    return Page(
        plan.title or plan.output.path.name, ("Report for the users of the file", *describe_release(outcome)), sections
    )


def _write_file(outcome: Outcome) -> Section:
    plan = outcome.plan
    changed = (
        "What was changed to make it smaller is listed below."
        if treatments(outcome)
        else "No value was changed for it."
    )
    told = Text(
        "Before this file was released, the risk that a person, a household or a firm is recognised in it was "
        f"measured. {changed} The producer holds the risk that is left to be small enough for this release. It is not "
        "zero: do not try to recognise anyone. Its figures are confidential."
    )
    released = list_output_columns(outcome)
    there = {c.lower() for c in released}
    before = (*plan.roles.identifiers, *plan.roles.drop, *outcome.columns_before)
    removed = [c for c in before if c.lower() not in there]
    facts: dict[str, object] = {"population": plan.population} if plan.population else {}
    facts |= {
        "file": plan.output.path.name, "records": outcome.records_after,
        f"variables ({len(released)})": ", ".join(released), "not released": ", ".join(removed) or "none",
    }  # fmt: skip
    described: list[Block] = [Text(plan.description)] if plan.description else []
    named, _ = formats.labels(plan.source.path, {*released}, set())
    rows = tuple((column, named[column]) for column in released if named.get(column))
    labels = [Table("Labels of the variables, as the file has them", ("variable", "label"), rows)] if rows else []
    return Section(FILE, (*described, make_facts_block("", facts), told, *labels))


def _write_treatments(outcome: Outcome) -> Section:
    found = treatments(outcome)
    rows = tuple((t.of, t.method, t.done, t.parameters) for t in found)
    names = ("variables", "method", "what was done", "parameters")
    blocks: list[Block] = [
        Table("Methods, in their order", names, rows) if rows else Text("None."),
        Text(f"Released as they were collected: {', '.join(list_columns_as_collected(outcome)) or 'none'}."),
    ]
    return Section(DONE, (*blocks, *public_changes.list_change_blocks(outcome)))


def _write_estimates(outcome: Outcome) -> Section:
    blocks: list[Block] = []
    noise = noise_variances(outcome)
    advice = list_uses(outcome)
    good = public_corrections.list_correctable_steps(outcome)
    for step, logged, part, last in zip(
        outcome.steps, matrices.find_logged_steps(outcome), list_partial_steps(outcome), good, strict=True
    ):
        if not is_wholly_released(outcome, step):
            continue
        stratum = step.parameters.get("stratum")
        strata = _namer(outcome, [str(stratum)] if stratum else [])
        found = public_steps.show_public_matrix(step, logged, _namer(outcome, step.columns), strata)
        blocks += found
        known = public_corrections.read_square_matrix(logged)
        blurred = known is not None and not public_corrections.is_solvable(known[1])
        told = public_steps.advice(step, matrix=bool(found), part=part, blurred=blurred, masked_again=not last)
        advice += [line for line in told if line not in advice]
    if noise:
        rows = tuple((column, public_steps.round_told(variance)) for column, variance in noise.items())
        blocks.append(Table("Variance of the noise that was added", ("variable", "variance"), rows))
    points: list[Block] = [Points(tuple(advice))] if advice else [Text("No estimate needs a correction.")]
    corrections = public_corrections.find_corrections(outcome, lambda step: _namer(outcome, step.columns))
    return Section(USE, (*points, *blocks, public_code.write_code_section(corrections)))


def _write_losses(outcome: Outcome) -> Section:
    blocks = public_loss.list_loss_blocks(outcome) or [Text("No loss is told.")]
    software = Text(f"Software: sdc-sql {outcome.versions['sdc_sql']}.")
    return Section(LOST, (*blocks, software))


def _namer(outcome: Outcome, columns: Sequence[str]) -> Callable[[object], str]:
    """Return a function that names a category where the released columns have it: a rare one may be there no more.

    The categories are read when the first one is named: a column of numbers has as many as records, and no matrix.
    """
    there = {c.lower() for c in list_output_columns(outcome)}
    shown = [c for c in columns if c.lower() in there]

    @cache
    def read_categories() -> tuple[set[str], set[tuple[str, ...]]]:
        released = query.call_macro("sdc__rows", outcome.released.table).subquery("r")
        rows = exp.select(*(exp.column(c, quoted=True) for c in shown)).distinct().from_(released)
        found = fetch_rows(outcome.released.con, rows) if shown else []
        texts = {make_label(value) for row in found for value in row.values()}
        together = [tuple(make_label(row[c]) for c in columns) for row in found] if len(shown) == len(columns) else []
        return texts, {*together}

    def name(category: object) -> str:
        texts, together = read_categories()
        if isinstance(category, dict):
            seen = tuple(make_label(category.get(c)) for c in columns) in together
            return matrices.format_category(category) if seen else UNSEEN
        return matrices.format_category(category) if make_label(category) in texts else UNSEEN

    return name
