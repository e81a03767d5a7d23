"""Warn where a table is released again that a method masks which is for one release only."""

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


def warn_of_another_release(
    con: duckdb.DuckDBPyConnection, target: exp.Table, mark: str, step: MaskingStep, digests: Mapping[str, str]
) -> None:
    """Warn where the table of steps shows another release of a table of this name, by the same method.

    The table was made or filled anew since (its mark is another one), and what is released of a column differs: the
    same content, masked once more, is the same release.

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
    if repeated.find_word(step.parameters) != "once":
        return
    named = exp.func("lower", exp.column("target")).eq(target.name.lower())
    others = named.and_(exp.column("target_id").neq(mark))
    for row in step_table.read_step_rows(con, step_table.name_step_table(target), others):
        changed = _list_changed(row, digests) if find_mask(row["method"]) == find_mask(step.method) else []
        if changed:
            warnings.warn(
                f"{', '.join(changed)} of {target.name}: this is another release, since step {row['step']} of "
                f"sdc_steps masked a table of this name by {step.method} too. The method is for one release: "
                f"{repeated.reason}. Release one of them only.",
                RepeatedReleaseWarning,
                stacklevel=2,
            )
            return


def _list_changed(row: Mapping[str, Any], digests: Mapping[str, str]) -> list[str]:
    """Return the columns that both steps masked and left otherwise, as far as digests of one kind tell."""
    before = json.loads(row["digests"] or "{}")
    masked = {column.lower() for column in row["columns"]}
    return [
        column for column, now in digests.items()
        if column in masked and column in before and before[column] != now
        and before[column].partition(":")[0] == now.partition(":")[0]
    ]  # fmt: skip
