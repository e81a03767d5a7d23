# Written from sql/loss/lambda_loss.sql by python -m sdc_sql.write: change that file.
"""The share of the information that is lost, over variables of all scales."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import list_or_none, name_weight, original_table, resolve_columns_or_keys
from sdc_sql.db.showing.results import Result, Results

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class LambdaLoss(Result):
    """Lambda of a variable, 0 to 1, and the records whose value changed; variable None: all of them."""

    variable: str | None
    scale: str | None
    records: int
    changed: int
    loss: float


def lambda_loss(
    data: Roles,
    original: Described | str,
    columns: str | Iterable[str],
    *,
    ordinal: str | Iterable[str] | None = None,
    continuous: str | Iterable[str] | None = None,
    weight: str | None = None,
) -> Results[LambdaLoss]:
    """Return lambda, the share of the information that is lost, and lambda_j of each variable.

    Parameters
    ----------
    original
        The table before masking or recoding: a Microdata, or its name on this connection.
    columns
        The variables.
    ordinal
        Those of them whose categories have an order.
    continuous
        Those of them that are numbers; the others are nominal.
    weight
        A column of the original, what each record counts for (whole weights: as many records each); without it the
        records are counted.

    Returns
    -------
    Results of LambdaLoss
        One for each variable, all of them together first.

    Raises
    ------
    ParameterError
        Where the table was described without an id.

    Notes
    -----
    The loss of a number depends on the unit it is in.

    SDC handbook, section 3.5.4, (3.10) to (3.16); Mlodak (2020); Mlodak, Pietrzak & Jozefowski (2022).

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute(
    ...     "CREATE TABLE original AS FROM (VALUES (1, 'f', 1, 0), (2, 'm', 2, 5), (3, 'm', 3, 9)) "
    ...     "AS t(id, sex, size, x)"
    ... )
    >>> _ = con.execute(
    ...     "CREATE TABLE released AS FROM (VALUES (1, 'f', 1, 1), (2, 'f', 3, 5), (3, 'm', 3, 9)) "
    ...     "AS t(id, sex, size, x)"
    ... )
    >>> released = sdc_sql.Microdata(con, "released", id="id")
    >>> print(released.loss.lambda_loss("original", ["sex", "size", "x"], ordinal=["size"], continuous=["x"]))
    LambdaLoss
      variable  scale       records  changed      loss
      NULL      NULL              3        3  0.222222
      sex       nominal           3        1  0.333333
      size      ordinal           3        1  0.166667
      x         continuous        3        1  0.166667
    """
    rows = data.rows(
        "sdc_lambda_loss",
        original_table(data, original),
        data.table,
        resolve_columns_or_keys(data, columns),
        data.require_role("id"),
        ordinal=list_or_none(ordinal),
        continuous=list_or_none(continuous),
        weight=name_weight(weight),
    )
    return Results(LambdaLoss(**row) for row in rows)
