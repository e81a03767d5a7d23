# Written from sql/loss/direct_distance.sql by python -m sdc_sql.write: change that file.
"""How far the released categories are from the original ones, record by record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import list_or_none, name_weight, original_table, resolve_columns_or_keys
from sdc_sql.db.showing.results import Result, Results

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class DirectDistance(Result):
    """The records, those whose category changed, and the mean distance, 0 to 1; variable None: all of them."""

    variable: str | None
    records: int
    changed: int
    distance: float


def direct_distance(
    data: Roles,
    original: Described | str,
    columns: str | Iterable[str],
    *,
    ordinal: str | Iterable[str] | None = None,
    weight: str | None = None,
) -> Results[DirectDistance]:
    """Return how far the released categories are from the original ones.

    Parameters
    ----------
    original
        The table before masking or recoding: a Microdata, or its name on this connection.
    columns
        The categorical variables.
    ordinal
        Those of them whose categories have an order.
    weight
        A column of the original, what each record counts for (whole weights: as many records each); without it the
        records are counted.

    Returns
    -------
    Results of DirectDistance
        One for each variable, all of them together first.

    Raises
    ------
    ParameterError
        Where the table was described without an id.

    Notes
    -----
    SDC handbook, section 3.5.2.1, (3.6); Domingo-Ferrer & Torra (2001).

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute(
    ...     "CREATE TABLE original AS FROM (VALUES (1, 'north'), (2, 'north'), (3, 'south'), (4, 'south')) "
    ...     "AS t(id, region)"
    ... )
    >>> _ = con.execute(
    ...     "CREATE TABLE released AS FROM (VALUES (1, 'north'), (2, 'south'), (3, 'south'), (4, 'south')) "
    ...     "AS t(id, region)"
    ... )
    >>> released = sdc_sql.Microdata(con, "released", id="id")
    >>> print(released.loss.direct_distance("original", ["region"]))
    DirectDistance
      variable  records  changed  distance
      NULL            4        1      0.25
      region          4        1      0.25
    """
    rows = data.rows(
        "sdc_direct_distance",
        original_table(data, original),
        data.table,
        resolve_columns_or_keys(data, columns),
        data.require_role("id"),
        ordinal=list_or_none(ordinal),
        weight=name_weight(weight),
    )
    return Results(DirectDistance(**row) for row in rows)
