# Written from sql/linkage/series_newcomers.sql by python -m sdc_sql.write: change that file.
"""What a released category tells that nobody showed before: of who comes later it is his own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import original_table, resolve_columns_or_keys, resolve_tables
from sdc_sql.db.showing.results import Result, Results

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class SeriesNewcomers(Result):
    """What a released category tells that only newcomers have.

    ``certainty``: the share of those who show one whose own it is (None where nobody does); ``usual``: the same of the
    other newcomers; ``gain``: by how much the first is more.
    """

    variable: str
    newcomers: int
    categories: int
    records: int
    right: int
    certainty: float | None
    usual: float | None
    gain: float


def series_newcomers(
    data: Roles,
    original: Described | str,
    columns: str | Iterable[str],
    earlier_originals: Iterable[str],
    earlier_releases: Iterable[str],
) -> Results[SeriesNewcomers]:
    """Return what a released category tells that only newcomers have.

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

    Returns
    -------
    Results of SeriesNewcomers
        One for each variable.

    Raises
    ------
    ParameterError
        Where the table was described without an id.

    Notes
    -----
    SDC handbook, section 3.4.6 (the categories of a PRAM matrix are those of the file); counted as defined above.

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE first AS FROM (VALUES (1, 'a'), (2, 'b')) AS t(id, x)")
    >>> _ = con.execute("CREATE TABLE first_masked AS FROM (VALUES (1, 'b'), (2, 'a')) AS t(id, x)")
    >>> _ = con.execute("CREATE TABLE original AS FROM (VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'a')) AS t(id, x)")
    >>> _ = con.execute("CREATE TABLE released AS FROM (VALUES (1, 'b'), (2, 'a'), (3, 'c'), (4, 'b')) AS t(id, x)")
    >>> released = sdc_sql.Microdata(con, "released", id="id")
    >>> print(released.linkage.series_newcomers("original", ["x"], ["first"], ["first_masked"]))
    SeriesNewcomers
      variable  newcomers  categories  records  right  certainty  usual  gain
      x                 2           1        1      1          1      0     1
    """
    rows = data.rows(
        "sdc_series_newcomers",
        original_table(data, original),
        data.table,
        resolve_columns_or_keys(data, columns),
        data.require_role("id"),
        resolve_tables(data, "earlier originals", earlier_originals),
        resolve_tables(data, "earlier releases", earlier_releases),
    )
    return Results(SeriesNewcomers(**row) for row in rows)
