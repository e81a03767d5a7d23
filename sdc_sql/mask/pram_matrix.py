"""PRAM matrices made for a table, and the correction of frequencies for the user of a released file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from sdc_sql.db.showing.results import Result, Results
from sdc_sql.errors import ParameterError
from sdc_sql.mask.array_matrix import PROBABILITY, matrix_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class PramEstimate(Result):
    """The unbiased estimate of an original frequency from a released one, its standard error under PRAM.

    ``variance_inflation``: by what factor PRAM multiplies the variance of the frequency in a simple random sample.
    """

    category: Any
    released: float
    estimate: float
    standard_error: float
    variance_inflation: float


@dataclass(frozen=True)
class PramTwoWayEstimate(Result):
    """The unbiased estimate of an original frequency of a table of two variables."""

    row: Any
    column: Any
    released: float
    estimate: float
    standard_error: float


def pram_matrix(
    data: Roles,
    column: str,
    matrix: str | ArrayLike | None = None,
    *,
    labels: Sequence[Any] | None = None,
    method: Literal["two_stage", "iterative"] = "two_stage",
    retention: float | None = None,
    pd: float | None = None,
    alpha: float | None = None,
) -> list[tuple[Any, Any, float]]:
    """Return a matrix for PRAM of a variable as rows (from, to, probability).

    Parameters
    ----------
    column
        The variable; NULL is no category.
    matrix
        To be made invariant (expected frequencies are then those of the table): a table's name or an array.
    labels
        The categories of an array.
    method
        ``"two_stage"`` or ``"iterative"`` (which keeps probabilities of 0).
    retention
        Instead of a matrix: the diagonal; the other entries of a row are equal.
    pd
        Instead of a matrix: the least diagonal entry, with ``alpha`` (sdcMicro's parameters); invariant.
    alpha
        The share of the two-stage matrix, the rest is the identity.

    Returns
    -------
    list of tuple

    Examples
    --------
    >>> import sdc_sql
    >>> sdc_sql.example().mask.pram_matrix("sex", retention=0.75)
    [('f', 'f', 0.75), ('f', 'm', 0.25), ('m', 'f', 0.25), ('m', 'm', 0.75)]
    """
    name = data.spell_column("column", column)
    if retention is not None:
        rows = data.rows("sdc_pram_retention_matrix", data.table, name, retention)
    elif pd is not None or alpha is not None:
        rows = data.rows("sdc_pram_pd_alpha", data.table, name, pd, alpha)
    elif matrix is None:
        raise ParameterError("Give a matrix to make invariant, or a retention, or pd and alpha.")
    else:
        with matrix_table(data, [name], matrix, labels) as table:
            rows = data.rows("sdc_pram_invariant", data.table, name, table, method=method)
    return sorted(((r["from"], r["to"], r["probability"]) for r in rows), key=lambda r: (str(r[0]), str(r[1])))


def pram_estimate(
    data: Roles, column: str, matrix: str | ArrayLike, *, labels: Sequence[Any] | None = None
) -> Results[PramEstimate]:
    """Return the unbiased estimates of the original frequencies of a variable that was changed by PRAM.

    Parameters
    ----------
    column
        The variable in the released table.
    matrix
        The probabilities it was changed with: a table's name or an array.
    labels
        The categories of an array.

    Returns
    -------
    list of PramEstimate
        In the order of the categories.

    Notes
    -----
    SDC handbook, section 3.4.6.1: (P^-1)^t T.

    Examples
    --------
    >>> import sdc_sql
    >>> found = sdc_sql.example().mask.pram_estimate("sex", [[0.9, 0.1], [0.1, 0.9]], labels=["f", "m"])
    >>> [round(e.estimate, 3) for e in found]
    [2.125, 0.875]
    """
    name = data.spell_column("column", column)
    with matrix_table(data, [name], matrix, labels) as table:
        return Results(PramEstimate(**row) for row in data.rows("sdc_pram_estimate", data.table, name, table))


def pram_covariance(
    data: Roles, column: str, matrix: str | ArrayLike, *, labels: Sequence[Any] | None = None
) -> list[tuple[Any, Any, float]]:
    """Return the covariances of the estimates of :func:`pram_estimate`, as rows (category, other, covariance).

    Parameters
    ----------
    column
        The variable in the released table.
    matrix
        The probabilities it was changed with.
    labels
        The categories of an array.

    Examples
    --------
    >>> import sdc_sql
    >>> found = sdc_sql.example().mask.pram_covariance("sex", [[0.9, 0.1], [0.1, 0.9]], labels=["f", "m"])
    >>> [(a, b, round(c, 4)) for a, b, c in found]
    [('f', 'f', 0.4219), ('f', 'm', -0.4219), ('m', 'f', -0.4219), ('m', 'm', 0.4219)]
    """
    name = data.spell_column("column", column)
    with matrix_table(data, [name], matrix, labels) as table:
        rows = data.rows("sdc_pram_covariance", data.table, name, table)
    return [(r["category"], r["other"], r["covariance"]) for r in rows]


def pram_estimate_two_way(
    data: Roles, row: str, column: str, row_matrix: str, column_matrix: str
) -> Results[PramTwoWayEstimate]:
    """Return the estimates of the original table of two variables that were changed independently of each other.

    Parameters
    ----------
    row
        The variable of the rows.
    column
        The variable of the columns.
    row_matrix
        The table with the probabilities of the first.
    column_matrix
        The table with the probabilities of the second.

    Returns
    -------
    list of PramTwoWayEstimate

    Notes
    -----
    SDC handbook, section 3.4.6.1: (Px^-1)^t T Py^-1.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> _ = sdc_sql.load(data.con).execute("CREATE TABLE p AS FROM sdc_pram_retention_matrix('persons', 'sex', 0.9)")
    >>> _ = data.con.execute("CREATE TABLE q AS FROM sdc_pram_retention_matrix('persons', 'age', 1)")
    >>> [round(e.estimate, 3) for e in data.mask.pram_estimate_two_way("sex", "age", "p", "q")]
    [2.25, -0.125, -0.25, 1.125]
    """
    names = data.spell_column("row variable", row), data.spell_column("column variable", column)
    matrices = [data.read_table(matrix, PROBABILITY) for matrix in (row_matrix, column_matrix)]
    rows = data.rows("sdc_pram_estimate_two_way", data.table, *names, *matrices)
    return Results(PramTwoWayEstimate(**r) for r in rows)
