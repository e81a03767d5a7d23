"""What the steps of a release changed and suppressed: by variable, and by dimensions of the file (handbook, 3.2.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.masking.places import join_runs, split_places, unite_runs
from sdc_sql.db.masking.targets import base_table
from sdc_sql.db.table import fetch_rows
from sdc_sql.errors import TableError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sdc_sql.release.running.outcome import Outcome

HOUSEHOLD_SIZE = "household size"
LARGEST = 5  # households of this size and larger ones are counted together
MOST = 60  # a dimension with more values has no table


def count_by_variable(outcome: Outcome) -> list[dict[str, Any]]:
    """Return for each released variable how many values were changed, and how many of these were suppressed.

    A recoded value is a changed one. Numbers of households are left out where they are recoded or not released.
    The list is empty where the file has no id, by which records are told apart.
    """
    columns = _list_counted_columns(outcome)
    if not columns or outcome.plan.roles.id is None:
        return []
    kept: dict[Any, list[dict[str, Any]]] = outcome.kept.setdefault("changed", {})
    asked = (outcome.plan.roles.id, *columns)
    if asked not in kept:  # both reports, and the metadata, ask for it
        kept[asked] = _count_changes(outcome, columns)
    return kept[asked]


def _count_changes(outcome: Outcome, columns: list[str]) -> list[dict[str, Any]]:
    changed = [exp.alias_(_count_where(_is_different(outcome, c)), f"changed_{i}") for i, c in enumerate(columns)]
    gone = [exp.alias_(_count_where(_is_suppressed(c)), f"gone_{i}") for i, c in enumerate(columns)]
    counts = [exp.alias_(exp.Count(this=exp.Star()), "records"), *changed, *gone]
    row = _count_beside(outcome, counts)
    if row is None:
        (row,) = fetch_rows(outcome.released.con, _join_original(outcome).select(*counts))
    return [
        {
            "variable": c,
            "records": row["records"],
            "changed": row[f"changed_{i}"],
            "suppressed": row[f"gone_{i}"],
        }
        for i, c in enumerate(columns)
    ]


def _count_beside(outcome: Outcome, counts: list[exp.Expr]) -> dict[str, Any] | None:
    """Return counts of records that stand beside each other in both tables, without a join of all columns.

    None where a table is not stored in one piece, or the ids do not stand in one order.
    """
    sides = {"o": outcome.original, "r": outcome.released}
    try:
        tables = {alias: base_table(data._roles) for alias, data in sides.items()}  # noqa: SLF001 - as its methods
    except TableError:
        return None
    beside = exp.alias_(exp.func("bool_and", exp.func("coalesce", _is_same_person(outcome), exp.false())), "beside")
    con, select = outcome.released.con, exp.select(beside, *(count.copy() for count in counts))
    parts = [join_runs(select, tables, runs) for runs in split_places(con, *tables.values(), a_thread=True)]
    rows = fetch_rows(con, unite_runs(parts)) if parts else []
    if not rows or not all(row["beside"] for row in rows):
        return None
    return {count.alias: sum(row[count.alias] for row in rows) for count in counts}


def count_by_dimension(outcome: Outcome, variables: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """Return the suppressions of some variables by each dimension of the released file: its strata, and household size.

    Each value has its records, and by variable how many of them lost that value. A dimension is a column as it is
    released; one that is not released, or that has too many values, is left out.
    """
    roles, found = outcome.plan.roles, {}
    names = [c for c in roles.strata if c in outcome.released.columns]
    dimensions: dict[str, exp.Expression] = {
        c: _read_bytes(_cast_to_text(exp.column(c, "r", quoted=True))) for c in names
    }
    if roles.household is not None and roles.household in outcome.released.columns:
        dimensions[HOUSEHOLD_SIZE] = _household_size(roles.household)
    for name, value in dimensions.items() if variables and roles.id is not None else ():
        rows = fetch_rows(outcome.released.con, _count_by_value(outcome, value, variables))
        if len(rows) <= MOST:
            found[name] = [
                {
                    "value": row["value"],
                    "records": row["records"],
                    "suppressed": {variable: row[f"gone_{i}"] for i, variable in enumerate(variables)},
                }
                for row in rows
            ]
    return found


def _count_by_value(outcome: Outcome, value: exp.Expression, variables: Sequence[str]) -> exp.Select:
    gone = [exp.alias_(_is_suppressed(c), f"gone_{i}") for i, c in enumerate(variables)]
    inside = _join_original(outcome).select(exp.alias_(value, "value"), *gone)
    counts = [exp.alias_(_count_where(exp.column(f"gone_{i}")), f"gone_{i}") for i in range(len(variables))]
    total = exp.alias_(exp.Count(this=exp.Star()), "records")
    return (
        exp.select("value", total, *counts)
        .from_(inside.subquery("s"))
        .group_by("value")
        .order_by(exp.Ordered(this=exp.column("value"), nulls_first=False))
        .limit(MOST + 1)
    )


def _list_counted_columns(outcome: Outcome) -> list[str]:
    known = {c.lower(): c for c in outcome.columns_before}
    roles = outcome.plan.roles
    left = {str(roles.id).lower()}
    if outcome.plan.output.households != "keep":  # the numbers of households are written anew, or not at all
        left.add(str(roles.household).lower())
    return [c for c in outcome.columns_after if c.lower() in known and c.lower() not in left]


def _join_original(outcome: Outcome) -> exp.Select:
    tables = [query.call_macro("sdc__rows", data.table) for data in (outcome.original, outcome.released)]
    return exp.Select().from_(tables[0].subquery("o")).join(tables[1].subquery("r"), on=_is_same_person(outcome))


def _is_same_person(outcome: Outcome) -> exp.Condition:
    own, its = (_read_bytes(exp.column(str(outcome.plan.roles.id), side, quoted=True)) for side in ("o", "r"))
    return own.eq(its)


def _read_bytes(value: exp.Expression) -> exp.Anonymous:
    """Return a value whose texts are compared by their bytes: no collation joins two of them, or hides a change."""
    return exp.Anonymous(this="sdc__by_bytes", expressions=[value])


def _is_different(outcome: Outcome, column: str) -> exp.Expression:
    kinds = [_list_types(data.con.table(data.table)) for data in (outcome.original, outcome.released)]
    before, after = (exp.column(column, side, quoted=True) for side in ("o", "r"))
    if len({kind[column.lower()] for kind in kinds}) > 1:  # a number has become a label
        return exp.NullSafeNEQ(this=_read_bytes(_cast_to_text(before)), expression=_read_bytes(_cast_to_text(after)))
    return exp.NullSafeNEQ(this=_read_bytes(before), expression=_read_bytes(after))


def _list_types(relation: Any) -> Mapping[str, str]:  # noqa: ANN401 - a relation of DuckDB
    return {c.lower(): str(kind) for c, kind in zip(relation.columns, relation.types, strict=True)}


def _is_suppressed(column: str) -> exp.Expression:
    before, after = (exp.column(column, side, quoted=True) for side in ("o", "r"))
    return exp.And(this=exp.not_(before.is_(exp.null())), expression=after.is_(exp.null()))


def _household_size(household: str) -> exp.Expression:
    home = _read_bytes(exp.column(household, "r", quoted=True))
    over = exp.Window(this=exp.Count(this=exp.Star()), partition_by=[home])
    size = exp.Least(this=over, expressions=[exp.Literal.number(LARGEST)])
    return _cast_to_text(size)


def _count_where(condition: exp.Expression) -> exp.Expression:
    return exp.Filter(this=exp.Count(this=exp.Star()), expression=exp.Where(this=condition))


def _cast_to_text(value: exp.Expression) -> exp.Expression:
    return exp.cast(value, "VARCHAR")
