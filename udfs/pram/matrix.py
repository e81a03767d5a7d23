r"""PRAM matrices: made from a few parameters, and made invariant, so that the release keeps the table in expectation.

p[k, l] is P(X = l | xi = k), so that rows sum to 1 and :math:`E(T_X | \xi) = P^t T_\xi`. A matrix R is invariant for
the frequencies T where :math:`R^t T = T`: tables of the release are then unbiased without any correction.

=================== ========================== ========================================================
function            made from                  what is kept
=================== ========================== ========================================================
invariant_two_stage a matrix                   not the diagonal, nor zeros; as many go from k to l as back
invariant_iterative a matrix                   zeros and odds ratios, not the diagonal
of_pd_alpha         two numbers                a least diagonal; as many go from k to l as back
=================== ========================== ========================================================

Sources: Hundepool et al., Handbook on Statistical Disclosure Control, 3.4.6; Gouweleeuw, Kooiman, Willenborg and de
Wolf (1998), Post randomisation for statistical disclosure control: theory and implementation, Journal of Official
Statistics 14, 463-478. A category without records stays as it is in every invariant matrix here (its row and its
column are those of the identity): nothing may move to it if its expected frequency is to stay 0, and no record is
there to move from it; any other row would make the matrix singular, beyond correction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.arguments import require_parameter
from sdc_sql.udfs.pram.checks import require_counts, require_pram_matrix, require_records

if TYPE_CHECKING:
    import numpy.typing as npt
    from sdc_sql.udfs.arguments import Floats


def retention(k: int, probability: float) -> Floats:
    """Return the matrix that keeps a category with one probability, and changes it to any other with equal probability.

    Parameters
    ----------
    k
        How many categories, at least 2.
    probability
        The diagonal, in [0, 1].

    Returns
    -------
    numpy.ndarray
        (k, k); beside the diagonal (1 - probability) / (k - 1). It is singular for probability = 1 / k.

    Raises
    ------
    ValueError
        If k is below 2 or not whole, or the probability lies outside [0, 1].

    Examples
    --------
    The gender of the handbook: 110 men and 90 women are released as 108 and 92 in expectation.

    >>> retention(2, 0.9).T @ [110, 90]
    array([108.,  92.])
    """
    require_parameter(k, "k", least=2)
    if k != int(k):
        raise ValueError(f"k is {k}; expected a whole number of categories")
    stays = require_parameter(probability, "probability", least=0, most=1)
    matrix = np.full((int(k), int(k)), (1 - stays) / (k - 1))
    np.fill_diagonal(matrix, stays)
    return matrix


def invariant_two_stage(p: npt.ArrayLike, frequencies: npt.ArrayLike, *, keep_zeros: bool = True) -> Floats:
    r"""Return R = P Q, which keeps the frequencies in expectation: p applied, then inverted by Bayes' theorem.

    :math:`q_{lk} = p_{kl} T_k / \sum_m p_{ml} T_m` is the probability that a record released by p as l was k. The flows
    :math:`T_k r_{kj} = \sum_l T_k p_{kl} p_{jl} T_j / \sum_m p_{ml} T_m` are symmetric: as many records are expected
    to go from k to j as back, hence :math:`R^t T = T`. The diagonal is that of R, not of p: rare categories, whose l
    is mostly of others, keep little of it.

    Parameters
    ----------
    p
        (K, K), as of :func:`require_pram_matrix`.
    frequencies
        T, the original frequencies, (K,), at least 0, not all 0; sums of weights are allowed.
    keep_zeros
        Whether a change impossible under p must be so under R too. R allows k to become j wherever p can change both
        to one l: with p[male, ovarian cancer] = 0 R can still be positive there ("illogical" changes).

    Returns
    -------
    numpy.ndarray
        (K, K). Categories without records have the row and the column of the identity.

    Raises
    ------
    ValueError
        As :func:`require_pram_matrix`; if the frequencies do not fit; if `keep_zeros` is asked for, and R allows
        a change that p excludes.

    Examples
    --------
    >>> r = invariant_two_stage(retention(2, 0.9), [110, 90])
    >>> r.round(4)
    array([[0.837 , 0.163 ],
           [0.1993, 0.8007]])
    >>> r.T @ [110, 90]
    array([110.,  90.])
    """
    matrix = require_pram_matrix(p)
    t = require_records(require_counts(frequencies, matrix.shape[:1], "frequencies"), "frequencies")
    there = np.flatnonzero(t)
    first = matrix[there]
    flows = t[there, np.newaxis] * first
    received = flows.sum(axis=0)
    # where nothing is received nothing is to be undone; columns without records are kept, as intermediate stages
    undone = np.divide(flows, received, out=np.zeros_like(flows), where=received > 0)
    found = np.eye(t.size)
    found[np.ix_(there, there)] = first @ undone.T
    if keep_zeros:
        _refuse_new_changes(found, matrix)
    return found


def make_pd_alpha_matrix(frequencies: npt.ArrayLike, pd: float, alpha: float) -> Floats:
    r"""Return an invariant matrix by the parameters of sdcMicro's pram(), whose diagonal is at least pd.

    :math:`R = \alpha R_s + (1 - \alpha) I`, :math:`R_s` the two-stage matrix of one with the diagonal pd and equal
    entries beside it. Where the least diagonal of R would be below pd, more of the identity is mixed in, until it is
    pd. In sdcMicro pd is the minimum of the diagonal of the first stage alone (drawn at random between pd and 1), so
    that rare categories are kept with a smaller probability; here pd is what is guaranteed, and nothing is drawn.

    Parameters
    ----------
    frequencies
        T, (K,), K at least 2, at least 0, not all 0.
    pd
        The least probability that a record keeps its category, in [0, 1].
    alpha
        The weight of the change, in [0, 1]; 0 changes nothing.

    Returns
    -------
    numpy.ndarray
        (K, K), :math:`R^t T = T`. Categories without records take no part: the rest is as if they were not listed.
        A rare category has the least diagonal entry of R_s, and so by itself determines the weight of the identity: the
        frequent ones then change less than pd allows. Join rare categories where that is too little.

    Raises
    ------
    ValueError
        If pd or alpha lie outside [0, 1], or the frequencies are not K >= 2 finite numbers >= 0, one above 0.

    Examples
    --------
    >>> make_pd_alpha_matrix([60, 30, 10], 0.8, 1.0).round(4)
    array([[0.9331, 0.0457, 0.0212],
           [0.0913, 0.8845, 0.0242],
           [0.1274, 0.0726, 0.8   ]])
    """
    t = np.asarray(frequencies)
    stays, weight = require_parameter(pd, "pd", least=0, most=1), require_parameter(alpha, "alpha", least=0, most=1)
    if t.ndim != 1 or t.size < 2:  # noqa: PLR2004 - one category has no other to become
        raise ValueError(f"frequencies has shape {t.shape}; expected (K,), two categories or more")
    t = require_records(require_counts(t, t.shape, "frequencies"), "frequencies")
    there = np.flatnonzero(t)
    found = np.eye(t.size)
    if there.size == 1:
        return found
    mixed = invariant_two_stage(retention(there.size, stays), t[there], keep_zeros=False)
    least = mixed.diagonal().min()
    if least < 1:
        weight = min(weight, (1 - stays) / (1 - least))
    found[np.ix_(there, there)] = weight * mixed + (1 - weight) * np.eye(there.size)
    return found


def _refuse_new_changes(found: Floats, matrix: Floats) -> None:
    """Refuse a matrix that changes k to j where the first one cannot; that k can stay is no change."""
    new = np.argwhere((found > 0) & (matrix == 0) & ~np.eye(matrix.shape[0], dtype=np.bool_))
    if new.size:
        k, j = new[0]
        raise ValueError(
            f"the two-stage matrix changes {k} to {j} with probability {found[k, j]:.3g} where p[{k}, {j}] is 0, and "
            f"{len(new)} such changes in all; use invariant_iterative, which keeps zeros, or allow them by "
            "keep_zeros=False"
        )
