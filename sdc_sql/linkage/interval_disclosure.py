# Written from sql/linkage/interval_disclosure.sql by python -m sdc_sql.write: change that file.
"""Interval disclosure: how many original values lie within intervals around the released ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sdc_sql.compared import original_table, resolve_columns_or_keys
from sdc_sql.db.catalogue.arguments import require_choice, require_number
from sdc_sql.db.showing.results import Result, Results

if TYPE_CHECKING:
    from collections.abc import Iterable

    import duckdb

    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class IntervalDisclosure(Result):
    """The values that were released, those suppressed, those that lie in their interval, and their share.

    Variable None: records; disclosed is one whose released values all lie in their intervals.
    """

    variable: str | None
    values: int
    suppressed: int
    disclosed: int
    share: float | None


def interval_disclosure_records(
    data: Roles,
    original: Described | str,
    columns: str | Iterable[str],
    *,
    intervals: Literal["sd", "rank"] = "sd",
    width: float = 0.05,
) -> duckdb.DuckDBPyRelation:
    """Return how many of each record's values lie in their interval.

    Parameters
    ----------
    original
        The table before masking: a Microdata, or its name on this connection.
    columns
        The numeric variables.
    intervals
        What the width is a part of: the standard deviation of the released values ('sd'), or their number, from the
        value of one rank to that of another ('rank').
    width
        On either side; by ranks below 1 (0.05: five per cent), above 0.

    Returns
    -------
    duckdb.DuckDBPyRelation
        A row a released record that has a value in the original.

    Raises
    ------
    ParameterError
        Where the table was described without an id, or ``width`` is out of its range.

    Notes
    -----
    Domingo-Ferrer & Torra (2001), A quantitative comparison of disclosure control methods for microdata (by ranks,
    width 0.01 to 0.10); Mateo-Sanz, Sebe & Domingo-Ferrer (2004), Outlier protection in continuous microdata masking,
    PSD 2004, LNCS 3050, 201-215 (by deviations). dRisk of sdcMicro 5.8.1 is the share of records by deviations.

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE original AS FROM (VALUES (1, 1), (2, 4), (3, 3), (4, 9)) AS t(id, x)")
    >>> _ = con.execute("CREATE TABLE released AS FROM (VALUES (1, 2), (2, 3), (3, 5), (4, 8)) AS t(id, x)")
    >>> released = sdc_sql.Microdata(con, "released", id="id")
    >>> found = released.linkage.interval_disclosure_records("original", ["x"], intervals="rank", width=0.25)
    >>> for row in found.order("ALL").fetchall():
    ...     print(row)
    (1, 1, 0, 0.0)
    (2, 1, 1, 1.0)
    (3, 1, 1, 1.0)
    (4, 1, 0, 0.0)
    """
    return data.relation(
        "sdc_interval_disclosure_records",
        original_table(data, original),
        data.table,
        resolve_columns_or_keys(data, columns),
        data.require_role("id"),
        intervals=require_choice("interval_disclosure_records", "intervals", intervals),
        width=require_number("interval_disclosure_records", "width", width),
    )


def interval_disclosure(
    data: Roles,
    original: Described | str,
    columns: str | Iterable[str],
    *,
    intervals: Literal["sd", "rank"] = "sd",
    width: float = 0.05,
) -> Results[IntervalDisclosure]:
    """Return the share of original values, and of records, that lie within intervals around the released ones.

    Parameters
    ----------
    original
        The table before masking: a Microdata, or its name on this connection.
    columns
        The numeric variables.
    intervals
        What the width is a part of: the standard deviation of the released values ('sd'), or their number, from the
        value of one rank to that of another ('rank').
    width
        On either side; by ranks below 1 (0.05: five per cent), above 0.

    Returns
    -------
    Results of IntervalDisclosure
        One for each variable, records first.

    Raises
    ------
    ParameterError
        Where the table was described without an id, or ``width`` is out of its range.

    Notes
    -----
    Domingo-Ferrer & Torra (2001), A quantitative comparison of disclosure control methods for microdata (by ranks,
    width 0.01 to 0.10); Mateo-Sanz, Sebe & Domingo-Ferrer (2004), Outlier protection in continuous microdata masking,
    PSD 2004, LNCS 3050, 201-215 (by deviations). dRisk of sdcMicro 5.8.1 is the share of records by deviations.

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE original AS FROM (VALUES (1, 1), (2, 4), (3, 3), (4, 9)) AS t(id, x)")
    >>> _ = con.execute("CREATE TABLE released AS FROM (VALUES (1, 2), (2, 3), (3, 5), (4, 8)) AS t(id, x)")
    >>> released = sdc_sql.Microdata(con, "released", id="id")
    >>> print(released.linkage.interval_disclosure("original", ["x"], intervals="rank", width=0.25))
    IntervalDisclosure
      variable  values  suppressed  disclosed  share
      NULL           4           0          2    0.5
      x              4           0          2    0.5
    """
    rows = data.rows(
        "sdc_interval_disclosure",
        original_table(data, original),
        data.table,
        resolve_columns_or_keys(data, columns),
        data.require_role("id"),
        intervals=require_choice("interval_disclosure", "intervals", intervals),
        width=require_number("interval_disclosure", "width", width),
    )
    return Results(IntervalDisclosure(**row) for row in rows)
