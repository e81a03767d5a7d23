"""Means, variances and covariances with n - 1 in the denominator, missing values left out.

Sums run in the order of the rows: another order can change their last bits, and nothing else. Give the rows
in the order of the record ids where the result must be the same to the bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.arguments import Floats, require_two_columns

if TYPE_CHECKING:
    from collections.abc import Iterator

# An eigenvalue of a correlation matrix below this is taken for 0: the root of its rounding error would
# otherwise be noise in a direction in which the data have none.
SINGULAR = 1e-10


def means(matrix: Floats) -> Floats:
    """Return the mean of each column over its values, shape (p,); 0 for a column without any."""
    return np.array([column.mean() if column.size else 0.0 for column in _list_present(matrix)])


def deviations(matrix: Floats) -> Floats:
    """Return the standard deviation of each column over its values, shape (p,); 0 for a column without any.

    Raises
    ------
    ValueError
        If a column has a single value.
    """
    found = []
    for j, column in enumerate(_list_present(matrix)):
        require_two_columns(column.size, f"column {j}")
        # a constant column can differ from its computed mean by rounding
        constant = not column.size or column.min() == column.max()
        found.append(0.0 if constant else column.std(ddof=1))
    return np.array(found)


def covariance_root(matrix: Floats) -> Floats:
    r"""Return A, shape (p, p), with :math:`A^T A = \Sigma`, the covariance matrix of the complete records.

    With :math:`\Sigma = D R D` (D the standard deviations, R the correlation matrix), :math:`A = R^{1/2} D` with the
    symmetric square root of R. It exists for a singular R too (constant or linearly dependent columns), and does not
    depend on the units of the columns.

    Raises
    ------
    ValueError
        If there are values, but fewer than two records without a missing value.
    """
    missing = np.isnan(matrix)
    complete = matrix[~missing.any(axis=1)] if missing.any() else matrix
    if require_complete_records(len(complete), none=bool(missing.all())):
        return np.zeros((matrix.shape[1],) * 2)
    sd = deviations(complete)
    scaled = (complete - means(complete)) / np.where(sd > 0, sd, 1.0)
    scaled[:, sd == 0] = 0.0
    return scale_root(scaled.T @ scaled / (len(complete) - 1), sd)


def require_complete_records(found: int, *, none: bool) -> bool:
    """Refuse fewer than two records without a missing value; return whether there is nothing to mask at all."""
    if found >= 2:  # noqa: PLR2004  (n - 1 in the denominator)
        return False
    if none:
        return True
    raise ValueError(
        f"{found} records have no missing value; expected 2 or more for a covariance: "
        "mask the columns one by one or join strata"
    )


def scale_root(correlation: Floats, sd: Floats) -> Floats:
    """Return R^(1/2) D for a correlation matrix R (0 where a column is constant) and standard deviations D."""
    eigenvalues, vectors = np.linalg.eigh((correlation + correlation.T) / 2)
    roots = np.sqrt(np.where(eigenvalues > SINGULAR, eigenvalues, 0.0))
    return np.asarray((vectors * roots) @ vectors.T * sd, dtype=np.float64)


def _list_present(matrix: Floats) -> Iterator[Floats]:
    """Yield the values of each column that are not missing."""
    for column in matrix.T:
        values = np.ascontiguousarray(column)
        missing = np.isnan(values)
        yield values[~missing] if missing.any() else values
