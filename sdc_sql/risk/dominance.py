# Written from sql/risk/dominance.sql by python -m sdc_sql.write: change that file.
"""Dominance: totals, of the cells that a file lets one compute, that tell what one unit contributes to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.db.catalogue.arguments import require_number
from sdc_sql.db.showing.results import Result

if TYPE_CHECKING:
    import duckdb

    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class Dominance(Result):
    """The cells that are dominated or estimable, beside all cells, and their records."""

    records: int
    cells: int
    dominated: int
    estimable: int
    unsafe: int
    unsafe_records: int


def dominance(data: Roles, value: str, *, n: int = 2, share: float = 0.85, p: float = 0.1) -> Dominance:
    """Return the cells whose totals tell too much of one unit, by the (n, k) rule and by the p% rule.

    Parameters
    ----------
    value
        The contributions: turnover, employees, expenditure.
    n
        Of how many of the greatest contributions the share is taken, from 1 to 100.
    share
        K of the (n, k) rule: a greater share of the total dominates, strictly between 0 and 1.
    p
        P of the p% rule: to within this share of it the greatest contribution must not be known, strictly between 0 and
        1.

    Returns
    -------
    Dominance

    Raises
    ------
    ParameterError
        Where ``n`` or ``share`` or ``p`` is out of its range.
    ColumnError
        Where a contribution is negative or no number.
    TableError
        Where there is none.

    Notes
    -----
    NULL in a key is a value of its own, however the table was described.

    Cox (1981), Linear sensitivity measures in statistical disclosure control, Journal of Statistical Planning and
    Inference 5, 153-164; Robertson & Ethier (2002), Cell suppression: experience and theory, LNCS 2316, 8-20 (both
    rules). SDC handbook, sections 3.2.3 and 3.8.2, say why of firms (largest units, found by size).

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute(
    ...     "CREATE TABLE firms AS FROM (VALUES ('food', 900), ('food', 60), ('food', 25), ('food', 15), "
    ...     "('wood', 40), ('wood', 35), ('wood', 30), ('mines', 70)) AS t(activity, turnover)"
    ... )
    >>> data = sdc_sql.Microdata(con, "firms", keys=["activity"])
    >>> print(data.risk.dominance("turnover", n=1, share=0.8, p=0.1))
    Dominance
      records         8
      cells           3
      dominated       2
      estimable       2
      unsafe          2
      unsafe records  5
    """
    row = data.row(
        "sdc_dominance",
        data.table,
        data.keys,
        data.spell_column("value", value),
        n=require_number("dominance", "n", n),
        share=require_number("dominance", "share", share),
        p=require_number("dominance", "p", p),
        weight=data.weight,
    )
    return Dominance(**row)


def dominance_cells(
    data: Roles, value: str, *, n: int = 2, share: float = 0.85, p: float = 0.1
) -> duckdb.DuckDBPyRelation:
    """Return each cell with its total, the share of its n greatest contributions, and what both rules say of it.

    Parameters
    ----------
    value
        The contributions: turnover, employees, expenditure.
    n
        Of how many of the greatest contributions the share is taken, from 1 to 100.
    share
        K of the (n, k) rule: a greater share of the total dominates, strictly between 0 and 1.
    p
        P of the p% rule: to within this share of it the greatest contribution must not be known, strictly between 0 and
        1.

    Returns
    -------
    duckdb.DuckDBPyRelation
        A row a cell with a contribution; remainder is NULL where the total is 0.

    Raises
    ------
    ParameterError
        Where ``n`` or ``share`` or ``p`` is out of its range.
    ColumnError
        Where a contribution is negative or no number.

    Notes
    -----
    It holds totals of few units: it is for the owner of the data.

    Cox (1981), Linear sensitivity measures in statistical disclosure control, Journal of Statistical Planning and
    Inference 5, 153-164; Robertson & Ethier (2002), Cell suppression: experience and theory, LNCS 2316, 8-20 (both
    rules). SDC handbook, sections 3.2.3 and 3.8.2, say why of firms (largest units, found by size).

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute(
    ...     "CREATE TABLE firms AS FROM (VALUES ('food', 900), ('food', 60), ('food', 25), ('food', 15), "
    ...     "('wood', 40), ('wood', 35), ('wood', 30), ('mines', 70)) AS t(activity, turnover)"
    ... )
    >>> data = sdc_sql.Microdata(con, "firms", keys=["activity"])
    >>> for row in data.risk.dominance_cells("turnover", n=1, share=0.8, p=0.1).order("ALL").fetchall():
    ...     print(row)
    ('food', 4, 1000.0, 0.9, 0.044444444444444446, True, True)
    ('mines', 1, 70.0, 1.0, 0.0, True, True)
    ('wood', 3, 105.0, 0.38095238095238093, 0.75, False, False)
    """
    return data.relation(
        "sdc_dominance_cells",
        data.table,
        data.keys,
        data.spell_column("value", value),
        n=require_number("dominance_cells", "n", n),
        share=require_number("dominance_cells", "share", share),
        p=require_number("dominance_cells", "p", p),
        weight=data.weight,
    )
