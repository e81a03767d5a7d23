# Written from sql/linkage/distance_linkage.sql by python -m sdc_sql.write: change that file.
"""Record linkage by distance: for how many released records the nearest one of another file is truly their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sdc_sql.compared import list_or_none, original_table, resolve_columns_or_keys
from sdc_sql.db.catalogue.arguments import require_choice
from sdc_sql.db.checks import require_flag
from sdc_sql.db.showing.results import Result

if TYPE_CHECKING:
    from collections.abc import Iterable

    import duckdb

    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class DistanceLinkage(Result):
    """How many records an intruder links correctly who takes the nearest one: the expected number, and its rate.

    ``candidates``: the records among which each is looked for; ``unpaired``: records without their person there;
    ``unique_correct``: the nearest is their own, alone; ``tied``: others are as near as their own, none nearer.
    ``expected_second_matches`` and ``second_rate``: their own is taken for the second nearest.
    """

    records: int
    candidates: int
    unpaired: int
    unique_correct: int
    tied: int
    expected_correct_matches: float
    rate: float
    expected_second_matches: float
    second_rate: float


def distance_linkage_records(
    data: Roles,
    original: Described | str,
    columns: str | Iterable[str],
    *,
    ordinal: str | Iterable[str] | None = None,
    continuous: str | Iterable[str] | None = None,
    scaling: Literal["standardised", "range", "mahalanobis", "none"] = "standardised",
    weights: float | list[float] | None = None,
    external: bool = False,
) -> duckdb.DuckDBPyRelation:
    """Return for each released record whether the nearest record of another file is truly its own.

    Parameters
    ----------
    original
        The table before masking, or another that an intruder may have: a Microdata, or its name on this connection.
    columns
        The variables; those that are neither continuous nor ordinal are categories.
    ordinal
        Those of them whose categories have an order.
    continuous
        Those of them that are numbers.
    scaling
        What a difference of numbers is divided by: the other file's standard deviation ('standardised') or its 'range',
        or nothing ('none'); 'mahalanobis': all numbers together by their covariances.
    weights
        What each variable counts in the squared distance: one number, or one for each of the columns, at least 0.
    external
        The other table need not have every released person, and all its records are candidates.

    Returns
    -------
    duckdb.DuckDBPyRelation
        The id; the distance of its own record, how many others are nearer (2 for two or more) and how many as near; the
        probabilities that its own is taken for the nearest, and for the second nearest.

    Raises
    ------
    ParameterError
        Where the table was described without an id.

    Notes
    -----
    SDC handbook, section 3.3.8.1; Pagliuca & Seri (1999), Some results of individual ranking method on the system of
    enterprise accounts annual survey, Esprit SDC project, deliverable MI-3/D2; Domingo-Ferrer & Torra (2001), A
    quantitative comparison of disclosure control methods for microdata (which found it to link more than probabilistic
    linkage); Torra, Abril & Navarro-Arribas (2011) for the Mahalanobis distance.

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE original AS FROM (VALUES (1, 0), (2, 1), (3, 3), (4, 7)) AS t(id, x)")
    >>> _ = con.execute("CREATE TABLE released AS FROM (VALUES (1, 0), (2, 2), (3, 6), (4, 7)) AS t(id, x)")
    >>> released = sdc_sql.Microdata(con, "released", id="id")
    >>> found = released.linkage.distance_linkage_records("original", ["x"], continuous=["x"], scaling="none")
    >>> for row in found.order("ALL").fetchall():
    ...     print(row)
    (1, 0.0, 0, 1, 1.0, 0.0)
    (2, 1.0, 0, 2, 0.5, 0.5)
    (3, 3.0, 1, 1, 0.0, 1.0)
    (4, 0.0, 0, 1, 1.0, 0.0)
    """
    return data.relation(
        "sdc_distance_linkage_records",
        original_table(data, original),
        data.table,
        resolve_columns_or_keys(data, columns),
        data.require_role("id"),
        ordinal=list_or_none(ordinal),
        continuous=list_or_none(continuous),
        scaling=require_choice("distance_linkage_records", "scaling", scaling),
        weights=weights,
        external=require_flag(external, "external"),
    )


def distance_linkage(
    data: Roles,
    original: Described | str,
    columns: str | Iterable[str],
    *,
    ordinal: str | Iterable[str] | None = None,
    continuous: str | Iterable[str] | None = None,
    scaling: Literal["standardised", "range", "mahalanobis", "none"] = "standardised",
    weights: float | list[float] | None = None,
    external: bool = False,
) -> DistanceLinkage:
    """Return how many released records an intruder links correctly who takes the nearest record of another file.

    Parameters
    ----------
    original
        The table before masking, or another that an intruder may have: a Microdata, or its name on this connection.
    columns
        The variables; those that are neither continuous nor ordinal are categories.
    ordinal
        Those of them whose categories have an order.
    continuous
        Those of them that are numbers.
    scaling
        What a difference of numbers is divided by: the other file's standard deviation ('standardised') or its 'range',
        or nothing ('none'); 'mahalanobis': all numbers together by their covariances.
    weights
        What each variable counts in the squared distance: one number, or one for each of the columns, at least 0.
    external
        The other table need not have every released person, and all its records are candidates.

    Returns
    -------
    DistanceLinkage

    Raises
    ------
    ParameterError
        Where the table was described without an id.
    InputError
        Where records cannot be paired by the id, a weight is negative, or numbers have no Mahalanobis distance.

    Notes
    -----
    One of several that are as near is taken at random.

    SDC handbook, section 3.3.8.1; Pagliuca & Seri (1999), Some results of individual ranking method on the system of
    enterprise accounts annual survey, Esprit SDC project, deliverable MI-3/D2; Domingo-Ferrer & Torra (2001), A
    quantitative comparison of disclosure control methods for microdata (which found it to link more than probabilistic
    linkage); Torra, Abril & Navarro-Arribas (2011) for the Mahalanobis distance.

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE original AS FROM (VALUES (1, 0), (2, 1), (3, 3), (4, 7)) AS t(id, x)")
    >>> _ = con.execute("CREATE TABLE released AS FROM (VALUES (1, 0), (2, 2), (3, 6), (4, 7)) AS t(id, x)")
    >>> released = sdc_sql.Microdata(con, "released", id="id")
    >>> print(released.linkage.distance_linkage("original", ["x"], continuous=["x"], scaling="none"))
    DistanceLinkage
      records                   4
      candidates                4
      unpaired                  0
      unique correct            2
      tied                      1
      expected correct matches  2.5
      rate                      0.625
      expected second matches   1.5
      second rate               0.375
    """
    row = data.row(
        "sdc_distance_linkage",
        original_table(data, original),
        data.table,
        resolve_columns_or_keys(data, columns),
        data.require_role("id"),
        ordinal=list_or_none(ordinal),
        continuous=list_or_none(continuous),
        scaling=require_choice("distance_linkage", "scaling", scaling),
        weights=weights,
        external=require_flag(external, "external"),
    )
    return DistanceLinkage(**row)
