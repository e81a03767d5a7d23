"""Record linkage by distance: for how many released records the nearest original one is truly their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import columns_of, original_table, some_of
from sdc_sql.db.checks import flag
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


def distance_linkage(
    data: Roles,
    original: Described | str,
    columns: Iterable[str],
    *,
    ordinal: Iterable[str] | None = None,
    continuous: Iterable[str] | None = None,
    scaling: str = "standardised",
    weights: float | list[float] | None = None,
    external: bool = False,
) -> DistanceLinkage:
    """Return for how many released records the nearest record of the original, or of another file, is their own.

    Parameters
    ----------
    original
        The table before masking, or another that an intruder may have: a Microdata, or its name on this connection.
    columns
        The variables; those that are neither continuous nor ordinal are categories, NULL one of them.
    ordinal
        Those of them whose categories have an order.
    continuous
        Those of them that are numbers.
    scaling
        What a difference of numbers is divided by: the other file's standard deviation (``'standardised'``) or its
        ``'range'``, or nothing (``'none'``); ``'mahalanobis'``: all numbers together by their covariances.
    weights
        What each variable counts in the squared distance, at least 0: one number, or one for each of the columns.
    external
        The other table need not have every released person, and all its records are candidates; by default it is the
        original, and those of its records are candidates that were released.

    Returns
    -------
    DistanceLinkage

    Raises
    ------
    InputError
        Where records cannot be paired by the id, a weight is negative, or numbers have no Mahalanobis distance.

    Notes
    -----
    SDC handbook, section 3.3.8.1. One of several that are as near is taken at random. The table needs an id.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> found = data.linkage.distance_linkage(data, ["age", "sex"], continuous=["age"])
    >>> found.unique_correct, found.tied, found.expected_correct_matches
    (1, 2, 2.0)
    """
    return DistanceLinkage(
        **data.row("sdc_distance_linkage", original_table(data, original), data.table, columns_of(data, columns),
                   data.required("id"), ordinal=some_of(ordinal), continuous=some_of(continuous), scaling=scaling,
                   weights=weights, external=flag(external, "external"))
    )  # fmt: skip


def distance_linkage_records(
    data: Roles,
    original: Described | str,
    columns: Iterable[str],
    *,
    ordinal: Iterable[str] | None = None,
    continuous: Iterable[str] | None = None,
    scaling: str = "standardised",
    weights: float | list[float] | None = None,
    external: bool = False,
) -> duckdb.DuckDBPyRelation:
    """Return for each released record whether the nearest record of the original, or of another file, is its own.

    Parameters
    ----------
    original
        The table before masking, or another that an intruder may have: a Microdata, or its name on this connection.
    columns
        The variables; those that are neither continuous nor ordinal are categories, NULL one of them.
    ordinal
        Those of them whose categories have an order.
    continuous
        Those of them that are numbers.
    scaling
        What a difference of numbers is divided by: ``'standardised'``, ``'range'``, ``'mahalanobis'`` or ``'none'``.
    weights
        What each variable counts in the squared distance, at least 0: one number, or one for each of the columns.
    external
        The other table need not have every released person, and all its records are candidates.

    Returns
    -------
    duckdb.DuckDBPyRelation
        The id; the distance of its own record, how many others are nearer (2 for two or more) and how many as near; the
        probabilities that its own is taken for the nearest, and for the second nearest.

    Notes
    -----
    SDC handbook, section 3.3.8.1.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> data.linkage.distance_linkage_records(data, ["sex"]).order("id").limit(1).fetchall()
    [(1, 0.0, 0, 2, 0.5, 0.5)]
    """
    return data.relation(
        "sdc_distance_linkage_records", original_table(data, original), data.table, columns_of(data, columns),
        data.required("id"), ordinal=some_of(ordinal), continuous=some_of(continuous), scaling=scaling,
        weights=weights, external=flag(external, "external"),
    )  # fmt: skip
