"""How many records that are unique in the original are unique in the released file too (repU)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import matching_keys, original_table
from sdc_sql.db.showing.results import Result

if TYPE_CHECKING:
    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class ReplicatedUniques(Result):
    """Shares of the original's records (``unique_released``: of the released ones), 0 to 1."""

    records: int
    in_released: float
    unique_original: float
    unique_released: float
    found: float
    replicated: float


def replicated_uniques(data: Roles, original: Described | str) -> ReplicatedUniques:
    """Return the share of the original's records that are unique in it and in the released file.

    The records need not be the original's: files of synthetic records are compared too. What was recoded must be
    recoded alike in the original first; ``in_released`` is the share of its records whose keys the released file has.

    Parameters
    ----------
    original
        The table before masking, or from which the synthetic one was made: a Microdata, or its name on this connection.

    Returns
    -------
    ReplicatedUniques
        UiO, UiS, UiOiS and repU.

    Raises
    ------
    TableError
        Where no value of a key occurs in both tables: they were not coded alike.

    Notes
    -----
    Raab, Nowok & Dibben (2024), section 3.2 and the appendix. The table needs keys.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> round(data.linkage.replicated_uniques(data).replicated, 3)
    0.333
    """
    return ReplicatedUniques(
        **data.row("sdc_replicated_uniques", original_table(data, original), data.table, matching_keys(data))
    )
