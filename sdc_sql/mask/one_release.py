"""What may be released once only: Höhne's noise that keeps sums."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.masking import step_table
from sdc_sql.db.masking.identity import read_mark
from sdc_sql.db.masking.steps import LoggedStep, find_next_pass, name_chain
from sdc_sql.db.masking.targets import find_known_table
from sdc_sql.db.table import Table
from sdc_sql.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.db.masking.apply import Maskable

METHOD, WAY = "multiplicative_noise", "hoehne_sum"


def refuse_second_release(data: Maskable, columns: tuple[str, ...], arguments: Mapping[str, Any]) -> None:
    """Refuse to mask columns by ``hoehne_sum`` that a table of steps shows to be masked by it already.

    Of the same table, or of what it was copied from; under another stratum, condition, number of records, or any
    argument: the signs of half of the values differ then, and the midpoint of the two is the original. The same once
    more is the same release.

    Raises
    ------
    ParameterError
        Where there is such a step.
    """
    if not isinstance(data, Table):
        return
    whole = data if data.part is None else data.part.whole
    place = None if whole.file else find_known_table(whole, whole.table) or find_known_table(whole, whole.table, "view")
    mark = None if place is None else read_mark(data.con, place)
    behind = [] if place is None or mark is None else name_chain(data.con, place, unknown=True)
    read = whole.file or (whole.table if place is None else place.sql("duckdb"))
    unmarked = exp.column("source_id").is_(exp.null())
    read_by = exp.or_(unmarked, exp.column("source_id").eq(mark)) if mark else unmarked
    beside = exp.and_(exp.column("method").eq(METHOD), read_by, exp.column("source").eq(read))
    others = [LoggedStep(**row) for steps in step_table.list_step_tables(data.con) for row in
              step_table.read_step_rows(data.con, steps, beside)]  # fmt: skip
    number = data.number(
        exp.select(exp.Count(this=exp.Star())).from_(query.call_macro("sdc__rows", whole.table).subquery("r"))
    )
    stream = arguments["stream"] if arguments["stream"] is not None else find_next_pass(behind, columns)
    now = _list_determinants({**arguments, "where": None if data.part is None else data.part.said}, number)
    for step in (*behind, *others):
        given = json.loads(step.parameters)
        if step.method != METHOD or given.get("method") != WAY or not step.masked(columns):
            continue
        same = _list_determinants(given, step.records) == now
        again = step in behind or (step.release, step.stream) == (arguments["release"], stream)
        if not (same and again):
            raise ParameterError(
                f"{', '.join(step.columns)} of {step.source} was masked by {METHOD} with method {WAY!r} already (step "
                f"{step.step} of sdc_steps, into {step.target}), under another stratum, condition, set of records or "
                "argument. Two such releases together give original values, whatever the draws: release that one, or "
                "take another method."
            )


def _list_determinants(parameters: Mapping[str, Any], records: int) -> tuple[object, ...]:
    """Return what the signs and sizes hang on."""
    return (*(parameters.get(name) for name in ("stratum", "where", "size", "spread")), records)
