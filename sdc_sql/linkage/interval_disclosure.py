"""How many original values lie within intervals around the released ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import columns_of, original_table
from sdc_sql.db.catalogue.arguments import checked_number
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


def interval_disclosure(
    data: Roles, original: Described | str, columns: Iterable[str], *, intervals: str = "sd", width: float = 0.05
) -> Results[IntervalDisclosure]:
    """Return the share of original values, and of records, that lie within intervals around the released ones.

    Parameters
    ----------
    original
        The table before masking: a Microdata, or its name on this connection.
    columns
        The numeric variables.
    intervals
        What the width is a part of: the standard deviation of the released values (``'sd'``), or their number, from
        the value of one rank to that of another (``'rank'``).
    width
        On either side, above 0; by ranks below 1 (0.05: five per cent).

    Returns
    -------
    list of IntervalDisclosure
        Records first, then each variable.

    Notes
    -----
    Domingo-Ferrer & Torra (2001); Mateo-Sanz, Sebe & Domingo-Ferrer (2004). The table needs an id.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> _ = data.mask.round("w", 7, into="released")
    >>> released = sdc_sql.Microdata(data.con, "released", id="id")
    >>> [(found.variable, found.disclosed) for found in released.linkage.interval_disclosure(data, ["w"], width=0.15)]
    [(None, 2), ('w', 2)]
    """
    found = data.rows(
        "sdc_interval_disclosure", original_table(data, original), data.table, columns_of(data, columns),
        data.required("id"), intervals=intervals, width=checked_number("interval_disclosure", "width", width),
    )  # fmt: skip
    return Results(IntervalDisclosure(**row) for row in found)


def interval_disclosure_records(
    data: Roles, original: Described | str, columns: Iterable[str], *, intervals: str = "sd", width: float = 0.05
) -> duckdb.DuckDBPyRelation:
    """Return each record's id, how many of its ``values`` were released, how many are ``disclosed``, and their share.

    Parameters
    ----------
    original
        The table before masking: a Microdata, or its name on this connection.
    columns
        The numeric variables.
    intervals
        What the width is a part of: the standard deviation of the released values (``'sd'``), or their number
        (``'rank'``).
    width
        On either side, above 0; by ranks below 1 (0.05: five per cent).

    Returns
    -------
    DuckDBPyRelation
        A row a released record that has a value in the original.

    Notes
    -----
    Domingo-Ferrer & Torra (2001); Mateo-Sanz, Sebe & Domingo-Ferrer (2004). The table needs an id.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> data.linkage.interval_disclosure_records(data, ["w"]).order("id").fetchall()[0]
    (1, 1, 1, 1.0)
    """
    return data.relation(
        "sdc_interval_disclosure_records", original_table(data, original), data.table, columns_of(data, columns),
        data.required("id"), intervals=intervals, width=checked_number("interval_disclosure", "width", width),
    )  # fmt: skip
