r"""PRAM's correction for a table of two variables, each with its own matrix, without their Kronecker product.

X and Y are changed independently of each other, given the original (xi, eta): a record of cell (k, l) is released
in (c, d) with :math:`p^X_{kc} p^Y_{ld}`. With :math:`W_X, W_Y` the inverses and T the original table,

- :math:`E(T_{XY}) = P_X^t T P_Y = M` and :math:`\hat T = W_X^t T_{XY} W_Y`;
- :math:`Cov(\hat T_{ab}, \hat T_{ef}) = \sum_{cd} W^X_{ca} W^X_{ce} M_{cd} W^Y_{db} W^Y_{df}
  - T_{ab} [(a, b) = (e, f)]`,

the latter from :math:`W^t diag(P^t T) W - diag(T)` with the Kronecker products for P and W. A variable that
is released as it is has the identity for its matrix.

Source: Hundepool et al., Handbook on Statistical Disclosure Control, 3.4.6.1, Correcting analyses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.pram.checks import inverse, require_counts, require_pram_matrix

if TYPE_CHECKING:
    import numpy.typing as npt
    from sdc_sql.udfs.arguments import Floats


def estimate_two_way(px: npt.ArrayLike, py: npt.ArrayLike, released: npt.ArrayLike) -> tuple[Floats, Floats]:
    r"""Return the unbiased estimate of the original table of two variables, and the variance of every cell.

    With (a, b) = (e, f) in the covariance above, :math:`Var_{ab} = [(P_X (W_X \circ W_X))^t T (P_Y (W_Y \circ W_Y))
    ]_{ab} - T_{ab}`, :math:`\circ` elementwise.

    Parameters
    ----------
    px, py
        (K, K) and (L, L), p[k, l] = P(X = l | xi = k).
    released
        The table of the released variables, (K, L), at least 0.

    Returns
    -------
    tuple of numpy.ndarray
        The estimate, (K, L), whose entries may be negative; and the variances, (K, L), with the estimate for T, its
        negative entries taken as 0 there. Without any the variances are unbiased.

    Raises
    ------
    ValueError
        If px or py is no PRAM matrix or is singular (condition number above 1e12), or the table does not fit.

    Examples
    --------
    >>> p = [[0.9, 0.1], [0.1, 0.9]]
    >>> table, variances = estimate_two_way(p, p, [[60, 48], [30, 62]])
    >>> table.round(4)
    array([[65.9375, 44.0625],
           [21.5625, 68.4375]])
    >>> variances.round(4)
    array([[31.7285, 35.2441],
           [28.916 , 32.4316]])
    """
    rows, columns = require_pram_matrix(px, "px"), require_pram_matrix(py, "py")
    observed = require_counts(released, (rows.shape[0], columns.shape[0]), "released")
    wx, wy = inverse(rows, "px"), inverse(columns, "py")
    table = wx.T @ observed @ wy
    t = np.maximum(table, 0)
    variances = (rows @ (wx * wx)).T @ t @ (columns @ (wy * wy)) - t
    return table, np.maximum(variances, 0)  # below 0 by rounding alone
