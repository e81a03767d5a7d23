"""The form of the step that is being made or edited: it is kept in the process, and a reload finds it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from sdc_sql.app import protect_list
from sdc_sql.app.protect_forms import METHOD, SCENARIO, TARGET, find_method, list_fields, takes_keys
from sdc_sql.app.worked import read_plan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdc_sql.app.desk import Desk
    from sdc_sql.app.state import State
    from sdc_sql.release.reading.plan import Plan
    from sdc_sql.release.reading.plan import Step as PlannedStep

FIRST = "sdc_recode_intervals"  # the handbook begins with coarser keys (3.8.1)
BREAKS, OPEN = "breaks", "open"
STEP = "this step"  # what a problem is of that is of no field alone
_FORMS: WeakKeyDictionary[State, dict[str, Any]] = WeakKeyDictionary()  # a reload finds the form as it was


def read_form(desk: Desk) -> dict[str, Any]:
    """Return the form of the step that is being made."""
    kept = _FORMS.get(desk.state, {METHOD: FIRST})
    found: dict[str, Any] = desk.read_choice("protect_form", kept)
    return begin_form(found, [scenario["name"] for scenario in desk.state.release.get("scenarios", [])])


def begin_form(form: dict[str, Any], scenarios: Sequence[str] = ()) -> dict[str, Any]:
    """Return a form in which what is needed for a first look is filled in: of one scenario alone also its keys.

    Examples
    --------
    >>> begin_form({"mask": "sdc_recode_intervals"})["ends"]
    'open'
    >>> begin_form({"mask": "sdc_local_suppression"}, ["neighbour"])["scenario"]
    'neighbour'
    """
    mask = find_method(form[METHOD])
    if takes_keys(mask) and len(scenarios) == 1 and SCENARIO not in form and not form.get(TARGET):
        form = {**form, SCENARIO: scenarios[0]}
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
    release, before = state.release, _list_before(state, editing)
    plan, _ = read_plan(state, {**release, "steps": before})
    added, problems = read_plan(state, {**release, "steps": [*before, step]})
    at = f"steps[{len(before)}]"
    wrong = [said for said in problems if said.startswith((f"{at}:", f"{at}."))]
    other = [said for said in problems if said.startswith("roles.id:")]
    if wrong or other or len(added.steps) <= len(plan.steps):
        told = [f"{STEP}{own}" if (own := said.removeprefix(at)).startswith(":") else own[1:] for said in wrong]
        return None, told or other or ["It is no step yet."]
    return (plan, added.steps[-1]), []


def read_before(state: State, editing: int = -1) -> Plan:
    """Return what is applied before the step that is made or edited."""
    return read_plan(state, {**state.release, "steps": _list_before(state, editing)})[0]


def _list_before(state: State, editing: int) -> list[dict[str, Any]]:
    items = protect_list.list_items(state.release)
    return [item.step for item in (items if editing < 0 else items[:editing]) if not item.off]


def part_problem(said: str) -> tuple[str, str]:
    """Return the field that a problem of a step is of, as the page calls it, and what is wrong; '': of no field.

    Examples
    --------
    >>> part_problem("top_label: it is 3: it must be a text."), part_problem("this step: it needs breaks.")
    (('Top label', 'it is 3: it must be a text.'), ('This step', 'it needs breaks.'))
    >>> part_problem("There is no method x: choose one of the list.")
    ('', 'There is no method x: choose one of the list.')
    """
    name, colon, rest = said.partition(": ")
    if not colon or (" " in name and name != STEP):
        return "", said
    words = name.replace("_", " ")
    return words if len(words) <= 2 else f"{words[0].upper()}{words[1:]}", rest  # noqa: PLR2004 - a letter: k
