r"""Numbers drawn anew within groups of alike records: microaggregation-based hybrid data.

Groups of k to 2k - 1 records are those of MDAV. In each the values are drawn anew by IPSO's method C, by Muralidhar &
Sarathy's hybrid (of the residuals a share alpha), or by the smoothed bootstrap (SDC handbook, section 3.4.7.8). Groups
of one size are drawn at once: the first axis of an array is that of groups.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from sdc_sql.udfs.adapters import TEXT, declare_function
from sdc_sql.udfs.arguments import Floats, require_normals
from sdc_sql.udfs.arrow_function import DIGESTS, TABLE
from sdc_sql.udfs.digests import Bytes, draw_normals, draw_uniforms
from sdc_sql.udfs.hybrid import round_to_grid
from sdc_sql.udfs.microaggregation.partitions import partition_by_blocks, standardise_columns
from sdc_sql.udfs.regression import LEVERAGE, require_complete

SINGULAR = 1e-12  # a share of the greatest variance below which a direction has none
LEAST = 4  # records of a group: of fewer, one's own value has more than a quarter of the weight of its mean


@dataclass(frozen=True)
class Generator:
    """How a group is drawn: by ``ipso``, ``hybrid`` (``alpha``) or ``bootstrap`` (``smoothing``)."""

    name: str
    alpha: float = 0.0
    smoothing: float = 0.0

    def find_least(self, p: int, m: int) -> int:
        """Return the least number of records of a group of p columns and m given ones.

        Examples
        --------
        >>> Generator("ipso").find_least(2, 1), Generator("hybrid", 0.5).find_least(2, 1)
        (5, 6)
        """
        return max(LEAST, 2 * m + p + 1, 2 * p + m + 1 if self.name == "hybrid" else 0)


def microhybrid(
    y: npt.ArrayLike, x: npt.ArrayLike, k: int, generator: Generator, draws: tuple[Floats, Floats], *, blocks: int = 1
) -> Floats:
    """Return the columns drawn anew within groups, (n, p).

    Parameters
    ----------
    y, x
        The columns, (n, p), and those given, (n, m); m may be 0. No value is missing.
    k
        The least number of records of a group.
    generator
        How a group is drawn.
    draws
        Standard normal ones, (n, p), and uniform ones in [0, 1), (n,).
    blocks
        Of MDAV.

    Raises
    ------
    ValueError
        Where a value is missing, k is too small for the generator, or a record of a group lies far out in what is
        given.

    Examples
    --------
    >>> y = np.array([[1.0], [2.0], [4.0], [3.0], [21.0], [25.0], [24.0], [22.0]])
    >>> draws = np.array([[0.3], [-1.2], [0.4], [2.0], [-0.1], [1.1], [0.2], [-0.7]])
    >>> new = microhybrid(y, np.empty((8, 0)), 4, Generator("ipso"), (draws, np.zeros(8)))
    >>> [float(x.round(9)) for x in (new[:4].mean(), new[4:].mean(), new[:4].var(), new[4:].var())]
    [2.5, 23.0, 1.25, 2.5]
    """
    of, on = require_complete(y, x, "given")
    (n, p), m = of.shape, on.shape[1]
    least = generator.find_least(p, m)
    if k < least:
        raise ValueError(
            f"k is {k}: {generator.name} with {p} columns and {m} given ones needs groups of at least {least} records: "
            "give a greater k, or name fewer columns"
        )
    if n < k:
        raise ValueError(f"{n} records; expected at least k = {k}: give a smaller k, or join strata")
    normals, uniforms = require_normals(draws[0], of), draws[1]
    groups = partition_by_blocks(standardise_columns(np.concatenate([of, on], axis=1)), k, blocks)
    order, sizes = np.argsort(groups, kind="stable"), np.bincount(groups)
    ends = np.cumsum(sizes)
    released, outside = np.empty_like(of), 0
    for size in np.unique(sizes):
        rows = order[(ends - sizes)[sizes == size][:, np.newaxis] + np.arange(size)]
        centre = of[rows].mean(axis=1, keepdims=True)
        basis = make_bases(on[rows])
        outside += int(((np.square(basis).sum(axis=2) > LEVERAGE * (1 + 1e-9)) & (m > 0)).sum())
        if outside:
            continue
        released[rows] = centre + _draw(of[rows] - centre, basis, generator, normals[rows], uniforms[rows])
    if outside:
        raise ValueError(
            f"{outside} records lie so far out of their group in the given columns that more than a quarter of what is "
            "fitted for them is their own value; expected none: give a greater k, or draw these columns too"
        )
    return round_to_grid(released, np.where((of == of[0]).all(axis=0), 1, of.std(axis=0)))


def make_bases(x: Floats) -> Floats:
    """Return orthonormal bases of the given columns and the constant of each group, (., n, 1 + m); 0 where collinear.

    Examples
    --------
    >>> make_bases(np.array([[[1.0], [2.0], [3.0], [2.0]]])).round(3).tolist()
    [[[0.5, -0.707], [0.5, 0.0], [0.5, 0.707], [0.5, 0.0]]]
    """
    count, n, m = x.shape
    one = np.full((count, n, 1), 1 / np.sqrt(n))
    if not m:
        return one
    centred = x - x.mean(axis=1, keepdims=True)
    sizes = np.abs(centred).max(axis=1, keepdims=True)
    return np.concatenate([one, _orthonormal(centred / np.where(sizes > 0, sizes, 1))], axis=2)


def _orthonormal(columns: Floats) -> Floats:
    """Return orthonormal columns with the span of these, 0 where there are fewer."""
    left, values, _ = np.linalg.svd(columns, full_matrices=False)
    kept = values > np.sqrt(SINGULAR) * values[:, :1]
    found: Floats = left * kept[:, np.newaxis, :]
    return found


def _remove(basis: Floats, columns: Floats) -> Floats:
    rest = columns
    for _ in range(2):
        rest = rest - basis @ (basis.swapaxes(1, 2) @ rest)
    return rest


def _draw(centred: Floats, basis: Floats, generator: Generator, normals: Floats, uniforms: Floats) -> Floats:
    """Return what is drawn about the means of the groups, (., n, p)."""
    n = centred.shape[1]
    if generator.name == "bootstrap":
        roots = _find_roots(centred)
        places = np.minimum((uniforms * n).astype(np.int64), n - 1)
        chosen = np.take_along_axis(centred, places[:, :, np.newaxis], axis=1)
        noise = normals @ roots.swapaxes(1, 2) / np.sqrt(n)
        smoothed: Floats = (chosen + generator.smoothing * noise) / np.sqrt(1 + generator.smoothing**2)
        return smoothed
    left = _remove(basis, centred)
    roots, free = _find_roots(left), basis
    if generator.name == "hybrid":
        sizes = np.abs(left).max(axis=1, keepdims=True)
        free = np.concatenate([basis, _orthonormal(left / np.where(sizes > 0, sizes, 1))], axis=2)
    new = np.linalg.qr(_remove(free, np.linalg.qr(_remove(free, normals))[0]))[0]
    share = generator.alpha if generator.name == "hybrid" else 0.0
    drawn: Floats = centred - left + share * left + np.sqrt(1 - share**2) * new @ roots.swapaxes(1, 2)
    return drawn


def _find_roots(columns: Floats) -> Floats:
    """Return L with L L' the products of the columns of each group, which may determine one another."""
    sizes = np.sqrt(np.square(columns).sum(axis=1))
    unit = columns / np.where(sizes > 0, sizes, 1)[:, np.newaxis, :]
    values, vectors = np.linalg.eigh(unit.swapaxes(1, 2) @ unit)
    roots: Floats = sizes[:, :, np.newaxis] * vectors * np.sqrt(np.maximum(values, 0))[:, np.newaxis, :]
    return roots


def _microhybrid(  # noqa: PLR0917 - as SQL calls it
    _stratum: str | None, y: Floats, x: Floats | None, k: float, blocks: float, generator: str, alpha: float,
    smoothing: float, digests: Bytes,
) -> list[Floats]:  # fmt: skip
    p = len(y)
    given = np.empty((y.shape[1], 0)) if x is None else x.T
    uniforms = draw_uniforms(digests, p + p % 2 + 1)[:, -1]
    how = Generator(generator, alpha, smoothing)
    return [*microhybrid(y.T, given, int(k), how, (draw_normals(digests, p), uniforms), blocks=int(blocks)).T]


FUNCTIONS = (
    declare_function(
        "microhybrid", _microhybrid, TABLE, y=TABLE, x=TABLE, k="DOUBLE", blocks="DOUBLE", generator=TEXT,
        alpha="DOUBLE", smoothing="DOUBLE", digests=DIGESTS,
    ),
)  # fmt: skip
