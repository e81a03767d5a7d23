"""The map of what was tried: each list of steps by its risk and its loss, and the one that is chosen."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from htmltools import Tag, TagList, tags

from sdc_sql.app.protect import find_now
from sdc_sql.app.protect_forms import describe_step
from sdc_sql.app.show import act, button, show_blocks, show_job
from sdc_sql.app.tables import Head, write_row, write_table
from sdc_sql.app.tried import list_tried
from sdc_sql.app.worked import find_worked, read_plan
from sdc_sql.document.blocks import Plane, Spot, format_short
from sdc_sql.errors import ParameterError
from sdc_sql.frontier.found import FrontierCandidate
from sdc_sql.frontier.sweep import frontier
from sdc_sql.release.reading.plan import ORIGINAL

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.app.desk import Desk
    from sdc_sql.app.preview_figures import Shown
    from sdc_sql.app.tried import Tried

NOW = "now"


def serve(desk: Desk) -> None:
    """Register the map, and what is done in it."""
    state = desk.state

    @desk.part("compare_map")
    def _() -> Tag | TagList:
        release = desk.release()
        if not release.get("scenarios"):
            return tags.p("Say first who might look: what was tried is compared by its risk.", class_="hint")
        now = find_now(desk)
        if now.status != "done":
            return show_job(now, lambda _: tags.p(), what="Measuring the file as it stands")
        tried = list_tried(state)
        risks, losses = _list_figures(tried, "risk"), _list_figures(tried, "loss")
        if not risks or not losses:
            return tags.p("No figure is known of all that was tried.", class_="hint")
        risk = desk.read_choice("compare_risk", "")
        loss = desk.read_choice("compare_loss", "")
        risk = risk if risk in risks else next(iter(risks))
        loss = loss if loss in losses else next(iter(losses))
        plan, _ = read_plan(state, release)
        worked = find_worked(state)
        points = [(one.label, _read(_find(one, "risk", risk)), _read(_find(one, "loss", loss))) for one in tried]
        bounds = (found.bound for one in tried if (found := _find(one, "risk", risk)) is not None)

        def rank(cursor: Any, tell: Any) -> Any:  # noqa: ANN401 - of a job
            with worked.open(cursor, plan, tell) as sides:
                given = [
                    FrontierCandidate(label, i, risk, loss, undominated=None, chosen=False)
                    for i, (label, risk, loss) in enumerate(points)
                ]
                found = frontier(sides.describe(ORIGINAL)._roles, given, "risk", "loss")  # noqa: SLF001 - as its methods take them
                return [replace(one, candidate=label) for one, (label, _, _) in zip(found, points, strict=True)]

        job = desk.find_job("compare_map", repr(points), rank)
        bound = next((bound for bound in bounds if bound is not None), None)
        fields = tags.div(
            *_choose("Risk", "compare_risk", risks, risk), *_choose("Loss", "compare_loss", losses, loss), class_="line"
        )
        return TagList(
            fields,
            show_job(
                job,
                lambda found: _write_map(found, tried, (risks[risk], losses[loss]), bound, release=release),
                what="Comparing",
            ),
        )

    desk.on("compare_risk")(lambda sent: desk.choose("compare_risk", sent["value"]))
    desk.on("compare_loss")(lambda sent: desk.choose("compare_loss", sent["value"]))

    @desk.on("compare_take")
    def _(sent: dict[str, Any]) -> None:
        found = next((one for one in list_tried(state) if one.label == sent["tried"]), None)
        if found is None:
            raise ParameterError("There is no such try any more: try it again.")
        steps = [dict(step) for step in found.steps]
        state.change(f"try {found.label} again", lambda release: release.update(steps=steps))


def _choose(words: str, name: str, figures: dict[str, str], chosen: str) -> tuple[Tag, Tag]:
    options = [tags.option(said, value=key, selected="" if key == chosen else None) for key, said in figures.items()]
    identifier = name.replace("_", "-")
    return tags.label(words, for_=identifier), tags.select(*options, act(name), id=identifier)


def _key(one: Shown) -> str:
    return f"{one.scenario}\n{one.words}"


def _say(one: Shown) -> str:
    return f"{one.words}{f' ({one.scenario})' if one.scenario else ''}"


def _list_shown(one: Tried, side: str) -> list[Shown]:
    """Return the figures of risk or of loss; how coarse the classes are is a loss that every file has."""
    if side == "risk":
        return [s for s in one.risk if s.place != "loss"]
    return [*one.loss, *(s for s in one.risk if s.place == "loss")]


def _list_figures(tried: list[Tried], side: str) -> dict[str, str]:
    """Return the figures that are known of something that was tried, those with limits first."""
    found: dict[str, tuple[bool, str]] = {}
    for one in tried:
        for shown in _list_shown(one, side):
            if shown.after is not None:
                found[_key(shown)] = (not shown.limit, _say(shown))
    return {key: said for key, (_, said) in sorted(found.items(), key=lambda pair: pair[1][0])}


def _find(one: Tried, side: str, key: str) -> Shown | None:
    return next((s for s in _list_shown(one, side) if _key(s) == key and s.after is not None), None)


def _read(one: Shown | None) -> float | None:
    return None if one is None else one.after


PLACES = (
    "Chosen: the steps that the file has now. On the frontier: nothing that was tried has less of the one and no more "
    "of the other. Dominated: something has."
)
_HEADS = (
    Head("tried"), Head("steps"), Head("risk", number=True), Head("loss", number=True),
    Head("limits that hold", number=True), Head("place", meaning=PLACES), Head("choose"),
)  # fmt: skip


def _write_map(
    found: list[FrontierCandidate],
    tried: list[Tried],
    names: tuple[str, str],
    bound: float | None,
    *,
    release: Mapping[str, Any],
) -> TagList:  # fmt: skip
    current = next((one.label for one in tried if [*one.steps] == release.get("steps", [])), "")
    limits = list_limits(release)
    spots = tuple(
        Spot(one.candidate, one.loss, one.risk,
             "chosen" if one.candidate == current else "frontier" if one.undominated else "dominated")
        for one in found
        if one.risk is not None and one.loss is not None and math.isfinite(one.risk) and math.isfinite(one.loss)
    )  # fmt: skip
    plane = Plane(
        "Risk and loss of what was tried",
        f"loss: {names[1]}",
        f"risk: {names[0]}",
        spots,
        None,
        bound,
        "limit on the risk",
    )
    rows = []
    for one, its in zip(found, tried, strict=True):
        words = "; ".join(describe_step(step)[0] for step in its.steps) or "none: as it was collected"
        limited = [s for s in (*its.risk, *its.loss) if s.limit]
        verdict = "on the frontier" if one.undominated else "dominated"
        verdict = "not known" if one.undominated is None else verdict
        verdict = "chosen" if one.candidate == current else verdict
        rows.append(
            write_row(
                (
                    one.candidate, words, _write(one.risk), _write(one.loss), _count_holding(limited, limits),
                    verdict,
                    button("Choose these steps", "compare_take", tried=one.candidate,
                           id=f"compare-take-{one.candidate}", disabled=one.candidate == current,
                           spoken=f"Choose these steps: {one.candidate}"),
                ),
                _HEADS,
            )
        )  # fmt: skip
    hint = (
        "Each list of steps that was applied in step 4 is a point; 1 is the file as it was collected. "
        f"{PLACES} To choose other steps puts them in the place of those in step 4, and can be undone."
    )
    drawn = show_blocks(plane) if spots else ""
    return TagList(tags.p(hint, class_="hint"), drawn, write_table("compare-tried", "What was tried", _HEADS, rows))


def list_limits(release: Mapping[str, Any]) -> set[str]:
    """Return the limits of the scenarios and on loss, as the release file writes them."""
    parts = [*release.get("scenarios", []), release.get("loss", {})]
    return {str(limit) for part in parts for limit in part.get("limits", [])}


def _count_holding(limited: list[Shown], limits: set[str]) -> Tag | TagList:
    """Return how many of the limits hold; what is not known, or was measured under other limits, says so."""
    if not limited:
        return tags.span("no limit" if not limits else "other limits then", class_="quiet")
    known = [one for one in limited if one.holds is not None]
    said = f"{sum(bool(one.holds) for one in known)} of {len(known)}" if known else ""
    lacking = f"{len(limited) - len(known)} not measured" if len(known) < len(limited) else ""
    others = "" if {one.limit for one in limited} <= limits else "other limits then"
    more = ", ".join(part for part in (lacking, others) if part)
    return TagList(said, " " if said and more else "", tags.span(more, class_="quiet") if more else None)


def _write(value: float | None) -> str:
    return "\N{EN DASH}" if value is None else format_short(int(value) if value == int(value) else float(value))
