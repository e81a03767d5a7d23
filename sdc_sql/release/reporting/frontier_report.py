"""The other releases that were considered, in the internal report: the R-U map and a table."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from sdc_sql.db.showing.results import format_value
from sdc_sql.document.blocks import Plane, Section, Spot, Table, Text
from sdc_sql.document.plane import place_labels
from sdc_sql.release.reading.plan import THIS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.document.blocks import Block
    from sdc_sql.frontier.found import Frontier, FrontierCandidate
    from sdc_sql.release.reading.plan import Considered
    from sdc_sql.release.running.outcome import Outcome

MARK = "\N{WHITE SQUARE}"  # it marks this release, as in the picture
TITLE = "Other releases that were considered"


def list_frontier_sections(outcome: Outcome) -> tuple[Section, ...]:
    """Return the section, none where the release file has no frontier."""
    found, asked = outcome.frontier, outcome.plan.frontier
    if found is None or asked is None:
        return ()
    labels = [THIS if one.candidate == THIS else str(one.place) for one in found]
    steps = [outcome.plan.steps, *(candidate.steps for candidate in asked.candidates)]
    worth = ["utility"] if asked.utility is not None else []
    rows = tuple(
        (MARK if label == THIS else label, one.candidate, "; ".join(map(str, of_one)) or "none", one.risk, one.loss,
         *([one.utility] if worth else []), _name_verdict(one))
        for label, one, of_one in zip(labels, found, steps, strict=True)
    )  # fmt: skip
    names = ("", "release", "steps", "risk", "loss", *worth, "")
    spots = tuple(
        Spot(label, one.loss, one.risk, "chosen" if one.chosen else "frontier" if one.undominated else "dominated")
        for label, one in zip(labels, found, strict=True)
        if one.risk is not None and one.loss is not None and math.isfinite(one.risk) and math.isfinite(one.loss)
    )
    picture: list[Block] = []
    if spots:
        x, y = f"loss ({found.loss})", f"disclosure risk ({found.risk})"
        plane = Plane("Risk and loss", x, y, spots, THIS, asked.max_risk, "most risk allowed")
        picture = [_name_spots(plane, {str(one.place): one.candidate for one in found})]
    blocks = (Text(_words(found, asked)), *picture, Table("Risk and loss of each", names, rows))
    return (Section(TITLE, blocks),)


def _name_spots(plane: Plane, names: Mapping[str, str]) -> Plane:
    """Return the plane with names at its points, where there is room for all of them: else they have the numbers."""
    named = replace(plane, spots=tuple(replace(s, label=names.get(s.label, s.label)) for s in plane.spots))
    others = [spot for spot in named.spots if spot.label != THIS]
    return named if len(place_labels(named)) == len(others) else plane


def _words(found: Frontier, asked: Considered) -> str:
    """Return what was compared, and whether this release is the one to choose."""
    told = (
        f"Scenario {asked.scenario}. Risk: {found.risk}; loss: {found.loss}; the lower the better. A release is "
        "dominated where another has less of the one and no more of the other; the others are the frontier (Karr & "
        "Sanil 2004)."
    )
    bound = "" if asked.max_risk is None else f" within a risk of {format_value(asked.max_risk)}"
    if asked.utility is not None:
        told += f" Chosen: of the frontier{bound}, the highest utility {asked.utility}."
    elif asked.max_risk is not None:
        told += f" Chosen: the least loss{bound}."
    else:
        return f"{told} Neither a bound nor a utility was given, so that none is chosen."
    chosen = [one.candidate for one in found if one.chosen]
    if THIS in chosen:
        return f"{told} It is this release."
    return f"{told} " + (f"It is {', '.join(chosen)}, not this release." if chosen else "There is none.")


def _name_verdict(one: FrontierCandidate) -> str:
    if one.undominated is None:
        return "not measured"
    return "chosen" if one.chosen else "on the frontier" if one.undominated else "dominated"
