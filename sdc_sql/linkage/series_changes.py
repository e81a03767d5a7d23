# Written from sql/linkage/series_changes.sql by python -m sdc_sql.write: change that file.
"""What the releases of a series tell by changing, or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import original_table, resolve_columns_or_keys, resolve_tables
from sdc_sql.db.catalogue.arguments import require_number
from sdc_sql.db.showing.results import Result, Results

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class SeriesChanges(Result):
    """What changing, or not, tells of a variable.

    ``changed_shown``: of the originals that changed between two releases, how many are seen to; ``certainty``: how
    likely it is that a new released value means a new original (None where none is new); ``level_gain``: of the
    persons' levels, the means of their originals, the share that one release hides and the mean of the releases tells
    (fresh noise on a value that drifts averages out).
    """

    variable: str
    changed: int
    changed_shown: int
    stayed: int
    stayed_shown: int
    certainty: float | None
    persons: int
    level_one: int
    level_together: int
    level_gain: float


def series_changes(
    data: Roles,
    original: Described | str,
    columns: str | Iterable[str],
    earlier_originals: Iterable[str],
    earlier_releases: Iterable[str],
    width: float = 0.1,
) -> Results[SeriesChanges]:
    """Return what the releases of a series tell by changing, or not.

    Parameters
    ----------
    original
        The table as it is now, before masking: a Microdata, or its name on this connection.
    columns
        The variables.
    earlier_originals
        The table as it was at each earlier release, before masking.
    earlier_releases
        The earlier releases, in the same order.
    width
        The share of what one release leaves, to within which a value counts as known, above 0.

    Returns
    -------
    Results of SeriesChanges
        One for each variable.

    Raises
    ------
    ParameterError
        Where the table was described without an id, or ``width`` is out of its range.

    Notes
    -----
    SDC handbook, section 3.2.3 (several releases of the same records); independent errors of variance s^2 average to
    s^2 / m.

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE first AS FROM (VALUES (1, 10), (2, 20), (3, 33)) AS t(id, x)")
    >>> _ = con.execute("CREATE TABLE first_masked AS FROM (VALUES (1, 21), (2, 21), (3, 21)) AS t(id, x)")
    >>> _ = con.execute("CREATE TABLE original AS FROM (VALUES (1, 10), (2, 20), (3, 33), (4, 41)) AS t(id, x)")
    >>> _ = con.execute("CREATE TABLE released AS FROM (VALUES (1, 15), (2, 15), (3, 37), (4, 37)) AS t(id, x)")
    >>> released = sdc_sql.Microdata(con, "released", id="id")
    >>> print(released.linkage.series_changes("original", ["x"], ["first"], ["first_masked"]))
    SeriesChanges
      variable  changed  changed shown  stayed  stayed shown  certainty  persons  level one  level together  level gain
      x               0              0       3             3          0        3          0               0           0
    """
    rows = data.rows(
        "sdc_series_changes",
        original_table(data, original),
        data.table,
        resolve_columns_or_keys(data, columns),
        data.require_role("id"),
        resolve_tables(data, "earlier originals", earlier_originals),
        resolve_tables(data, "earlier releases", earlier_releases),
        width=require_number("series_changes", "width", width),
    )
    return Results(SeriesChanges(**row) for row in rows)
