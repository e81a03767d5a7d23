"""Values that SQL calls equal and a file tells apart get one form where a release reads its source.

What is counted, compared and released is then the same to SQL and to whoever reads the file: sql/core/equal_values.sql.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp, parse_one

from sdc_sql.db.catalogue.load import execute
from sdc_sql.db.files.csv_file import created

if TYPE_CHECKING:
    from collections.abc import Mapping

    import duckdb

# -0.0 + 0 is 0.0; NaN keeps its bits through a sum. (Bits of a FLOAT are those of the DOUBLE that it is.)
_NUMBER = "CASE WHEN isnan(c) THEN 'nan' ELSE c + 0 END"
_OTHER_NUMBER = "c = 0 AND signbit(c) OR isnan(c) AND CAST(CAST(c AS DOUBLE) AS BIT) <> CAST('nan'::DOUBLE AS BIT)"
# Months of 30 days and days of 24 hours, as DuckDB compares them.
_MICROSECONDS = "(datepart('hour', c) * 3600000000 + datepart('minute', c) * 60000000 + datepart('microsecond', c))"
_DAYS = f"(datepart('day', c) + {_MICROSECONDS} // 86400000000)"
_INTERVAL = (
    f"to_months((datepart('year', c) * 12 + datepart('month', c) + {_DAYS} // 30)::INTEGER) "
    f"+ to_days(({_DAYS} % 30)::INTEGER) + to_microseconds({_MICROSECONDS} % 86400000000)"
)
_OTHER_INTERVAL = "abs(datepart('day', c)) >= 30 OR abs(datepart('hour', c)) >= 24"
_FORMS = {
    "DOUBLE": (_OTHER_NUMBER, _NUMBER),
    "FLOAT": (_OTHER_NUMBER, _NUMBER),
    "INTERVAL": (_OTHER_INTERVAL, _INTERVAL),
}


def given(con: duckdb.DuckDBPyConnection, table: str) -> dict[str, int]:
    """Give 0, NaN and intervals one form each in all columns of a table of ours; return how many values had another.

    0.0 for -0.0, NaN without a sign, and intervals of fewer than 30 days beside their months and 24 hours beside their
    days (a month is 30 days, as SQL compares them). Values within lists and structs stay: as keys they are refused.

    Examples
    --------
    >>> import duckdb
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE t AS SELECT '-0.0'::DOUBLE AS hours, INTERVAL 45 DAY AS since")
    >>> given(con, "t"), con.execute("SELECT hours::VARCHAR, since::VARCHAR FROM t").fetchall()
    ({'hours': 1, 'since': 1}, [('0.0', '1 month 15 days')])
    """
    name = exp.to_identifier(table, quoted=True)
    described = execute(con, exp.select("*").from_(exp.Table(this=name)).limit(0)).description or ()
    forms = {str(column): (*_FORMS[str(kind)], str(kind)) for column, kind, *_ in described if str(kind) in _FORMS}
    if not forms:
        return {}
    counts = [exp.func("count_if", _of(other, column), dialect="duckdb") for column, (other, *_) in forms.items()]
    (found,) = execute(con, exp.select(*counts).from_(exp.Table(this=name))).fetchall()
    others = {column: int(n) for column, n in zip(forms, found, strict=True) if n}
    if others:  # (an UPDATE leaves a value as it is where the new one is equal to it)
        chosen = [
            exp.alias_(exp.cast(_of(forms[column][1], column), forms[column][2]), column, quoted=True)
            if column in others
            else exp.column(column, quoted=True)
            for column in (str(d[0]) for d in described)
        ]
        execute(con, created(name, "TABLE", exp.select(*chosen).from_(exp.Table(this=name)), replace=True))
    return others


def said(values: Mapping[str, int]) -> str:
    """Return in how many values of which columns: ``3 in hours, 1 in since``."""
    return ", ".join(f"{n:,} in {column}" for column, n in values.items())


def _of(template: str, column: str) -> exp.Expression:
    """Return an expression of a column, which is put into the tree in the place of ``c``."""
    tree = parse_one(template, read="duckdb")
    return tree.transform(
        lambda n: exp.column(column, quoted=True) if isinstance(n, exp.Column) and n.name == "c" else n
    )
