"""t-closeness: how far the distribution in a cell lies from the file's (Li et al. 2007)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.db.catalogue.arguments import checked_choice
from sdc_sql.db.showing.results import Result
from sdc_sql.risk.sensitive import check_category

if TYPE_CHECKING:
    import duckdb

    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class TCloseness(Result):
    """The greatest distance of a cell's distribution from the file's."""

    records: int
    cells: int
    t: float


def t_closeness(data: Roles, sensitive: str, *, distance: str = "equal") -> TCloseness:
    """Return the greatest Earth Mover's Distance of a cell's distribution from the file's.

    Parameters
    ----------
    sensitive
        The name of the column.
    distance
        ``"equal"`` for nominal variables, ``"ordered"`` for numbers and ordered ones (text in the order of its letters,
        an ENUM in its own).

    Returns
    -------
    TCloseness

    Notes
    -----
    Li, Li & Venkatasubramanian (2007), section 4.

    Examples
    --------
    >>> import sdc_sql
    >>> round(sdc_sql.example().risk.t_closeness("w").t, 3)
    0.667
    """
    check_category(data)
    column = data.found("sensitive variable", sensitive)
    distance = checked_choice("t_closeness", "distance", distance)
    return TCloseness(**data.row("sdc_t_closeness", data.table, data.keys, column, distance=distance))


def t_closeness_cells(data: Roles, sensitive: str, *, distance: str = "equal") -> duckdb.DuckDBPyRelation:
    """Return the cells of the keys, and the distance of each one's distribution from the file's.

    Parameters
    ----------
    sensitive
        The name of the column; NULL in it is a value of its own.
    distance
        ``"equal"`` or ``"ordered"``.

    Returns
    -------
    duckdb.DuckDBPyRelation
        The key columns, ``sample_frequency``, ``t``.

    Examples
    --------
    >>> import sdc_sql
    >>> [round(t, 3) for *_, t in sdc_sql.example().risk.t_closeness_cells("w").order("age").fetchall()]
    [0.333, 0.667]
    """
    check_category(data)
    column = data.found("sensitive variable", sensitive)
    distance = checked_choice("t_closeness", "distance", distance)
    return data.relation("sdc_t_closeness_cells", data.table, data.keys, column, distance=distance)
