"""The R-U map: candidate releases by loss and risk, with their names, the frontier, the bound and the choice."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from sdc_sql.document.blocks import Plane, Spot, format_short
from sdc_sql.document.plane import place_labels
from sdc_sql.errors import ParameterError
from sdc_sql.pictures.picture import EDGE, WIDTH, Picture

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

HIGHER = 2  # times the highest risk of the frontier and the bound: what is dominated and higher is left out
LISTED = 40  # names below the picture
CHOSEN = ", chosen"


def draw_map(found: Sequence[Mapping[str, Any]], risk: str, loss: str, bound: float | None = None) -> Picture:
    """Draw the candidates of a frontier by the names of their figures.

    Names stand at the points where there is room for them all; else the points have the numbers of the candidates, from
    1, and the names stand below. Where there are many, those of the frontier are named alone.

    Raises
    ------
    ParameterError
        Where no candidate has both a risk and a loss.

    Examples
    --------
    >>> every = [{"candidate": "as it is", "place": 0, "risk": 0.5, "loss": 0.0, "undominated": True, "chosen": True}]
    >>> draw_map(every, "k_anonymity.3.records", "il1.all.il1").block.y
    'disclosure risk (k_anonymity.3.records)'
    """
    there = [one for one in found if _is_known(one["risk"]) and _is_known(one["loss"])]
    if not there:
        raise ParameterError("No candidate has both a risk and a loss: there is nothing to draw.")
    shown, higher = _leave_higher(there, bound)
    plane = _make_plane(shown, [str(one["candidate"]) for one in shown], (risk, loss), bound)
    names: tuple[str, ...] = ()
    left = 0
    if len(place_labels(plane, WIDTH - 2 * EDGE)) < len(plane.spots):
        named = [one for one in shown if one["undominated"] or one["chosen"] or len(shown) <= LISTED]
        numbers = [str(one["place"] + 1) if one in named else "" for one in shown]
        plane = _make_plane(shown, numbers, (risk, loss), bound)
        names = tuple(f"{one['place'] + 1}: {one['candidate']}{CHOSEN * one['chosen']}" for one in named[:LISTED])
        left = len(named) - len(names)
    notes = [*_tell(left, "further names of the frontier are not listed"),
             *_tell(higher, "dominated candidates are not drawn: their risk is more than twice that of all others"),
             *_tell(len(found) - len(there), "candidates have no risk or no loss")]  # fmt: skip
    return Picture(plane, " ".join(notes), names)


def _make_plane(
    shown: list[Mapping[str, Any]], labels: list[str], names: tuple[str, str], bound: float | None
) -> Plane:
    spots = tuple(
        Spot(
            label,
            float(one["loss"]),
            float(one["risk"]),
            "chosen" if one["chosen"] else "frontier" if one["undominated"] else "dominated",
        )
        for label, one in zip(labels, shown, strict=True)
    )
    risk, loss = names
    bounded = "" if bound is None else f"bound on the risk: {format_short(float(bound))}"
    title = "Risk and loss of the candidates"
    return Plane(title, f"loss ({loss})", f"disclosure risk ({risk})", spots, None, bound, bounded)


def _is_known(value: object) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def _leave_higher(there: list[Mapping[str, Any]], bound: float | None) -> tuple[list[Mapping[str, Any]], int]:
    """Return what is drawn, and how many are not: a few of a far higher risk would press the others together."""
    top = HIGHER * max([bound or 0, *(one["risk"] for one in there if one["undominated"] or one["chosen"])])
    shown = [one for one in there if one["undominated"] or one["chosen"] or not one["risk"] > top > 0]
    return shown, len(there) - len(shown)


def _tell(number: int, words: str) -> list[str]:
    return [f"{number:,} {words}."] if number > 0 else []
