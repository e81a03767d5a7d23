"""Noise as DuckDB is given it: a stratum at a time, by the name of its method."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.adapters import DRAWS, NUMBER, TEXT, chosen, declared, given, keeping
from sdc_sql.udfs.arrow_function import NUMBERS, TABLE
from sdc_sql.udfs.noise.additive import correlated, linear_transformed, uncorrelated
from sdc_sql.udfs.noise.bounds import fitted
from sdc_sql.udfs.noise.multiplicative import hoehne, hoehne_sum, multiplicative
from sdc_sql.udfs.noise.nonlinear import nonlinear
from sdc_sql.udfs.noise.outliers import outliers_only
from sdc_sql.udfs.noise.pooled_moments import Moments

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats


def noise(
    _stratum: str | None, method: str, x: Floats, normals: Floats, uniforms: Floats, alpha: float, threshold: float,
    lower: Floats, upper: Floats, rounded: list[bool | None], discrete: list[bool | None],
    moments: Floats | None = None,
) -> Floats:  # fmt: skip
    """Add noise by one of the methods of section 3.4.4; the moments are given where the records are part of a table."""
    size = given(alpha, "alpha")
    bounds = {
        "lower": np.where(np.isnan(lower), -np.inf, lower),
        "upper": np.where(np.isnan(upper), np.inf, upper),
        "rounded": np.array([bool(r) for r in rounded]),
    }
    pooled = None if moments is None else Moments.of_list(moments, x.shape[1])
    plain = {"uncorrelated": uncorrelated, "correlated": correlated, "linear": linear_transformed}
    if method == "outliers":
        masked = outliers_only(x, normals, size, given(threshold, "threshold"), **bounds)
    elif method == "nonlinear":
        masked = nonlinear(x, normals, size, uniforms, discrete=[bool(d) for d in discrete])
        masked = fitted(masked, x, **bounds)
    else:
        masked = chosen(method, {**plain, "nonlinear": None, "outliers": None})(
            x, normals, size, moments=pooled, **bounds
        )
    return keeping(masked, x).T


def moments(_stratum: str | None, x: Floats, normals: Floats | None) -> Floats:
    """Return the moments of a part of a table as one list."""
    return Moments.of(x, normals).to_list()


def multiply(_stratum: str | None, method: str, x: Floats, normals: Floats, uniforms: Floats, size: float,
             spread: float) -> Floats:  # fmt: skip
    """Multiply by one of the methods of section 3.4.2.2."""
    methods = {
        "plain": lambda: multiplicative(x, normals, given(size, "size")),
        "hoehne": lambda: hoehne(x, uniforms[:, 0], normals, given(size, "size"), given(spread, "spread")),
        "hoehne_sum": lambda: hoehne_sum(x, normals, given(size, "size"), given(spread, "spread")),
    }
    return keeping(chosen(method, methods)(), x).T


FUNCTIONS = (
    declared(
        "noise",
        noise,
        TABLE,
        method=TEXT,
        **DRAWS,
        alpha=NUMBER,
        threshold=NUMBER,
        lower=NUMBERS,
        upper=NUMBERS,
        rounded="BOOLEAN[]",
        discrete="BOOLEAN[]",
        moments=NUMBERS,
    ),
    declared("moments", moments, NUMBERS, x=TABLE, normals=TABLE),
    declared("multiplicative", multiply, TABLE, method=TEXT, **DRAWS, size=NUMBER, spread=NUMBER),
)
