# Written from sql/linkage/series_disclosure.sql by python -m sdc_sql.write: change that file.
"""The intruder over all releases of a series: what they tell together, beyond what one of them tells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import original_table, resolve_columns_or_keys, resolve_tables
from sdc_sql.db.catalogue.arguments import require_number
from sdc_sql.db.showing.results import Result, Results

if TYPE_CHECKING:
    from collections.abc import Iterable

    import duckdb

    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class SeriesDisclosure(Result):
    """What all releases together tell of a variable.

    ``one``: the values that one release gives to within ``within``; ``together``: those that the best attack on all
    gives; ``gain``: the share of what the first hides that the series tells. ``shown``: the values that one release
    suppressed and another shows. Of those that came or left, ``given`` has who knows all others that moved, and
    ``given_alone`` everybody.
    """

    variable: str
    releases: int
    values: int
    within: float
    one: int
    together: int
    gain: float
    attack: str
    suppressed: int
    shown: int
    moved: int
    given: int
    given_alone: int


def series_disclosure(
    data: Roles,
    original: Described | str,
    columns: str | Iterable[str],
    earlier_originals: Iterable[str],
    earlier_releases: Iterable[str],
    width: float = 0.1,
) -> Results[SeriesDisclosure]:
    """Return what all releases of a series together tell of original values, beyond what one release tells.

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
    Results of SeriesDisclosure
        One for each variable.

    Raises
    ------
    ParameterError
        Where the table was described without an id, or ``width`` is out of its range.
    TableError
        Where a release has an id that its original lacks.
    ColumnError
        Where releases have no id in common.

    Notes
    -----
    The intruder is taken to know which records are of one person, and when an original changed. The labels of classes
    are taken to say which values they stand for.

    attacks on repeated microaggregation, noise, swapping and suppression of a table that grows (the series of
    differences: Xiao & Tao (2007), m-invariance: towards privacy preserving re-publication of dynamic datasets, SIGMOD
    2007, 689-700); least squares by conjugate gradients: Hestenes & Stiefel (1952), Methods of conjugate gradients for
    solving linear systems.

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
    >>> print(released.linkage.series_disclosure("original", ["x"], ["first"], ["first_masked"]))
    SeriesDisclosure
      variable  releases  values  within  one  together  gain  attack     suppressed  shown  moved  given  given alone
      x                2       4     0.5    0         2   0.5  equations           0      0      1      1            1
    """
    rows = data.rows(
        "sdc_series_disclosure",
        original_table(data, original),
        data.table,
        resolve_columns_or_keys(data, columns),
        data.require_role("id"),
        resolve_tables(data, "earlier originals", earlier_originals),
        resolve_tables(data, "earlier releases", earlier_releases),
        width=require_number("series_disclosure", "width", width),
    )
    return Results(SeriesDisclosure(**row) for row in rows)


def series_disclosure_records(
    data: Roles,
    original: Described | str,
    columns: str | Iterable[str],
    earlier_originals: Iterable[str],
    earlier_releases: Iterable[str],
    width: float = 0.1,
) -> duckdb.DuckDBPyRelation:
    """Return how many values of each person one release gives, and all releases of a series together.

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
    duckdb.DuckDBPyRelation
        A row a person of any release, by the id as text.

    Raises
    ------
    ParameterError
        Where the table was described without an id, or ``width`` is out of its range.

    Notes
    -----
    attacks on repeated microaggregation, noise, swapping and suppression of a table that grows (the series of
    differences: Xiao & Tao (2007), m-invariance: towards privacy preserving re-publication of dynamic datasets, SIGMOD
    2007, 689-700); least squares by conjugate gradients: Hestenes & Stiefel (1952), Methods of conjugate gradients for
    solving linear systems.

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
    >>> found = released.linkage.series_disclosure_records("original", ["x"], ["first"], ["first_masked"])
    >>> for row in found.order("ALL").fetchall():
    ...     print(row)
    ('1', 1, 0, 0)
    ('2', 1, 0, 0)
    ('3', 1, 0, 1)
    ('4', 1, 0, 1)
    """
    return data.relation(
        "sdc_series_disclosure_records",
        original_table(data, original),
        data.table,
        resolve_columns_or_keys(data, columns),
        data.require_role("id"),
        resolve_tables(data, "earlier originals", earlier_originals),
        resolve_tables(data, "earlier releases", earlier_releases),
        width=require_number("series_disclosure_records", "width", width),
    )
