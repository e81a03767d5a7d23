r"""Means and covariances of masked numbers restored, without a greater risk: post-masking optimisation.

The masked records are moved by the linear map with :math:`A' C_Z A = C_X` that moves them least, A symmetric; where
they are then linked to their originals more often than before, whole masked records are exchanged between those that
are, which changes no moment (SDC handbook, section 3.4.7.9).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.adapters import TEXT, declare_function
from sdc_sql.udfs.arrow_function import TABLE
from sdc_sql.udfs.hybrid import round_to_grid
from sdc_sql.udfs.linkage.distances import distance_linkage
from sdc_sql.udfs.regression import COLLINEAR, require_complete

if TYPE_CHECKING:
    import numpy.typing as npt
    from sdc_sql.udfs.arguments import Floats


def restore_moments(masked: npt.ArrayLike, original: npt.ArrayLike, names: list[str]) -> Floats:
    """Return masked columns with the means and covariances of the original ones, (n, p).

    Parameters
    ----------
    masked, original
        The columns after and before masking, (n, p), a row for each record, none missing.
    names
        Of the columns, for messages.

    Raises
    ------
    ValueError
        Where a value is missing, there are fewer than p + 2 records, or a column is constant or determined by others.

    Examples
    --------
    >>> x = np.array([[1.0], [2.0], [4.0], [3.0], [5.0]])
    >>> new = restore_moments(x * 2 + 1, x, ["age"])
    >>> float(new.mean().round(9)), float(new.var().round(9))
    (3.0, 2.0)
    """
    of, own = require_complete(masked, original, "original")
    n, p = of.shape
    if n < p + 2:
        raise ValueError(f"{n} records of {p} columns; expected at least {p + 2}: name fewer columns")
    moved = of
    for _ in range(2):  # once more for what the first leaves by rounding
        moved = own.mean(axis=0) + (moved - moved.mean(axis=0)) @ _find_map(moved, own, names)
    moved = round_to_grid(moved, own.std(axis=0))
    before, after = (compute_link_chances(z, own) for z in (of, moved))
    excess = after.sum() - before.sum()
    return moved if excess <= 0 else _exchange_records(moved, own, before, after)


def compute_link_chances(masked: Floats, original: Floats) -> Floats:
    """Return of each record the chance that its own original is taken for the nearest, as `sdc_distance_linkage`.

    Examples
    --------
    >>> compute_link_chances(np.array([[0.0], [2.0], [6.0]]), np.array([[0.0], [1.0], [3.0]])).tolist()
    [1.0, 0.5, 1.0]
    """
    n, p = masked.shape
    both = np.concatenate([original, masked]).T
    person = np.tile(np.arange(1.0, n + 1), 2)
    first = np.repeat([1.0, 0.0], n)
    _, nearer, near = distance_linkage(both, 0, 0, person, first, np.ones(2 * n), np.ones(p), "standardised", 0)
    found: Floats = np.where(nearer[n:] == 0, 1 / np.maximum(near[n:], 1), 0.0)
    return found


def _find_map(masked: Floats, original: Floats, names: list[str]) -> Floats:
    """Return the symmetric A with A' C_Z A = C_X; computed in deviations of the original columns."""
    sizes = original.std(axis=0)
    for name, size in zip(names, sizes, strict=True):
        if not size > 0:
            raise ValueError(f"{name} is constant in the original table: there is nothing to restore; leave it out")
    now, then = (np.cov((x / sizes).T, ddof=0).reshape(len(names), -1) for x in (masked, original))
    if (np.diag(now) <= 0).any() or np.linalg.eigvalsh(now / np.sqrt(np.outer(*[np.diag(now)] * 2)))[0] < COLLINEAR:
        raise ValueError(
            "a masked column is constant, or the others determine it, so that no linear map gives it its covariances: "
            "leave it out, or mask it otherwise"
        )
    root = _take_root(now)
    inverse = np.linalg.inv(root)
    found: Floats = (inverse @ _take_root(root @ then @ root) @ inverse) * sizes / sizes[:, np.newaxis]
    return found


def _take_root(matrix: Floats) -> Floats:
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    root: Floats = vectors * np.sqrt(np.maximum(values, 0)) @ vectors.T
    return root


def _exchange_records(moved: Floats, original: Floats, before: Floats, after: Floats) -> Floats:
    """Return the records, some exchanged, so that no more are linked than before.

    A record that gets that of another one who is linked is linked no more: the nearest original of what it gets is the
    other's.
    """
    released = moved.copy()
    centred = (moved - moved.mean(axis=0)) / original.std(axis=0)
    along = centred @ np.linalg.eigh(centred.T @ centred)[1][:, -1]
    newly = np.flatnonzero(after > before)
    linked = np.concatenate(
        [newly[np.argsort(along[newly], kind="stable")], np.flatnonzero((after > 0) & (after <= before))]
    )
    done = 0
    while True:
        chances = after if not done else compute_link_chances(released, original)
        excess = chances.sum() - before.sum()
        if excess <= 0:
            return released
        if done + 1 >= len(linked):
            raise ValueError(
                "no exchange of records was found after which no more of them are linked to their originals than "
                "before: mask the table more strongly first"
            )
        pairs = max(1, min((len(linked) - done) // 2, int(np.ceil(excess / 2))))
        one, other = linked[done : done + 2 * pairs : 2], linked[done + 1 : done + 2 * pairs : 2]
        released[one], released[other] = released[other], released[one]
        done += 2 * pairs


def _restore_moments(_stratum: str | None, masked: Floats, original: Floats, names: str) -> list[Floats]:
    return [*restore_moments(masked.T, original.T, names.split("\n")).T]


FUNCTIONS = (declare_function("restore_moments", _restore_moments, TABLE, masked=TABLE, original=TABLE, names=TEXT),)
