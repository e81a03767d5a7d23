"""How far the released numbers, their means, covariances and correlations are from the original ones."""

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
class MatrixDistance(Result):
    """The discrepancies of a matrix in three forms; ``mean_variation`` is None where it has no bound."""

    matrix: str
    cells: int
    mean_square_error: float | None
    mean_absolute_error: float | None
    mean_variation: float | None


def matrix_distance(
    data: Roles, original: Described | str, columns: Iterable[str], *, most: float | None = None
) -> Results[MatrixDistance]:
    """Return how far the values, means, covariances and correlations are from the original ones.

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
    list of MatrixDistance
        Of the values (X), their means (X mean), the covariances (V), the variances (S) and the correlations (R).

    Notes
    -----
    SDC handbook, section 3.5.3, Table 3.7. The table needs an id.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> [(m.matrix, m.mean_square_error) for m in data.loss.matrix_distance("persons", ["age", "w"])][:2]
    [('X', 0.0), ('X mean', 0.0)]
    """
    found = data.rows(
        "sdc_matrix_distance", original_table(data, original), data.table, columns_of(data, columns),
        data.required("id"), most=None if most is None else checked_number("matrix_distance", "most", most),
    )  # fmt: skip
    return Results(MatrixDistance(**row) for row in found)
