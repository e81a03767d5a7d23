"""The step *Look*: what is in the file, and what each column is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from htmltools import Tag, TagList, tags

from sdc_sql.app import look_columns, look_records
from sdc_sql.app.columns import ROLES, list_undecided
from sdc_sql.app.show import act, show_problem
from sdc_sql.app.step import Step
from sdc_sql.errors import ParameterError

if TYPE_CHECKING:
    from sdc_sql.app.desk import Desk


def view(desk: Desk) -> TagList:
    """Return what the step shows."""
    return TagList(
        tags.details(
            tags.summary("What a column can be"),
            tags.dl(*(part for role in ROLES for part in (tags.dt(role.word), tags.dd(role.meaning)))),
            class_="help", id="look-roles",
        ),
        desk.place("look_columns"),
        tags.h2("About the file"),
        desk.place("look_about"),
        tags.h2("Records"),
        desk.place("look_records"),
    )  # fmt: skip


def serve(desk: Desk) -> None:
    """Register the parts of the step, and what is done in it."""
    look_columns.serve(desk)
    look_records.serve(desk)

    @desk.part("look_about")
    def _() -> Tag:
        fraction = desk.release().get("roles", {}).get("sampling_fraction")
        return tags.form(
            tags.label("Sampling fraction", for_="look-fraction"),
            tags.input(
                type="text", inputmode="decimal", id="look-fraction", name="fraction", size="10", autocomplete="off",
                value="" if fraction is None else str(fraction), aria_describedby="look-fraction-why",
            ),
            tags.button("Set", type="submit", id="look-fraction-set"),
            tags.p(
                "The share of the population that is in the file, between 0 and 1, as 0.01; empty where it is not "
                "known. Measures of a match that is correct (theta) need it; where no column holds weights, each "
                "record then stands for 1 / fraction persons.",
                id="look-fraction-why", class_="hint",
            ),
            show_problem(desk, "fraction"),
            act("look_fraction", place="fraction"), class_="line",
        )  # fmt: skip

    @desk.on("look_fraction")
    def _(sent: dict[str, Any]) -> None:
        given = str(sent["fraction"]).strip()
        fraction = read_number(given) if given else None
        if fraction is not None and not 0 < fraction < 1:
            raise ParameterError(f"The sampling fraction is {given}: it must lie strictly between 0 and 1.")

        def edit(release: dict[str, Any]) -> None:
            release["roles"].pop("sampling_fraction", None)
            if fraction is not None:
                release["roles"]["sampling_fraction"] = fraction

        desk.state.change("the sampling fraction", edit)


def read_number(text: str) -> float:
    """Return a number that was typed, whole where it is.

    Raises
    ------
    ParameterError
        Where it is none.

    Examples
    --------
    >>> read_number("0.05"), read_number(" 3 ")
    (0.05, 3)
    """
    try:
        found = float(text)
    except ValueError:
        raise ParameterError(f"{text.strip() or 'Nothing'} is no number: write it with a point, as in 0.05.") from None
    if found != found or abs(found) == float("inf"):  # noqa: PLR0124 - NaN
        raise ParameterError(f"{text.strip()} is no number to use here.")
    return int(found) if found.is_integer() and abs(found) < 1e15 else found  # noqa: PLR2004 - exactly


def describe(desk: Desk) -> str:
    """Say where one stands."""
    every = desk.state.columns
    left = len(list_undecided(desk.state.release, every))
    return f"{left} of {len(every)} columns undecided" if left else f"all {len(every)} columns decided"


STEP = Step("look", "What is in the file, and what is each column?", view, serve, describe)
