"""A logged step as the call that made it."""

from __future__ import annotations

import inspect
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sdc_sql.db.catalogue.macros import find_mask
from sdc_sql.db.masking.step_table import FIRST
from sdc_sql.errors import ParameterError
from sdc_sql.methods import Methods
from sdc_sql.version import VERSION, gives_other_values

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.db.catalogue.functions import Declaration
    from sdc_sql.db.masking.steps import LoggedStep

TARGETS = ("columns", "column", "keys")  # verbs call the columns that they mask so
_MADE = "was given as a Python object, which the log does not hold: give it as a file"


@dataclass(frozen=True)
class Call:
    """A verb with its arguments; ``target`` is the argument that names the columns, if one does."""

    verb: str
    target: str | None
    columns: tuple[str, ...]
    arguments: Mapping[str, Any]
    where: str | None
    release: str | None
    stream: str | None
    id: str
    by_household: str | None = None

    def all_arguments(self) -> dict[str, Any]:
        """Return the arguments as the verb takes them."""
        drawn = {} if self.stream is None else {"stream": self.stream, "release": self.release or ""}
        masked: Any = self.columns[0] if self.target == "column" else list(self.columns)
        return {**({} if self.target is None else {self.target: masked}), **self.arguments, **drawn}


def parse_step(step: LoggedStep) -> Call:
    """Return the call that a row of the log comes from.

    Raises
    ------
    ParameterError
        Where the log does not hold all that was given: it names the step and what is missing.
    """
    mask = find_mask(step.method)
    if step.version == FIRST or mask is None or step.id is None or _gave_other_values(step, mask):
        raise ParameterError(
            f"{name_step(step)} was made by version {step.version}, and {VERSION} does not give its values again: "
            f"repeat or undo it with version {step.version} (pip install 'sdc-sql=={step.version}')."
        )
    logged: dict[str, Any] = json.loads(step.parameters)
    taken = inspect.signature(getattr(Methods, mask.verb)).parameters
    names = {p.name for p in mask.parameters} | ({"correlation"} if mask.verb == "rank_swap" else set())
    target = next((name for name in TARGETS if name in taken), None)
    given = {n: v for n, v in logged.items() if n in names and n in taken and n not in TARGETS and v is not None}
    for name, value in given.items():
        if name == "mapping" and isinstance(value, dict):
            given[name] = dict(zip(value["from"], value["to"], strict=True))
    if "matrix" in given:
        given |= _find_matrix(step, given["matrix"])
    if mask.switch:
        given[mask.switch] = True
    made = [n for n in ("hierarchy", "geography") if isinstance(given.get(n), dict)]
    if mask.verb == "generalise" and "hierarchies" not in given:
        made = ["hierarchies"]
    if isinstance(given.get("hierarchies"), list):
        made = ["hierarchies"]
    if made:
        raise ParameterError(f"{name_step(step)} cannot be repeated from the log: its {' and '.join(made)} {_MADE}.")
    following = {name.lower() for names in (given.get("ghosts") or {}).values() for name in names}
    following |= {name.lower() for name in given.get("carry_along") or ()}
    masked = logged["keys"] if target == "keys" and "keys" in logged else step.columns  # the weight is no key
    columns = tuple(column for column in masked if column.lower() not in following)
    drawn = (step.release, step.stream, step.id)
    return Call(mask.verb, target, columns, given, logged.get("where"), *drawn, logged.get("by_household"))


def _gave_other_values(step: LoggedStep, mask: Declaration) -> bool:
    """Return whether the step's version gave other values: it draws, or released numbers are on a grid since."""
    averaged = json.loads(step.parameters).get("replacement") in {"mean", "median"}
    on_grid = mask.effect.bits.kind == "last digits" or averaged
    return gives_other_values(step.version) and (mask.needs_key or on_grid)


def name_step(step: LoggedStep) -> str:
    """Return how messages call a step."""
    return f"Step {step.step} ({step.method} of {', '.join(step.columns) or 'records'})"


def _find_matrix(step: LoggedStep, given: Any) -> dict[str, Any]:  # noqa: ANN401 - a name, or labels and rows
    """Return a PRAM matrix as it was applied: of a table, its rows in the log; the name where it has strata."""
    if isinstance(given, dict):
        return {"matrix": given["rows"], "labels": given["labels"]}
    rows = json.loads(step.matrix or "[]")
    if not rows or any("stratum" in row for row in rows):
        return {"matrix": given}
    several = len(step.columns) > 1
    ends = [[[*row[end].values()] if several else row[end] for end in ("from", "to")] for row in rows]
    labels: list[Any] = []
    for label in (label for both in ends for label in both):
        if label not in labels:
            labels.append(label)
    numbers = [[0.0] * len(labels) for _ in labels]
    for (of, to), row in zip(ends, rows, strict=True):
        numbers[labels.index(of)][labels.index(to)] = row["probability"]
    return {"matrix": numbers, "labels": labels}
