"""The limits of a scenario: chosen among the figures that the file can be measured by, with what each is now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from htmltools import Tag, TagList, tags

from sdc_sql.app.checked import check_change
from sdc_sql.app.look import read_number
from sdc_sql.app.risk_levels import drop_unused
from sdc_sql.app.scenario_risk import find_limits, find_report, read_scenario
from sdc_sql.app.show import act, button, show_job, show_problem
from sdc_sql.app.tables import Head, write_row, write_table
from sdc_sql.document.blocks import format_short
from sdc_sql.errors import InputError, ParameterError
from sdc_sql.figures.registry import list_all_measures
from sdc_sql.figures.words import describe_limit
from sdc_sql.release.reading.figures import check_risk

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sdc_sql.app.desk import Desk
    from sdc_sql.app.scenario_risk import Asked, Judged
    from sdc_sql.figures.registry import Measure
    from sdc_sql.report import RiskReport

HEADS = (
    Head("figure"),
    Head("must be"),
    Head("limit", number=True),
    Head("now", number=True, meaning="In the file as it is, before any protection"),
    Head("now it"),
    Head("written"),
    Head(""),
)
K = 3  # proposed for figures that ask for a k
MOST = 8  # scenarios
FIRST = "k_anonymity.records"


def serve(desk: Desk) -> None:
    """Register the limits of each scenario, and what is done with them."""
    state = desk.state
    for number in range(MOST):
        _serve_limits(desk, number)

    @desk.on("limit_add")
    def _(sent: dict[str, Any]) -> None:
        number = int(sent["scenario"])
        _add(desk, number, _compose_limit(sent))

    @desk.on("limit_write")
    def _(sent: dict[str, Any]) -> None:
        text = " ".join(str(sent["text"]).split())
        if not text:
            raise ParameterError("Write a condition, as in k_anonymity.3.records <= 0.")
        _add(desk, int(sent["scenario"]), text)

    @desk.on("limit_remove")
    def _(sent: dict[str, Any]) -> None:
        number, text = int(sent["scenario"]), str(sent["limit"])

        def edit(release: dict[str, Any]) -> None:
            limits = release["scenarios"][number]["limits"]
            limits.remove(text)
            if not limits:
                del release["scenarios"][number]["limits"]
            drop_unused(release)

        state.change("a limit less", edit)


def list_choices(asked: Asked) -> list[tuple[Measure, str]]:
    """Return the figures that a limit of a scenario can name without arguments of their own, each with its measure.

    They are those for which a header has words, and for which the roles are there.
    """
    found = []
    for name, measure in list_all_measures().items():
        if not measure.of_file:
            continue
        for figure, column in measure.figures.items():
            if column.bears != "risk" or figure not in measure.declaration.words:
                continue
            row = f".{K}" if measure.by == ("k",) else ""
            limit = f"{name}{row}.{figure} {'<=' if column.more else '>='} 1"
            try:
                check_risk(limit, asked.plan.asked, asked.plan.roles, asked.scenario)
            except InputError:
                continue
            found.append((measure, figure))
    return found


def _add(desk: Desk, number: int, text: str) -> None:
    """Add a limit, once it was checked as the command line checks it."""

    def edit(release: dict[str, Any]) -> None:
        scenario = release["scenarios"][number]
        limits = scenario.setdefault("limits", [])
        if text in limits:
            raise ParameterError("The scenario has this limit already.")
        limits.append(text)
        check_change(desk.state, release, f"scenarios[{number}].limits[{len(limits) - 1}]")

    desk.state.change("a limit", edit)


def _compose_limit(sent: Mapping[str, Any]) -> str:
    """Return the condition that a form gives: a figure, a k where it asks for one, and a number."""
    name, _, figure = str(sent["figure"]).partition(".")
    measure = list_all_measures().get(name)
    if measure is None or figure not in measure.figures:
        raise ParameterError("There is no such figure.")
    bound = read_number(str(sent["bound"]))
    row = ""
    if measure.by == ("k",):
        k = read_number(str(sent["k"]))
        if not isinstance(k, int) or k < 2:  # noqa: PLR2004 - a group
            raise ParameterError("k is a whole number of at least 2.")
        row = f".{k}"
    return f"{name}{row}.{figure} {'<=' if measure.figures[figure].more else '>='} {bound!r}"


def _serve_limits(desk: Desk, number: int) -> None:
    @desk.part(f"limits_{number}")
    def _() -> Tag | TagList | None:
        release = desk.release()
        if number >= len(release.get("scenarios", [])):
            return None
        asked = read_scenario(desk.state, number, release)
        job = find_report(desk, number, asked)

        def draw(report: RiskReport) -> TagList:
            limits = show_job(
                find_limits(desk, number, asked, report),
                lambda judged: _write_limits(number, asked, judged), what="Limits",
            )  # fmt: skip
            return TagList(limits, _write_form(desk, number, asked, report))

        return show_job(job, draw, what="Risk")


def _write_limits(number: int, asked: Asked, judged: Sequence[Judged]) -> Tag:
    if not judged:
        return tags.p(
            "There is no limit yet: the file would be released however great this risk is. Choose a figure and a "
            "number, and add it. A usual first one is that no record shares its keys with fewer than 3 records: at "
            "most 0 of them."
        )
    rows = []
    for i, one in enumerate(judged):
        spoken = describe_limit(one.text, asked.plan.asked)
        now = tags.span(", ".join(format_short(_as_float(value)) for value in one.figures.values()) or "\N{EN DASH}")
        verdict = (
            tags.span("is known after protection", class_="quiet") if one.holds is None
            else tags.span("holds", class_="holds") if one.holds else tags.span("does not hold", class_="fails")
        )  # fmt: skip
        remove = button(
            "Remove", "limit_remove", scenario=number, limit=one.text, place=f"limit-{number}",
            id=f"limit-{number}-{i}", spoken=f"Remove the limit {one.text}",
        )  # fmt: skip
        words, must, bound = (
            (spoken.words, spoken.must, format_short(_as_float(spoken.bound))) if spoken else (one.text, "met", "")
        )
        rows.append(write_row((words, must, bound, now, verdict, tags.code(one.text), remove), HEADS))
    return write_table(f"limits-{number}-table", f"Limits of {asked.scenario.name}", HEADS, rows, kind="limits")


def _as_float(value: float | None) -> float | None:
    return None if value is None else float(value)


def _write_form(desk: Desk, number: int, asked: Asked, report: RiskReport) -> TagList:
    """Return the form of another limit: each figure with what it is now, where it was measured."""
    found = report.to_dict()
    groups: dict[str, list[Tag]] = {}
    for measure, figure in list_choices(asked):
        words = measure.declaration.words[figure].format(**{name: name for name in measure.by})
        value = _find_value(found.get(measure.name), figure)
        now = f" (now {format_short(_as_float(value))})" if value is not None else ""
        now = f"{': at most' if measure.figures[figure].more else ': at least'} \N{HORIZONTAL ELLIPSIS}{now}"
        name = f"{measure.name}.{figure}"
        option = tags.option(f"{words}{now}", value=name, selected="" if name == FIRST else None)
        groups.setdefault(measure.declaration.summary, []).append(option)
    at = f"limit-{number}"
    select = tags.select(
        *(tags.optgroup(*options, label=_shorten(summary)) for summary, options in groups.items()),
        name="figure", id=f"{at}-figure",
    )  # fmt: skip
    return TagList(
        show_problem(desk, at),
        tags.form(
            tags.div(tags.label("Another limit", for_=f"{at}-figure"), select, class_="figure"),
            tags.div(
                tags.label("k, where it is named", for_=f"{at}-k"),
                tags.input(type="text", inputmode="numeric", name="k", id=f"{at}-k", value=str(K), size="3"),
            ),
            tags.div(
                tags.label("The limit", for_=f"{at}-bound"),
                tags.input(type="text", inputmode="decimal", name="bound", id=f"{at}-bound", value="0", size="8"),
            ),
            tags.button("Add", type="submit", id=f"{at}-add"),
            act("limit_add", scenario=number, place=at), class_="line limit",
        ),
        tags.details(
            tags.summary("Write a condition"),
            tags.form(
                tags.label("Condition", for_=f"{at}-text"),
                tags.input(type="text", name="text", id=f"{at}-text", size="48",
                           placeholder="global_risk.percent < 1 AND theta.n1 <= 40"),
                tags.button("Add", type="submit", id=f"{at}-write"),
                act("limit_write", scenario=number, place=at), class_="line",
            ),
            id=f"{at}-more",
        ),
    )  # fmt: skip


def _find_value(found: Any, figure: str) -> float | None:  # noqa: ANN401 - one row, or several
    if isinstance(found, list):
        rows = [row for row in found if row.get("k", K) == K]
        found = rows[0] if len(rows) == 1 else None
    value = found.get(figure) if isinstance(found, dict) else None
    return value if isinstance(value, int | float) else None


def _shorten(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".")
