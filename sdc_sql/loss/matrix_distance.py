# Written from sql/loss/matrix_distance.sql by python -m sdc_sql.write: change that file.
"""How far the released numbers, their means, covariances and correlations are from the original ones."""

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
class MatrixDistance(Result):
    """The discrepancies of a matrix in three forms; ``mean_variation`` is None where it has no bound."""

    matrix: str
    cells: int
    mean_square_error: float | None
    mean_absolute_error: float | None
    mean_variation: float | None


def matrix_distance(
    data: Roles, original: Described | str, columns: str | Iterable[str], max_variation: float | None = None
) -> Results[MatrixDistance]:
    """Return how far the values, means, covariances and correlations are from the original ones.

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
    Results of MatrixDistance
        One for each matrix, the values X, their means, the covariances V, the variances S and the correlations R.

    Raises
    ------
    ParameterError
        Where the table was described without an id, or ``max_variation`` is out of its range.

    Notes
    -----
    SDC handbook, section 3.5.3, Table 3.7; Domingo-Ferrer, Mateo-Sanz & Torra (2001).

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE original AS FROM (VALUES (1, 1), (2, 2), (3, 3)) AS t(id, x)")
    >>> _ = con.execute("CREATE TABLE released AS FROM (VALUES (1, 1), (2, 3), (3, 3)) AS t(id, x)")
    >>> released = sdc_sql.Microdata(con, "released", id="id")
    >>> print(released.loss.matrix_distance("original", ["x"]))
    MatrixDistance
      matrix  cells  mean square error  mean absolute error  mean variation
      X           3           0.333333             0.333333        0.166667
      X mean      1           0.111111             0.333333        0.166667
      V           1           0.111111             0.333333        0.333333
      S           1           0.111111             0.333333        0.333333
      R           0               NULL                 NULL            NULL
    """
    rows = data.rows(
        "sdc_matrix_distance",
        original_table(data, original),
        data.table,
        resolve_columns_or_keys(data, columns),
        data.require_role("id"),
        max_variation=require_number("matrix_distance", "max_variation", max_variation),
    )
    return Results(MatrixDistance(**row) for row in rows)
