"""What a release suppresses and its other columns give back: a limit of every release that suppresses values."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from sdc_sql.compiler.columns import fold_case
from sdc_sql.db.catalogue.macros import read_catalogue
from sdc_sql.figures.condition import list_named_figures
from sdc_sql.linkage.derived_values import measure_given_back
from sdc_sql.linkage.linear_relations import linear_relations, numbers_of_both
from sdc_sql.release.reading.plan import Limit
from sdc_sql.release.running.outcome import LimitOutcome
from sdc_sql.roles import read_roles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdc_sql.linkage.derived_values import DerivedValues
    from sdc_sql.microdata import Microdata
    from sdc_sql.release.reading.plan import Plan
    from sdc_sql.roles import Roles

MEASURE, FIGURE, SUMS, LIMIT = "derived_values_summary", "exact_givers", "linear_relations", 0
PATH = "what can be worked out"
GAIN, MOST = "predicted_gain", 0.5  # a value that comes back more often than not, beyond the commonest, is not hidden
_SHOWN = 5  # a message shows so many givers


def judge_derived(plan: Plan, original: Microdata, released: Microdata) -> list[LimitOutcome]:
    """Return the limits on exact givers, predictions and sums, with what they give back and how that is mended.

    There is none where no step suppresses values; each is the file's own where that limits the measure itself.
    """
    if not any(step.suppresses for step in plan.steps):
        return []
    own = {plan.asked[name.label].measure.name for limit in plan.limits for name in list_named_figures(limit.text)}
    data = released._roles  # noqa: SLF001 - as its methods take them
    dropped: tuple[str, ...] = ()
    household = data.household
    if plan.output.households == "drop" and household is not None:
        # nothing links their members any more, unless other columns do: what these show is a rule as any other then
        data, dropped = read_roles(data, household=None), (household,)
    return [
        *([] if MEASURE in own else _judge_columns(plan, data, original, dropped)),
        *([] if SUMS in own else _judge_sums(plan, data, original)),
    ]


def _judge_sums(plan: Plan, data: Roles, original: Microdata) -> list[LimitOutcome]:
    """Return the limit on numbers that are sums of others; none where no number was suppressed or changed."""
    masked = {fold_case(column) for step in plan.steps for column in step.columns}
    numbers = numbers_of_both(data, original.table)
    if not any(fold_case(name) in masked for name in numbers):
        return []
    found = [one for one in linear_relations(data, original, numbers) if one.given_back]
    told = "; ".join(
        f"{one.variable} is a sum of {', '.join(one.givers)}, which gives {one.given_back:,} of its values back: "
        f"suppress or mask one of these alike, or drop it"
        for one in found[:_SHOWN]
    )
    total = sum(one.given_back for one in found)
    said = told or "no number is a sum of others"
    limit = Limit(PATH, f"{SUMS}.given_back <= {LIMIT}")
    return [LimitOutcome(limit, {f"{SUMS}.given_back": total}, total <= LIMIT, found=said)]


def _judge_columns(plan: Plan, data: Roles, original: Microdata, dropped: tuple[str, ...]) -> list[LimitOutcome]:
    found = measure_given_back(data, original, left_out=dropped, over=MOST)
    exact = [one for one in found if one.rule == "exact" and one.given_back]
    limit = Limit(PATH, f"{MEASURE}.{FIGURE} <= {LIMIT}")
    told = "; ".join(_describe_giver(plan, one) for one in exact[:_SHOWN])
    rest = f"; and {len(exact) - _SHOWN} more" if len(exact) > _SHOWN else ""
    said = f"{told}{rest}" if exact else "no column, and no pair of them, gives hidden values back without exception"
    return [
        LimitOutcome(limit, {f"{MEASURE}.{FIGURE}": len(exact)}, len(exact) <= LIMIT, found=said),
        _judge_predictions(plan, found),
    ]


def _judge_predictions(plan: Plan, found: Sequence[DerivedValues]) -> LimitOutcome:
    """Return the limit on what givers with exceptions tell truly beyond the commonest value."""
    gains = [((one.gain or 0) * one.given_back / one.hidden, one) for one in found if one.rule != "exact"]
    greatest = max((gain for gain, _ in gains), default=0.0)
    over = [one for gain, one in sorted(gains, key=lambda g: -g[0]) if gain > MOST]
    told = "; ".join(_describe_giver(plan, one) for one in over[:_SHOWN])
    limit = Limit(PATH, f"{MEASURE}.{GAIN} <= {MOST}")
    figures = {f"{MEASURE}.{GAIN}": max(greatest, 0.0)}
    said = told or "no column, and no pair of them, tells more than half of what is hidden"
    return LimitOutcome(limit, figures, greatest <= MOST, found=said)


def _describe_giver(plan: Plan, one: DerivedValues) -> str:
    """Return what a giver gives back, and the step that takes it along."""
    giver = " with ".join(one.giver)
    what = f"{giver} gives back {one.given_back:,} of {one.hidden:,} {one.masked} values of {one.variable}"
    what += "" if one.rule == "exact" else f" ({100 * (one.share_right or 0):.0f} % of them rightly)"
    other = next((name for name in one.giver if fold_case(name) != fold_case(one.variable)), giver)
    steps = [step for step in plan.steps if step.suppresses and one.variable in step.columns]
    ways = [f'drop it (mask = "drop_identifiers", columns = [{_quote_text(other)}])']
    if one.masked == "coarsened":
        ways.insert(0, f"make {other} as coarse as {one.variable}")
    else:
        by_ghosts = {mask.verb for mask in read_catalogue() if any(p.name == "ghosts" for p in mask.parameters)}
        takes = [step for step in steps if step.verb in by_ghosts]
        if takes and len(takes) == len(steps):
            of = ", ".join(step.path for step in takes)
            ways.insert(
                0, f"take it along: roles.ghosts = {{ {_key(one.variable)} = [{_quote_text(other)}] }}, for {of}"
            )
        elif steps:
            ways.insert(0, f"suppress it by local_suppression with ghosts in the place of {steps[0].path}")
    return f"{what}: {', or '.join(ways)}"


def _quote_text(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)  # TOML writes a text so


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _quote_text(name)
