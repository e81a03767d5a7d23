# Written from sql/loss/value_shares.sql by python -m sdc_sql.write: change that file.
"""What share of the records has each value, before and after: what a picture of a variable is drawn from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import list_or_none, name_weight, original_table, resolve_columns_or_keys
from sdc_sql.db.catalogue.arguments import require_number
from sdc_sql.db.showing.results import Result
from sdc_sql.pictures.drawn import DrawnResults
from sdc_sql.pictures.shares import draw_shares

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class ValueShare(Result):
    """The shares of a value before and after, 0 to 1; of a number those of the interval from ``low`` up to ``high``."""

    variable: str
    value: str | None
    low: float | None
    high: float | None
    before: float
    after: float


def value_shares(
    data: Roles,
    original: Described | str,
    columns: str | Iterable[str],
    *,
    continuous: str | Iterable[str] | None = None,
    weight: str | None = None,
    classes: int = 40,
) -> DrawnResults[ValueShare]:
    """Return the share of the records with each value of a variable, before and after masking.

    Parameters
    ----------
    original
        The table before masking, or from which a synthetic one was made: a Microdata, or its name on this connection.
    columns
        The variables; those that are not continuous are categories.
    continuous
        Those of them that are numbers.
    weight
        Of both tables, whose sums are the shares; None: the records are counted.
    classes
        Of a number, about so many, at least 2.

    Returns
    -------
    Results of ValueShare
        One for each variable and value.

    Raises
    ------
    ParameterError
        Where ``classes`` is out of its range.

    Notes
    -----
    It shows values of the original, a rare one among them: it is for the house that holds the original. NULL is a
    category; a missing number is a class of its own.

    Freedman, Pisani & Purves (2007), Statistics, 4th edition, chapter 3.

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE original AS FROM (VALUES (1, 'f'), (1, 'f'), (3, 'm'), (3, 'm')) AS t(x, sex)")
    >>> _ = con.execute("CREATE TABLE released AS FROM (VALUES (1, 'f'), (1, 'm'), (1, 'm'), (3, 'm')) AS t(x, sex)")
    >>> released = sdc_sql.Microdata(con, "released")
    >>> print(released.loss.value_shares("original", ["x", "sex"], continuous=["x"]))
    ValueShare
      variable  value   low  high  before  after
      x         1         1     2     0.5   0.75
      x         3         3     4     0.5   0.25
      sex       f      NULL  NULL     0.5   0.25
      sex       m      NULL  NULL     0.5   0.75
    """
    rows = data.rows(
        "sdc_value_shares",
        original_table(data, original),
        data.table,
        resolve_columns_or_keys(data, columns),
        continuous=list_or_none(continuous),
        weight=name_weight(weight),
        classes=require_number("value_shares", "classes", classes),
    )
    return DrawnResults((ValueShare(**row) for row in rows), draw_shares)
