# Written from sql/loss/propensity.sql by python -m sdc_sql.write: change that file.
"""How well a model tells released records from original ones: the propensity score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import list_or_none, original_table, resolve_columns_or_keys
from sdc_sql.db.checks import require_flag
from sdc_sql.db.showing.results import Result

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class Propensity(Result):
    """pMSE, its expectation and their ratio; ``share``: of the most that pMSE can be."""

    records: int
    parameters: int
    pmse: float
    expected: float
    ratio: float | None
    share: float


def propensity(
    data: Roles,
    original: Described | str,
    columns: str | Iterable[str],
    *,
    continuous: str | Iterable[str] | None = None,
    pairs: bool = True,
) -> Propensity:
    """Return how well a model tells released records from original ones.

    Parameters
    ----------
    original
        The table before masking: a Microdata, or its name on this connection.
    columns
        The variables; those that are not continuous are categories.
    continuous
        Those of them that are numbers.
    pairs
        Whether the model has the products of every two variables.

    Returns
    -------
    Propensity

    Notes
    -----
    Woo, Reiter, Oganian & Karr (2009), Global measures of data utility for microdata masked for disclosure limitation,
    Journal of Privacy and Confidentiality 1(1); Snoke, Raab, Nowok, Dibben & Slavkovic (2018), General and specific
    utility measures for synthetic data, JRSS A 181(3), theorem 1.

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE original AS FROM (VALUES ('f'), ('f'), ('m'), ('m')) AS t(sex)")
    >>> _ = con.execute("CREATE TABLE released AS FROM (VALUES ('f'), ('m'), ('m'), ('m')) AS t(sex)")
    >>> released = sdc_sql.Microdata(con, "released")
    >>> print(released.loss.propensity("original", ["sex"]))
    Propensity
      records     8
      parameters  2
      pmse        0.0166667
      expected    0.015625
      ratio       1.06667
      share       0.0666667
    """
    row = data.row(
        "sdc_propensity",
        original_table(data, original),
        data.table,
        resolve_columns_or_keys(data, columns),
        continuous=list_or_none(continuous),
        pairs=require_flag(pairs, "pairs"),
    )
    return Propensity(**row)
