"""Warn where a table is released again by a method that is for one release only, or by one with other arguments."""

from __future__ import annotations

import json
import warnings
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sdc_sql.db.catalogue.macros import find_effect, find_mask
from sdc_sql.db.masking import step_table
from sdc_sql.errors import RepeatedReleaseWarning

if TYPE_CHECKING:
    from collections.abc import Mapping

    import duckdb

    from sdc_sql.db.masking.steps import MaskingStep

_NOT_COMPARED = {"table", "tables", "columns"}  # of the columns those are compared that both steps masked


def warn_of_another_release(
    con: duckdb.DuckDBPyConnection, target: exp.Table, mark: str, step: MaskingStep, digests: Mapping[str, str]
) -> None:
    """Warn where the table of steps shows another release of a table of this name, by the same method.

    The table was made or filled anew since (its mark is another one), and what is released of a column differs: the
    same content, masked once more, is the same release. A method that may be repeated may be so with the same arguments
    alone: of one value two draws, or its classes in two divisions, together tell more than either.

    Parameters
    ----------
    target
        The table that was masked.
    mark
        Its mark.
    digests
        Those of its columns, after the step.
    """
    repeated = find_effect(step.method).repeated
    word = repeated.find_word(step.parameters)
    if word not in {"once", "again"}:
        return
    once = word == "once"
    named = exp.func("lower", exp.column("target")).eq(target.name.lower())
    earlier = named.and_(exp.column("target_id").neq(mark))
    for row in step_table.read_step_rows(con, step_table.name_step_table(target), earlier):
        changed = _list_changed(row, digests) if find_mask(row["method"]) == find_mask(step.method) else []
        others = [] if once else _list_other_arguments(row, step)
        if changed and (once or others):
            why = (
                f"The method is for one release: {repeated.reason}."
                if once
                else f"Its arguments were others ({', '.join(others)}), and two releases that were masked otherwise "
                "together tell more than either."
            )
            warnings.warn(
                f"{', '.join(changed)} of {target.name}: this is another release, since step {row['step']} of "
                f"sdc_steps masked a table of this name by {step.method} too. {why} Release one of them only.",
                RepeatedReleaseWarning,
                stacklevel=2,
            )
            return


def _list_other_arguments(row: Mapping[str, Any], step: MaskingStep) -> list[str]:
    """Return the parameters of the method that were others in an earlier step; of a table only its name is known."""
    declared = find_mask(step.method)
    named = [p.name for p in declared.parameters if p.type not in _NOT_COMPARED] if declared else []
    before, now = json.loads(row["parameters"] or "{}"), json.loads(json.dumps(step.parameters, default=str))
    return [name for name in named if before.get(name) != now.get(name)]


def _list_changed(row: Mapping[str, Any], digests: Mapping[str, str]) -> list[str]:
    """Return the columns that both steps masked and left otherwise, as far as digests of one kind tell."""
    before = json.loads(row["digests"] or "{}")
    masked = {column.lower() for column in row["columns"]}
    return [
        column for column, now in digests.items()
        if column in masked and column in before and before[column] != now
        and before[column].partition(":")[0] == now.partition(":")[0]
    ]  # fmt: skip
