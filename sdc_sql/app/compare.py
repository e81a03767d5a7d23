"""The step *Compare*: what the file still tells, and the map of what was tried."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from htmltools import Tag, TagList, tags

from sdc_sql.app import compare_map
from sdc_sql.app.figures_shown import write_figures
from sdc_sql.app.protect import find_now
from sdc_sql.app.show import act, button, show_blocks, show_job, show_problem
from sdc_sql.app.step import Step
from sdc_sql.app.tried import list_tried
from sdc_sql.app.worked import describe_work, find_worked, read_plan
from sdc_sql.db.catalogue.arguments import list_choices
from sdc_sql.errors import ParameterError
from sdc_sql.loss.margin_distance import pair_distance
from sdc_sql.release.judging.estimated import measure_estimates
from sdc_sql.release.judging.measured import list_number_columns
from sdc_sql.release.judging.relabelled import relabel_original
from sdc_sql.release.reading.estimates import MEASURE
from sdc_sql.release.reading.plan import ORIGINAL, RELEASED
from sdc_sql.release.reporting.estimates_section import list_estimate_blocks
from sdc_sql.release.reporting.internal.values import compare_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import duckdb

    from sdc_sql.app.desk import Desk
    from sdc_sql.app.jobs import Job
    from sdc_sql.app.worked import Sides
    from sdc_sql.document.blocks import Block

    Tell = Callable[[str], None]

STATISTICS = list_choices(MEASURE, "statistic")
FEW = 8  # columns whose pairs are compared at first


def view(desk: Desk) -> TagList:
    """Return what the step shows."""
    return TagList(
        tags.section(tags.h2("What was tried"), desk.place("compare_map")),
        tags.section(tags.h2("Limits on what is lost"), desk.place("compare_losses")),
        tags.section(tags.h2("One variable, before and after"), desk.place("compare_values")),
        tags.section(tags.h2("Pairs of variables"), desk.place("compare_pairs")),
        tags.section(tags.h2("What users will compute"), desk.place("compare_estimates")),
    )


def find_sides_job(
    desk: Desk, panel: str, more: tuple[Any, ...], run: Callable[[Sides, Tell], Any]
) -> Job[Any]:  # fmt: skip
    """Return work on both tables of the steps that are applied; ``more`` is what it depends on besides."""
    plan, _ = read_plan(desk.state, desk.release())
    worked = find_worked(desk.state)

    def work(cursor: duckdb.DuckDBPyConnection, tell: Tell) -> Any:  # noqa: ANN401 - of a job
        with worked.open(cursor, plan, tell) as sides:
            return run(sides, tell)

    return desk.find_job(panel, (*describe_work(plan), *more), work)


def serve(desk: Desk) -> None:
    """Register the parts of the step, and what is done in it."""
    compare_map.serve(desk)
    _serve_values(desk)
    _serve_pairs(desk)
    _serve_estimates(desk)

    @desk.part("compare_losses")
    def _() -> Tag | TagList:
        if not desk.release().get("loss", {}).get("limits"):
            return tags.p(
                "None: step 2 takes limits on risk and on loss. Below is what they could be about.", class_="hint"
            )
        return show_job(find_now(desk), lambda found: _write_losses(found[1]), what="Measuring")


def _write_losses(shown: Sequence[Any]) -> Tag | TagList:
    return write_figures("compare-losses", "Limits on what is lost", shown, ("before", "now"))


def _list_columns(desk: Desk) -> list[str]:
    """Return the columns that the released file has, those that a step changes first."""
    release = desk.release()
    roles = release.get("roles", {})
    gone = {*roles.get("identifiers", []), *roles.get("drop", []), roles.get("id")}
    plan, _ = read_plan(desk.state, release)
    changed = {column for step in plan.steps for column in step.changes}
    gone |= {column for step in plan.steps if step.verb == "drop_identifiers" for column in step.columns}
    return sorted((c for c in desk.state.columns if c not in gone), key=lambda c: c not in changed)


def _serve_values(desk: Desk) -> None:
    @desk.part("compare_values")
    def _() -> Tag | TagList:
        columns = _list_columns(desk)
        if not columns:
            return tags.p("No column is released.", class_="hint")
        chosen = desk.read_choice("compare_column", "")
        chosen = chosen if chosen in columns else columns[0]
        options = [tags.option(c, value=c, selected="" if c == chosen else None) for c in columns]
        field = tags.div(
            tags.label("Variable", for_="compare-column"),
            tags.select(*options, act("compare_column"), id="compare-column"),
            class_="line",
        )

        def run(sides: Sides, tell: Tell) -> Any:  # noqa: ANN401 - of a job
            tell(chosen)
            return compare_tables(sides.describe(ORIGINAL), sides.describe(RELEASED), chosen)

        job = find_sides_job(desk, "compare_values", (chosen,), run)
        nothing = tags.p("No record has a value.", class_="hint")
        return TagList(
            field,
            show_job(
                job, lambda found: tags.div(show_blocks(found), class_="pair") if found else nothing, what="Values"
            ),
        )

    desk.on("compare_column")(lambda sent: desk.choose("compare_column", sent["value"]))


def _serve_pairs(desk: Desk) -> None:
    @desk.part("compare_pairs")
    def _() -> Tag | TagList:
        columns = _list_columns(desk)
        chosen = [c for c in desk.read_choice("compare_paired", columns[:FEW]) if c in columns]
        boxes = [
            tags.label(
                tags.input(
                    act("compare_pair", column=c, place="compare-pairs"),
                    type="checkbox",
                    id=f"compare-pair-{i}",
                    checked="" if c in chosen else None,
                ),
                c,
            )
            for i, c in enumerate(columns)
        ]
        head = TagList(
            tags.p(
                "How far the table of each pair is from the original one: 0 as it was, 1 no cell in common. Numbers "
                "are cut into classes of equally many records.",
                class_="hint",
            ),
            tags.fieldset(tags.legend("Variables"), tags.div(*boxes, class_="chips")),
            show_problem(desk, "compare-pairs"),
        )
        if len(chosen) < 2:  # noqa: PLR2004 - a pair
            return TagList(head, tags.p("Choose two variables or more.", class_="hint"))

        def run(sides: Sides, tell: Tell) -> list[Block]:
            tell("pairs")
            original, released = sides.describe(ORIGINAL), sides.describe(RELEASED)
            numbers = list_number_columns(original) & list_number_columns(released) & {*chosen}
            # a class is compared with the values that it stands for
            with relabel_original(original, released, sides.plan, [c for c in chosen if c not in numbers]) as before:
                data = released._roles  # noqa: SLF001 - as its methods take them
                return [pair_distance(data, before, chosen, continuous=sorted(numbers) or None).plot().block]

        job = find_sides_job(desk, "compare_pairs", tuple(chosen), run)
        return TagList(head, show_job(job, lambda found: tags.div(show_blocks(*found), class_="grid"), what="Pairs"))

    @desk.on("compare_pair")
    def _(sent: dict[str, Any]) -> None:
        columns = _list_columns(desk)
        chosen = {*desk.read_choice("compare_paired", columns[:FEW])} - {sent["column"]}
        chosen |= {sent["column"]} if sent["value"] else set()
        desk.choose("compare_paired", [c for c in columns if c in chosen])


def _serve_estimates(desk: Desk) -> None:
    state = desk.state

    @desk.part("compare_estimates")
    def _() -> Tag | TagList:
        release = desk.release()
        head = _write_estimate_form(desk)
        listed = release.get("estimates", [])
        if not listed:
            return TagList(
                tags.p("Say what they compute: both files are asked, each answer with its interval.", class_="hint"),
                head,
            )

        def run(sides: Sides, tell: Tell) -> list[Block]:
            found = measure_estimates(sides.describe(ORIGINAL), sides.describe(RELEASED), sides.plan, tell)
            return list_estimate_blocks(found)

        job = find_sides_job(desk, "compare_estimates", (repr(listed),), run)
        removes = [
            button(
                "Take out",
                "estimate_remove",
                row=i,
                id=f"estimate-remove-{i}",
                spoken=f"Take out: {one.get('title') or one['name']}",
            )
            for i, one in enumerate(listed)
        ]
        names = tags.ul(
            *(
                tags.li(one.get("title") or one["name"], " ", remove)
                for one, remove in zip(listed, removes, strict=True)
            ),
            class_="report-list",
        )
        return TagList(head, names, show_job(job, lambda found: show_blocks(*found), what="Estimates"))

    @desk.on("estimate_add")
    def _(sent: dict[str, Any]) -> None:
        statistic, variable, by = str(sent["statistic"]), str(sent["variable"]), str(sent.get("by") or "")
        if statistic not in STATISTICS or variable not in state.columns or (by and by not in state.columns):
            raise ParameterError("Choose a statistic and a variable.")
        names = {one["name"] for one in state.release.get("estimates", [])}
        number = next(i for i in range(1, len(names) + 2) if f"estimate_{i}" not in names)
        estimate: dict[str, Any] = {"name": f"estimate_{number}", "statistic": statistic, "variable": variable}
        estimate |= {"domains": [by]} if by else {}
        after = {**state.release, "estimates": [*state.release.get("estimates", []), estimate]}
        _, problems = read_plan(state, after)
        at = f"estimates[{len(after['estimates']) - 1}]"
        wrong = [said.partition(": ")[2] for said in problems if said.startswith((f"{at}:", f"{at}."))]
        if wrong:
            raise ParameterError(" ".join(wrong))
        state.change("an estimate", lambda release: release.update(estimates=after["estimates"]))

    @desk.on("estimate_remove")
    def _(sent: dict[str, Any]) -> None:
        number = int(sent["row"])
        state.change("an estimate taken out", lambda release: release["estimates"].pop(number))


def _write_estimate_form(desk: Desk) -> Tag:
    columns = [tags.option(c, value=c) for c in _list_columns(desk)]
    return tags.form(
        tags.label("Statistic", for_="estimate-statistic"),
        tags.select(
            *(tags.option(s, value=s) for s in STATISTICS if s != "regression"), id="estimate-statistic",
            name="statistic",
        ),
        tags.label("of", for_="estimate-variable"),
        tags.select(*columns, id="estimate-variable", name="variable"),
        tags.label("by", for_="estimate-by"),
        tags.select(tags.option("nothing", value=""), *columns, id="estimate-by", name="by"),
        tags.button("Add", type="submit", id="estimate-add"),
        show_problem(desk, "compare-estimate"),
        act("estimate_add", place="compare-estimate"), class_="line",
    )  # fmt: skip


def describe(desk: Desk) -> str:
    """Say where one stands."""
    number = len(list_tried(desk.state))
    return f"{number} tried" if number else ""


STEP = Step("compare", "What does the file still tell, and is there a better way?", view, serve, describe)
