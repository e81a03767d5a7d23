"""Newcomers of a series are suppressed by the mask itself, beside the rows that stand already.

Those who are given an id anew are suppressed by themselves. A key of two values is hidden together with another one:
where a row stands that shows its other value, who has this one would have been shown so, and the value is certain.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute
from sdc_sql.errors import SeriesError, translate_errors
from sdc_sql.series.temporary import call, drop_tables, name_table, store_rows, sum_lost_keys

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import duckdb

    from sdc_sql.series.suppression_rule import SuppressionRule

FOUND, LIVE, FREE, PLACED = (f"sdc_series_{n}" for n in ("found", "live", "free", "placed"))
BESIDE, FILE, LOST = (f"sdc_series_{n}" for n in ("beside", "file", "lost"))
ID, PART, WEIGHT, IS_FREE = (f"sdc series {n}" for n in ("id", "stratum", "weight", "newcomer"))
TWO = 2


def place_newcomers(
    con: duckdb.DuckDBPyConnection,
    macro: str,
    arguments: Mapping[str, Any],
    keys: Sequence[str],
    rule: SuppressionRule,
) -> None:
    """Store those who have no row, with the keys that they lose; who is not among them waits.

    Raises
    ------
    SeriesError
        Where a key of two values could be hidden only alone.
    """
    store_rows(con, PLACED, query.call_macro("sdc__series_nobody", f"temp.{FREE}"))
    if not _count_rows(con, FREE):
        return
    partners = find_partners(con, arguments, keys)
    bits = [[1 << j for j in partners], [1 << partner for partner in partners.values()]]
    store_rows(con, FREE, query.call_macro("sdc__series_partnered", f"temp.{FREE}", *bits))
    for anew in (False, True):
        if _list_beside(con, rule, partners, len(keys), anew=anew):
            _suppress(con, macro, arguments, keys, rule)
            # of identical the search itself does not hide such a key alone
            also = bits if rule.guarantee != "identical" else [[], []]
            taken = query.call_macro("sdc__series_taken", f"temp.{FREE}", f"temp.{LOST}", *also)
            store_rows(con, PLACED, exp.union(exp.select("*").from_(name_table(PLACED)), taken, distinct=False))
    drop_tables(con, BESIDE, FILE, LOST)


def refuse_one_key_of_two(con: duckdb.DuckDBPyConnection, now: str, keys: Sequence[str]) -> None:
    """Refuse a series of which the only key has two values: one that is hidden is certain as soon as the other stands.

    Raises
    ------
    SeriesError
        With that reason.
    """
    if len(keys) > 1:
        return
    rows = execute(con, query.call_macro("sdc__series_values", now)).fetchall()
    if rows and rows[0][1] <= TWO:
        raise SeriesError(
            f"{keys[0]} has {rows[0][1]} values and is the only key: in a series whoever comes and is not shown has "
            "the one that is not shown. Suppress it together with another key, or use a randomised mask."
        )


def find_partners(con: duckdb.DuckDBPyConnection, arguments: Mapping[str, Any], keys: Sequence[str]) -> dict[int, int]:
    """Return for each key of two values the key that is hidden with it: the one of most values."""
    rows = execute(con, query.call_macro("sdc__series_categories", f"temp.{FOUND}", f"temp.{LIVE}")).fetchall()
    binary = [j - 1 for j, categories, _ in rows if categories <= TWO]
    variable = arguments.get("variable")
    if variable is not None and [k.lower() for k in keys].index(str(variable).lower()) in binary:
        raise SeriesError(
            f"{variable} (the variable) has two values, and would be hidden alone: in a series it is certain as soon "
            "as a row of the other value stands. Leave variable out, so that another key is hidden with it."
        )
    found = {}
    for j in binary:
        others = [(-values, i - 1) for i, _, values in rows if i - 1 != j]
        if not others:
            raise SeriesError(
                f"Two values of {keys[j]} are shown, and it is the only key: whoever comes and is not shown has the "
                "other one. Suppress it together with another key, or use a randomised mask."
            )
        found[j] = min(others)[1]
    return found


def _list_beside(
    con: duckdb.DuckDBPyConnection, rule: SuppressionRule, partners: Mapping[int, int], keys: int, *, anew: bool
) -> bool:
    """Store who is counted, and the newcomers but for those who wait; return whether any newcomer is left."""
    beside = f"temp.{BESIDE}"
    store_rows(
        con, BESIDE, query.call_macro("sdc__series_beside", f"temp.{LIVE}", f"temp.{FREE}", rule.guarantee, anew)
    )
    if rule.guarantee == "identical" and partners:
        along: list[list[int]] = [[] for _ in range(keys)]
        for j, partner in partners.items():
            along[partner].append(j + 1)
        store_rows(con, BESIDE, query.call_macro("sdc__series_paired", beside, along))
    most = max(rule.bounds)
    waiting = query.call_macro("sdc__series_waiting", beside, most, rule.guarantee, rule.compares)
    store_rows(con, LOST, waiting)
    store_rows(con, BESIDE, query.call_macro("sdc__series_without", beside, f"temp.{LOST}"))
    free = exp.select("coalesce(bool_or(sdc__free), false)").from_(name_table(BESIDE))
    return bool(execute(con, free).fetchall()[0][0])


def _suppress(
    con: duckdb.DuckDBPyConnection,
    macro: str,
    arguments: Mapping[str, Any],
    keys: Sequence[str],
    rule: SuppressionRule,
) -> None:
    """Store what the newcomers lose by the mask itself, a bit for each key."""
    told = [
        exp.alias_(call("hex", exp.column("sdc__person")), ID, quoted=True),
        exp.alias_(exp.column("sdc__part"), PART, quoted=True),
        exp.alias_(exp.column("sdc__weight"), WEIGHT, quoted=True),
        exp.alias_(exp.column("sdc__free"), IS_FREE, quoted=True),
    ]
    for j, key in enumerate(keys):
        value = call("list_extract", exp.column("sdc__shown"), j + 1)
        told.append(exp.alias_(call("sdc__known_bytes", value), key, quoted=True))
    store_rows(con, FILE, exp.select(*told).from_(name_table(BESIDE)))
    table, given = f"temp.{FILE}", dict(arguments)
    weight = None if given.get("weight") is None else WEIGHT
    more: list[Any]
    if macro == "local_suppression":
        more = [given["k"], ID, rule.guarantee, given["importance"], given["cost"], None, PART, IS_FREE, None]
    elif macro == "suppress_risky":
        more = [given["max_risk"], ID, weight, None]
        more += [given[n] for n in ("variable", "importance", "cost", "small_weights")] + [None, None]
    else:
        more = [given["threshold"], ID, weight]
        more += [given[n] for n in ("dimension", "levels", "inclusive", "guarantee", "combinations")]
        more += [given[n] for n in ("importance", "cost", "small_weights")]
    masked = query.call_macro(f"sdc__{macro}_by_record", table, [*keys], *more)
    lost = exp.alias_(sum_lost_keys(keys, "m"), "sdc__lost")
    store_rows(con, LOST, exp.select("sdc__id", lost).from_(masked.subquery("m")))


def _count_rows(con: duckdb.DuckDBPyConnection, name: str) -> int:
    with translate_errors():
        ((rows,),) = execute(con, exp.select("count(*)").from_(name_table(name))).fetchall()
    return int(rows)
