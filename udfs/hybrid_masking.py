r"""Hybrid masking: each record combined with the nearest one of a synthetic sample.

:math:`Z = \alpha X + (1 - \alpha) X_S`, or :math:`Z = X^\alpha X_S^{1 - \alpha}`, which is the same of logarithms (SDC
handbook, section 3.4.7.9). The synthetic records are those of Latin hypercube sampling.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from sdc_sql.udfs.adapters import NUMBER, TEXT, declare_function
from sdc_sql.udfs.arrow_function import DIGESTS, TABLE
from sdc_sql.udfs.digests import Bytes, draw_uniforms
from sdc_sql.udfs.latin_hypercube import latin_hypercube
from sdc_sql.udfs.linkage.nearest import find_nearest
from sdc_sql.udfs.linkage.records import Records, Variables
from sdc_sql.udfs.regression import EXPLAINED, require_complete

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats

GRID = 20  # released sums are multiples of 2^-20 of the power of two by their deviation
BITS = 24  # a released product has so many bits


@dataclass(frozen=True)
class Combination:
    """How a record is combined: ``additive`` or ``multiplicative``, its own share, and of how many records each is."""

    method: str
    alpha: float
    k: int = 1


def hybrid_masking(  # noqa: PLR0917 - as SQL calls it
    x: npt.ArrayLike, uniforms: Floats, how: Combination, tolerance: float, size: int, names: list[str]
) -> Floats:
    """Return the records combined with synthetic ones, (n, p).

    Parameters
    ----------
    x
        The numbers, (n, p), none missing; of products above 0.
    uniforms
        Draws in [0, 1), (n, 2 p + 1): those of Latin hypercube sampling, and one of the record.
    how
        How they are combined.
    tolerance, size
        Of Latin hypercube sampling.
    names
        Of the columns, for messages.

    Raises
    ------
    ValueError
        As of `latin_hypercube`; where a number is not above 0 and products are asked for; where the released values of
        a column would nearly be its own.
    """
    of, _ = require_complete(x, np.empty((len(np.asarray(x)), 0)), "given")
    products = how.method == "multiplicative"
    for name, column in zip(names, of.T, strict=True):
        if products and len(column) and column.min() <= 0:
            raise ValueError(
                f"{int((column <= 0).sum())} values of {name} are 0 or less, and products of powers need numbers above "
                "0: take the additive method, or mask the records that are above it (where)"
            )
    own = np.log(of) if products else of
    n, p = own.shape
    synthetic = latin_hypercube(own, uniforms[:, : 2 * p], tolerance, size, names)
    some = np.argsort(uniforms[:, 2 * p], kind="stable")[: max(1, n // how.k)]
    mixed = how.alpha * own + (1 - how.alpha) * pair_nearest(own, synthetic[some])
    _refuse_own_values(own, mixed, names)
    if products:
        fractions, exponents = np.frexp(np.exp(mixed))
        return np.asarray(np.ldexp(np.rint(np.ldexp(fractions, BITS)), exponents - BITS), dtype=np.float64)
    steps = 2.0 ** (np.rint(np.log2(own.std(axis=0))) - GRID)
    released: Floats = np.rint(mixed / steps) * steps + 0.0
    return released


def pair_nearest(x: Floats, synthetic: Floats) -> Floats:
    """Return of each record the nearest synthetic one, by differences in deviations of the columns, (n, p).

    Examples
    --------
    >>> pair_nearest(np.array([[1.0], [2.0], [9.0]]), np.array([[8.0], [0.0]])).ravel().tolist()
    [0.0, 0.0, 8.0]
    """
    variables = Variables(1 / x.std(axis=0), np.empty(0))
    mine, other = (
        Records(np.ascontiguousarray(of), np.empty((len(of), 0), dtype=np.int64), np.ones(len(of), dtype=np.int64))
        for of in (x, synthetic)
    )
    paired: Floats = synthetic[find_nearest(mine, other, variables).place]
    return paired


def _refuse_own_values(own: Floats, mixed: Floats, names: list[str]) -> None:
    """Refuse what is released where nearly all of a column's variance follows from it."""
    for name, x, z in zip(names, own.T, mixed.T, strict=True):
        share = float(np.corrcoef(x, z)[0, 1]) ** 2 if z.min() < z.max() else 0.0
        if share > EXPLAINED:
            raise ValueError(
                f"what is released of {name} would explain {share:.4f} of its own values; expected at most "
                f"{EXPLAINED}: among many synthetic records of few columns the nearest is next to the own one: give a "
                "greater k (records for each synthetic one), a smaller alpha, or more columns"
            )


def _hybrid_masking(  # noqa: PLR0917 - as SQL calls it
    _stratum: str | None, x: Floats, alpha: float, method: str, k: float, tolerance: float, size: float,
    digests: Bytes, names: str,
) -> list[Floats]:  # fmt: skip
    how = Combination(method, alpha, int(k))
    uniforms = draw_uniforms(digests, 2 * len(x) + 1)
    return [*hybrid_masking(x.T, uniforms, how, tolerance, int(size), names.split("\n")).T]


FUNCTIONS = (
    declare_function(
        "hybrid_masking", _hybrid_masking, TABLE, x=TABLE, alpha=NUMBER, method=TEXT, k=NUMBER, tolerance=NUMBER,
        size=NUMBER, digests=DIGESTS, names=TEXT,
    ),
)  # fmt: skip
