"""Households whose numbers are not released, and whose members other columns join again: a limit of such a release."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc_sql.figures.condition import list_named_figures
from sdc_sql.release.reading.plan import Limit
from sdc_sql.release.running.outcome import LimitOutcome

if TYPE_CHECKING:
    from sdc_sql.microdata import Microdata
    from sdc_sql.release.reading.plan import Plan

MEASURE, FIGURE, LIMIT = "rejoined_households", "records", 0
PATH = 'output.households = "drop"'


def judge_rejoined(plan: Plan, released: Microdata) -> list[LimitOutcome]:
    """Return the limit on members who stand together again; none where numbers leave, or the file has its own.

    The measures count each record by itself then, and would be too low of members whom a reader can put together.
    """
    if plan.output.households != "drop" or plan.roles.household is None:
        return []
    if MEASURE in {
        plan.asked[name.label].measure.name for limit in plan.limits for name in list_named_figures(limit.text)
    }:
        return []
    found = released.risk.rejoined_households()
    limit = Limit(PATH, f"{MEASURE}.{FIGURE} <= {LIMIT}")
    told = "no two members of a household are told to be such by what they have in common"
    if found.records:
        told = (
            f"{found.records:,} members of {found.rejoined_households:,} households ({found.share:.1%} of those who "
            "do not live alone) are joined again by columns that are the same for all of them, and for nobody else: "
            f"drop or coarsen such columns, or limit {MEASURE} in a scenario"
        )
    return [LimitOutcome(limit, {f"{MEASURE}.{FIGURE}": found.records}, found.records <= LIMIT, found=told)]
