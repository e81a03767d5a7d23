"""What a step would do, before it is applied: exactly from the cells, on a sample, or in full."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from htmltools import Tag, TagList, tags

from sdc_sql.app.figures_shown import format_seconds, write_figures
from sdc_sql.app.preview_cells import find_cells, preview_exactly
from sdc_sql.app.preview_records import SIZE, preview_by_records
from sdc_sql.app.protect_forms import describe_step, make_step
from sdc_sql.app.protect_kept import check_step, part_problem, read_form
from sdc_sql.app.show import button, show_job, show_problem
from sdc_sql.app.worked import describe_measured, describe_work, find_worked
from sdc_sql.errors import ParameterError

if TYPE_CHECKING:
    from sdc_sql.app.desk import Desk
    from sdc_sql.app.preview_figures import Preview
    from sdc_sql.app.state import State
    from sdc_sql.release.reading.plan import Plan
    from sdc_sql.release.reading.plan import Step as PlannedStep

SIDES = ("now", "then")


def serve_preview(desk: Desk) -> None:
    """Register the part that looks ahead, and what asks for a sample or for all records."""
    state = desk.state
    worked, cells = find_worked(state), find_cells(state)

    @desk.part("protect_preview")
    def _() -> Tag | TagList:
        desk.read_version()
        form, editing = read_form(desk), desk.read_choice("protect_editing", -1)
        try:
            step = make_step(form)
        except ParameterError as error:
            return _write_unready(str(error))
        asked, problems = check_step(state, step, editing)
        if asked is None:
            return _write_unready(*problems)
        key = _describe_asked(*asked)
        exact = desk.find_job(
            "protect_exact", key, lambda cursor, tell: preview_exactly(worked, cursor, cells, asked, tell)
        )
        wanted = desk.read_choice("protect_asked", None)
        by_records = None
        if wanted is not None and wanted[0] == key:
            by_records = desk.find_job(
                f"protect_{wanted[1]}", key,
                lambda cursor, tell: preview_by_records(worked, cursor, asked, tell, full=wanted[1] == "full"),
            )  # fmt: skip
        words, more = describe_step(step)
        found = by_records or exact
        return TagList(
            tags.h3("What it would do"),
            tags.p(tags.strong(words), f": {more}" if more else "", class_="what-it-does"),
            show_problem(desk, "protect-apply"),
            tags.div(
                button(
                    "Apply" if editing < 0 else f"Replace step {editing + 1}", "protect_apply", primary=True,
                    id="protect-apply",
                    place="protect-apply",
                ),
                button("Begin another", "protect_new", id="protect-new") if editing >= 0 else None,
                *_write_ways(state, exact.result if exact.status == "done" else exact, by_records),
                class_="tools",
            ),
            show_job(found, _write_preview, what="Looking ahead"),
        )  # fmt: skip

    def ask(how: str) -> None:
        step, editing = make_step(read_form(desk)), desk.read_choice("protect_editing", -1)
        asked, problems = check_step(state, step, editing)
        if asked is None:
            raise ParameterError(" ".join(problems))
        key = _describe_asked(*asked)
        desk.choose("protect_asked", (key, how))

    desk.on("protect_sample")(lambda _: ask("sample"))
    desk.on("protect_full")(lambda _: ask("full"))


def _describe_asked(plan: Plan, step: PlannedStep) -> tuple[Any, ...]:
    """Return what a preview hangs on: where it is the same, so is what was found."""
    return (*describe_work(plan), *describe_measured(plan), repr(step))


def _write_unready(*said: str) -> TagList:
    lines = [
        tags.li(tags.strong(f"{name}: ") if name else None, wrong) for name, wrong in map(part_problem, said)
    ]  # fmt: skip
    return TagList(tags.h3("What it would do"), tags.ul(*lines, class_="unready"))


def _write_ways(state: State, exact: Any, by_records: Any) -> list[Tag]:  # noqa: ANN401 - of a job
    """Return the buttons that ask for a sample or for all records."""
    sample = exact is None and state.records > SIZE
    of_cells = exact is not None and not hasattr(exact, "status")
    ways = []
    if sample:
        ways.append(
            button(
                f"Try on a sample of {SIZE:,} records",
                "protect_sample",
                id="protect-sample",
                disabled=by_records is not None and by_records.panel == "protect_sample",
            )
        )
    if exact is None or of_cells:
        ways.append(
            button(
                "Compute in full",
                "protect_full",
                id="protect-full",
                disabled=by_records is not None and by_records.panel == "protect_full",
            )
        )
    return ways


def _write_preview(found: Preview | None) -> TagList | Tag:
    if found is None:
        return tags.p(
            "This method looks at the records: try it on a sample, or compute it in full.", class_="hint", role="status"
        )
    if found.kind == "exact":
        said = f"Exact, of all {found.records:,} records, in {format_seconds(found.seconds)}."
    elif found.kind == "full":
        said = (
            f"Exact, of all {found.records:,} records: the method was run on them, in {format_seconds(found.seconds)}."
        )
    else:
        least, most = format_seconds(found.least), format_seconds(found.most)
        said = (
            f" of {found.records:,} records, as if they were the file: no limit is judged by it. All would take about "
            f"{least if least == most else f'{least} to {most}'}."
        )
    judged = found.kind != "sample"
    mark = tags.strong("Sample", class_="sample") if found.kind == "sample" else None
    lost = [tags.li(f"{column}: {share:.1%} of what its values tell is lost (entropy)") for column, share in found.lost]
    return TagList(
        tags.p(mark, said, role="status", class_="kind"),
        write_figures("protect-risk", "Risk before and after the step", found.risk, SIDES, judged=judged),
        tags.h4("What is lost"),
        tags.ul(*lost) if lost else None,
        write_figures("protect-loss", "Loss before and after the step", found.loss, SIDES, judged=judged)
        if found.loss else None,
    )  # fmt: skip
