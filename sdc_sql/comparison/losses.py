"""What was lost: which columns are categories and which are numbers, and the measures of either."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sdc_sql.compared import list_or_none
from sdc_sql.comparison.sides import has_column
from sdc_sql.db import query
from sdc_sql.errors import ColumnError, ParameterError
from sdc_sql.linkage.distance_linkage import distance_linkage
from sdc_sql.linkage.interval_disclosure import interval_disclosure
from sdc_sql.linkage.rank_linkage import rank_linkage
from sdc_sql.loss.direct_distance import direct_distance
from sdc_sql.loss.distribution_distance import distribution_distance
from sdc_sql.loss.entropy_loss import entropy_loss
from sdc_sql.loss.il1 import il1
from sdc_sql.loss.propensity import propensity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sdc_sql.roles import Roles

WHOLE = {f"{sign}{size}int" for sign in ("", "u") for size in ("tiny", "small", "big", "huge")} | {
    "integer", "uinteger", "bignum",
}  # fmt: skip
NUMBERS = WHOLE | {"float", "double", "decimal"}


def _types(data: Roles) -> dict[str, str]:
    rows = data.reading(query.call_macro("sdc__rows", data.table).limit(0))
    return {name.lower(): str(kind.id) for name, kind in zip(rows.columns, rows.types, strict=True)}


def variables(
    before: Roles,
    after: Roles,
    columns: Iterable[str] | None,
    categorical: Iterable[str] | None,
    continuous: Iterable[str] | None,
) -> tuple[list[str], list[str]]:
    """Return the columns of both tables that are compared: those that are categories, and those that are numbers.

    Numbers are the columns of a numeric type in both tables, but whole numbers among the keys, which are codes or are
    matched as they stand. The id of a record, its household and its weight are no variables.
    """
    named = [list_or_none(names) or [] for names in (categorical, continuous)]
    if columns is None:
        roles = {n.lower() for side in (before, after) for n in (side.id, side.household, side.weight,
                 side.sampling_fraction) if isinstance(n, str)}  # fmt: skip
        chosen = [c for c in after.columns if has_column(before, c) and c.lower() not in roles]
    else:
        chosen = [after.spell_column("column", name) for name in list_or_none(columns) or []]
    wanted = [[after.spell_column("column", name) for name in names] for names in named]
    missing = [c for c in [*chosen, *wanted[0], *wanted[1]] if not has_column(before, c)]
    if missing:
        raise ColumnError(
            f"{', '.join(missing)} is not a column of {before.table}: give columns that both tables have."
        )
    twice = sorted({*wanted[0]} & {*wanted[1]})
    if twice:
        raise ParameterError(f"{', '.join(twice)} is given as categorical and as continuous: give it as one of them.")
    chosen += [c for c in [*wanted[0], *wanted[1]] if c not in chosen]
    first, second = _types(before), _types(after)

    def is_number(column: str) -> bool:
        kinds = {first[column.lower()], second[column.lower()]}
        return kinds <= NUMBERS and not (column in after.keys and kinds <= WHOLE)

    numbers = [c for c in chosen if c in wanted[1] or (c not in wanted[0] and is_number(c))]
    return [c for c in chosen if c not in numbers], numbers


def measure_losses(
    before: Roles,
    after: Roles,
    categories: list[str],
    numbers: list[str],
    *,
    score: bool | None,
    linkage: bool,
    progress: Callable[[str], None],
) -> dict[str, Any]:
    """Return the measures of loss by their names, None where there is nothing that they could measure.

    ``score``: None for no propensity score, else whether its model has the products of every two variables.
    ``linkage``: whether released records are linked to the original ones.
    """
    found: dict[str, Any] = dict.fromkeys(
        ("direct_distance", "entropy_loss", "il1", "interval_disclosure", "distance_linkage", "rank_linkage")
    )
    paired = after.id is not None and has_column(before, after.id)
    if categories and paired:
        progress("direct distance")
        found["direct_distance"] = [row.to_dict() for row in direct_distance(after, before, categories)]
        found["entropy_loss"] = [row.to_dict() for row in entropy_loss(after, before, categories)]
    if numbers and paired:
        progress("IL1")
        found["il1"] = [row.to_dict() for row in il1(after, before, numbers)]
        progress("interval disclosure")
        found["interval_disclosure"] = [row.to_dict() for row in interval_disclosure(after, before, numbers)]
    if linkage and paired and categories + numbers:
        progress("record linkage")
        linked = distance_linkage(after, before, categories + numbers, continuous=numbers)
        found["distance_linkage"] = linked.to_dict()
        found["rank_linkage"] = rank_linkage(after, before, numbers).to_dict() if numbers else None
    progress("distributions")
    found |= _distributions(before, after, categories)
    found["propensity"] = None
    if score is not None and categories + numbers:
        progress("propensity score")
        found["propensity"] = propensity(after, before, categories + numbers, continuous=numbers, pairs=score).to_dict()
    return found


def _distributions(before: Roles, after: Roles, categories: list[str]) -> dict[str, Any]:
    """Return the distance of each variable's distribution, and that of the crossing of the keys."""
    keys = [key for key in after.keys if has_column(before, key)]

    def measure_rows(columns: list[str]) -> list[dict[str, Any]]:
        recoded = _find_recoded_columns(before, after, columns)
        return [row.to_dict() for row in distribution_distance(after, before, columns, recoded=recoded or None)]

    rows = [row for row in measure_rows(categories) if len(row["columns"]) == 1] if categories else []
    crossing = measure_rows(keys)[:1] if len(keys) > 1 else []
    return {"distribution_distance": [*rows, *crossing] or None}


def _find_recoded_columns(before: Roles, after: Roles, columns: list[str]) -> list[str]:
    """Return the columns whose values were mapped, several to one; none where records are not paired."""
    if after.id is None or not has_column(before, after.id):
        return []
    moves = query.call_macro("sdc__transitions_among", before.table, after.table, columns, after.id, every=False)
    known = moves.where("sdc__x IS NOT NULL AND sdc__y IS NOT NULL").subquery("m")
    figures = exp.select(
        "sdc__variable AS variable", "count(*) AS pairs",
        "count(DISTINCT sdc__x) AS old", "count(DISTINCT sdc__y) AS new",
        dialect="duckdb",
    )  # fmt: skip
    rows = after.select(figures.from_(known).group_by("sdc__variable"))
    found = {row["variable"].lower() for row in rows if row["pairs"] == row["old"] > row["new"]}
    return [column for column in columns if column.lower() in found]
