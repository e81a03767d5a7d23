"""The step *Risk*: what is at risk in the file as it is, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from htmltools import Tag, TagList, tags

from sdc_sql.app import risk_file, risk_keys, risk_records, risk_suda, risk_threshold
from sdc_sql.app.scenario_risk import read_scenario
from sdc_sql.app.show import act
from sdc_sql.app.step import Step
from sdc_sql.document.blocks import format_readable
from sdc_sql.errors import ParameterError

if TYPE_CHECKING:
    from sdc_sql.app.desk import Desk
    from sdc_sql.app.scenario_risk import Asked

PANELS = (risk_file.PANEL, risk_keys.PANEL, risk_records.PANEL, risk_suda.PANEL, risk_threshold.PANEL)
_BY_NAME = {panel.name: panel for panel in PANELS}


def view(desk: Desk) -> TagList:
    """Return what the step shows."""
    return TagList(desk.place("risk_tabs"), desk.place("risk_panel"))


def serve(desk: Desk) -> None:
    """Register the parts of the step, and what is done in it."""
    for panel in PANELS:
        panel.serve(desk)

    @desk.part("risk_tabs")
    def _() -> TagList | None:
        scenarios = desk.release().get("scenarios", [])
        if not scenarios:
            return None
        number, shown = find_number(desk), find_panel(desk)
        options = [
            tags.option(format_readable(scenario.get("name", "")), value=str(i), selected="" if i == number else None)
            for i, scenario in enumerate(scenarios)
        ]
        buttons = [
            tags.button(
                panel.title, act("risk_panel", panel=panel.name), type="button", id=f"risk-to-{panel.name}",
                aria_pressed=str(panel.name == shown).lower(),
            )
            for panel in PANELS
        ]  # fmt: skip
        keys = ", ".join(map(format_readable, scenarios[number].get("keys", []))) or "nothing yet"
        text = str(scenarios[number].get("text", ""))
        return TagList(
            tags.div(
                tags.label("Scenario ", tags.select(*options, act("risk_scenario"), id="risk-scenario")),
                tags.span(f"knows: {keys}", class_="hint"), class_="line scenario",
            ),
            tags.p(text, class_="lines", id="risk-intruder") if text else None,
            tags.div(*buttons, class_="tabs", role="group", aria_label="What is shown of the risk"),
        )  # fmt: skip

    @desk.part("risk_panel")
    def _() -> Tag | TagList:
        if not desk.release().get("scenarios"):
            return tags.p("There is no scenario yet: say in step 2 what an intruder may know.")
        asked = find_scenario(desk)
        return _BY_NAME[find_panel(desk)].draw(desk, find_number(desk), asked)

    @desk.on("risk_panel")
    def _(sent: dict[str, Any]) -> None:
        if sent["panel"] not in _BY_NAME:
            raise ParameterError("There is no such panel.")
        desk.choose("risk_panel", sent["panel"])

    desk.on("risk_scenario")(lambda sent: desk.choose("risk_scenario", int(sent["value"])))


def find_number(desk: Desk) -> int:
    """Return which scenario is shown."""
    number = desk.read_choice("risk_scenario", 0)
    return number if 0 <= number < len(desk.state.release.get("scenarios", [])) else 0


def find_panel(desk: Desk) -> str:
    """Return which panel is shown."""
    return desk.read_choice("risk_panel", PANELS[0].name)


def find_scenario(desk: Desk) -> Asked:
    """Return the scenario that is shown, checked."""
    return read_scenario(desk.state, find_number(desk), desk.release())


def describe(desk: Desk) -> str:
    """Say where one stands: the records that are alone with their keys, once they were counted."""
    return risk_file.describe_found(desk)


ASKED = "What is at risk in the original file, before any step, and why? What the steps leave of it stands in Protect."
STEP = Step("risk", ASKED, view, serve, describe)
