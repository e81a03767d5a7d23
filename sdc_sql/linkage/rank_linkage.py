# Written from sql/linkage/rank_linkage.sql by python -m sdc_sql.write: change that file.
"""Record linkage after rank swapping: the nearest original record within the range of the swap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import original_table, resolve_columns_or_keys
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


def rank_linkage_records(
    data: Roles,
    original: Described | str,
    columns: str | Iterable[str],
    *,
    p: float | list[float] | None = None,
    stratum: str | None = None,
    weights: float | list[float] | None = None,
) -> duckdb.DuckDBPyRelation:
    """Return for each rank-swapped record whether the nearest original one within the range of the swap is its own.

    Parameters
    ----------
    original
        The table before the swap: a Microdata, or its name on this connection.
    columns
        The variables that were swapped, and others that were kept; of types that can be ordered.
    p
        The range of the swap, in percent: one, or one for each of the columns; without it, as far as ranks lie apart
        that belong together, above 0 and at most 100.
    stratum
        A column within whose values values were swapped.
    weights
        What each variable counts in the squared distance of ranks: one number, or one for each of the columns, at least
        0.

    Returns
    -------
    duckdb.DuckDBPyRelation
        The id; whether its own record is a candidate, and how many there are; the distance of its own, how many
        candidates are nearer (2 for two or more) and how many as near; the probability that its own is taken.

    Raises
    ------
    ParameterError
        Where the table was described without an id.

    Notes
    -----
    Nin, Herranz & Torra (2008), Rethinking rank swapping to decrease disclosure risk, Data & Knowledge Engineering 64,
    346-364 (rank swapping record linkage); SDC handbook, sections 3.3.8.1 and 3.4.2.4.

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE original AS FROM (VALUES (1, 10), (2, 20), (3, 30), (4, 40)) AS t(id, x)")
    >>> _ = con.execute("CREATE TABLE released AS FROM (VALUES (1, 20), (2, 10), (3, 40), (4, 30)) AS t(id, x)")
    >>> released = sdc_sql.Microdata(con, "released", id="id")
    >>> for row in released.linkage.rank_linkage_records("original", ["x"], p=25).order("ALL").fetchall():
    ...     print(row)
    (1, True, 3, 0.3333333333527359, 1, 2, 0.0)
    (2, True, 2, 0.3333333333527359, 1, 1, 0.0)
    (3, True, 2, 0.3333333333527359, 1, 1, 0.0)
    (4, True, 3, 0.3333333333527359, 1, 2, 0.0)
    """
    return data.relation(
        "sdc_rank_linkage_records",
        original_table(data, original),
        data.table,
        resolve_columns_or_keys(data, columns),
        data.require_role("id"),
        p=p,
        stratum=None if stratum is None else data.spell_column("stratum", stratum),
        weights=weights,
    )


def rank_linkage(
    data: Roles,
    original: Described | str,
    columns: str | Iterable[str],
    *,
    p: float | list[float] | None = None,
    stratum: str | None = None,
    weights: float | list[float] | None = None,
) -> RankLinkage:
    """Return how many rank-swapped records an intruder links correctly who knows the range of the swap.

    Parameters
    ----------
    original
        The table before the swap: a Microdata, or its name on this connection.
    columns
        The variables that were swapped, and others that were kept; of types that can be ordered.
    p
        The range of the swap, in percent: one, or one for each of the columns; without it, as far as ranks lie apart
        that belong together, above 0 and at most 100.
    stratum
        A column within whose values values were swapped.
    weights
        What each variable counts in the squared distance of ranks: one number, or one for each of the columns, at least
        0.

    Returns
    -------
    RankLinkage

    Raises
    ------
    ParameterError
        Where the table was described without an id.
    InputError
        Where records cannot be paired by the id, or p is no percentage.

    Notes
    -----
    Nin, Herranz & Torra (2008), Rethinking rank swapping to decrease disclosure risk, Data & Knowledge Engineering 64,
    346-364 (rank swapping record linkage); SDC handbook, sections 3.3.8.1 and 3.4.2.4.

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE original AS FROM (VALUES (1, 10), (2, 20), (3, 30), (4, 40)) AS t(id, x)")
    >>> _ = con.execute("CREATE TABLE released AS FROM (VALUES (1, 20), (2, 10), (3, 40), (4, 30)) AS t(id, x)")
    >>> released = sdc_sql.Microdata(con, "released", id="id")
    >>> print(released.linkage.rank_linkage("original", ["x"], p=25))
    RankLinkage
      records                   4
      own among candidates      4
      single candidate          0
      p                         25
      unique correct            0
      tied                      0
      expected correct matches  0
      rate                      0.416667
      random rate               0.416667
    """
    row = data.row(
        "sdc_rank_linkage",
        original_table(data, original),
        data.table,
        resolve_columns_or_keys(data, columns),
        data.require_role("id"),
        p=p,
        stratum=None if stratum is None else data.spell_column("stratum", stratum),
        weights=weights,
    )
    return RankLinkage(**row)
