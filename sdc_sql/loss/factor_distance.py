# Written from sql/loss/factor_distance.sql by python -m sdc_sql.write: change that file.
"""How far the principal components of the released numbers, and their correlations, are from the original ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import original_table, resolve_columns_or_keys
from sdc_sql.db.catalogue.arguments import require_number
from sdc_sql.db.showing.results import Result, Results

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class FactorDistance(Result):
    """The discrepancies of a matrix of the principal components; ``mean_variation`` is None where it has no bound."""

    matrix: str
    cells: int
    mean_square_error: float
    mean_absolute_error: float
    mean_variation: float | None


@dataclass(frozen=True)
class EigenvalueDistance(Result):
    """An eigenvalue of the correlation matrix before and after; component None: the mean variation of all."""

    component: int | None
    before: float | None
    after: float | None
    variation: float | None


@dataclass(frozen=True)
class GammaLoss(Result):
    """The share of the information on connections between the variables that is lost, 0 to 1."""

    gamma: float


def factor_distance(
    data: Roles, original: Described | str, columns: str | Iterable[str], max_variation: float | None = None
) -> Results[FactorDistance]:
    """Return how far the principal components' correlations, communalities and loadings are from the original ones.

    Parameters
    ----------
    original
        The table before masking: a Microdata, or its name on this connection.
    columns
        The numeric variables.
    max_variation
        The most that the variation of a cell counts; without it there is no bound, above 0.

    Returns
    -------
    Results of FactorDistance
        One for each matrix.

    Raises
    ------
    ParameterError
        Where ``max_variation`` is out of its range.

    Notes
    -----
    SDC handbook, section 3.5.3, Table 3.7 and (3.9); Domingo-Ferrer, Mateo-Sanz & Torra (2001); Mlodak, Pietrzak &
    Jozefowski (2022). sdcMicro's "eigen" is the sum of what is the mean here, its IL_correl is gamma.

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute(
    ...     "CREATE TABLE original AS FROM (VALUES (0, 0), (0, 0), (0, 0), (0, 1), (1, 0), (1, 1), (1, 1), (1, 1)) "
    ...     "AS t(x, y)"
    ... )
    >>> _ = con.execute(
    ...     "CREATE TABLE released AS FROM (VALUES (0, 0), (0, 0), (0, 1), (0, 1), (1, 0), (1, 0), (1, 1), (1, 1)) "
    ...     "AS t(x, y)"
    ... )
    >>> released = sdc_sql.Microdata(con, "released")
    >>> print(released.loss.factor_distance("original", ["x", "y"]))
    FactorDistance
      matrix  cells  mean square error  mean absolute error  mean variation
      RF          4            0.17524                 0.25        0.341506
      C           2             0.3125                  0.5        0.666667
      F           4           0.146447                 0.25        0.353553
    """
    rows = data.rows(
        "sdc_factor_distance",
        original_table(data, original),
        data.table,
        resolve_columns_or_keys(data, columns),
        max_variation=require_number("factor_distance", "max_variation", max_variation),
    )
    return Results(FactorDistance(**row) for row in rows)


def eigenvalue_distance(
    data: Roles, original: Described | str, columns: str | Iterable[str]
) -> Results[EigenvalueDistance]:
    """Return the eigenvalues of the correlation matrix, before and after.

    Parameters
    ----------
    original
        The table before masking: a Microdata, or its name on this connection.
    columns
        The numeric variables.

    Returns
    -------
    Results of EigenvalueDistance
        One for each component, the mean of all first, then the greatest eigenvalue.

    Notes
    -----
    SDC handbook, section 3.5.3, Table 3.7 and (3.9); Domingo-Ferrer, Mateo-Sanz & Torra (2001); Mlodak, Pietrzak &
    Jozefowski (2022). sdcMicro's "eigen" is the sum of what is the mean here, its IL_correl is gamma.

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute(
    ...     "CREATE TABLE original AS FROM (VALUES (0, 0), (0, 0), (0, 0), (0, 1), (1, 0), (1, 1), (1, 1), (1, 1)) "
    ...     "AS t(x, y)"
    ... )
    >>> _ = con.execute(
    ...     "CREATE TABLE released AS FROM (VALUES (0, 0), (0, 0), (0, 1), (0, 1), (1, 0), (1, 0), (1, 1), (1, 1)) "
    ...     "AS t(x, y)"
    ... )
    >>> released = sdc_sql.Microdata(con, "released")
    >>> print(released.loss.eigenvalue_distance("original", ["x", "y"]))
    EigenvalueDistance
      component  before  after  variation
           NULL    NULL   NULL   0.666667
              1     1.5      1   0.333333
              2     0.5      1          1
    """
    rows = data.rows(
        "sdc_eigenvalue_distance", original_table(data, original), data.table, resolve_columns_or_keys(data, columns)
    )
    return Results(EigenvalueDistance(**row) for row in rows)


def gamma_loss(data: Roles, original: Described | str, columns: str | Iterable[str]) -> GammaLoss:
    """Return gamma, the share of the information on connections between the variables that is lost.

    Parameters
    ----------
    original
        The table before masking: a Microdata, or its name on this connection.
    columns
        The numeric variables.

    Returns
    -------
    GammaLoss

    Raises
    ------
    ParameterError
        Where there are fewer than three columns, or a correlation matrix is singular.

    Notes
    -----
    Of two columns gamma is 0 whatever happens to them.

    SDC handbook, section 3.5.3, Table 3.7 and (3.9); Domingo-Ferrer, Mateo-Sanz & Torra (2001); Mlodak, Pietrzak &
    Jozefowski (2022). sdcMicro's "eigen" is the sum of what is the mean here, its IL_correl is gamma.

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE before AS FROM (VALUES (0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)) AS t(x, y, z)")
    >>> _ = con.execute("CREATE TABLE after AS FROM (VALUES (0, 0, 0), (0, 1, 1), (1, 0, 2), (1, 1, 1)) AS t(x, y, z)")
    >>> released = sdc_sql.Microdata(con, "after")
    >>> print(released.loss.gamma_loss("before", ["x", "y", "z"]))
    GammaLoss
      gamma  0.194292
    """
    row = data.row("sdc_gamma_loss", original_table(data, original), data.table, resolve_columns_or_keys(data, columns))
    return GammaLoss(**row)
