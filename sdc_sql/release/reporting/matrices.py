"""The matrices of PRAM that a release was masked with, from the log of its steps."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sdc_sql.db.masking.steps import list_steps
from sdc_sql.document.blocks import Table as Shown
from sdc_sql.document.blocks import Text, make_label

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sdc_sql.db.masking.steps import LoggedStep
    from sdc_sql.document.blocks import Block
    from sdc_sql.release.running.outcome import Outcome

SQUARE = 12  # a matrix with more categories is written as a list of its probabilities that are not 0
MOST = 2000  # such a list has at most so many rows


def find_logged_steps(outcome: Outcome) -> list[LoggedStep | None]:
    """Return the logged step of each step of the release."""
    found = list_steps(outcome.released.con, outcome.released.table)[-len(outcome.steps) :] if outcome.steps else []
    return [*found] if len(found) == len(outcome.steps) else [None] * len(outcome.steps)


def show_matrix(
    step: LoggedStep,
    *,
    digits: int | None = None,
    name: Callable[[object], str] | None = None,
    name_stratum: Callable[[object], str] | None = None,
) -> list[Block]:
    """Return the matrix of a step: rows are the original categories, columns the released ones; one for each stratum.

    ``digits``: decimals to which it is rounded; ``name`` gives the name of a category, ``name_stratum`` of a stratum.
    """
    rows: list[dict[str, Any]] = json.loads(step.matrix or "[]")
    name, name_stratum = name or format_category, name_stratum or format_category
    found: list[Block] = []
    for stratum in dict.fromkeys(json.dumps(row.get("stratum")) for row in rows):
        own = [row for row in rows if json.dumps(row.get("stratum")) == stratum]
        of = f" where the stratum is {name_stratum(json.loads(stratum))}" if "stratum" in own[0] else ""
        title = f"{', '.join(step.columns)}{of}: probabilities of the released categories"
        found.append(_write_matrix(title, [_row(row, digits, name) for row in own]))
    return found


def format_category(category: object) -> str:
    """Return a category as text: of a crossing, the values of its columns."""
    if isinstance(category, dict):
        return ", ".join(f"{column} {make_label(value)}" for column, value in category.items())
    return make_label(category)


def _row(row: dict[str, Any], digits: int | None, name: Callable[[object], str]) -> tuple[str, str, float]:
    probability = float(row["probability"])
    return name(row["from"]), name(row["to"]), probability if digits is None else round(probability, digits)


def _write_matrix(title: str, cells: Iterable[tuple[str, str, float]]) -> Block:
    listed = list(cells)
    names = list(dict.fromkeys([*(a for a, _, _ in listed), *(b for _, b, _ in listed)]))
    by = {(a, b): p for a, b, p in listed}
    if len(names) <= SQUARE and len(by) == len(listed):
        rows = tuple((a, *(by.get((a, b), 0.0) for b in names)) for a in names if any(c[0] == a for c in listed))
        return Shown(title, ("original", *names), rows)
    rows = tuple(cell for cell in listed if cell[2])
    if len(rows) > MOST:
        return Text(f"{title}: {len(rows):,} that are not 0, too many to be printed; sdc_steps has them.")
    return Shown(title, ("original", "released", "probability"), rows)
