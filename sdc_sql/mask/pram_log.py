"""What PRAM writes to the log, for risk after PRAM: the matrix as applied and the original counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sdc_sql.db import query

if TYPE_CHECKING:
    from collections.abc import Sequence

CONFIDENTIAL = ("matrix", "counts")


def matrix_rows(matrix: str, stratum: str | None) -> exp.Select:
    """Return a query of the rows of a matrix as JSON: from, to, probability, and the stratum where there is one."""
    names = {"from": "from", "to": "to", "probability": "probability"} | ({"stratum": stratum} if stratum else {})
    return _select_json(
        _struct({name: _quote_column(column) for name, column in names.items()}), query.call_macro("sdc__rows", matrix)
    )


def category_counts(table: str, columns: Sequence[str], strata: Sequence[str]) -> exp.Select:
    """Return a query of the original counts as JSON: category (a struct, where several), count, and the strata."""
    cells = query.call_macro("sdc__category_cells", table, list(dict.fromkeys([*columns, *strata])), None)
    category = _quote_column(columns[0]) if len(columns) == 1 else _struct({c: _quote_column(c) for c in columns})
    parts: dict[str, exp.Expression] = {"category": category, "count": _quote_column("sdc__f")}
    if strata:
        parts["stratum"] = (
            _quote_column(strata[0]) if len(strata) == 1 else _struct({c: _quote_column(c) for c in strata})
        )
    return _select_json(_struct(parts), cells)


def _select_json(row: exp.Expression, rows: exp.Select) -> exp.Select:
    """Return a query of all rows as one JSON list, in an order that depends on nothing."""
    listed = exp.Anonymous(this="list_sort", expressions=[exp.Anonymous(this="list", expressions=[row])])
    json = exp.Anonymous(this="to_json", expressions=[listed])
    return exp.select(exp.alias_(exp.cast(json, "TEXT"), "json", quoted=True)).from_(rows.subquery("r"))


def _struct(fields: dict[str, exp.Expression]) -> exp.Struct:
    pairs = [exp.PropertyEQ(this=exp.to_identifier(name, quoted=True), expression=e) for name, e in fields.items()]
    return exp.Struct(expressions=pairs)


def _quote_column(name: str) -> exp.Column:
    return exp.column(name, quoted=True)
