"""The form of the step that is being made or edited: it is kept in the process, and a reload finds it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from sdc_sql.app import protect_list
from sdc_sql.app.protect_forms import (
    METHOD,
    find_method,
    list_fields,
)
from sdc_sql.app.worked import read_plan

if TYPE_CHECKING:
    from sdc_sql.app.desk import Desk
    from sdc_sql.app.state import State
    from sdc_sql.release.reading.plan import Plan
    from sdc_sql.release.reading.plan import Step as PlannedStep

FIRST = "sdc_recode_intervals"  # the handbook begins with coarser keys (3.8.1)
BREAKS, OPEN = "breaks", "open"
_FORMS: WeakKeyDictionary[State, dict[str, Any]] = WeakKeyDictionary()  # a reload finds the form as it was


def read_form(desk: Desk) -> dict[str, Any]:
    """Return the form of the step that is being made."""
    kept = _FORMS.get(desk.state, {METHOD: FIRST})
    found: dict[str, Any] = desk.read_choice("protect_form", kept)
    return begin_form(found)


def begin_form(form: dict[str, Any]) -> dict[str, Any]:
    """Return a form in which what is needed for a first look is filled in.

    Examples
    --------
    >>> begin_form({"mask": "sdc_recode_intervals"})["ends"]
    'open'
    """
    mask = find_method(form[METHOD])
    begun = {p.name: OPEN for p in list_fields(mask) if OPEN in p.choices}  # else a value beyond the cuts is refused
    for parameter in list_fields(mask):  # a choice that has no default shows its first word
        if parameter.choices and parameter.default is None:
            begun[parameter.name] = parameter.choices[0]
    return {**begun, **form}


def keep_form(desk: Desk, form: dict[str, Any]) -> None:
    """Keep the form: what is drawn from it is drawn anew."""
    _FORMS[desk.state] = form
    desk.choose("protect_form", form)


def check_step(
    state: State, step: dict[str, Any], editing: int = -1
) -> tuple[tuple[Plan, PlannedStep] | None, list[str]]:
    """Return what is applied before a step, and the step as it is run; or what is wrong with it."""
    release = state.release
    items = protect_list.list_items(release)
    before = [item.step for item in (items if editing < 0 else items[:editing]) if not item.off]
    plan, _ = read_plan(state, {**release, "steps": before})
    added, problems = read_plan(state, {**release, "steps": [*before, step]})
    at = f"steps[{len(before)}]"
    wrong = [said for said in problems if said.startswith((f"{at}:", f"{at}."))]
    other = [said for said in problems if said.startswith("roles.id:")]
    if wrong or other or len(added.steps) <= len(plan.steps):
        return None, [said.removeprefix(at).removeprefix(".") for said in wrong] or other or ["It is no step yet."]
    return (plan, added.steps[-1]), []
