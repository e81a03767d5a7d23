r"""Quasi-identifiers drawn anew, given confidential variables: information preserving statistical obfuscation (IPSO).

Of the least squares :math:`y = x \hat B + \hat r`, x with a constant, the released values are :math:`x \hat B` (A),
:math:`x \hat B + \tilde r` with the residuals of new normal draws (B), and :math:`x \hat B + \tilde r (L_O^{-1})' L'`
(C), where :math:`L L' = \hat r' \hat r` and :math:`L_O L_O' = \tilde r' \tilde r` (SDC handbook, section 3.4.7.5).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from sdc_sql.udfs.adapters import TEXT, declare_function
from sdc_sql.udfs.arguments import Floats, require_normals
from sdc_sql.udfs.arrow_function import DIGESTS, NUMBERS, TABLE
from sdc_sql.udfs.digests import Bytes, draw_normals
from sdc_sql.udfs.regression import (
    Regression,
    factor_residuals,
    multiply_columns,
    read_column_lists,
    regression,
    remove_basis,
)


def ipso(method: str, y: npt.ArrayLike, x: npt.ArrayLike, normals: npt.ArrayLike, names: list[str]) -> Floats:
    """Return the columns drawn anew, (n, p), by method A, B or C.

    Examples
    --------
    Without confidential variables method C keeps means and covariances.

    >>> y = np.array([[1.0], [2.0], [4.0], [3.0], [5.0]])
    >>> new = ipso("C", y, np.empty((5, 0)), np.array([0.3, -1.2, 0.4, 2.0, -0.1]), ["age"])
    >>> float(new.mean().round(12)), float(new.var().round(12))
    (3.0, 2.0)
    """
    found = regression(y, x, names)
    if method == "A":
        return found.fitted
    drawn = require_normals(normals, found.fitted)
    if method == "B":  # draws of the residuals' size: what they are is free
        return found.fitted + remove_basis(multiply_columns(drawn, found.root.T / np.sqrt(len(drawn))), found.basis)
    return found.fitted + draw_residuals(found, drawn, found.root, names)


def draw_residuals(found: Regression, normals: Floats, root: Floats, names: list[str]) -> Floats:
    """Return the residuals of draws, (n, p), with the products L L' of a root, (p, p): orthogonal to what is given."""
    new = remove_basis(normals, found.basis)
    turned = np.linalg.solve(factor_residuals(new, names), np.eye(new.shape[1])).T @ root.T
    return remove_basis(multiply_columns(new, turned), found.basis)


def _ipso(_stratum: str | None, method: str, y: Floats, x: Floats | None, digests: Bytes, names: str) -> list[Floats]:
    return [*ipso(method, *read_column_lists(y, x), draw_normals(digests, len(y)), names.split("\n")).T]


def _compute_explained(_stratum: str | None, y: Floats, x: Floats | None, names: str) -> Floats:
    return regression(*read_column_lists(y, x), names.split("\n")).explained


FUNCTIONS = (
    declare_function("ipso", _ipso, TABLE, method=TEXT, y=TABLE, x=TABLE, digests=DIGESTS, names=TEXT),
    declare_function("ipso_explained", _compute_explained, NUMBERS, y=TABLE, x=TABLE, names=TEXT),
)
