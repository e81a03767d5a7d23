"""Members of a household who stand together again without its number, by what they have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import resolve_columns_or_keys
from sdc_sql.db.completion import find_household_columns
from sdc_sql.db.showing.results import Result

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class RejoinedHouseholds(Result):
    """The records that are joined with others of their household, although its number is not released.

    ``persons`` are the records of households of two and more; ``share`` is that of ``records`` among them.
    """

    persons: int
    rejoined_households: int
    records: int
    share: float


def rejoined_households(data: Roles, columns: str | Iterable[str] | None = None) -> RejoinedHouseholds:
    """Return how many members of households are joined again by the columns of the household, without its number.

    Parameters
    ----------
    columns
        The columns that are the same for all members; by default those that were named, and all that are such. Members
        may differ in a named column, or in one that is such but for few households: it then parts what the others
        join. Both are measured, with these columns and without them, and the greater is returned.

    Returns
    -------
    RejoinedHouseholds
        Records and households, and the share of the records of households of two and more, from 0 to 1.

    Raises
    ------
    ParameterError
        Where the table has no household.
    ColumnError
        Where a column is not there.

    Notes
    -----
    SDC handbook, section 3.3.5. NULL is a value of its own.

    Examples
    --------
    >>> import sdc_sql
    >>> sdc_sql.example().risk.rejoined_households(["sex"]).records
    2
    """
    household = data.require_role("household")
    if columns is None:
        others = [c for c in data.columns if c not in {household, data.id}]
        found = find_household_columns(data.con, data.table, household, others)
        named = data.household_columns or ()
        every = [*dict.fromkeys([*named, *(column.name for column in found)])]
        same = [column.name for column in found if column.share == 1]
        sets = [every] if set(every) == set(same) else [every, same]
    else:
        sets = [resolve_columns_or_keys(data, columns, "household column")]
    measured = [
        RejoinedHouseholds(**data.row("sdc_rejoined_households", data.table, household, asked))
        for asked in sets
        if asked
    ]
    return max(measured, key=lambda of: of.records, default=RejoinedHouseholds(0, 0, 0, 0.0))
