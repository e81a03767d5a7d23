# Written from sql/risk/alpha_k_anonymity.sql by python -m sdc_sql.write: change that file.
"""(alpha, k)-anonymity: no cell is small, and in none does a sensitive value dominate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.db.catalogue.arguments import require_number
from sdc_sql.db.showing.results import Result
from sdc_sql.risk.sensitive import check_category, list_categories

if TYPE_CHECKING:
    from collections.abc import Iterable

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
    data: Roles, sensitive: str, alpha: float, k: int, chosen: Iterable[object] | None = None
) -> AlphaKViolations:
    """Return the records and cells that violate (alpha, k)-anonymity.

    Parameters
    ----------
    sensitive
        The sensitive variable; NULL in it is a value of its own.
    alpha
        The greatest share of a sensitive value in a cell, strictly between 0 and 1.
    k
        The least number of records of a cell, at least 2.
    chosen
        The sensitive values that alpha regards; without it all.

    Returns
    -------
    AlphaKViolations

    Raises
    ------
    ParameterError
        Where the table was described with ``nulls="wildcard"``, or ``alpha`` or ``k`` is out of its range.

    Notes
    -----
    Wong, Li, Fu & Wang (2006), (alpha, k)-anonymity: an enhanced k-anonymity model for privacy preserving data
    publishing, KDD, definitions 2 and 3.

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute(
    ...     "CREATE TABLE persons AS FROM (VALUES (30, 'flu'), (30, 'cancer'), (41, 'flu')) AS t(age, illness)"
    ... )
    >>> data = sdc_sql.Microdata(con, "persons", keys=["age"])
    >>> print(data.risk.alpha_k_anonymity("illness", 0.5, 2))
    AlphaKViolations
      alpha                0.5
      k                    2
      records              1
      cells                1
      records above alpha  1
      records below k      1
    """
    check_category(data)
    row = data.row(
        "sdc_alpha_k_anonymity",
        data.table,
        data.keys,
        data.spell_column("sensitive variable", sensitive),
        require_number("alpha_k_anonymity", "alpha", alpha),
        require_number("alpha_k_anonymity", "k", k),
        chosen=list_categories(chosen),
    )
    return AlphaKViolations(**row)
