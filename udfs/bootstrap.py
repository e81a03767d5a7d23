r"""A bootstrap sample of the smoothed joint distribution of numbers and categories.

Of a record i that is drawn the numbers are :math:`m + (x_i - m + h e) / \sqrt{1 + h^2}`, e normal with the covariances
of the numbers, and each category is that of i, or with probability h that of another draw (SDC handbook, section
3.4.7.3; Silverman & Young 1987).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from sdc_sql.udfs.adapters import NUMBER, TEXT, declare_function
from sdc_sql.udfs.arguments import Floats, Integers, require_columns
from sdc_sql.udfs.arrow_function import DIGESTS, TABLE, WHOLES
from sdc_sql.udfs.digests import Bytes, draw_normals, draw_uniforms

LEAST = 4  # records
GRID = 20  # released numbers are multiples of 2^-20 of the power of two by the deviation of the noise


def choose_places(uniforms: Floats) -> Integers:
    """Return of each draw the place of a record, from 0.

    Examples
    --------
    >>> choose_places(np.array([0.0, 0.5, 0.99])).tolist()
    [0, 1, 2]
    """
    n = len(uniforms)
    return np.minimum((uniforms * n).astype(np.int64), n - 1)


def smooth_numbers(x: npt.ArrayLike, places: Integers, normals: Floats, smoothing: float, names: list[str]) -> Floats:
    """Return the numbers of the records at these places with noise, shrunk so that variances stay, (n, p).

    Parameters
    ----------
    x
        The numbers, (n, p), NaN where missing.
    places
        Which records were drawn, (n,).
    normals
        Standard normal draws, (n, p).
    smoothing
        The deviation of the noise in deviations of the column.
    names
        Of the columns, for messages.

    Raises
    ------
    ValueError
        Where a column has fewer than two different values.

    Examples
    --------
    >>> smooth_numbers([[1.0], [3.0]], np.array([1, 1]), np.zeros((2, 1)), 1.0, ["age"]).round(3).ravel().tolist()
    [2.707, 2.707]
    """
    of = require_columns(x)
    there = ~np.isnan(of)
    counts = there.sum(axis=0)
    means = np.where(there, of, 0).sum(axis=0) / np.maximum(counts, 1)
    centred = np.where(there, of - means, 0)
    deviations = np.sqrt(np.square(centred).sum(axis=0) / np.maximum(counts, 1))
    for name, deviation in zip(names, deviations, strict=True):
        if not deviation > 0:
            raise ValueError(
                f"{name} has fewer than 2 different values, and would be released as it is; expected 2 or more: leave "
                "it out, name it among the categories, or join strata"
            )
    noise = normals @ _find_root(centred / deviations, there).T * deviations
    moved = means + (centred[places] + smoothing * noise) / np.sqrt(1 + smoothing**2)
    steps = 2.0 ** (np.rint(np.log2(deviations * smoothing / np.sqrt(1 + smoothing**2))) - GRID)
    released = np.rint(moved / steps) * steps + 0.0
    return np.where(there[places], released, of[places])


def _find_root(standard: Floats, there: npt.NDArray[np.bool_]) -> Floats:
    """Return a root of the correlations of the complete records, (p, p); columns may determine one another."""
    p = standard.shape[1]
    complete = standard[there.all(axis=1)]
    if p == 1 or len(complete) < LEAST:
        return np.eye(p)
    spread = complete.std(axis=0)
    scaled = (complete - complete.mean(axis=0)) / np.where(spread > 0, spread, 1)
    products = scaled.T @ scaled / len(complete)
    np.fill_diagonal(products, 1)  # this holds of a column that does not vary among the complete ones too
    values, vectors = np.linalg.eigh(products)
    root: Floats = vectors * np.sqrt(np.maximum(values, 0))
    return root


def bootstrap(
    x: npt.ArrayLike, categories: npt.NDArray[np.bool_], smoothing: float, digests: Bytes, names: list[str]
) -> list[Floats]:
    """Return of each column the numbers that were drawn, or the places of the categories, from 1.

    Parameters
    ----------
    x
        The values, (n, p); those of categories are not looked at.
    categories
        Which columns are categories, (p,).
    smoothing
        The deviation of the noise, and the share of categories that are drawn from the margin.
    digests
        At least 8 (p + 2) random bytes for each record.
    names
        Of the columns, for messages.

    Raises
    ------
    ValueError
        With fewer than four records, and as of `smooth_numbers`.
    """
    of = np.asarray(x, dtype=np.float64)
    n, p = of.shape
    if n < LEAST:
        raise ValueError(f"{n} records; expected at least {LEAST}: join strata")
    uniforms = draw_uniforms(digests, 2 * p + 4)
    places = choose_places(uniforms[:, 0] + uniforms[:, 1] / 2**32)
    found = [np.empty(0)] * p
    numbers = np.flatnonzero(~categories)
    if numbers.size:
        normals = draw_normals(digests[:, 16:], 2 * p)[:, 2 * numbers]
        smoothed = smooth_numbers(of[:, numbers], places, normals, smoothing, [names[j] for j in numbers])
        for j, column in zip(numbers, smoothed.T, strict=True):
            found[j] = np.ascontiguousarray(column)
    for j in np.flatnonzero(categories):
        anew = uniforms[:, 4 + 2 * j] < smoothing
        others = choose_places(uniforms[:, 5 + 2 * j])
        found[j] = np.where(anew, others, places) + 1.0
    return found


def _bootstrap(
    _stratum: str | None, x: Floats, categories: Integers, smoothing: float, digests: Bytes, names: str
) -> list[Floats]:
    return bootstrap(x.T, categories > 0, smoothing, digests, names.split("\n"))


FUNCTIONS = (
    declare_function(
        "bootstrap", _bootstrap, TABLE, x=TABLE, categories=WHOLES, smoothing=NUMBER, digests=DIGESTS, names=TEXT
    ),
)
