"""How far the principal components of the released numbers, and their correlations, are from the original ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import columns_of, original_table
from sdc_sql.db.catalogue.arguments import checked_number
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
    data: Roles, original: Described | str, columns: Iterable[str], *, most: float | None = None
) -> Results[FactorDistance]:
    """Return how far the components' correlations (RF), communalities (C) and loadings (F) are from the original ones.

    Parameters
    ----------
    original
        The table before masking: a Microdata, or its name on this connection.
    columns
        The numeric variables.
    most
        The most that the variation of a cell counts, above 0; without it there is no bound.

    Returns
    -------
    list of FactorDistance

    Notes
    -----
    SDC handbook, section 3.5.3, Table 3.7.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> [(m.matrix, m.mean_square_error) for m in data.loss.factor_distance("persons", ["age", "w"])]
    [('RF', 0.0), ('C', 0.0), ('F', 0.0)]
    """
    found = data.rows(
        "sdc_factor_distance", original_table(data, original), data.table, columns_of(data, columns),
        most=None if most is None else checked_number("factor_distance", "most", most),
    )  # fmt: skip
    return Results(FactorDistance(**row) for row in found)


def eigenvalue_distance(data: Roles, original: Described | str, columns: Iterable[str]) -> Results[EigenvalueDistance]:
    """Return the eigenvalues of the correlation matrix, before and after.

    Parameters
    ----------
    original
        The table before masking: a Microdata, or its name on this connection.
    columns
        The numeric variables.

    Returns
    -------
    list of EigenvalueDistance
        The mean of all first, then the greatest eigenvalue and so on.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> data.loss.eigenvalue_distance("persons", ["age", "w"])[0].variation
    0.0
    """
    found = data.rows("sdc_eigenvalue_distance", original_table(data, original), data.table, columns_of(data, columns))
    return Results(EigenvalueDistance(**row) for row in found)


def gamma_loss(data: Roles, original: Described | str, columns: Iterable[str]) -> GammaLoss:
    """Return gamma, the share of the information on connections between the variables that is lost.

    Parameters
    ----------
    original
        The table before masking: a Microdata, or its name on this connection.
    columns
        The numeric variables, three or more: of two gamma is 0 whatever happens to them.

    Returns
    -------
    GammaLoss

    Raises
    ------
    ParameterError
        Where there are fewer than three columns, or a correlation matrix is singular.

    Notes
    -----
    SDC handbook, (3.9).

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> values = "range AS x, range % 3 AS y, range % 5 AS z"
    >>> _ = data.con.execute(f"CREATE TABLE numbers AS SELECT {values} FROM range(9)")
    >>> sdc_sql.Microdata(data.con, "numbers").loss.gamma_loss("numbers", ["x", "y", "z"]).gamma
    0.0
    """
    return GammaLoss(
        **data.row("sdc_gamma_loss", original_table(data, original), data.table, columns_of(data, columns))
    )
