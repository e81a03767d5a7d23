"""Principal components of the correlation matrices of two files, and how far they are apart.

SDC handbook, section 3.5.3. The components are those of the standardised variables: z_i = sum_j f_ij PC_j, with f_j the
eigenvector and l_j the eigenvalue of the correlation matrix; the correlation of variable i with component j is
rf_ij = f_ij sqrt(l_j), and its communality with the first component rf_i1^2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.adapters import declare_function
from sdc_sql.udfs.arrow_function import NUMBERS, TABLE

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats


def components(correlations: Floats) -> tuple[Floats, Floats]:
    """Return the eigenvalues, the greatest first, and the eigenvectors as columns.

    What rounding leaves of an eigenvalue that is 0 is 0. The greatest element of an eigenvector is positive.
    """
    values, vectors = np.linalg.eigh(np.asarray(correlations, dtype=np.float64))
    values, vectors = values[::-1], vectors[:, ::-1]
    values = np.where(values > len(values) * np.finfo(np.float64).eps * values[0], values, 0.0)
    signs = np.sign(vectors[np.argmax(np.abs(vectors), axis=0), np.arange(len(values))])
    return values, vectors * signs


def factors(before: Floats, after: Floats) -> list[Floats]:
    """Return the eigenvalues of both matrices, the weights, and F and F', column by column.

    The weight of a component is its share of the variance of the original. A component of the released file has the
    sign that it shares with that of the original.
    """
    values, f = components(before)
    released, g = components(after)
    g = g * np.where(np.sum(f * g, axis=0) < 0, -1.0, 1.0)
    return [values, released, values / values.sum(), f.T.ravel(), g.T.ravel()]


def gamma(before: Floats, after: Floats) -> Floats:
    """Return gamma, (3.9): the distance of the diagonals of the inverse correlation matrices, each of length 1."""
    diagonals = []
    for which, correlations in (("original", before), ("released", after)):
        values, vectors = components(correlations)
        if values[-1] <= 0 or values[-1] < 1e-12 * values[0]:
            raise ValueError(
                f"the correlation matrix of the {which} table is singular (a column follows from the others): "
                "leave out such a column"
            )
        inverse = np.sum(vectors**2 / values, axis=1)
        diagonals.append(inverse / np.linalg.norm(inverse))
    return np.array([np.linalg.norm(diagonals[0] - diagonals[1]) / np.sqrt(2)])


FUNCTIONS = (
    declare_function("factors", factors, TABLE, by_stratum=False, before=TABLE, after=TABLE),
    declare_function("gamma", gamma, NUMBERS, by_stratum=False, before=TABLE, after=TABLE),
)
