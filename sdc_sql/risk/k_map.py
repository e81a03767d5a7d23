"""k-map: k-anonymity in the population (Sweeney 2001)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.db.catalogue.arguments import checked_number
from sdc_sql.db.checks import told
from sdc_sql.db.showing.results import Result
from sdc_sql.errors import TableError
from sdc_sql.risk.sensitive import check_category

if TYPE_CHECKING:
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class KMap(Result):
    """The records and cells of the file with fewer than k records in the population."""

    k: int
    records: int
    cells: int
    absent_records: int
    least: int


def k_map(data: Roles, population: str, k: int = 3) -> KMap:
    """Return the records and cells that are shared by fewer than k of the population.

    Parameters
    ----------
    population
        The name of the table (view, file) of the population, with the same keys.
    k
        A whole number of at least 2.

    Returns
    -------
    KMap

    Notes
    -----
    Sweeney (2001). A cell that does not occur in the population counts as 0 and is never dropped.

    Examples
    --------
    >>> import sdc_sql
    >>> sdc_sql.example().risk.k_map("persons", 2).records
    1
    """
    check_category(data)
    if not isinstance(population, str) or not population:
        raise TableError(f"The population is {told(population)}: it must be the name of a table, view or file.")
    return KMap(**data.row("sdc_k_map", data.table, data.read(population), data.keys, checked_number("k_map", "k", k)))
