"""Values that SQL calls equal and a file tells apart get one form where a release reads its source.

What is counted, compared and released is then the same to SQL and to whoever reads the file (sql/core/one_form.sql).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sdc_sql.db.catalogue.load import execute
from sdc_sql.db.files.csv_file import create_from_rows

if TYPE_CHECKING:
    from collections.abc import Mapping

    import duckdb

# for each type one macro says whether a value has another form, and one gives the value its form
_NUMBER = ("sdc__is_other_number", "sdc__number_in_one_form")
_FORMS = {
    "DOUBLE": _NUMBER,
    "FLOAT": _NUMBER,
    "INTERVAL": ("sdc__is_other_interval", "sdc__interval_in_one_form"),
}


def unify_values(con: duckdb.DuckDBPyConnection, table: str) -> dict[str, int]:
    """Give 0, NaN and intervals one form each in all columns of a table of ours; return how many values had another.

    0.0 for -0.0, NaN without a sign, and intervals of fewer than 30 days beside their months and 24 hours beside their
    days (a month is 30 days, as SQL compares them). Values within lists and structs stay: as keys they are refused.

    Examples
    --------
    >>> import duckdb
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE t AS SELECT '-0.0'::DOUBLE AS hours, INTERVAL 45 DAY AS since")
    >>> unify_values(con, "t"), con.execute("SELECT hours::VARCHAR, since::VARCHAR FROM t").fetchall()
    ({'hours': 1, 'since': 1}, [('0.0', '1 month 15 days')])
    """
    name = exp.to_identifier(table, quoted=True)
    described = execute(con, exp.select("*").from_(exp.Table(this=name)).limit(0)).description or ()
    forms = {str(column): (*_FORMS[str(kind)], str(kind)) for column, kind, *_ in described if str(kind) in _FORMS}
    if not forms:
        return {}
    counts = [
        exp.func("count_if", _call(is_other, column), dialect="duckdb") for column, (is_other, *_) in forms.items()
    ]
    (found,) = execute(con, exp.select(*counts).from_(exp.Table(this=name))).fetchall()
    others = {column: int(n) for column, n in zip(forms, found, strict=True) if n}
    if others:  # (an UPDATE leaves a value as it is where the new one equals it)
        chosen = [
            exp.alias_(exp.cast(_call(forms[column][1], column), forms[column][2]), column, quoted=True)
            if column in others
            else exp.column(column, quoted=True)
            for column in (str(d[0]) for d in described)
        ]
        execute(con, create_from_rows(name, "TABLE", exp.select(*chosen).from_(exp.Table(this=name)), replace=True))
    return others


def describe_unified(values: Mapping[str, int]) -> str:
    """Return in how many values of which columns: ``3 in hours, 1 in since``."""
    return ", ".join(f"{n:,} in {column}" for column, n in values.items())


def _call(macro: str, column: str) -> exp.Anonymous:
    return exp.Anonymous(this=macro, expressions=[exp.column(column, quoted=True)])
