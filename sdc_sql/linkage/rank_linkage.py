"""Record linkage after rank swapping: the nearest original record within the range of the swap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import columns_of, original_table
from sdc_sql.db.showing.results import Result

if TYPE_CHECKING:
    from collections.abc import Iterable

    import duckdb

    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class RankLinkage(Result):
    """How many rank-swapped records an intruder links correctly who knows the range of the swap, and its rate.

    ``own_among_candidates``: records whose own is a candidate; ``single_candidate``: whose own is the only one; ``p``:
    the widest range of a variable, in percent; ``unique_correct``: of the candidates their own is the nearest, alone;
    ``tied``: others are as near as their own, none nearer; ``random_rate``: the share linked correctly by taking any of
    the candidates; ``rate``: this or that of the nearest, the higher one (``random_rate`` where few variables were
    swapped).
    """

    records: int
    own_among_candidates: int
    single_candidate: int
    p: float
    unique_correct: int
    tied: int
    expected_correct_matches: float
    rate: float
    random_rate: float


def rank_linkage(
    data: Roles,
    original: Described | str,
    columns: Iterable[str],
    *,
    p: float | list[float] | None = None,
    stratum: str | None = None,
    weights: float | list[float] | None = None,
) -> RankLinkage:
    """Return for how many rank-swapped records the nearest original one within the range of the swap is their own.

    Parameters
    ----------
    original
        The table before the swap: a Microdata, or its name on this connection.
    columns
        The variables that were swapped, and others that were kept; of types that can be ordered.
    p
        The range of the swap, in percent, in (0, 100]: one number, or one for each of the columns; without it, as far
        as ranks lie apart that belong together.
    stratum
        A column within whose values values were swapped.
    weights
        What each variable counts in the squared distance of ranks, at least 0: one, or one for each of the columns.

    Returns
    -------
    RankLinkage

    Raises
    ------
    InputError
        Where records cannot be paired by the id, or p is no percentage.

    Notes
    -----
    Nin, Herranz & Torra (2008); SDC handbook, section 3.3.8. The table needs an id.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> found = data.linkage.rank_linkage(data, ["age", "w"])
    >>> found.single_candidate, found.rate
    (3, 1.0)
    """
    return RankLinkage(
        **data.row("sdc_rank_linkage", original_table(data, original), data.table, columns_of(data, columns),
                   data.required("id"), p=p, stratum=stratum and data.found("stratum", stratum), weights=weights)
    )  # fmt: skip


def rank_linkage_records(
    data: Roles,
    original: Described | str,
    columns: Iterable[str],
    *,
    p: float | list[float] | None = None,
    stratum: str | None = None,
    weights: float | list[float] | None = None,
) -> duckdb.DuckDBPyRelation:
    """Return for each rank-swapped record whether the nearest original one within the range is its own.

    Parameters
    ----------
    original
        The table before the swap: a Microdata, or its name on this connection.
    columns
        The variables that were swapped, and others that were kept; of types that can be ordered.
    p
        The range of the swap, in percent, in (0, 100]: one number, or one for each of the columns; without it, as far
        as ranks lie apart that belong together.
    stratum
        A column within whose values values were swapped.
    weights
        What each variable counts in the squared distance of ranks, at least 0: one, or one for each of the columns.

    Returns
    -------
    duckdb.DuckDBPyRelation
        The id; whether its own record is a candidate, and how many there are; the distance of its own, how many
        candidates are nearer (2 for two or more) and how many as near; the probability that its own is taken.

    Notes
    -----
    Nin, Herranz & Torra (2008); SDC handbook, section 3.3.8.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> data.linkage.rank_linkage_records(data, ["age"]).order("id").limit(1).fetchall()
    [(1, True, 2, 0.0, 0, 2, 0.5)]
    """
    return data.relation(
        "sdc_rank_linkage_records", original_table(data, original), data.table, columns_of(data, columns),
        data.required("id"), p=p, stratum=stratum and data.found("stratum", stratum), weights=weights,
    )  # fmt: skip
