"""New numbers for the households of a released file: those of the survey are in registers too."""

from __future__ import annotations

from sqlglot import exp

NUMBER = "sdc__household"


def renumber_households(rows: exp.Select, household: str) -> exp.Select:
    """Return rows whose households are numbered anew, 1, 2, ..., in the order of a digest of what is released of them.

    No key is needed: the number depends on the released values of the household's members alone, so it tells nothing of
    the former one. Households that are alike in all that is released are told apart, in no order that matters.
    Former numbers are compared by their bytes. A record whose household is NULL has no number afterwards either.

    Parameters
    ----------
    rows
        The released columns, ``household`` among them.

    Examples
    --------
    >>> import duckdb
    >>> from sdc_sql.db.catalogue.load import execute
    >>> rows = exp.select("h", "a").from_("(VALUES (903, 1), (903, 2), (17, 3)) AS t(h, a)")
    >>> sorted(execute(duckdb.connect(), renumber_households(rows, "h")).fetchall())
    [(1, 1), (1, 2), (2, 3)]
    """
    names = [column.alias_or_name for column in rows.selects]
    own = next(name for name in names if name.lower() == household.lower())
    values = [_text(name) for name in names if name != own] or [exp.Literal.string("")]
    record = exp.func("sha256", exp.func("concat", *values), dialect="duckdb")
    members = exp.func(
        "list_sort", exp.func("list", record, dialect="duckdb"), exp.Literal.string("ASC"), dialect="duckdb"
    )
    digest = exp.func("sha256", exp.func("array_to_string", members, exp.Literal.string("")), dialect="duckdb")
    former = _compare_by_bytes(exp.column(own, quoted=True))
    order = exp.Order(
        expressions=[
            exp.Ordered(this=c, nulls_first=False) for c in (exp.column("sdc__alike"), exp.column("sdc__former"))
        ]
    )
    number = exp.Window(this=exp.RowNumber(), order=order)
    households = exp.select(exp.alias_(former, "sdc__former"), exp.alias_(digest, "sdc__alike"))
    known = exp.not_(exp.column(own, quoted=True).is_(exp.null()))
    households = households.from_(rows.copy().subquery("sdc__r")).where(known).group_by(former.copy())
    numbers = exp.select("sdc__former", exp.alias_(number, NUMBER)).from_(households.subquery("sdc__h"))
    chosen = [
        exp.alias_(exp.column(NUMBER), own, quoted=True) if n == own else exp.column(n, table="sdc__o", quoted=True)
        for n in names
    ]
    again = exp.EQ(
        this=_compare_by_bytes(exp.column(own, table="sdc__o", quoted=True)), expression=exp.column("sdc__former")
    )
    # no record is lost: a household that is NULL equals none of these
    return (
        exp.select(*chosen).from_(rows.subquery("sdc__o")).join(numbers.subquery("sdc__n"), on=again, join_type="left")
    )


def _text(name: str) -> exp.Expression:
    """Return a value as the content digest writes it: in its canonical text, with its length."""
    value: exp.Expression = exp.column(name, quoted=True)
    for macro in ("sdc__canonical", "sdc__part"):
        value = exp.Anonymous(this=macro, expressions=[value])
    return _compare_by_bytes(value)


def _compare_by_bytes(value: exp.Expression) -> exp.Expression:
    return exp.Anonymous(this="sdc__by_bytes", expressions=[value])
