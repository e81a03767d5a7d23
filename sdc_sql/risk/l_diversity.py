"""l-diversity: how many values a sensitive variable has in a cell (Machanavajjhala et al. 2007)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.db.catalogue.arguments import checked_number
from sdc_sql.db.showing.results import Result
from sdc_sql.risk.sensitive import check_category, several

if TYPE_CHECKING:
    from collections.abc import Sequence

    import duckdb

    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class LDiversity(Result):
    """The least l of the cells: distinct values, entropy l (definition 4.1), recursive l (4.2)."""

    records: int
    cells: int
    distinct_l: int
    entropy_l: float
    recursive_l: int


def l_diversity(data: Roles, sensitive: str, *, c: float = 2.0, others: Sequence[str] = ()) -> LDiversity:
    """Return how diverse a sensitive variable is in the least diverse cell.

    Parameters
    ----------
    sensitive
        The name of the column; NULL in it is a value of its own.
    c
        Of recursive (c, l)-diversity, positive.
    others
        Further sensitive variables, which count as keys: a file with several is l-diverse when each of
        them is, with the others given here.

    Returns
    -------
    LDiversity

    Raises
    ------
    ParameterError
        Where the table was described with ``nulls="wildcard"``: records that match through a wildcard
        would add values that no record of the cell has, and overstate its diversity.

    Notes
    -----
    Machanavajjhala et al. (2007), definitions 4.1 and 4.2, section 4.3.

    Examples
    --------
    >>> import sdc_sql
    >>> sdc_sql.example().risk.l_diversity("w").distinct_l
    1
    """
    check_category(data)
    column = data.found("sensitive variable", sensitive)
    named = {"c": checked_number("l_diversity", "c", c), "others": several(data, others)}
    return LDiversity(**data.row("sdc_l_diversity", data.table, data.keys, column, **named))


def l_diversity_cells(
    data: Roles, sensitive: str, *, c: float = 2.0, others: Sequence[str] = ()
) -> duckdb.DuckDBPyRelation:
    """Return the cells of the keys, and how diverse a sensitive variable is in each.

    Parameters
    ----------
    sensitive
        The name of the column; NULL in it is a value of its own.
    c
        Of recursive (c, l)-diversity, positive.
    others
        Further sensitive variables, which count as keys.

    Returns
    -------
    duckdb.DuckDBPyRelation
        The key columns, ``sample_frequency``, ``distinct_l``, ``entropy_l``, ``recursive_l``.

    Examples
    --------
    >>> import sdc_sql
    >>> sdc_sql.example().risk.l_diversity_cells("w").order("age").fetchall()
    [(30, 'f', 2, 2, 2.0, 2), (41, 'm', 1, 1, 1.0, 1)]
    """
    check_category(data)
    column, extra = data.found("sensitive variable", sensitive), several(data, others)
    return data.relation(
        "sdc_l_diversity_cells", data.table, data.keys, column, c=checked_number("l_diversity", "c", c), others=extra
    )


def l_diversity_records(
    data: Roles, sensitive: str, *, c: float = 2.0, others: Sequence[str] = ()
) -> duckdb.DuckDBPyRelation:
    """Return every record, and how diverse a sensitive variable is in its cell.

    Parameters
    ----------
    sensitive
        The name of the column; NULL in it is a value of its own.
    c
        Of recursive (c, l)-diversity, positive.
    others
        Further sensitive variables, which count as keys.

    Returns
    -------
    duckdb.DuckDBPyRelation
        Every column, ``distinct_l``, ``entropy_l``, ``recursive_l``.

    Examples
    --------
    >>> import sdc_sql
    >>> [row[-3:] for row in sdc_sql.example().risk.l_diversity_records("w").order("id").fetchall()]
    [(2, 2.0, 2), (2, 2.0, 2), (1, 1.0, 1)]
    """
    check_category(data)
    column, extra = data.found("sensitive variable", sensitive), several(data, others)
    return data.relation(
        "sdc_l_diversity_records", data.table, data.keys, column, c=checked_number("l_diversity", "c", c), others=extra
    )
