"""What local suppression took away, and whom it leaves without each of its guarantees: two files compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import original_table
from sdc_sql.db.catalogue.arguments import require_number
from sdc_sql.db.showing.results import Result, Results

if TYPE_CHECKING:
    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class SuppressionReport(Result):
    """The suppressions of each key, and how many records are below k.

    ``below_identical``: released records whose row, NULL a value, fewer than k share; ``complete_below_k``: those of
    them without NULL. ``below_strong``: released records that agree, on the keys they keep, with fewer than k
    originals.
    ``compatible_below_k`` and ``compatible_with_one``: original records with fewer than k compatible released records,
    and with one only: whom an intruder finds who knows that they took part.
    """

    k: int
    suppressions: dict[str, int]
    below_identical: int
    below_strong: int
    complete_below_k: int
    compatible_below_k: int
    compatible_with_one: int


@dataclass(frozen=True)
class CompatibleRecords(Result):
    """How many original records have so many compatible released ones."""

    compatible: int
    records: int


def suppression_report(data: Roles, original: Described | str, k: int) -> SuppressionReport:
    """Return what local suppression took away, and how many records are without each of its guarantees.

    Parameters
    ----------
    original
        The table before suppression: a Microdata, or its name on this connection; this one is the released.
    k
        The least number of records, at least 2.

    Returns
    -------
    SuppressionReport

    Raises
    ------
    TableError
        Where the released table has values that the original lacks: they are given the wrong way round.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> _ = data.mask.local_suppression(2, guarantee="strong", household_columns=[], into="released")
    >>> released = sdc_sql.Microdata(data.con, "released", keys=data.keys)
    >>> released.linkage.suppression_report(data, 2).compatible_with_one
    1
    """
    return SuppressionReport(
        **data.row("sdc_suppression_report", original_table(data, original), data.table, data.keys,
                   require_number("suppression_report", "k", k))
    )  # fmt: skip


def compatible_records(data: Roles, original: Described | str, k: int) -> Results[CompatibleRecords]:
    """Return how many original records have how many compatible released records, below k.

    Parameters
    ----------
    original
        The table before suppression: a Microdata, or its name on this connection; this one is the released.
    k
        The least number of records, at least 2.

    Returns
    -------
    Results of CompatibleRecords
        A row a number of compatible records below k that occurs, the least first.

    Raises
    ------
    TableError
        Where the released table has values that the original lacks: they are given the wrong way round.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> _ = data.mask.local_suppression(3, into="released")
    >>> released = sdc_sql.Microdata(data.con, "released", keys=data.keys)
    >>> released.linkage.compatible_records(data, 3)
    []
    """
    rows = data.rows(
        "sdc_compatible_records", original_table(data, original), data.table, data.keys,
        require_number("suppression_report", "k", k),
    )  # fmt: skip
    return Results(CompatibleRecords(**row) for row in rows)
