"""How many original records have a sensitive value that the released file tells with certainty (DiSCO)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import columns_of, original_table
from sdc_sql.db.catalogue.arguments import checked_choice
from sdc_sql.db.showing.results import Result, Results

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class DisclosiveAttributes(Result):
    """Of a target, shares of the original's records (``disclosive_released``: of the released ones), 0 to 1."""

    target: str
    records: int
    in_released: float
    disclosive_original: float
    disclosive_released: float
    disclosive: float
    disco: float
    disdio: float
    largest: int


def disclosive_attributes(
    data: Roles, original: Described | str, targets: Iterable[str], *, nulls: str = "higher"
) -> Results[DisclosiveAttributes]:
    """Return the share of the original's records whose sensitive value the released file tells with certainty.

    The records need not be the original's: files of synthetic records are compared too. What was recoded must be
    recoded alike in the original first; ``in_released`` is the share of its records whose keys the released file has.

    Parameters
    ----------
    original
        The table before masking, or from which the synthetic one was made: a Microdata, or its name on this connection.
    targets
        The sensitive variables, each measured by itself.
    nulls
        A NULL in a released key is a value of its own (``"category"``), or agrees with every value (``"wildcard"``); of
        each figure the higher of both (``"higher"``).

    Returns
    -------
    list of DisclosiveAttributes
        One a target: iS, Dorig, Dsyn, DiS, DiSCO and DiSDiO.

    Raises
    ------
    TableError
        Where no value of a key or a target occurs in both tables: they were not coded alike.

    Notes
    -----
    Raab, Nowok & Dibben (2024), section 3.3 and the appendix. The table needs keys.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> found = data.linkage.disclosive_attributes(data, ["w"])[0]
    >>> round(found.disclosive_original, 3), round(found.disco, 3)
    (0.333, 0.333)
    """
    found = data.rows(
        "sdc_disclosive_attributes", original_table(data, original), data.table, data.keys,
        columns_of(data, targets, "target"), nulls=checked_choice("disclosive_attributes", "nulls", nulls),
    )  # fmt: skip
    return Results(DisclosiveAttributes(**row) for row in found)
