"""The frame of the page: where one stands in the six steps, undo and redo, and the step that is shown."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from htmltools import HTML, HTMLDependency, Tag, TagList, tags
from shiny import App, Inputs, Outputs, Session, reactive, ui

from sdc_sql.app.desk import WHOLE, Desk
from sdc_sql.app.show import act, button, show_problem
from sdc_sql.app.steps import STEPS
from sdc_sql.app.style import write_style
from sdc_sql.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.app.jobs import Jobs
    from sdc_sql.app.state import State
    from sdc_sql.app.step import Step

_FILES = Path(__file__).parent / "files"
_PLACE = '<meta name="shiny-dependency-placeholder" content="">'


def make_application(state: State, jobs: Jobs) -> tuple[App, str]:
    """Return the application, and the page as it is served."""

    def serve(input: Inputs, output: Outputs, session: Session) -> None:  # noqa: A002 - Shiny's words
        del output
        _serve(Desk(state, jobs, session), input)

    files = HTMLDependency(
        "sdc-sql", re.sub(r"[^0-9.]", "", VERSION) or "0", source={"subdir": str(_FILES)}, script={"src": "page.js"}
    )
    application = App(ui.page_html(f"<!DOCTYPE html>\n{_write_page(state)}", extra_deps=[files]), serve)
    application.sanitize_errors = True  # what goes wrong unforeseen is no text for the page
    return application, str(application.ui["html"])  # type: ignore[index] # rendered, since it is no function


def _write_page(state: State) -> Tag:
    about = f"{state.records:,} records, {len(state.columns):,} columns, {state.kind}"
    looks = [
        tags.option(label, value=value)
        for value, label in (("", "as the system"), ("light", "light"), ("dark", "dark"))
    ]
    return tags.html(
        tags.head(
            tags.meta(charset="utf-8"),
            HTML(_PLACE),  # of Shiny's files
            tags.meta(name="viewport", content="width=device-width, initial-scale=1"),
            tags.meta(name="color-scheme", content="light dark"),
            tags.title(f"{state.name}: sdc-sql"),
            tags.link(rel="icon", href="data:,"),
            tags.style(write_style()),
        ),
        tags.body(
            tags.a("To the work", href="#work", class_="skip"),
            tags.header(
                tags.div(
                    tags.p(tags.strong(state.name, class_="name"), tags.span(about), class_="about"),
                    tags.div(
                        tags.div(Desk.place_of("history"), class_="undo"),
                        tags.label("Colours ", tags.select(*looks, id="look")),
                        class_="tools",
                    ),
                    class_="top",
                ),
                Desk.place_of("steps"),
                class_="frame",
            ),
            tags.main(Desk.place_of("step"), id="work", tabindex="-1"),
            tags.div(id="said", class_="unseen", aria_live="polite", role="status"),
            tags.div(
                tags.p(
                    "The connection was lost. Nothing else is: what you did is kept by the program. "
                    "Is it still running in the terminal?"
                ),
                tags.button("Connect again", type="button", id="reconnect", class_="primary"),
                id="lost", role="alert", hidden="",
            ),
        ),
        lang="en",
    )  # fmt: skip


def _serve(desk: Desk, given: Inputs) -> None:
    by_name = {step.name: step for step in STEPS}
    for step in STEPS:
        step.serve(desk)
    _register_acts(desk)

    def find_step() -> Step:
        return by_name.get(desk.read_choice("step", STEPS[0].name), STEPS[0])

    _take_acts(desk, given, by_name)

    @desk.part("history")
    def _() -> TagList:
        desk.read_version()
        undo, redo = desk.state.to_undo, desk.state.to_redo
        return TagList(
            button("Undo", "undo", id="undo", disabled=undo is None, title=f"Undo: {undo}" if undo else None),
            button("Redo", "redo", id="redo", disabled=redo is None, title=f"Redo: {redo}" if redo else None),
        )

    @desk.part("steps")
    def _() -> Tag:
        now = find_step()
        items = [_write_item(desk, number, step, now) for number, step in enumerate(STEPS, 1)]
        return tags.nav(tags.ol(*items), aria_label="Steps")

    @desk.part("step")
    def _() -> Tag:
        step = find_step()
        with reactive.isolate():
            shown = step.view(desk)
        head = tags.h1(step.title, id="heading", tabindex="-1")
        return tags.section(
            head, tags.p(step.asks, class_="asks"), desk.place("problem"), shown, class_=f"step {step.name}"
        )

    @desk.part("problem")
    def _() -> Tag | None:
        return show_problem(desk, WHOLE)


def _take_acts(desk: Desk, given: Inputs, by_name: Mapping[str, Step]) -> None:
    """Take what the page sends: what is done in it, and the step that its address names."""

    @reactive.effect
    @reactive.event(given.act)
    def _() -> None:
        found: Any = given.act()
        if isinstance(found, dict):
            desk.take({str(name): value for name, value in found.items()})

    @reactive.effect
    @reactive.event(given.address)
    def _() -> None:
        if given.address() in by_name:
            desk.choose("step", given.address())


def _register_acts(desk: Desk) -> None:
    """Register what every step needs."""
    desk.on("undo")(lambda _: desk.state.undo())
    desk.on("redo")(lambda _: desk.state.redo())
    desk.on("go")(lambda sent: desk.choose("step", sent["step"]))
    desk.on("stop")(lambda sent: desk.jobs.stop(sent["panel"]))
    desk.on("again")(lambda sent: desk.jobs.forget(sent["panel"]))


def _write_item(desk: Desk, number: int, step: Step, now: Step) -> Tag:
    desk.read_version()
    return tags.li(
        tags.a(
            tags.span(str(number), class_="number", aria_hidden="true"),
            tags.span(step.title, class_="title"),
            tags.span(step.describe(desk), class_="stands"),
            act("go", step=step.name),
            href=f"#{step.name}", id=f"to-{step.name}", aria_current="step" if step is now else None,
        )
    )  # fmt: skip
