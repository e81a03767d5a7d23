"""Weights and sampling fractions that are one number for all records, after a step that samples."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sdc_sql.errors import ParameterError

if TYPE_CHECKING:
    from sdc_sql.db.masking.steps import MaskingStep
    from sdc_sql.release.reading.plan import Plan, Step

_NUMBERS = ("weight", "sampling_fraction")


def list_fixed_roles(plan: Plan) -> dict[str, float]:
    """Return those of the two roles that are one number, as they hold for the released records."""
    found = {name: getattr(plan.released_roles, name) for name in _NUMBERS}
    return {name: float(value) for name, value in found.items() if isinstance(value, int | float)}


def remove_fixed_roles(plan: Plan, step: Step) -> Plan:
    """Return the plan without them, for a step that samples.

    Raises
    ------
    ParameterError
        Where the sample does not have one number for all: each person must be drawn with the same probability, by
        himself. Of other samples theta would be too low, and weights wrong.
    """
    given = list_fixed_roles(plan)
    takes = step.arguments
    alike = (
        step.verb == "sample"
        and not isinstance(takes.get("fraction"), str)
        and takes.get("method", "simple") != "systematic"
        and takes.get("stratum") is None
        and takes.get("household") is None
    )
    if given and not alike:
        raise ParameterError(
            f"{step.path} ({step.verb}): roles.{' and roles.'.join(given)} is one number for all records, and "
            "this step leaves records with others: make a column of it."
        )
    nothing: dict[str, Any] = dict.fromkeys(given)
    return replace(plan, roles_after=replace(plan.released_roles, **nothing))


def update_fixed_roles(plan: Plan, done: MaskingStep) -> Plan:
    """Return the plan with the numbers that hold after a step that sampled."""
    share = done.records / done.parameters["records_before"]
    given = list_fixed_roles(plan)
    now: dict[str, Any] = {name: value / share if name == "weight" else value * share for name, value in given.items()}
    return replace(plan, roles_after=replace(plan.released_roles, **now)) if now else plan
