"""By how much a sensitive value is likelier in a cell than in the file: alpha, beta, delta."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.db.showing.results import Result
from sdc_sql.risk.sensitive import check_category, values

if TYPE_CHECKING:
    from collections.abc import Sequence

    import duckdb

    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class Likeness(Result):
    """The smallest cell k, and the greatest alpha, beta, enhanced beta and delta of the cells."""

    records: int
    cells: int
    k: int
    alpha: float
    beta: float
    enhanced_beta: float
    delta: float


def likeness(data: Roles, sensitive: str, *, chosen: Sequence[object] | None = None) -> Likeness:
    """Return the k, alpha, beta and delta for which the file is (alpha, k)-anonymous, beta-like, delta-private.

    Parameters
    ----------
    sensitive
        The name of the column; NULL in it is a value of its own.
    chosen
        The sensitive values to which alpha applies; by default all.

    Returns
    -------
    Likeness

    Notes
    -----
    Wong et al. (2006); Cao & Karras (2012); Brickell & Shmatikov (2008).

    Examples
    --------
    >>> import sdc_sql
    >>> sdc_sql.example().risk.likeness("w").alpha
    1.0
    """
    check_category(data)
    column = data.found("sensitive variable", sensitive)
    return Likeness(**data.row("sdc_likeness", data.table, data.keys, column, chosen=values(chosen)))


def likeness_cells(data: Roles, sensitive: str, *, chosen: Sequence[object] | None = None) -> duckdb.DuckDBPyRelation:
    """Return the cells of the keys, and how far each one's distribution exceeds the file's.

    Parameters
    ----------
    sensitive
        The name of the column; NULL in it is a value of its own.
    chosen
        The sensitive values to which alpha applies; by default all.

    Returns
    -------
    duckdb.DuckDBPyRelation
        The key columns, ``sample_frequency``, ``alpha``, ``beta``, ``enhanced_beta``, ``delta``.

    Examples
    --------
    >>> import sdc_sql
    >>> sdc_sql.example().risk.likeness_cells("w").order("age").fetchall()[0][:4]
    (30, 'f', 2, 0.5)
    """
    check_category(data)
    column = data.found("sensitive variable", sensitive)
    return data.relation("sdc_likeness_cells", data.table, data.keys, column, chosen=values(chosen))
