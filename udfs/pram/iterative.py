"""An invariant PRAM matrix that keeps impossible changes impossible: the flows scaled to the frequencies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.arguments import require_parameter
from sdc_sql.udfs.pram.checks import require_counts, require_pram_matrix, require_records

if TYPE_CHECKING:
    import numpy.typing as npt
    from sdc_sql.udfs.arguments import Floats, Truths


def invariant_iterative(
    p: npt.ArrayLike, frequencies: npt.ArrayLike, tolerance: float = 1e-12, rounds: int = 10_000
) -> Floats:
    r"""Return the invariant matrix nearest to p: zeros stay zeros, and nothing but them is zero.

    The expected flows :math:`T_k p_{kl}` are scaled, columns and rows in turn, until both sum to T (iterative
    proportional fitting, Deming and Stephan 1940); the flows found are those with these sums that are nearest to the
    given ones in Kullback's sense (Csiszar 1975, I-divergence geometry, Annals of Probability 3, 146-158), and all
    odds ratios :math:`r_{ij} r_{kl} / (r_{il} r_{kj})` are those of p. The diagonal is not kept, and may fall.

    Parameters
    ----------
    p
        (K, K), as of :func:`sdc_sql.udfs.pram.checks.require_pram_matrix`.
    frequencies
        T, the original frequencies, (K,), at least 0, not all 0.
    tolerance
        How far an expected frequency of the release may be from the original, relative to it: 1e-12.
    rounds
        How many times at most rows and columns are scaled.

    Returns
    -------
    numpy.ndarray
        (K, K), rows summing to 1 to rounding, :math:`R^t T = T` within tolerance. Categories without records have the
        row and the column of the identity; what p moves to them stays with the others in proportion.

    Raises
    ------
    ValueError
        As of the two-stage matrix; and where no invariant matrix has these zeros:

        - a category with records whose every change leads to categories without;
        - a change k to l from which nothing leads back, by any number of changes: l would grow. (Its flow would have
          to be 0 in every invariant matrix; set p[k, l] to 0 or allow a way back.)
        - frequencies that cannot be made up of flows with these zeros, which needs zeros on the diagonal: with
          nobody staying, two categories must be equally large to be exchanged. Found by not converging.

        It does not converge either, in `rounds`, where very small probabilities join groups of categories.

    Examples
    --------
    0 and 2 are never exchanged, by way of 1 neither.

    >>> p = [[0.8, 0.2, 0.0], [0.1, 0.8, 0.1], [0.0, 0.2, 0.8]]
    >>> r = invariant_iterative(p, [50, 30, 20])
    >>> r.round(4)
    array([[0.8912, 0.1088, 0.    ],
           [0.1813, 0.7079, 0.1109],
           [0.    , 0.1663, 0.8337]])
    >>> (r.T @ [50, 30, 20]).round(9)
    array([50., 30., 20.])
    """
    matrix = require_pram_matrix(p)
    t = require_records(require_counts(frequencies, matrix.shape[:1], "frequencies"), "frequencies")
    require_parameter(tolerance, "tolerance", above=0)
    require_parameter(rounds, "rounds", least=1)
    there = np.flatnonzero(t)
    kept = matrix[np.ix_(there, there)]
    _refuse_one_way_changes(kept, there)
    found = np.eye(t.size)
    found[np.ix_(there, there)] = _scale_matrix(kept, t[there], there, tolerance, int(rounds))
    return found


def _scale_matrix(kept: Floats, t: Floats, there: npt.NDArray[np.intp], tolerance: float, rounds: int) -> Floats:
    """Return the scaled matrix of categories that all have records, rows scaled last."""
    share = t / t.sum()
    rows: Floats = kept / kept.sum(axis=1, keepdims=True)
    for _ in range(rounds):
        received = share @ rows / share
        if np.abs(received - 1).max() <= tolerance:
            return rows
        rows = rows / received
        rows = rows / rows.sum(axis=1, keepdims=True)
    worst = int(np.abs(received - 1).argmax())
    hint = (
        "there is such a matrix, as every category can stay: give more rounds"
        if (kept.diagonal() > 0).all()
        else "there may be none with these zeros: give categories a probability to stay, or more rounds"
    )
    raise ValueError(
        f"not converged in {rounds} rounds: the release would differ by {received[worst] - 1:+.2g} of it from the "
        f"frequency {t[worst]:g} of category {there[worst]}; expected at most {tolerance:g}; {hint}"
    )


def _refuse_one_way_changes(kept: Floats, there: npt.NDArray[np.intp]) -> None:
    """Refuse changes that no invariant matrix can have, since such flows are never returned."""
    lost = there[kept.sum(axis=1) == 0]
    if lost.size:
        raise ValueError(
            f"category {lost[0]} has records, and row {lost[0]} of p leads to categories without only; expected a "
            "probability to stay, or to become one with records: nothing may move to an empty category"
        )
    leads = _find_reachable(kept > 0)
    final = np.argwhere((kept > 0) & ~leads.T)
    if final.size:
        k, j = there[final[0]]
        raise ValueError(
            f"p[{k}, {j}] is positive, but no changes lead from {j} back to {k}, among categories with records: no "
            f"invariant matrix has this change, and {len(final)} such changes in all; set them to 0 or allow a way back"
        )


def _find_reachable(possible: Truths) -> Truths:
    """Return what can be reached from where by any number of steps, by squaring."""
    found = possible | np.eye(possible.shape[0], dtype=np.bool_)
    while True:
        paths = found.astype(np.float32)
        further = paths @ paths > 0
        if (further == found).all():
            return found
        found = further
