"""Whom an intruder finds in a suppressed table who knows the keys of all participants: two files compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import original_table
from sdc_sql.db.catalogue.arguments import checked_number
from sdc_sql.db.showing.results import Result

if TYPE_CHECKING:
    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class CertainMatches(Result):
    """How many original records are found by who assigns all released records to different persons at once.

    ``matches_below_k``: original records that fewer than k released ones can be; ``certain_matches``: those whose
    released record is known for certain.
    """

    k: int
    records: int
    matches_below_k: int
    certain_matches: int


def certain_matches(data: Roles, original: Described | str, k: int = 3) -> CertainMatches:
    """Return how many records an intruder finds for certain who knows the keys of all participants.

    No released record may be left without a person: what one of them must be, no other can. So more are found than by
    looking at one record at a time (:func:`suppression_report`).

    Parameters
    ----------
    original
        The table before suppression: a Microdata, or its name on this connection; this one is the released.
    k
        The least number of records, at least 2.

    Returns
    -------
    CertainMatches

    Raises
    ------
    TableError
        Where the released table has values that the original lacks: they are given the wrong way round.

    Notes
    -----
    Gionis, Mazza & Tassa (2008): a match is a pair that is part of a perfect matching. Where records were left out,
    the parts of the graph that Dulmage & Mendelsohn (1958) tell apart.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> _ = data.mask.local_suppression(2, guarantee="strong", household_columns=[], into="released")
    >>> released = sdc_sql.Microdata(data.con, "released", keys=data.keys)
    >>> released.linkage.certain_matches(data, 2).certain_matches
    1
    """
    return CertainMatches(
        **data.row("sdc_certain_matches", original_table(data, original), data.table, data.keys,
                   k=checked_number("certain_matches", "k", k))
    )  # fmt: skip
