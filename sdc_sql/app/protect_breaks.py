"""Cut points: a number and a slider for each, under the picture of the values."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from htmltools import Tag, tags

from sdc_sql.app.protect_kept import BREAKS, keep_form, read_before, read_form
from sdc_sql.app.show import act, button, show_problem
from sdc_sql.app.worked import describe_work, find_worked
from sdc_sql.db.showing.results import format_value
from sdc_sql.errors import ParameterError
from sdc_sql.release.reading.plan import RELEASED
from sdc_sql.release.reporting.internal.values import summarise_values

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.app.desk import Desk
    from sdc_sql.app.jobs import Job
    from sdc_sql.document.blocks import Distribution


def list_breaks(form: Mapping[str, Any]) -> list[float]:
    """Return the cut points of a form, as far as they are numbers.

    Examples
    --------
    >>> list_breaks({"breaks": "20, 40.5, x"})
    [20, 40.5]
    """
    found: list[float] = []
    for part in str(form.get(BREAKS) or "").split(","):
        try:
            number = float(part)
        except ValueError:
            continue
        if math.isfinite(number):
            found.append(int(number) if number == int(number) else number)
    return found


def find_picture(desk: Desk, column: str, editing: int) -> Job[Distribution | None]:
    """Return the work that finds how the values of a column are distributed, as they are before the step."""
    plan, worked = read_before(desk.state, editing), find_worked(desk.state)

    def run(cursor: Any, tell: Any) -> Any:  # noqa: ANN401 - of a job
        with worked.open(cursor, plan, tell) as sides:
            tell(column)
            return summarise_values(sides.describe(RELEASED), column)

    return desk.find_job("protect_picture", (*describe_work(plan), column), run)


def find_span(found: Any) -> tuple[float, float]:  # noqa: ANN401 - a distribution
    """Return the least and the greatest value of a picture; of few numbers each stands by itself."""
    if found is None:
        return 0.0, 0.0
    ends = found.before.ends
    if ends:
        return ends[0][0], ends[-1][1]
    try:
        numbers = [float(label) for label in found.before.labels]
    except ValueError:
        return 0.0, 0.0
    return (min(numbers), max(numbers)) if numbers else (0.0, 0.0)


def write_breaks(desk: Desk, form: Mapping[str, Any], column: str, span: tuple[float, float]) -> Tag:
    """Return the cut points: a number and a slider for each, under the picture of the values."""
    breaks = list_breaks(form)
    low, high = (min([span[0], *breaks]), max([span[1], *breaks])) if breaks else span
    whole = "INT" in desk.state.columns.get(column, "") or all(float(one) == int(one) for one in (low, high, *breaks))
    step = 1 if whole and high - low > 2 else "any"  # noqa: PLR2004 - else a slider has no room
    rows = [
        tags.li(
            tags.input(
                act("protect_break", at=i, place="protect-breaks"),
                type="range",
                min=f"{low:g}",
                max=f"{high:g}",
                step=str(step),
                value=format_value(one).replace(",", ""),
                id=f"protect-slide-{i}",
                aria_label=f"Cut point {i + 1} of {column}, slider",
            ),
            tags.input(
                act("protect_break", at=i, place="protect-breaks"),
                type="text",
                inputmode="decimal",
                size="7",
                value=f"{one:.15g}",
                id=f"protect-break-{i}",
                aria_label=f"Cut point {i + 1} of {column}",
                autocomplete="off",
            ),
            button(
                "\N{MULTIPLICATION SIGN}",
                "protect_cut",
                at=i,
                id=f"protect-cut-{i}",
                spoken=f"Take out cut point {i + 1}",
            ),
        )
        for i, one in enumerate(breaks)
    ]
    return tags.fieldset(
        tags.legend(f"Cut points of {column}"),
        tags.p("An interval begins at each of them.", class_="hint"),
        tags.ol(*rows, class_="cuts") if rows else None,
        tags.div(
            button(
                "Add a cut point", "protect_add", id="protect-add", low=low, high=high, disabled=span[1] <= span[0]
            ),
            tags.label("or evenly, classes: ", tags.input(
                act("protect_even", low=low, high=high, place="protect-breaks"), type="text", inputmode="numeric",
                size="4",
                id="protect-even", disabled="" if span[1] <= span[0] else None, autocomplete="off",
            )),
            class_="tools",
        ),
        show_problem(desk, "protect-breaks"),
        class_="breaks",
    )  # fmt: skip


def serve_breaks(desk: Desk) -> None:
    """Register what is done with cut points."""

    def keep(breaks: list[float]) -> None:
        keep_form(desk, {**read_form(desk), BREAKS: ", ".join(f"{one:.15g}" for one in sorted(set(breaks)))})

    @desk.on("protect_break")
    def _(sent: dict[str, Any]) -> None:
        breaks = list_breaks(read_form(desk))
        breaks[int(sent["at"])] = _read_number(sent["value"])
        keep(breaks)

    @desk.on("protect_cut")
    def _(sent: dict[str, Any]) -> None:
        breaks = list_breaks(read_form(desk))
        del breaks[int(sent["at"])]
        keep(breaks)

    @desk.on("protect_add")
    def _(sent: dict[str, Any]) -> None:
        breaks = list_breaks(read_form(desk))
        edges = sorted({float(sent["low"]), *breaks, float(sent["high"])})
        widest = max(pairwise(edges), key=lambda pair: pair[1] - pair[0], default=(0.0, 0.0))
        middle = (widest[0] + widest[1]) / 2
        middle = float(round(middle)) if widest[1] - widest[0] > 1 else middle
        keep([*breaks, middle if middle not in breaks else max(breaks) + 1])

    @desk.on("protect_even")
    def _(sent: dict[str, Any]) -> None:
        classes, low, high = int(_read_number(sent["value"])), float(sent["low"]), float(sent["high"])
        if not high > low:
            raise ParameterError("Wait until the values are shown: cut points lie between the least and the greatest.")
        if not 2 <= classes <= 100:  # noqa: PLR2004 - more are no classes
            raise ParameterError("Give a number of classes from 2 to 100.")
        width = (high - low) / classes
        points = [low + width * i for i in range(1, classes)]
        keep([float(round(one)) if width >= 2 else float(f"{one:.3g}") for one in points])  # noqa: PLR2004 - whole ones


def _read_number(given: object) -> float:
    try:
        found = float(str(given))
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise ParameterError("A cut point must be a number, with a point before decimals.")
    return found
