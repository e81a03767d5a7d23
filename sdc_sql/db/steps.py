"""The log of what was done to a table, ``sdc_steps``, beside the table."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.results import Result

if TYPE_CHECKING:
    import duckdb

STEPS = "sdc_steps"
_FORM = (
    'CREATE TABLE IF NOT EXISTS t (step BIGINT, "at" TIMESTAMP, target VARCHAR, method VARCHAR, columns VARCHAR[], '
    "parameters VARCHAR, records BIGINT, changed BIGINT, sse_sst DOUBLE)"
)
_ROW = "INSERT INTO t SELECT 1 + count(*), current_timestamp::TIMESTAMP, ?, ?, ?, ?, ?, ?, ? FROM t"


@dataclass(frozen=True)
class MaskingStep(Result):
    """What was done to a table: the row in its table of steps, ``sdc_steps``.

    ``changed`` counts the records in which a value differs from before. ``sse_sst`` is the share of the sum of
    squares of the standardised columns that masking took away (numeric columns), None where it was not measured.
    """

    table: str
    method: str
    columns: tuple[str, ...]
    parameters: dict[str, Any]
    records: int
    changed: int
    sse_sst: float | None = None


def log_step(con: duckdb.DuckDBPyConnection, target: exp.Table, step: MaskingStep) -> None:
    """Add the step to the table of steps beside the target. It never contains the key."""
    steps = exp.table_(STEPS, db=target.args.get("db"), catalog=target.args.get("catalog"), quoted=True)
    form = _FORM.replace("TABLE", "TEMP TABLE", 1) if target.catalog == "temp" else _FORM
    con.execute(_of(form, steps)).fetchall()
    parameters = json.dumps(step.parameters, default=str)
    values = [target.name, step.method, list(step.columns), parameters, step.records, step.changed, step.sse_sst]
    con.execute(_of(_ROW, steps), values).fetchall()


def _of(sql: str, steps: exp.Table) -> str:
    """Return a statement about ``t`` as one about the table of steps."""
    tree: exp.Expression = exp.maybe_parse(sql, dialect="duckdb").transform(
        lambda node: steps.copy() if isinstance(node, exp.Table) and node.name == "t" else node
    )
    return query.text(tree)
