# Written from sql/linkage/swapping_risk.sql by python -m sdc_sql.write: change that file.
"""The risk that is left after data swapping: true records in small cells of the released file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import list_or_none, original_table, resolve_columns_or_keys
from sdc_sql.db.catalogue.arguments import require_number
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
    columns: str | Iterable[str],
    *,
    swapped: str | Iterable[str] | None = None,
    threshold: int = 2,
) -> SwappingRisk:
    """Return the share of the unswapped records that lie in small cells of the released file.

    Parameters
    ----------
    original
        The table before swapping: a Microdata, or its name on this connection.
    columns
        The attributes of the contingency table: all categorical ones of the file.
    swapped
        Those of them that were swapped; without it, all.
    threshold
        The most records of a small cell, at least 1.

    Returns
    -------
    SwappingRisk

    Raises
    ------
    ParameterError
        Where the table was described without an id, or ``threshold`` is out of its range.

    Notes
    -----
    A record is unswapped where it has its original values in all swapped columns.

    Karr & Sanil, The risk-utility approach to statistical disclosure limitation, (1); Gomatam, Karr & Sanil (2005),
    Data swapping as a decision problem, Journal of Official Statistics 21, 635-655 (the n-rule).

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute(
    ...     "CREATE TABLE original AS FROM (VALUES (1, 'f', 'north'), (2, 'f', 'north'), (3, 'f', 'north'), "
    ...     "(4, 'm', 'south'), (5, 'm', 'south'), (6, 'm', 'south'), (7, 'm', 'east'), (8, 'f', 'north')) "
    ...     "AS t(id, sex, region)"
    ... )
    >>> _ = con.execute(
    ...     "CREATE TABLE released AS FROM (VALUES (1, 'f', 'north'), (2, 'f', 'north'), (3, 'f', 'south'), "
    ...     "(4, 'm', 'south'), (5, 'm', 'north'), (6, 'm', 'south'), (7, 'm', 'east'), (8, 'f', 'north')) "
    ...     "AS t(id, sex, region)"
    ... )
    >>> released = sdc_sql.Microdata(con, "released", id="id")
    >>> print(released.linkage.swapping_risk("original", ["sex", "region"], swapped=["region"]))
    SwappingRisk
      records             8
      unswapped           6
      cells of one        3
      cells of two        1
      unswapped in ones   1
      unswapped in twos   2
      threshold           2
      unswapped in small  3
      risk                0.5
    """
    row = data.row(
        "sdc_swapping_risk",
        original_table(data, original),
        data.table,
        resolve_columns_or_keys(data, columns),
        data.require_role("id"),
        swapped=list_or_none(swapped),
        threshold=require_number("swapping_risk", "threshold", threshold),
    )
    return SwappingRisk(**row)
