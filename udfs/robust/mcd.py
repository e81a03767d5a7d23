"""Centre and covariance of the bulk of a file: the minimum covariance determinant, by steps without draws.

Hubert, Rousseeuw & Verdonck (2012), A deterministic algorithm for robust location and scatter, JCGS 21, 618-637. Of its
six first estimates these are the first five, and spreads are median absolute deviations in the place of Qn. Each is
bettered by a few steps, and the best of them to the end.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.robust.chi_square import chi_square_cdf, chi_square_quantile

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats

MAD = 1.482602218505602  # the standard deviation of a normal distribution, in units of this
FEW, STEPS = 2, 100  # steps of each start, and of the best one
ENOUGH = 1e-9  # a change of the logarithm of the determinant that ends the steps
SINGULAR = 1e-12
OUTLYING = 0.975


FLAT = (
    "half of the records or more lie on a plane (a variable has one value in half of them, or follows from the others) "
    "and the rest has no robust distance to these: leave out that variable, or these records"
)


def mcd(x: Floats) -> tuple[Floats, Floats]:
    """Return the reweighted centre and covariance of records of shape (n, p), without missing values.

    Raises
    ------
    ValueError
        Where half of the records lie on a plane, or there are too few.
    """
    n, p = x.shape
    if n <= 2 * p:
        raise ValueError(f"there are {n} complete records: robust distances need more than two a variable ({2 * p})")
    middle = np.median(x, axis=0)
    spread = MAD * np.median(np.abs(x - middle), axis=0)
    if not (spread > 0).all():
        raise ValueError(FLAT)
    z = (x - middle) / spread
    half = (n + p + 1) // 2
    tried = []
    for shape in _draw_starts(z):
        found = _estimate_nearest(z, *_make_estimate(z, shape), -(-n // 2))
        for _ in range(FEW):
            found = _estimate_nearest(z, *found, half)
        tried.append(found)
    sizes = [_compute_log_volume(found) for found in tried]
    centre, covariance = tried[int(np.argmin(sizes))]
    size, before = min(sizes), np.inf
    for _ in range(STEPS):
        if size > before - ENOUGH:
            break
        centre, covariance = _estimate_nearest(z, centre, covariance, half)
        before, size = size, _compute_log_volume((centre, covariance))
    apart = compute_mahalanobis(z, centre, covariance * _consistent(half / n, p))
    bulk = apart <= chi_square_quantile(OUTLYING, p)
    share = float(bulk.mean())
    centre, covariance = _compute_moments(z[bulk])
    return centre * spread + middle, covariance * _consistent(share, p) * np.outer(spread, spread)


def compute_mahalanobis(x: Floats, centre: Floats, covariance: Floats) -> Floats:
    """Return the squared Mahalanobis distances of records.

    Raises
    ------
    ValueError
        Where the covariance has no inverse.
    """
    spread = np.sqrt(np.diag(covariance))
    if not (spread > 0).all():
        raise ValueError(FLAT)
    roots, axes = np.linalg.eigh(covariance / np.outer(spread, spread))
    if roots.min() <= SINGULAR * roots.max():
        raise ValueError(FLAT)
    found: Floats = np.square((x - centre) @ (axes / spread[:, None] / np.sqrt(roots))).sum(axis=1)
    return found


def _consistent(share: float, p: int) -> float:
    """Return by what the covariance of a share of normal records, the nearest, is too small."""
    return share / chi_square_cdf(chi_square_quantile(share, p), p + 2) if share < 1 else 1.0


def _compute_log_volume(found: tuple[Floats, Floats]) -> float:
    return float(np.linalg.slogdet(found[1])[1])


def _compute_moments(z: Floats) -> tuple[Floats, Floats]:
    return z.mean(axis=0), np.atleast_2d(np.cov(z, rowvar=False))


def _estimate_nearest(z: Floats, centre: Floats, covariance: Floats, many: int) -> tuple[Floats, Floats]:
    """Return mean and covariance of the records that are nearest."""
    apart = compute_mahalanobis(z, centre, covariance)
    return _compute_moments(z[np.argpartition(apart, many - 1)[:many]])


def _ranks(column: Floats) -> Floats:
    """Return ranks from 1, of equal values their mean."""
    _, of, counts = np.unique(column, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    found: Floats = (last - (counts - 1) / 2)[of]
    return found


def _draw_starts(z: Floats) -> list[Floats]:
    n = len(z)
    ranks = np.column_stack([_ranks(column) for column in z.T])
    at = np.linspace(0, 1, 4097)[1:-1]
    scores = np.interp((ranks - 1 / 3) / (n + 1 / 3), at, [NormalDist().inv_cdf(q) for q in at])
    sizes = np.sqrt(np.square(z).sum(axis=1))
    signs = z / np.where(sizes > 0, sizes, 1)[:, None]
    near = z[np.argpartition(sizes, -(-n // 2) - 1)[: -(-n // 2)]]
    every = [np.corrcoef(part, rowvar=False) for part in (np.tanh(z), ranks, scores)]
    return [np.atleast_2d(shape) for shape in (*every, signs.T @ signs / n, np.cov(near, rowvar=False))]


def _make_estimate(z: Floats, shape: Floats) -> tuple[Floats, Floats]:
    """Return a centre and a covariance along the axes of a first estimate, with the spread of the records there."""
    _, axes = np.linalg.eigh(shape)
    along = z @ axes
    spread = MAD * np.median(np.abs(along - np.median(along, axis=0)), axis=0)
    if not (spread > 0).all():
        raise ValueError(FLAT)
    root = axes * spread @ axes.T
    centre = np.median(z @ (axes / spread @ axes.T), axis=0) @ root
    return centre, axes * np.square(spread) @ axes.T
