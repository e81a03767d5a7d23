"""The risk that is left after data swapping: true records in small cells of the released file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import columns_of, original_table, some_of
from sdc_sql.db.catalogue.arguments import checked_number
from sdc_sql.db.showing.results import Result

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class SwappingRisk(Result):
    """The share (``risk``) of the unswapped records that lie in released cells of up to ``threshold`` records.

    ``cells_of_one`` and ``cells_of_two``: the released cells of that size; ``unswapped_in_ones`` and
    ``unswapped_in_twos``: the unswapped records in them.
    """

    records: int
    unswapped: int
    cells_of_one: int
    cells_of_two: int
    unswapped_in_ones: int
    unswapped_in_twos: int
    threshold: int
    unswapped_in_small: int
    risk: float


def swapping_risk(
    data: Roles,
    original: Described | str,
    columns: Iterable[str],
    *,
    swapped: Iterable[str] | None = None,
    threshold: int = 2,
) -> SwappingRisk:
    """Return the share of the unswapped records that lie in small cells of this released table.

    Parameters
    ----------
    original
        The table before swapping: a Microdata, or its name on this connection.
    columns
        The attributes of the contingency table: all categorical ones of the file.
    swapped
        Those of them that were swapped; without it, all.
    threshold
        The most records of a small cell.

    Returns
    -------
    SwappingRisk

    Notes
    -----
    Karr & Sanil, (1). A record is unswapped where it has its original values in all swapped columns. The table needs
    an id.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> data.linkage.swapping_risk(data, ["age", "sex"]).risk
    1.0
    """
    return SwappingRisk(
        **data.row(
            "sdc_swapping_risk", original_table(data, original), data.table, columns_of(data, columns),
            data.required("id"), swapped=some_of(swapped),
            threshold=checked_number("swapping_risk", "threshold", threshold),
        )
    )  # fmt: skip
