r"""Moments of a table in several parts: computed part by part, and pooled.

For two parts with n_a and n_b records, means m_a and m_b, and sums of products of deviations S_a and S_b (a matrix, or
squares of one column), with :math:`d = m_b - m_a`:

.. math:: m = m_a + d \, n_b / n, \qquad S = S_a + S_b + d d^T \, n_a n_b / n.

Source: Chan, Golub & LeVeque (1983), Algorithms for computing the sample variance, The American Statistician 37,
242-247, (2.1). Deviations are from each part's own mean, so that a large common offset costs no digits. The order of
the parts can change the last bits: pool them in a fixed one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.arguments import Floats, columns, two_or_more
from sdc_sql.udfs.noise.moments import few_complete, root

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt


@dataclass(frozen=True)
class Moments:
    """Count, mean, sum of squares, least and greatest value of each column over its values, each (p,).

    Of the records that miss nothing: their number, means, sums of products (p, p), least and greatest values. And the
    sums of the normal draws, (p, p): row j over the records in which column j has a value.
    """

    count: Floats
    mean: Floats
    squares: Floats
    least: Floats
    greatest: Floats
    complete: Floats
    centre: Floats
    products: Floats
    lowest: Floats
    highest: Floats
    draws: Floats

    @classmethod
    def of(cls, x: npt.ArrayLike, normals: npt.ArrayLike | None = None) -> Moments:
        """Return the moments of records, (n, p), NaN where missing, and the sums of draws of the same shape.

        Examples
        --------
        >>> parts = [Moments.of([[1.0], [2.0]]), Moments.of([[3.0], [6.0]])]
        >>> pooled(parts).mean, pooled(parts).deviations().round(4)
        (array([3.]), array([2.1602]))
        """
        matrix = columns(x)
        present = ~np.isnan(matrix)
        count = present.sum(axis=0).astype(np.float64)
        mean = np.zeros(matrix.shape[1])
        full = matrix[present.all(axis=1)]
        centre = np.zeros(matrix.shape[1])
        for _ in range(2):  # the second time it is the rounding of the first
            mean = mean + np.where(present, matrix - mean, 0.0).sum(axis=0) / np.maximum(count, 1)
            centre = centre + (full - centre).sum(axis=0) / max(len(full), 1)
        apart = full - centre
        drawn = np.zeros((matrix.shape[1],) * 2) if normals is None else present.T.astype(np.float64) @ columns(normals)
        return cls(
            count, mean, (np.where(present, matrix - mean, 0.0) ** 2).sum(axis=0),
            np.where(present, matrix, np.inf).min(axis=0, initial=np.inf),
            np.where(present, matrix, -np.inf).max(axis=0, initial=-np.inf),
            np.array([float(len(full))]), centre, apart.T @ apart,
            full.min(axis=0, initial=np.inf), full.max(axis=0, initial=-np.inf), drawn,
        )  # fmt: skip

    @classmethod
    def of_list(cls, values: npt.ArrayLike, p: int) -> Moments:
        """Return the moments of p columns from one list: the inverse of `to_list`."""
        flat = np.asarray(values, dtype=np.float64)
        shapes = [(p,)] * 5 + [(1,), (p,), (p, p), (p,), (p,), (p, p)]
        ends = np.cumsum([int(np.prod(s)) for s in shapes])[:-1]
        return cls(*(part.reshape(shape) for part, shape in zip(np.split(flat, ends), shapes, strict=True)))

    def to_list(self) -> Floats:
        """Return all of them as one list."""
        return np.concatenate([np.ravel(part) for part in vars(self).values()])

    def with_(self, other: Moments) -> Moments:
        """Return the moments of both parts together."""
        n, full = self.count + other.count, self.complete + other.complete
        far, apart = other.mean - self.mean, other.centre - self.centre
        share, weight = other.count / np.maximum(n, 1), float(other.complete[0] / max(full[0], 1))
        return Moments(
            n, self.mean + far * share, self.squares + other.squares + far**2 * self.count * share,
            np.minimum(self.least, other.least), np.maximum(self.greatest, other.greatest),
            full, self.centre + apart * weight,
            self.products + other.products + np.outer(apart, apart) * self.complete[0] * weight,
            np.minimum(self.lowest, other.lowest), np.maximum(self.highest, other.highest), self.draws + other.draws,
        )  # fmt: skip

    def deviations(self) -> Floats:
        """Return the standard deviations, (p,): as :func:`sdc_sql.udfs.moments.deviations` of all records."""
        for j, n in enumerate(self.count.tolist()):
            two_or_more(int(n), f"column {j}")
        return np.where(self.least < self.greatest, np.sqrt(self.squares / np.maximum(self.count - 1, 1)), 0.0)

    def covariance_root(self) -> Floats:
        """Return A with A^T A the covariance matrix: as :func:`sdc_sql.udfs.moments.covariance_root` of all records."""
        n = self.complete[0]
        if few_complete(int(n), none=not self.count.any()):
            return np.zeros_like(self.products)
        sd = np.where(self.lowest < self.highest, np.sqrt(np.diag(self.products) / (n - 1)), 0.0)
        inverse = np.where(sd > 0, 1 / np.where(sd > 0, sd, 1.0), 0.0)
        return root(self.products / (n - 1) * np.outer(inverse, inverse), sd)

    def noisy_means(self, alpha: float) -> Floats:
        """Return the means of the columns with correlated noise, by the sums of its draws."""
        mean_draws = self.draws / np.maximum(self.count, 1)[:, np.newaxis]
        noise: Floats = np.sum(mean_draws * (np.sqrt(alpha) * self.covariance_root()).T, axis=1)
        return self.mean + noise


def pooled(parts: Iterable[Moments]) -> Moments:
    """Return the moments of all parts together."""
    return reduce(Moments.with_, parts)
