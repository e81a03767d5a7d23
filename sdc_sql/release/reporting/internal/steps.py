"""A masking step as a reader is told of it: by its number and in words, with its parameters in a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc_sql.db.catalogue.macros import index_catalogue
from sdc_sql.document.blocks import format_short
from sdc_sql.figures.registry import ROLES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.db.masking.steps import MaskingStep
    from sdc_sql.release.running.outcome import Outcome

DIGITS = 6


def number_steps(outcome: Outcome) -> list[tuple[str, MaskingStep]]:
    """Return the steps with the numbers that they have in the release file, from 1 on.

    A step of the file that masks several columns one by one is logged as several, 2 (1) and 2 (2).
    """
    paths = list(outcome.step_paths)
    found = []
    for i, (path, step) in enumerate(zip(paths, outcome.steps, strict=True)):
        digits = "".join(c for c in path if c.isdigit())
        number = str(int(digits) + 1) if digits else path
        alike = [place for place, other in enumerate(paths) if other == path]
        found.append((f"{number} ({alike.index(i) + 1})" if len(alike) > 1 else number, step))
    return found


def name_method(method: str) -> str:
    """Return a method in words.

    Examples
    --------
    >>> name_method("local_suppression")
    'local suppression'
    """
    return method.replace("_", " ")


def describe_parameters(step: MaskingStep) -> str:
    """Return what a step was told, in a line: what is not given, and roles of the file, left out."""
    return _join({n: v for n, v in step.parameters.items() if n in _list_declared(step) and n not in ROLES})


def describe_findings(step: MaskingStep) -> str:
    """Return what a step found, in a line: thresholds, what was suppressed, the proof of what it guarantees."""
    return _join({n: v for n, v in step.parameters.items() if n not in _list_declared(step)})


def _list_declared(step: MaskingStep) -> set[str]:
    macro = index_catalogue().get(f"sdc_{step.method}")
    return {p.name for p in macro.parameters} if macro else {*step.parameters}


def _join(said: Mapping[str, object]) -> str:
    told = {name.replace("_", " "): format_parameter(value) for name, value in said.items()}
    return "; ".join(f"{name} {value}" for name, value in told.items() if value not in (None, ""))


def format_parameter(value: object) -> object:
    """Return a parameter as it is shown: a number by its first six digits, a nested value as text.

    Examples
    --------
    >>> format_parameter({"age": [1, 2], "sex": None}), format_parameter(True)
    ('age: 1, 2', 'yes')
    """
    if isinstance(value, dict):
        return ", ".join(f"{name}: {format_parameter(v)}" for name, v in value.items() if v is not None)
    if isinstance(value, float):
        return format_short(value, DIGITS)
    if isinstance(value, list | tuple):
        return ", ".join(str(format_parameter(v)) for v in value)
    return "yes" if value is True else "no" if value is False else value
