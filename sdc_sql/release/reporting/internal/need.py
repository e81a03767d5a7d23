"""The first stage: whom the file is about, and what a board asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc_sql.document.blocks import Section, Text, make_facts_block
from sdc_sql.release.reading.governance import tell_governance
from sdc_sql.release.reporting.stages import NEED

if TYPE_CHECKING:
    from sdc_sql.release.running.outcome import Outcome


def write_need(outcome: Outcome) -> Section:
    """Return the section."""
    plan = outcome.plan
    roles = {
        "population": plan.population,
        "direct identifiers, not read": ", ".join(plan.roles.identifiers),
        "dropped, not read": ", ".join(plan.roles.drop),
        "sensitive variables": ", ".join(plan.roles.sensitive),
        "household": plan.roles.household or "",
    }
    about = make_facts_block("Whom the file is about", {n: v or "none named" for n, v in roles.items()})
    board = make_facts_block("What a board asks", tell_governance(plan.governance))
    return Section(NEED, (Text(_answer(outcome)), about, board))


def _answer(outcome: Outcome) -> str:
    roles, population = outcome.plan.roles, outcome.plan.population
    whom = f"The file is about {population}" if population else "The release file does not say whom the file is about"
    learn = ", ".join(roles.sensitive) or "whatever else the file has"
    identifiers = len(roles.identifiers)
    read = (
        f"{identifiers} direct identifier{'s were' if identifiers > 1 else ' was'} not read."
        if identifiers
        else "no direct identifier was named."
    )
    return f"{whom}; who recognises a unit in it learns {learn}. Of the source {read}"
