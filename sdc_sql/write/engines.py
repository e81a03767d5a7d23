"""Which masks run on Spark in a release, by what their headers declare: put between two lines of its README."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc_sql.db.catalogue.elsewhere import IN_ONE_TASK, OF_HOUSEHOLDS, ON_SPARK, WHY_NOT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sdc_sql.db.catalogue.functions import Declaration

FIRST, LAST = "<!-- masks: written from the headers -->", "<!-- end of the masks -->"
ROWS = {
    "record": "by itself",
    "cells": "by the cells of all records",
    "households": IN_ONE_TASK,
    "strata": "stratum by stratum, each in the memory of one task, where the step has a `stratum`",
    "moments": f"no: {WHY_NOT['moments']}",
    "table": f"no: {WHY_NOT['table']}",
    "records": "no: records leave, or change their order",
}


def insert_masks(text: str, declared: Iterable[Declaration]) -> str:
    """Return the text with the table between its two lines."""
    head, _, rest = text.partition(FIRST)
    _, last, tail = rest.partition(LAST)
    if not last:
        raise ValueError(f"sdc_sql/spark/README.md must hold the lines {FIRST} and {LAST}.")
    found: dict[str, dict[str, None]] = {row: {} for row in ROWS}
    for mask in declared:
        if mask.is_step:
            for row, told in _list_rows(mask):
                found[row][told] = None
    lines = ["| a record is masked | steps |", "|---|---|"]
    lines += [f"| {ROWS[row]} | {', '.join(masks)} |" for row, masks in found.items() if masks]
    return f"{head}{FIRST}\n\n" + "\n".join(lines) + f"\n\n{LAST}{tail}"


def _list_rows(mask: Declaration) -> Iterator[tuple[str, str]]:
    """Yield each row in which a mask stands, and how it is told there: with the choices on which that hangs."""
    name = f"`{mask.name.removeprefix('sdc_')}`"
    scope = mask.scope
    if mask.effect.records.kind != "stay":
        yield "records", name
    elif scope is None or not scope.parameter:
        row = _choose_row(mask, scope.kind if scope else "table")
        yield row, name
        asked = [f"`{p.name}`" for p in mask.parameters if p.name in {*OF_HOUSEHOLDS, "unit"}]
        if row == "cells" and asked and mask.effect.households.kind == "checked":
            yield "households", f"{name} ({', '.join(asked)}, or a key of the file's households)"
    else:
        rows: dict[str, list[str]] = {}
        for word in (scope, *scope.also):
            choices = ", ".join(f"`{choice}`" for choice in word.choices)
            rows.setdefault(_choose_row(mask, word.kind), []).append(f"`{word.parameter}` {choices}")
        other = _choose_row(mask, scope.otherwise)
        rows[other] = ["otherwise"]  # whatever else is in this row is so too
        for row, when in rows.items():
            yield row, name if len(rows) == 1 else f"{name} ({'; '.join(when)})"


def _choose_row(mask: Declaration, scope: str) -> str:
    return "strata" if scope not in ON_SPARK and mask.effect.strata.kind == "apart" else scope
