"""The functions registered in DuckDB: one for each placeholder in ``sql/mask/kernels.sql``, in its order.

Each takes one stratum at a time and returns one list per column. Errors are a ValueError that names the stratum.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from sdc_sql.udfs.arrow_function import NUMBERS, TABLE, Function
from sdc_sql.udfs.microaggregation.by_method import categorical_groups, microaggregated
from sdc_sql.udfs.microaggregation.centroids import aggregate_categorical
from sdc_sql.udfs.noise.additive import correlated, linear_transformed, uncorrelated
from sdc_sql.udfs.noise.bounds import fitted
from sdc_sql.udfs.noise.multiplicative import hoehne, hoehne_sum, multiplicative
from sdc_sql.udfs.noise.nonlinear import nonlinear
from sdc_sql.udfs.noise.outliers import outliers_only
from sdc_sql.udfs.noise.pooled_moments import Moments
from sdc_sql.udfs.pram.correct_match import correct_match
from sdc_sql.udfs.pram.correction import estimate, variance_inflation
from sdc_sql.udfs.pram.iterative import invariant_iterative
from sdc_sql.udfs.pram.matrix import invariant_two_stage, of_pd_alpha
from sdc_sql.udfs.pram.two_way import estimate_two_way
from sdc_sql.udfs.resampling import resample
from sdc_sql.udfs.swapping.rank_swap import swapped_places

if TYPE_CHECKING:
    from collections.abc import Callable

    from sdc_sql.udfs.arguments import Floats, Integers

Centroid: TypeAlias = Literal["mean", "median"]
Scale: TypeAlias = Literal["ordinal", "nominal"]
TEXT, WHOLE, NUMBER = "VARCHAR", "BIGINT[]", "DOUBLE"


def _chosen(method: str | None, methods: dict[str, Any]) -> Any:  # noqa: ANN401 - a function
    if method not in methods:
        raise ValueError(f"method is {method!r}: it must be one of {', '.join(methods)}")
    return methods[method]


def _given(value: float | None, name: str) -> float:
    if value is None:
        raise ValueError(f"{name} is NULL: give a number")
    return value


def _keeping(masked: Floats, x: Floats) -> Floats:
    """Return masked values with missing ones as they were, NULL or NaN: kernels may turn one into the other."""
    return np.where(np.isnan(x), x, masked)


def noise(
    _stratum: str | None, method: str, x: Floats, normals: Floats, uniforms: Floats, alpha: float, threshold: float,
    lower: Floats, upper: Floats, rounded: list[bool | None], discrete: list[bool | None],
    moments: Floats | None = None,
) -> Floats:  # fmt: skip
    """Add noise by one of the methods of section 3.4.4; the moments are given where the records are part of a table."""
    size = _given(alpha, "alpha")
    bounds = {
        "lower": np.where(np.isnan(lower), -np.inf, lower),
        "upper": np.where(np.isnan(upper), np.inf, upper),
        "rounded": np.array([bool(r) for r in rounded]),
    }
    given = None if moments is None else Moments.of_list(moments, x.shape[1])
    plain = {"uncorrelated": uncorrelated, "correlated": correlated, "linear": linear_transformed}
    if method == "outliers":
        masked = outliers_only(x, normals, size, _given(threshold, "threshold"), **bounds)
    elif method == "nonlinear":
        masked = nonlinear(x, normals, size, uniforms, discrete=[bool(d) for d in discrete])
        masked = fitted(masked, x, **bounds)
    else:
        masked = _chosen(method, {**plain, "nonlinear": None, "outliers": None})(
            x, normals, size, moments=given, **bounds
        )
    return _keeping(masked, x).T


def moments(_stratum: str | None, x: Floats, normals: Floats | None) -> Floats:
    """Return the moments of a part of a table as one list."""
    return Moments.of(x, normals).to_list()


def multiply(_stratum: str | None, method: str, x: Floats, normals: Floats, uniforms: Floats, size: float,
             spread: float) -> Floats:  # fmt: skip
    """Multiply by one of the methods of section 3.4.2.2."""
    methods = {
        "plain": lambda: multiplicative(x, normals, _given(size, "size")),
        "hoehne": lambda: hoehne(x, uniforms[:, 0], normals, _given(size, "size"), _given(spread, "spread")),
        "hoehne_sum": lambda: hoehne_sum(x, normals, _given(size, "size"), _given(spread, "spread")),
    }
    return _keeping(_chosen(method, methods)(), x).T


def microaggregate(_stratum: str | None, x: Floats, k: float, method: str, centroid: Centroid, blocks: float,
                   gamma: float) -> Floats:  # fmt: skip
    """Replace the values of groups by their centroids."""
    return _keeping(microaggregated(x, _given(k, "k"), method, centroid, _given(blocks, "blocks"), gamma), x).T


def microaggregate_categorical(_stratum: str | None, codes: list[list[int]], labels: list[list[str | None]], k: float,
                               scale: Scale) -> list[list[str | None]]:  # fmt: skip
    """Replace the categories of groups by their median or most frequent one."""
    numbers = np.array(codes, dtype=np.int64)
    groups = categorical_groups(numbers, _given(k, "k"), scale)
    chosen = aggregate_categorical(numbers, groups, scale)
    answer = []
    for j in range(numbers.shape[1]):
        first = dict(zip(numbers[::-1, j].tolist(), range(len(numbers) - 1, -1, -1), strict=True))
        answer.append([labels[first[code]][j] for code in chosen[:, j].tolist()])
    return answer


def swap(
    _stratum: str | None, ordered: Floats, choices: Floats, p: float | None, correlation: float | None
) -> Integers:
    """Return for each value in ascending order the place, from 1, of the value that it is exchanged with."""
    return swapped_places(choices, p, correlation, ordered) + 1


def resampled(_stratum: str | None, x: Floats, draws: Floats) -> Floats:
    """Average samples rank by rank."""
    return _keeping(resample(x, draws), x)


def _square(p: Floats | None) -> Floats:
    """Return the matrix whose rows are given one after the other."""
    if p is None:
        raise ValueError("the PRAM matrix is NULL: give its rows")
    k = round(len(p) ** 0.5)
    return p.reshape(k, k)


def invariant(p: Floats | None, frequencies: Floats, method: str, pd: float, alpha: float) -> Floats:
    """Return an invariant matrix as one list."""
    methods = {
        "two_stage": lambda: invariant_two_stage(_square(p), frequencies),
        "iterative": lambda: invariant_iterative(_square(p), frequencies),
        "pd_alpha": lambda: of_pd_alpha(frequencies, _given(pd, "pd"), _given(alpha, "alpha")),
    }
    return np.ravel(_chosen(method, methods)())


def estimated(p: Floats, released: Floats) -> list[Floats]:
    """Return the estimates, their standard errors, the variance inflation, and the covariances as one list."""
    n = len(released)
    matrix = np.reshape(p, (n, n))
    table, covariances = estimate(matrix, released)
    errors = np.sqrt(np.maximum(np.diag(covariances), 0))
    return [table, errors, variance_inflation(matrix, np.maximum(table, 0)), np.ravel(covariances)]


def estimated_two_way(p: Floats, q: Floats, released: Floats) -> list[Floats]:
    """Return the estimates and their standard errors, row by row."""
    shape = (round(len(p) ** 0.5), round(len(q) ** 0.5))
    table, variances = estimate_two_way(np.reshape(p, (shape[0],) * 2), np.reshape(q, (shape[1],) * 2),
                                        np.reshape(released, shape))  # fmt: skip
    return [np.ravel(table), np.sqrt(np.maximum(np.ravel(variances), 0))]


def matched(frequencies: Floats, cells: Floats, theta: float, most: float) -> Floats:
    """Return the probabilities of a correct match, one list per frequency."""
    highest = _given(most, "most")
    if highest != int(highest) or highest < 1:
        raise ValueError(f"most is {most:g}: it must be a whole number of at least 1")
    return correct_match(frequencies, cells, theta, int(highest))


def _named(function: Any) -> Any:  # noqa: ANN401
    """Return the function with the stratum named in its errors."""

    def named(stratum: str | None, *arguments: Any) -> Any:  # noqa: ANN401
        try:
            return function(stratum, *arguments)
        except ValueError as error:
            raise ValueError(str(error) if stratum is None else f"stratum {stratum}: {error}") from None

    return named


def _declared(
    name: str, kernel: Callable[..., Any], returns: str, *, by_stratum: bool = True, **parameters: str
) -> Function:
    stratum = (("stratum", TEXT),) if by_stratum else ()
    return Function(name, (*stratum, *parameters.items()), returns, _named(kernel) if by_stratum else kernel)


_DRAWS: dict[str, Any] = {"x": TABLE, "normals": TABLE, "uniforms": TABLE}
FUNCTIONS = (
    _declared("noise", noise, TABLE, method=TEXT, **_DRAWS, alpha=NUMBER, threshold=NUMBER, lower=NUMBERS,
              upper=NUMBERS, rounded="BOOLEAN[]", discrete="BOOLEAN[]", moments=NUMBERS),
    _declared("moments", moments, NUMBERS, x=TABLE, normals=TABLE),
    _declared("multiplicative", multiply, TABLE, method=TEXT, **_DRAWS, size=NUMBER, spread=NUMBER),
    _declared("microaggregate", microaggregate, TABLE, x=TABLE, k=NUMBER, method=TEXT, centroid=TEXT, blocks=NUMBER,
              gamma=NUMBER),
    _declared("microaggregate_categorical", microaggregate_categorical, "VARCHAR[][]", codes="BIGINT[][]",
              labels="VARCHAR[][]", k=NUMBER, scale=TEXT),
    _declared("swap", swap, WHOLE, ordered=NUMBERS, choices=NUMBERS, p=NUMBER, correlation=NUMBER),
    _declared("resample", resampled, NUMBERS, x=NUMBERS, draws=TABLE),
    _declared("invariant", invariant, NUMBERS, by_stratum=False, p=NUMBERS, frequencies=NUMBERS, method=TEXT, pd=NUMBER,
              alpha=NUMBER),
    _declared("estimate", estimated, TABLE, by_stratum=False, p=NUMBERS, released=NUMBERS),
    _declared("estimate_two_way", estimated_two_way, TABLE, by_stratum=False, p=NUMBERS, q=NUMBERS, released=NUMBERS),
    _declared("correct_match", matched, TABLE, by_stratum=False, frequencies=NUMBERS, cells=NUMBERS, theta=NUMBER,
              most=NUMBER),
)  # fmt: skip
