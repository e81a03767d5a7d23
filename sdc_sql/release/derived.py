"""What a release suppresses and its other columns give back: a limit of every release that suppresses values."""

from __future__ import annotations

import inspect
import json
import re
from typing import TYPE_CHECKING

from sdc_sql import methods
from sdc_sql.figures.condition import names
from sdc_sql.loss.derived_values import given_back
from sdc_sql.release.outcome import LimitOutcome
from sdc_sql.release.plan import Limit

if TYPE_CHECKING:
    from sdc_sql.loss.derived_values import DerivedValues
    from sdc_sql.microdata import Microdata
    from sdc_sql.release.plan import Plan

MEASURE, FIGURE, LIMIT = "derived_values_summary", "exact_givers", 0
PATH = "what can be worked out"
_SHOWN = 5  # givers in a message


def judged(plan: Plan, original: Microdata, released: Microdata) -> list[LimitOutcome]:
    """Return the limit on exact givers, with what they give back and how that is mended.

    There is none where no step suppresses values, or where the file limits the measure itself.
    """
    named = (name.label for limit in plan.limits for name in names(limit.text))
    limited = any(plan.asked[label].measure.name == MEASURE for label in named)
    if limited or not any(step.suppresses for step in plan.steps):
        return []
    data = released._roles  # noqa: SLF001 - as its methods take them
    found = given_back(data, original)
    exact = [one for one in found if one.rule == "exact" and one.given_back]
    limit = Limit(PATH, f"{MEASURE}.{FIGURE} <= {LIMIT}")
    told = "; ".join(_told(plan, one) for one in exact[:_SHOWN])
    rest = f"; and {len(exact) - _SHOWN} more" if len(exact) > _SHOWN else ""
    said = f"{told}{rest}" if exact else "no column, and no pair of them, gives hidden values back without exception"
    return [LimitOutcome(limit, {f"{MEASURE}.{FIGURE}": len(exact)}, len(exact) <= LIMIT, found=said)]


def _told(plan: Plan, one: DerivedValues) -> str:
    """Return what a giver gives back, and the step that takes it along."""
    giver = " with ".join(one.giver)
    what = f"{giver} gives back {one.given_back:,} of {one.hidden:,} {one.masked} values of {one.variable}"
    other = next((name for name in one.giver if name.lower() != one.variable.lower()), giver)
    steps = [step for step in plan.steps if step.suppresses and one.variable in step.columns]
    ways = [f'drop it (method = "drop_identifiers", columns = [{_quoted(other)}])']
    if one.masked == "coarsened":
        ways.insert(0, f"make {other} as coarse as {one.variable}")
    else:
        takes = [s for s in steps if "ghosts" in inspect.signature(getattr(methods.Methods, s.verb)).parameters]
        if takes and len(takes) == len(steps):
            of = ", ".join(step.path for step in takes)
            ways.insert(0, f"take it along: roles.ghosts = {{ {_key(one.variable)} = [{_quoted(other)}] }}, for {of}")
        elif steps:
            ways.insert(0, f"suppress it by local_suppression with ghosts in the place of {steps[0].path}")
    return f"{what}: {', or '.join(ways)}"


def _quoted(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)  # as TOML has it


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _quoted(name)
