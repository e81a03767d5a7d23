"""The step *Protect*: what is done to the file, and what each step would do, before it is applied."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from htmltools import Tag, TagList, tags

from sdc_sql.app import protect_best, protect_edit, protect_list
from sdc_sql.app.figures_shown import write_figures
from sdc_sql.app.preview_figures import measure_tables
from sdc_sql.app.protect_forms import describe_step
from sdc_sql.app.show import button, show_job, show_problem
from sdc_sql.app.step import Step
from sdc_sql.app.tried import keep_tried
from sdc_sql.app.worked import describe_measured, describe_work, find_worked, read_plan

if TYPE_CHECKING:
    from sdc_sql.app.desk import Desk
    from sdc_sql.app.jobs import Job
    from sdc_sql.app.preview_figures import Shown
    from sdc_sql.app.protect_list import Item


def view(desk: Desk) -> TagList:
    """Return what the step shows."""
    return TagList(
        tags.div(
            tags.section(tags.h2("Steps", id="protect-steps-head"), desk.place("protect_steps"), class_="flat"),
            tags.section(tags.h2("Where the file stands"), desk.place("protect_now"), class_="flat"),
            class_="sides",
        ),
        tags.section(
            tags.h2(tags.span("A step", id="protect-step-head")),
            desk.place("protect_method"),
            tags.div(
                tags.div(desk.place("protect_fields"), desk.place("protect_breaks"), class_="form"),
                tags.div(desk.place("protect_preview"), class_="would"),
                class_="sides",
            ),
        ),
        tags.section(tags.h2("The best recoding"), desk.place("protect_best")),
    )


def serve(desk: Desk) -> None:
    """Register the parts of the step, and what is done in it."""
    _serve_list(desk)
    protect_edit.serve(desk)
    protect_best.serve(desk)


def find_now(desk: Desk) -> Job[Any]:
    """Return the work that measures the file as it stands."""
    state = desk.state
    desk.read_version()
    release = state.release
    plan, _ = read_plan(state, release)
    worked = find_worked(state)

    def run(cursor: Any, tell: Any) -> Any:  # noqa: ANN401 - of a job
        with worked.open(cursor, plan, tell) as sides:
            risk, loss = measure_tables(sides, tell)
            changed = [(done.method, done.changed, done.records) for done in sides.steps]
        keep_tried(state, replace(plan, steps=()), [], (_turn_back(risk), _turn_back(loss)))
        keep_tried(state, plan, release.get("steps", []), (risk, loss))
        return risk, loss, changed

    return desk.find_job("protect_now", (describe_work(plan), describe_measured(plan)), run)


def _turn_back(shown: tuple[Shown, ...]) -> tuple[Shown, ...]:
    """Return the figures of the file as it was collected, and whether limits hold of it."""
    return tuple(replace(one, after=one.before, holds=one.held, why="") for one in shown)


def _serve_list(desk: Desk) -> None:
    state = desk.state

    @desk.part("protect_steps")
    def _() -> Tag | TagList:
        release = desk.release()
        items = protect_list.list_items(release)
        _, problems = read_plan(state, release)
        editing = desk.read_choice("protect_editing", -1)
        head = show_problem(desk, "protect-steps")
        if not items:
            return TagList(head, tags.p("None yet: the file is as it was collected. Try a step below.", class_="hint"))
        return TagList(
            head,
            tags.ol(
                *(_write_item(i, item, len(items), problems, editing=i == editing) for i, item in enumerate(items)),
                class_="worksteps",
            ),
        )

    @desk.part("protect_now")
    def _() -> Tag | TagList:
        release = desk.release()
        if not release.get("scenarios"):
            return tags.p("Say first who might look: risk is measured for what an intruder may know.", class_="hint")
        return show_job(find_now(desk), _write_now, what="Measuring")

    for name, what, change in (
        ("up", "move up", lambda release, place: protect_list.move_item(release, place, -1)),
        ("down", "move down", lambda release, place: protect_list.move_item(release, place, 1)),
        ("switch", "switch off or on", protect_list.switch_item),
        ("remove", "take out", protect_list.remove_item),
    ):
        _register_change(desk, name, what, change)


def _register_change(desk: Desk, name: str, what: str, change: Any) -> None:  # noqa: ANN401 - a function
    state = desk.state

    @desk.on(f"protect_{name}")
    def _(sent: dict[str, Any]) -> None:
        place = int(sent["step"])
        words, _ = describe_step(protect_list.list_items(state.release)[place].step)
        state.change(f"{words}: {what}", lambda release: change(release, place))
        desk.choose("protect_editing", -1)


def _write_item(place: int, item: Item, count: int, problems: tuple[str, ...], *, editing: bool) -> Tag:
    words, more = describe_step(item.step)
    at = f"steps[{item.number}]"
    wrong = [
        said.partition(": ")[2]
        for said in problems
        if item.number is not None and said.startswith((f"{at}:", f"{at}."))
    ]

    def small(label: str, name: str, sign: str, *, disabled: bool = False) -> Tag:
        return button(
            sign, f"protect_{name}", id=f"protect-{name}-{place}", disabled=disabled, step=place,
            title=label, spoken=f"{label}: {words}", place="protect-steps",
        )  # fmt: skip

    return tags.li(
        tags.div(
            tags.strong(words),
            tags.span(" (switched off)", class_="quiet") if item.off else None,
            tags.span(more, class_="more") if more else None,
            *(tags.span(said, class_="problem", role="alert") for said in wrong),
            class_="what",
        ),
        tags.div(
            small("Move up", "up", "\N{UPWARDS ARROW}", disabled=place == 0),
            small("Move down", "down", "\N{DOWNWARDS ARROW}", disabled=place == count - 1),
            small("Edit", "edit", "Edit"),
            small("Switch on" if item.off else "Switch off", "switch", "On" if item.off else "Off"),
            small("Take out", "remove", "Take out"),
            class_="tools",
        ),
        class_=" ".join(name for name, there in (("off", item.off), ("editing", editing)) if there) or None,
    )


def _write_now(found: Any) -> TagList:  # noqa: ANN401 - of the job
    risk, loss, changed = found
    limited = [one for one in (*risk, *loss) if one.limit]
    holding = sum(bool(one.holds) for one in limited)
    said = (
        f"{holding} of {len(limited)} limits hold." if limited else "There is no limit yet: nothing could be refused."
    )
    records = f"{len(changed)} step{'s' * (len(changed) != 1)} done." if changed else "As it was collected."
    shown = [one for one in (*risk, *loss) if one.place != "loss"]
    return TagList(
        tags.p(tags.strong(said), f" {records}", role="status"),
        write_figures("protect-now", "The file before and after the steps", shown, ("before", "now")),
    )


def describe(desk: Desk) -> str:
    """Say where one stands."""
    items = protect_list.list_items(desk.state.release)
    off = sum(item.off for item in items)
    if not items:
        return "no step yet"
    return f"{len(items) - off} step{'s' * (len(items) - off != 1)}{f', {off} off' if off else ''}"


STEP = Step(
    "protect",
    "What makes the file safe, and what would each step do to risk and loss?",
    view,
    serve,
    describe,
)
