"""Noise as DuckDB is given it: a stratum at a time, by the name of its method."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.adapters import DRAWS, NUMBER, TEXT, chosen, declared, given, keeping
from sdc_sql.udfs.arrow_function import NUMBERS, TABLE
from sdc_sql.udfs.noise.bounds import fitted
from sdc_sql.udfs.noise.multiplicative import hoehne, hoehne_sum
from sdc_sql.udfs.noise.nonlinear import nonlinear
from sdc_sql.udfs.noise.root import noise_root

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats


def noise(
    _stratum: str | None, method: str, x: Floats, normals: Floats, uniforms: Floats, alpha: float,
    lower: Floats, upper: Floats, rounded: list[bool | None], discrete: list[bool | None],
) -> Floats:  # fmt: skip
    """Add noise by one of the methods of section 3.4.4 that take all records of a stratum together."""
    size = given(alpha, "alpha")
    bounds = {
        "lower": np.where(np.isnan(lower), -np.inf, lower),
        "upper": np.where(np.isnan(upper), np.inf, upper),
        "rounded": np.array([bool(r) for r in rounded]),
    }
    whole_steps = [bool(d) for d in discrete]
    # the other methods of sdc_noise are SQL, given the root of their covariances: they never come here
    methods = {
        "nonlinear": lambda: fitted(nonlinear(x, normals, size, uniforms, discrete=whole_steps), x, **bounds),
    }
    return keeping(chosen(method, methods)(), x).T


def root(_stratum: str | None, covariances: Floats | None, sizes: Floats) -> Floats:
    """Return the coefficients of correlated noise."""
    if covariances is None or np.isnan(covariances).any():
        raise ValueError(
            "fewer than two records have no missing value: correlated noise needs two; mask the columns one by one, "
            "or join strata"
        )
    return np.array(noise_root(covariances.tolist(), sizes.tolist()))


def multiply(_stratum: str | None, method: str, x: Floats, normals: Floats, uniforms: Floats, size: float,
             spread: float) -> Floats:  # fmt: skip
    """Multiply by one of the methods of section 3.4.2.2."""
    methods = {
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
        lower=NUMBERS,
        upper=NUMBERS,
        rounded="BOOLEAN[]",
        discrete="BOOLEAN[]",
    ),
    declared("noise_root", root, TABLE, covariances=TABLE, sizes=NUMBERS),
    declared("multiplicative", multiply, TABLE, method=TEXT, **DRAWS, size=NUMBER, spread=NUMBER),
)
