"""(alpha, k)-anonymity (Wong et al. 2006)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.db.catalogue.arguments import checked_number
from sdc_sql.db.showing.results import Result
from sdc_sql.risk.sensitive import check_category, values

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class AlphaKViolations(Result):
    """The records and cells that violate (alpha, k)-anonymity, and the records by which of the two."""

    alpha: float
    k: int
    records: int
    cells: int
    records_above_alpha: int
    records_below_k: int


def alpha_k_anonymity(
    data: Roles, sensitive: str, alpha: float, k: int, *, chosen: Sequence[object] | None = None
) -> AlphaKViolations:
    """Return the records and cells that violate (alpha, k)-anonymity.

    Parameters
    ----------
    sensitive
        The name of the column; NULL in it is a value of its own.
    alpha
        The greatest share that a sensitive value may have in a cell, in (0, 1).
    k
        A whole number of at least 2.
    chosen
        The sensitive values to which alpha applies; by default all.

    Returns
    -------
    AlphaKViolations

    Notes
    -----
    Wong et al. (2006), definitions 2 and 3.

    Examples
    --------
    >>> import sdc_sql
    >>> sdc_sql.example().risk.alpha_k_anonymity("w", 0.5, 2).records
    1
    """
    check_category(data)
    column = data.found("sensitive variable", sensitive)
    limits = (checked_number("alpha_k_anonymity", "alpha", alpha), checked_number("alpha_k_anonymity", "k", k))
    return AlphaKViolations(
        **data.row("sdc_alpha_k_anonymity", data.table, data.keys, column, *limits, chosen=values(chosen))
    )
