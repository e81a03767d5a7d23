"""Noise as DuckDB is given it: a stratum at a time, by the name of its method."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.adapters import DRAWS, NUMBER, TEXT, choose_function, declare_function, keep_missing, require_given
from sdc_sql.udfs.arrow_function import NUMBERS, TABLE, WHOLES
from sdc_sql.udfs.noise.bounds import fit_to_bounds
from sdc_sql.udfs.noise.given import give_noise
from sdc_sql.udfs.noise.multiplicative import hoehne, hoehne_sum
from sdc_sql.udfs.noise.nonlinear import add_nonlinear_noise
from sdc_sql.udfs.noise.root import noise_root

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers


def noise(
    _stratum: str | None, method: str, x: Floats, normals: Floats, uniforms: Floats, alpha: float,
    lower: Floats, upper: Floats, rounded: list[bool | None], discrete: list[bool | None],
) -> Floats:  # fmt: skip
    """Add noise by one of the methods of section 3.4.4 that take all records of a stratum together."""
    size = require_given(alpha, "alpha")
    bounds = {
        "lower": np.where(np.isnan(lower), -np.inf, lower),
        "upper": np.where(np.isnan(upper), np.inf, upper),
        "rounded": np.array([bool(r) for r in rounded]),
    }
    whole_steps = [bool(d) for d in discrete]
    # the other methods of sdc_noise are SQL, given the root of their covariances: they never come here
    methods = {
        "nonlinear": lambda: fit_to_bounds(
            add_nonlinear_noise(x, normals, size, uniforms, discrete=whole_steps), x, **bounds
        ),
    }
    return keep_missing(choose_function(method, methods)(), x).T


def make_noise_coefficients(_stratum: str | None, covariances: Floats | None, sizes: Floats) -> Floats:
    """Return the coefficients of correlated noise."""
    if covariances is None or np.isnan(covariances).any():
        raise ValueError(
            "fewer than two records have no missing value: correlated noise needs two; mask the columns one by one, "
            "or join strata"
        )
    return np.array(noise_root(covariances.tolist(), sizes.tolist()))


def make_conditional_coefficients(_stratum: str | None, root: Floats, places: Integers) -> Floats:
    """Return the coefficients of the noise of new columns, given that of others."""
    return np.array(give_noise(root.tolist(), places.tolist()))


def multiply(_stratum: str | None, method: str, x: Floats, normals: Floats, uniforms: Floats, size: float,
             spread: float) -> Floats:  # fmt: skip
    """Multiply by one of the methods of section 3.4.2.2."""
    methods = {
        "hoehne": lambda: hoehne(
            x, uniforms[:, 0], normals, require_given(size, "size"), require_given(spread, "spread")
        ),
        "hoehne_sum": lambda: hoehne_sum(x, normals, require_given(size, "size"), require_given(spread, "spread")),
    }
    return keep_missing(choose_function(method, methods)(), x).T


FUNCTIONS = (
    declare_function(
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
    declare_function("noise_root", make_noise_coefficients, TABLE, covariances=TABLE, sizes=NUMBERS),
    declare_function("noise_given", make_conditional_coefficients, TABLE, root=TABLE, places=WHOLES),
    declare_function("multiplicative", multiply, TABLE, method=TEXT, **DRAWS, size=NUMBER, spread=NUMBER),
)
