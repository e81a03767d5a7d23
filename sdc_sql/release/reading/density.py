"""The neighbourhood of a scenario: the continuous keys that an intruder knows about, and how exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sdc_sql.db.catalogue.arguments import list_choices
from sdc_sql.db.checks import text_for_message
from sdc_sql.release.reading.problems import NUMBERS, TEXT, TEXTS, WHOLE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.release.reading.fields import Reading

FIELDS = {"columns": TEXTS, "width": NUMBERS, "scaling": TEXT, "k": WHOLE}


def read_neighbourhood(reading: Reading, path: str, said: object, keys: tuple[str, ...]) -> Mapping[str, Any] | None:
    """Return the arguments of ``neighbourhood`` by name, ``columns`` among them; an error becomes a problem."""
    if said is None:
        return None
    given = reading.problems.table(path, said, FIELDS)
    columns = reading.resolve_columns(f"{path}.columns", "continuous key", given.get("columns", []))
    width, scalings = given.get("width"), list_choices("neighbourhood", "scaling")
    for at, wrong, message in (
        ("columns", not given.get("columns"), 'it is missing: name the continuous keys, as in ["turnover"].'),
        ("columns", bool({*columns} & {*keys}), "a key of the scenario is no continuous key besides: leave it in one."),
        ("width", isinstance(width, list) and len(width) not in {1, len(columns)}, "give one, or one for each column."),
        ("width", any(w < 0 for w in (width if isinstance(width, list) else [width or 0])), "it must be at least 0."),
        ("scaling", given.get("scaling", scalings[0]) not in scalings,
         f"it is {text_for_message(given.get('scaling'))}: one of {', '.join(scalings)}."),
        ("k", given.get("k", 2) < 2, f"it is {given.get('k')}: it must be at least 2."),  # noqa: PLR2004 - a group
    ):  # fmt: skip
        if wrong:
            reading.problems.add(f"{path}.{at}", message)
    return {**given, "columns": columns}


def describe_neighbourhood(neighbourhood: Mapping[str, Any] | None) -> str:
    """Return what an intruder knows about besides the keys, for a report."""
    if neighbourhood is None:
        return ""
    asked = ", ".join(f"{name} {value}" for name, value in neighbourhood.items() if name in {"width", "scaling"})
    return f"; about {', '.join(neighbourhood['columns'])}" + (f" ({asked})" if asked else "")
