r"""A Latin hypercube sample of numbers whose rank correlations are refined until they are those of the original ones.

One value is drawn from each n-th part of the distribution of a column, that of groups of consecutive values with their
means and variances; normal scores in a random order are turned until the ranks correlate as they should (SDC handbook,
section 3.4.7.4; Iman & Conover 1982; Florian 1992).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from sdc_sql.udfs.adapters import NUMBER, TEXT, declare_function
from sdc_sql.udfs.arrow_function import DIGESTS, TABLE
from sdc_sql.udfs.digests import Bytes, draw_uniforms
from sdc_sql.udfs.ranks import compute_mid_ranks
from sdc_sql.udfs.regression import require_complete
from sdc_sql.udfs.shuffling import compute_normal_scores

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers

ROUNDS = 60
GRID = 34  # released numbers are multiples of 2^-34 of the power of two by their deviation
SMALL = 1e-10  # a variance of the scores below it is none


def latin_hypercube(x: npt.ArrayLike, uniforms: Floats, tolerance: float, size: int, names: list[str]) -> Floats:
    """Return new columns with the rank correlations of the original ones, to a tolerance, (n, p).

    Parameters
    ----------
    x
        The numbers, (n, p), none missing.
    uniforms
        Draws in [0, 1), two for each value, (n, 2 p): where in its part a value lies, and the first order.
    tolerance
        The greatest difference of two rank correlations (Spearman's, equal values with their mean rank).
    size
        The least number of consecutive values of which a mean and a variance are taken, 3 or more.
    names
        Of the columns, for messages.

    Raises
    ------
    ValueError
        Where a value is missing, a column is constant, there are too few records, or the tolerance is not reached.

    Examples
    --------
    >>> x = np.arange(12.0)[:, np.newaxis]
    >>> new = latin_hypercube(x, np.full((12, 2), 0.5), 0.01, 3, ["age"])  # each point lies in the middle of its part
    >>> float(new.mean().round(9)), float(new.min().round(3)), float(new.max().round(3))
    (5.5, 0.057, 10.943)
    """
    of, _ = require_complete(x, np.empty((len(np.asarray(x)), 0)), "given")
    n, p = of.shape
    least = max(2 * size, p + 2)
    if n < least:
        raise ValueError(
            f"{n} records, {p} columns and groups of {size}; expected at least {least} records: take smaller groups, "
            "fewer columns, or join strata"
        )
    deviations = of.std(axis=0)
    for name, column in zip(names, of.T, strict=True):
        if column.min() == column.max():
            raise ValueError(
                f"{name} is constant, and would be released as it is; expected different values: leave it out, or join "
                "strata"
            )
    steps = 2.0 ** (np.rint(np.log2(deviations)) - GRID)
    values = np.stack([draw_values(c, u, size) for c, u in zip(of.T, uniforms.T[:p], strict=True)], axis=1)
    values = np.sort(np.rint(values / steps) * steps + 0.0, axis=0)
    places = arrange(of, values, uniforms[:, p:], tolerance)
    return np.take_along_axis(values, places, axis=0)


def draw_values(column: Floats, uniforms: Floats, size: int) -> Floats:
    """Return a value from each n-th part of the smoothed distribution of a column.

    Consecutive values are taken in groups; the values of a group become uniform ones with its mean and variance, one of
    each part.

    Examples
    --------
    >>> draw_values(np.array([1.0, 2.0, 3.0, 7.0, 7.0, 7.0]), np.full(6, 0.5), 3).round(3).tolist()
    [1.057, 2.0, 2.943, 7.0, 7.0, 7.0]
    """
    n = len(column)
    ordered = np.sort(column)
    groups = n // size
    starts = np.arange(groups) * n // groups
    sizes = np.diff(np.r_[starts, n])
    of = np.repeat(np.arange(groups), sizes)
    means = np.add.reduceat(ordered, starts) / sizes
    apart = ordered - means[of]
    spreads = np.sqrt(3 * np.add.reduceat(np.square(apart), starts) / sizes)
    same = ordered[starts] == ordered[starts + sizes - 1]  # a mean may be rounded
    means, spreads = np.where(same, ordered[starts], means), np.where(same, 0, spreads)
    within = (np.arange(n) - starts[of] + uniforms) / sizes[of]
    drawn: Floats = means[of] + spreads[of] * (2 * within - 1)
    return drawn


def arrange(x: Floats, values: Floats, uniforms: Floats, tolerance: float) -> Integers:
    """Return of each record and column the place of its value among the sorted ones, (n, p).

    The correlations that are aimed at are moved by what the ranks lack, until these lack no more than the tolerance.
    """
    p = x.shape[1]
    wanted = _correlate(np.stack([compute_mid_ranks(c) for c in x.T], axis=1))
    scores = compute_normal_scores(np.arange(len(x)))[np.stack([_rank(u) for u in uniforms.T], axis=1)]
    ranks = np.stack([compute_mid_ranks(c) for c in values.T], axis=1)
    turned = _make_orthogonal(scores)
    aim, best, nearest = wanted.copy(), np.inf, np.empty(0, dtype=np.int64)
    for _ in range(ROUNDS if p > 1 else 1):
        towards = turned @ _find_root(aim).T
        places = np.stack([_rank(c) for c in towards.T], axis=1)
        lacking = wanted - _correlate(np.take_along_axis(ranks, places, axis=0))
        error = float(np.abs(lacking).max())
        if error < best:
            best, nearest = error, places
        if best <= tolerance:
            return nearest
        aim = aim + lacking
    raise ValueError(
        f"rank correlations came within {best:.2g} of those of the original numbers; expected at most the tolerance, "
        f"{tolerance:g}: give a greater one, or more records"
    )


def _rank(column: Floats) -> Integers:
    """Return the places of the values among the sorted ones, from 0; of equal ones the first record comes first."""
    places = np.empty(len(column), dtype=np.int64)
    places[np.argsort(column, kind="stable")] = np.arange(len(column))
    return places


def _correlate(ranks: Floats) -> Floats:
    centred = ranks - ranks.mean(axis=0)
    standard = centred / np.sqrt(np.square(centred).sum(axis=0))
    found: Floats = standard.T @ standard
    np.fill_diagonal(found, 1)
    return found


def _make_orthogonal(scores: Floats) -> Floats:
    """Return scores that do not correlate at all, as near to those given as they can be."""
    values, vectors = np.linalg.eigh(_correlate(scores))
    turn = vectors / np.sqrt(np.maximum(values, SMALL)) @ vectors.T
    found: Floats = scores @ turn
    return found


def _find_root(correlations: Floats) -> Floats:
    """Return a root of the nearest matrix without a negative variance."""
    values, vectors = np.linalg.eigh(correlations)
    root = vectors * np.sqrt(np.maximum(values, 0))
    found: Floats = root / np.sqrt(np.square(root).sum(axis=1))[:, np.newaxis]
    return found


def _latin_hypercube(
    _stratum: str | None, x: Floats, tolerance: float, size: float, digests: Bytes, names: str
) -> list[Floats]:
    uniforms = draw_uniforms(digests, 2 * len(x))
    return [*latin_hypercube(x.T, uniforms, tolerance, int(size), names.split("\n")).T]


FUNCTIONS = (
    declare_function(
        "latin_hypercube", _latin_hypercube, TABLE,
        x=TABLE, tolerance=NUMBER, size=NUMBER, digests=DIGESTS, names=TEXT,
    ),
)  # fmt: skip
