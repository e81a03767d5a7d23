"""The true risk of re-identification after masking: the original keys looked for in the released table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sdc_sql.compared import list_or_none, original_table, resolve_columns_or_keys
from sdc_sql.db.catalogue.arguments import require_number
from sdc_sql.db.showing.results import Result

if TYPE_CHECKING:
    from collections.abc import Iterable

    import duckdb

    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class TrueReidentification(Result):
    """How many records an intruder with the original keys links correctly: the expected number, and its rate.

    ``unmatched``: records without a match; ``unique_correct`` and ``unique_wrong``: with one match, their own released
    record or another's; ``own_among_matches``: records whose own released record is a match; ``below_k``: records with
    fewer than k matches, ``own_below_k`` those of them whose own is one of these.
    """

    records: int
    unmatched: int
    unique_correct: int
    unique_wrong: int
    own_among_matches: int
    k: int
    below_k: int
    own_below_k: int
    expected_correct_matches: float
    rate: float


def true_reidentification(
    data: Roles,
    original: Described | str,
    keys: str | Iterable[str] | None = None,
    k: int = 3,
    *,
    nulls: Literal["wildcard", "category"] = "wildcard",
    recoded: str | Iterable[str] | None = None,
) -> TrueReidentification:
    """Return how many records an intruder who knows the original keys links correctly in this released table.

    Parameters
    ----------
    original
        The table before masking: a Microdata, or its name on this connection.
    keys
        What the intruder knows; without it the keys of this table.
    k
        The number of matches that is enough, at least 2.
    nulls
        A NULL in a released key agrees with every value (``"wildcard"``), or is a value of its own (``"category"``).
    recoded
        The keys whose released values are labels of groups of the original ones.

    Returns
    -------
    TrueReidentification

    Raises
    ------
    ParameterError
        Where a value of a recoded key was released under several labels.

    Notes
    -----
    Domingo-Ferrer & Torra (2001); Reiter (2005). The table needs an id.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> _ = data.mask.local_suppression(2, into="released")
    >>> released = sdc_sql.Microdata(data.con, "released", keys=["age", "sex"], id="id")
    >>> before, after = data.linkage.true_reidentification(data), released.linkage.true_reidentification(data)
    >>> before.unique_correct, after.unique_correct
    (1, 0)
    """
    return TrueReidentification(
        **data.row(
            "sdc_true_reidentification", original_table(data, original), data.table,
            resolve_columns_or_keys(data, keys),
            data.require_role("id"), k=require_number("true_reidentification", "k", k), nulls=nulls,
            recoded=list_or_none(recoded),
        )
    )  # fmt: skip


def true_reidentification_records(
    data: Roles,
    original: Described | str,
    keys: str | Iterable[str] | None = None,
    *,
    nulls: Literal["wildcard", "category"] = "wildcard",
    recoded: str | Iterable[str] | None = None,
) -> duckdb.DuckDBPyRelation:
    """Return each record's id, its ``matches`` here, whether its own is one (``correct``), and ``probability``.

    Parameters
    ----------
    original
        The table before masking: a Microdata, or its name on this connection.
    keys
        What the intruder knows; without it the keys of this table.
    nulls
        A NULL in a released key agrees with every value (``"wildcard"``), or is a value of its own (``"category"``).
    recoded
        The keys whose released values are labels of groups of the original ones.

    Returns
    -------
    DuckDBPyRelation
        A row a released record; the probability of a correct link is 1 / matches where its own is among them, else 0.

    Notes
    -----
    Domingo-Ferrer & Torra (2001); Reiter (2005). The table needs an id.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> data.linkage.true_reidentification_records(data).order("id").fetchall()[0]
    (1, 2, True, 0.5)
    """
    return data.relation(
        "sdc_true_reidentification_records", original_table(data, original), data.table,
        resolve_columns_or_keys(data, keys),
        data.require_role("id"), nulls=nulls, recoded=list_or_none(recoded),
    )  # fmt: skip
