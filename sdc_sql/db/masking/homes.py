"""One record for each household: all members take what a mask makes of it (sql/mask/household_records.sql)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute, load_macros
from sdc_sql.db.completion import complete_table, find_missing_columns, query_table
from sdc_sql.errors import ParameterError, translate_errors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdc_sql.db.table import Homes

NAME, MEMBERS = "sdc_homes", "sdc_members_of_homes"


def make_homes(homes: Homes) -> None:
    """Make the records, as the table is now."""
    con = homes.of.con
    drop_homes(homes)
    with translate_errors():
        whole = complete_table(con, homes.of.table, homes.household, homes.columns)
    members = query.call_macro(
        "sdc__of_homes", whole, homes.columns, homes.identifier, homes.household, homes.others or None
    )
    for name, rows in (
        (MEMBERS, members),
        (NAME, query.call_macro("sdc__homes", f"temp.{MEMBERS}", homes.others or None)),
    ):
        load_macros(con, query.write_sql(rows))
        made = exp.Create(
            this=exp.table_(name, db="main", catalog="temp", quoted=True), kind="TABLE", expression=rows,
            properties=exp.Properties(expressions=[exp.TemporaryProperty()]),
        )  # fmt: skip
        execute(con, made).fetchall()


def spread_to_members(homes: Homes, masked: exp.Expr) -> exp.Select:
    """Return the masked values of all members, by the id of each; a value that a member lacks stays missing.

    Parameters
    ----------
    masked
        The masked values of the households, by their ids.
    """
    missing = find_missing_columns(homes.of.con, homes.of.table, homes.columns)
    values = [
        exp.alias_(
            exp.Case(ifs=[exp.If(this=exp.and_(_is_null(c, "o"), exp.not_(_is_null(c, "m"))), true=exp.null())],
                     default=_quote_column(c, "v"))
            if c in missing else _quote_column(c, "v"),
            c, quoted=True,
        )
        for c in homes.columns
    ]  # fmt: skip
    select = exp.select(exp.alias_(exp.column("sdc__id", table="m"), homes.identifier, quoted=True), *values)
    select = select.from_(exp.alias_(_name_table(MEMBERS), "m", table=True))
    same = exp.EQ(this=exp.column("sdc__home", table="m"), expression=_quote_column(homes.identifier, "v"))
    select = select.join(exp.alias_(masked, "v", table=True), on=same, join_type="left")
    if missing:
        own = exp.select("*").from_(query_table(homes.of.table)).subquery("o")
        its = exp.EQ(this=_compare_by_bytes(homes.identifier, "o"), expression=exp.column("sdc__id", table="m"))
        select = select.join(own, on=its, join_type="left")
    found = exp.not_(_quote_column(homes.identifier, "v").is_(exp.null()))
    select = select.where(exp.Anonymous(this="sdc__has_values", expressions=[found]))
    return exp.select("*").from_(select.subquery("sdc__of_members"))


def drop_homes(homes: Homes) -> None:
    """Forget the records."""
    for name in (NAME, MEMBERS):
        homes.of.con.execute(f"DROP TABLE IF EXISTS temp.{name}")


def refuse_cut_household(data: Any, household: str, columns: Sequence[str]) -> None:  # noqa: ANN401 - a described table
    """Refuse a part of the records that has some members of a household and leaves others.

    Raises
    ------
    ParameterError
        It says which columns ask for whole households.
    """
    if data.part is None:
        return
    whole, number = data.part.whole, exp.column(household, quoted=True)
    rows = exp.Table(this=exp.Anonymous(this="query_table", expressions=[query.make_text_literal(whole.table)]))
    inside = exp.func("coalesce", exp.cast(data.part.condition.copy(), "BOOLEAN"), exp.false())
    sides = exp.Count(this=exp.Distinct(expressions=[inside]))
    cut = exp.select(number).from_(rows).where(exp.not_(number.copy().is_(exp.null()))).group_by(number.copy())
    cut = cut.having(exp.GT(this=sides, expression=exp.Literal.number(1)))
    found = data.number(exp.select(exp.Count(this=exp.Star())).from_(cut.subquery("h")))
    if found:
        raise ParameterError(
            f"where has some of the members of {found:,} households and leaves the others, and {', '.join(columns)} is "
            "of the household: what is changed for some shows for the others. Name whole households, or leave it out."
        )


def _name_table(name: str) -> exp.Table:
    return exp.table_(name, db="main", catalog="temp", quoted=True)


def _quote_column(name: str, table: str) -> exp.Column:
    return exp.column(name, table=table, quoted=True)


def _is_null(name: str, table: str) -> exp.Is:
    return _quote_column(name, table).is_(exp.null())


def _compare_by_bytes(name: str, table: str) -> exp.Anonymous:
    return exp.Anonymous(this="sdc__by_bytes", expressions=[_quote_column(name, table)])
