"""The step *Who might look*: scenarios, each with what an intruder may know and the limits that must hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from htmltools import Tag, TagList, tags

from sdc_sql.app import scenarios_limits
from sdc_sql.app.columns import list_roles, list_undecided
from sdc_sql.app.look import read_number
from sdc_sql.app.scenarios_limits import MOST
from sdc_sql.app.show import act, button, show_problem
from sdc_sql.app.step import Step
from sdc_sql.document.blocks import format_readable
from sdc_sql.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sdc_sql.app.desk import Desk

NULLS = (
    ("", "as usual"),
    ("category", "always a value of its own"),
    ("wildcard", "agrees with every value"),
)
# roles whose columns are no keys
NO_KEYS = {"id", "weight", "household", "identifiers", "drop"}
TEXTS, NUMBERS = ("name", "text", "nulls"), ("k", "threshold")


def view(desk: Desk) -> TagList:
    """Return what the step shows."""
    return TagList(
        tags.details(
            tags.summary("What a scenario is"),
            tags.p(
                "A scenario says who might try to find somebody in the file, and what he knows already: the keys. A "
                "neighbour knows other things than an employer, or than somebody who holds a register. Each scenario "
                "has limits: the file is released when the limits of all scenarios hold.",
                class_="hint",
            ),
            class_="help", id="scenarios-help",
        ),
        desk.place("scenarios_list"),
        tags.div(
            *(desk.place(f"scenario_{number}") for number in range(MOST)), class_="cards"
        ),
        tags.p(button("Add a scenario", "scenario_add", id="scenario-add", place="scenarios")),
    )  # fmt: skip


def serve(desk: Desk) -> None:
    """Register the parts of the step, and what is done in it."""
    scenarios_limits.serve(desk)

    @desk.part("scenarios_list")
    def _() -> TagList:
        found = desk.release().get("scenarios", [])
        none = tags.p("There is no scenario yet. Add one, or let a column be a key in step 1.") if not found else None
        return TagList(show_problem(desk, "scenarios"), none)

    for number in range(MOST):
        _serve_card(desk, number)
    _register_scenarios(desk)
    _register_fields(desk)


def _register_scenarios(desk: Desk) -> None:
    """Register how a scenario is added and removed."""
    state = desk.state

    @desk.on("scenario_add")
    def _(_: dict[str, Any]) -> None:
        def edit(release: dict[str, Any]) -> None:
            scenarios = release.setdefault("scenarios", [])
            if len(scenarios) >= MOST:
                raise ParameterError(f"The page shows {MOST} scenarios at most: write others in the release file.")
            names = {scenario.get("name") for scenario in scenarios}
            name = next(n for n in (f"scenario {i}" for i in range(1, MOST + 2)) if n not in names)
            scenarios.append({"name": name, "keys": []})

        state.change("a scenario", edit)

    @desk.on("scenario_remove")
    def _(sent: dict[str, Any]) -> None:
        number = int(sent["scenario"])
        state.change("a scenario less", lambda release: release["scenarios"].pop(number))


def _register_fields(desk: Desk) -> None:
    """Register how the keys and the other fields of a scenario are changed."""
    state = desk.state

    @desk.on("scenario_key")
    def _(sent: dict[str, Any]) -> None:
        number, name = int(sent["scenario"]), str(sent["column"])
        if name not in state.columns:
            raise ParameterError(f"There is no column {name}.")

        state.change(f"key {name}", lambda release: _set_key(release, number, name, known=bool(sent["value"])))

    @desk.on("scenario_field")
    def _(sent: dict[str, Any]) -> None:
        number, field, given = int(sent["scenario"]), str(sent["field"]), str(sent["value"]).strip()
        if field not in (*TEXTS, *NUMBERS):
            raise ParameterError(f"There is no field {field}.")
        value = _read_field(field, given)

        def edit(release: dict[str, Any]) -> None:
            scenario, others = release["scenarios"][number], [*release["scenarios"]]
            others.pop(number)
            if field == "name" and (not given or given in {other.get("name") for other in others}):
                raise ParameterError("Each scenario has a name of its own: give another one.")
            scenario.pop(field, None)
            if value is not None:
                scenario[field] = value

        state.change(f"scenario: {field}", edit)


def _set_key(release: dict[str, Any], number: int, name: str, *, known: bool) -> None:
    """Let a scenario know a column, or not; one that an intruder knows does not leave as if nobody did."""
    scenario, roles = release["scenarios"][number], release["roles"]
    keys = [key for key in scenario.get("keys", []) if key != name]
    scenario["keys"] = [*keys, name] if known else keys
    collected = roles.get("released_as_collected", [])
    if known and name in collected:
        roles["released_as_collected"] = [other for other in collected if other != name]
        if not roles["released_as_collected"]:
            del roles["released_as_collected"]


def _read_field(field: str, given: str) -> str | float | None:
    if not given:
        return None
    if field in TEXTS:
        return given
    value = read_number(given)
    if field == "k" and (not isinstance(value, int) or value < 2):  # noqa: PLR2004 - a group
        raise ParameterError("k is a whole number of at least 2.")
    if value <= 0:
        raise ParameterError(f"The {field} is {given}: it must be above 0.")
    return value


def _serve_card(desk: Desk, number: int) -> None:
    @desk.part(f"scenario_{number}")
    def _() -> Tag | None:
        release = desk.release()
        scenarios = release.get("scenarios", [])
        if number >= len(scenarios):
            return None
        scenario = scenarios[number]
        name, at = str(scenario.get("name", "")), f"scenario-{number}"
        return tags.section(
            tags.header(
                tags.h2(format_readable(name), id=f"{at}-head"),
                button("Remove", "scenario_remove", scenario=number, id=f"{at}-remove", spoken=f"Remove {name}"),
            ),
            show_problem(desk, at),
            _write_keys(desk, number, release),
            _write_fields(number, scenario),
            tags.h3("What must hold"),
            desk.place(f"limits_{number}"),
            class_="card", aria_labelledby=f"{at}-head",
        )  # fmt: skip


def _write_keys(desk: Desk, number: int, release: Mapping[str, Any]) -> Tag:
    keys = release["scenarios"][number].get("keys", [])
    roles = list_roles(release, desk.state.columns)
    fit = [name for name, its in roles.items() if name in keys or not NO_KEYS & {*its}]
    near = [name for name in fit if name in keys or "keys" in roles[name]]
    far = [name for name in fit if name not in near]
    more = tags.details(
        tags.summary(f"{len(far)} other columns"), _write_chips(number, far, keys), id=f"scenario-{number}-others"
    )  # fmt: skip
    return tags.fieldset(
        tags.legend("What the intruder knows: the keys"), _write_chips(number, near, keys), more if far else None
    )


def _write_chips(number: int, names: Sequence[str], keys: Sequence[str]) -> Tag:
    return tags.div(
        *(
            tags.label(
                tags.input(
                    act("scenario_key", scenario=number, column=name, place=f"scenario-{number}"), type="checkbox",
                    id=f"scenario-{number}-key-{name}", checked="" if name in keys else None,
                ),
                format_readable(name),
            )
            for name in names
        ),
        class_="chips",
    )  # fmt: skip


def _write_fields(number: int, scenario: Mapping[str, Any]) -> Tag:
    at = f"scenario-{number}"

    def send(field: str) -> dict[str, Any]:
        return {**act("scenario_field", scenario=number, field=field, place=at), "id": f"{at}-{field}"}

    def write(field: str, label: str, hint: str, given: Tag, *, wider: bool = False) -> Tag:
        said = tags.p(hint, class_="hint", id=f"{at}-{field}-why") if hint else None
        return tags.div(
            tags.label(label, for_=f"{at}-{field}"), given, said, class_="wider" if wider else None
        )  # fmt: skip

    def describe(field: str) -> dict[str, Any]:
        return {"aria-describedby": f"{at}-{field}-why"}

    options = [
        tags.option(words, value=value, selected="" if value == scenario.get("nulls", "") else None)
        for value, words in NULLS
    ]
    text = scenario.get("text", "")
    threshold = scenario.get("threshold", "")
    return tags.div(
        write("name", "Name", "", tags.input(send("name"), type="text", value=scenario.get("name", ""))),
        write(
            "k", "k", "k-anonymity is measured up to this k; 5 where it is empty.",
            tags.input(
                send("k"), describe("k"), type="text", inputmode="numeric", placeholder="5",
                value=str(scenario.get("k", "")),
            ),
        ),
        write(
            "threshold", "Threshold of the threshold rule",
            "Combinations of up to three keys that no more persons share are unsafe: persons of the population where "
            "there is a weight, else records.",
            tags.input(
                send("threshold"), describe("threshold"), type="text", inputmode="decimal",
                value=str(threshold) if isinstance(threshold, int | float) else "", size="10",
            ),
        ),
        write(
            "nulls", "A missing value of a key is", "As usual: a value of its own; once keys are suppressed, it agrees "
            "with every value.", tags.select(*options, send("nulls"), describe("nulls")),
        ),
        write(
            "text", "Who it is, and why these keys", "It stands in the internal report.",
            tags.textarea(text, send("text"), describe("text"), rows="2"), wider=True,
        ),
        class_="fields",
    )  # fmt: skip


def describe(desk: Desk) -> str:
    """Say where one stands."""
    release = desk.state.release
    scenarios = release.get("scenarios", [])
    limits = sum(len(scenario.get("limits", [])) for scenario in scenarios)
    if not scenarios:
        return "no scenario" if not list_undecided(release, desk.state.columns) else "no scenario yet"
    return f"{len(scenarios)} scenario{'s' * (len(scenarios) > 1)}, {limits} limit{'s' * (limits != 1)}"


STEP = Step(
    "scenarios",
    "Who might look for somebody in the file, what may they know, and what must hold against them?",
    view,
    serve,
    describe,
)
