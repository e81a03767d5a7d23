"""The columns of the household: which they are, and a table as its households complete it.

Where the numbers of the households are known, the value that other members show is known too. So risk is
measured on the completed table (sql/core/completed_households.sql).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute, load_macros
from sdc_sql.db.table import fetch_rows
from sdc_sql.errors import translate_errors

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import duckdb

MANY = 20  # with so many households no column is constant by chance
NEAR = 0.95  # in so many of the households a column of the household is constant, apart from errors
_GAIN = 0.5  # how far the share must be above what chance gives, of the way to 1
_PART, _MANY_RECORDS = 64, 100_000  # of so many records a part of the households tells that nothing is counted
COMPLETED, TOLD = "sdc_completed_", "sdc_told_"


@dataclass(frozen=True)
class HouseholdColumn:
    """A column that was found to be of the household: all members show one value in this share of the households."""

    name: str
    households: int
    share: float

    def __str__(self) -> str:
        """Return what was found, in words."""
        if self.share == 1:
            return f"{self.name} (the same for all members of each of {self.households:,} households)"
        return f"{self.name} (the same for all members in {self.share:.2%} of {self.households:,} households)"


def find_household_columns(
    con: duckdb.DuckDBPyConnection, table: str, household: str, columns: Iterable[str]
) -> list[HouseholdColumn]:
    """Return the columns of the household: those that are constant within households, or nearly so.

    Where two members or more of a household show a value, all show the same one, in every household, or in at least
    95 % of them where chance gives much less. Where no household has two such members, nothing can be told.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> [str(column) for column in find_household_columns(data.con, data.table, "household", ["sex", "w"])]
    ['sex (the same for all members of each of 1 households)']
    """
    asked = [*columns]
    if not asked:
        return []
    rows = fetch_rows(con, query.call_macro("sdc_constant_columns", table, household, columns=asked))
    return [
        HouseholdColumn(row["variable"], row["households"], row["share"])
        for row in rows
        if row["households"] and (row["share"] == 1 or _is_near(row["share"], row["by_chance"]))
    ]


def _is_near(share: float, by_chance: float | None) -> bool:
    chance = by_chance or 0.0
    return share >= NEAR and chance < 1 and (share - chance) / (1 - chance) >= _GAIN


def find_missing_columns(con: duckdb.DuckDBPyConnection, table: str, columns: Sequence[str]) -> list[str]:
    """Return the columns that are NULL in some record."""
    if not columns:
        return []
    known = [exp.alias_(exp.Count(this=exp.column(c, quoted=True)), f"known_{i}") for i, c in enumerate(columns)]
    rows = exp.select(exp.alias_(exp.Count(this=exp.Star()), "records"), *known).from_(query_table(table))
    (row,) = fetch_rows(con, rows)
    records, *counts = row.values()
    return [name for name, count in zip(columns, counts, strict=True) if count < records]


def query_table(table: str) -> exp.Table:
    """Return a table by its name, as the macros read it."""
    return exp.Table(this=exp.Anonymous(this="query_table", expressions=[query.make_text_literal(table)]))


def complete_table(
    con: duckdb.DuckDBPyConnection, table: str, household: str, columns: Sequence[str], *, found_missing: bool = False
) -> str:
    """Return the name of a table that reads as this one, completed by its households as it now is.

    What is known of the households that lack a value is kept in a temporary table; a view has it in the place of NULL.

    Parameters
    ----------
    found_missing
        Whether it is known already that each of the columns is NULL in some record.
    """
    missing = columns if found_missing else find_missing_columns(con, table, columns)
    if not missing:
        return table
    made_of = "\n".join([table, household, *missing])
    digest = hashlib.sha256(made_of.encode()).hexdigest()[:12]
    told, whole = (exp.table_(prefix + digest, db="main", catalog="temp", quoted=True) for prefix in (TOLD, COMPLETED))
    with translate_errors():
        _make_relation(con, told, "TABLE", query.call_macro("sdc__told_by_members", table, household, missing))
        counted = _find_counted_columns(con, table, household, find_missing_columns(con, f"temp.{told.name}", missing))
        if counted:
            sized = exp.table_(f"{told.name}_counted", db="main", catalog="temp", quoted=True)
            rows = query.call_macro("sdc__counted_records", f"temp.{told.name}", table, household, counted)
            _make_relation(con, sized, "TABLE", rows)
            _make_relation(con, told, "TABLE", exp.select("*").from_(sized))
            con.execute(f"DROP TABLE temp.{sized.name}")
        _make_relation(con, whole, "VIEW", _fill_in(table, told, household, missing))
    return whole.name


def _fill_in(table: str, told: exp.Table, household: str, columns: Sequence[str]) -> exp.Select:
    """Return the records, with what is told of their households in the place of NULL."""
    known = [
        exp.alias_(
            exp.func("coalesce", exp.column(c, "t", quoted=True), exp.column(c, "h", quoted=True)), c, quoted=True
        )
        for c in columns
    ]
    every = exp.Column(this=exp.Star(replace=known), table=exp.to_identifier("t"))
    own = exp.Anonymous(this="sdc__by_bytes", expressions=[exp.column(household, "t", quoted=True)])
    same = exp.EQ(this=own, expression=exp.column(household, "h", quoted=True))
    rows = exp.select(every).from_(exp.alias_(query_table(table), "t", table=True))
    return rows.join(exp.alias_(told.copy(), "h", table=True), on=same, join_type="left")


def _make_relation(con: duckdb.DuckDBPyConnection, target: exp.Table, kind: str, rows: exp.Expression) -> None:
    load_macros(con, query.write_sql(rows))
    made = exp.Create(
        this=target.copy(), kind=kind, replace=True, expression=rows,
        properties=exp.Properties(expressions=[exp.TemporaryProperty()]),
    )  # fmt: skip
    execute(con, made).fetchall()


def _find_counted_columns(
    con: duckdb.DuckDBPyConnection, table: str, household: str, columns: Sequence[str]
) -> list[str]:
    """Return which of the columns can be counted, as the size of the household.

    In a large table one in ``_PART`` households is enough to exclude nearly all columns.
    """
    if not columns:
        return []
    records = fetch_rows(con, exp.select(exp.alias_(exp.Count(this=exp.Star()), "n")).from_(query_table(table)))[0]["n"]
    every = _PART if records > _MANY_RECORDS else 1
    (looked_at,) = fetch_rows(con, query.call_macro("sdc__may_be_counted", table, household, columns, every))
    asked = columns if looked_at["sdc__may"] is None else looked_at["sdc__may"]
    if not asked:
        return []
    (row,) = fetch_rows(con, query.call_macro("sdc__columns_that_count", table, household, asked))
    return [name for name in asked if name in row["sdc__counted"]]


def collect_texts(value: Any) -> set[str]:  # noqa: ANN401 - any argument
    """Return the texts in an argument, however deep, any of which may name a column.

    Examples
    --------
    >>> sorted(collect_texts({"very": ["sex"], "region": None}))
    ['region', 'sex', 'very']
    """
    if isinstance(value, str):
        return {value}
    if isinstance(value, dict):
        return {text for pair in value.items() for one in pair for text in collect_texts(one)}
    if isinstance(value, list | tuple | set | frozenset):
        return {text for one in value for text in collect_texts(one)}
    return set()
