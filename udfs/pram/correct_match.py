"""PRAM: the proof that goes with a guaranteed release.

Nayak's design moves a record of a cell with T records away with probability theta / T, to each of the
other k - 1 cells alike. Nothing here builds a k x k matrix: cells with equal T are alike, so what is
needed is how many cells there are of each T.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.arguments import number
from sdc_sql.udfs.pram.power_series import all_but_one, binomial, product

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

LEAST_XI = 3 / 7


def theta_of_xi(xi: float) -> float:
    """Return the theta at which the bound on a correct match is xi.

    The root in (0, 2/3] of (1 - theta) / (1 - theta + theta^2) = xi, that is of
    xi theta^2 + (1 - xi) theta - (1 - xi) = 0.

    Parameters
    ----------
    xi
        The greatest probability of a correct match that is tolerated, in [3/7, 1).

    Returns
    -------
    float
        theta, the expected number of records that leave each cell.

    Raises
    ------
    ValueError
        Where xi lies outside [3/7, 1).

    Notes
    -----
    Nayak, Identity disclosure risk control in microdata release via post-randomization, Result 1.

    Examples
    --------
    >>> round(theta_of_xi(3 / 7), 12), round(theta_of_xi(0.6 / 0.76), 12)
    (0.666666666667, 0.4)
    """
    if not LEAST_XI <= xi < 1:
        raise ValueError(f"xi is {xi}: it must lie in [3/7, 1); below 3/7 this design guarantees nothing.")
    rest = 1 - xi
    # the root without cancellation: 2c / (b + sqrt(b^2 + 4ac))
    return float(2 * rest / (rest + np.sqrt(rest * rest + 4 * xi * rest)))


def bound(frequency: ArrayLike, theta: float) -> NDArray[np.float64]:
    """Return psi(T, theta), the bound on the probability that a unique match is correct.

    Parameters
    ----------
    frequency
        T, the records of a cell in the original file, at least 1.
    theta
        In [0, 1].

    Returns
    -------
    numpy.ndarray
        psi, of the shape of ``frequency``.

    Notes
    -----
    Nayak, (10): (T - theta) / (T (T - theta) + theta^2).

    Examples
    --------
    >>> bound([1, 2], 0.4).round(4)
    array([0.7895, 0.4762])
    """
    t = np.asarray(frequency, dtype=np.float64)
    return (t - theta) / (t * (t - theta) + theta * theta)


def correct_match(frequencies: ArrayLike, cells: ArrayLike, theta: float, most: int = 10) -> NDArray[np.float64]:
    """Return the exact probability that a match is correct, given that the released cell has a records.

    Parameters
    ----------
    frequencies
        The distinct values of T among the non-empty cells of a group, (m,).
    cells
        How many cells have each, (m,); their sum is k.
    theta
        The design's theta, in [0, 1].
    most
        The largest a.

    Returns
    -------
    numpy.ndarray
        (m, most): row i is P(CM | S = a, T) for a cell of ``frequencies[i]`` records, a = 1 .. most.

    Raises
    ------
    ValueError
        Where there are fewer than two cells, a frequency or count is below 1, theta lies outside [0, 1], most is
        below 1, or there is not one count for each frequency.

    Notes
    -----
    Nayak, (8): (1/a) alpha q(a-1) / (alpha q(a-1) + (1 - alpha) q(a)), alpha = 1 - theta/T the probability that
    the target stays, and q the distribution of how many others are released in its cell: T - 1 that stay with
    probability alpha, and from each other cell i T_i that come with probability theta / ((k-1) T_i). (In (6) of
    the paper binom(T*, k) stands where binom(T*, a_i) is meant.) Computed in logarithms by convolution, O(m) of them.

    Examples
    --------
    Two cells of one record each, theta = 0.4: given one record in the cell, it is the target's with 0.36/0.52.

    >>> correct_match([1], [2], 0.4, most=2).round(4)
    array([[0.6923, 0.5   ]])
    """
    t = np.asarray(frequencies, dtype=np.float64)
    n = np.asarray(cells, dtype=np.float64)
    number(theta, "theta", least=0, most=1)
    number(most, "most", least=1)
    if t.ndim != 1 or t.shape != n.shape:
        raise ValueError(f"frequencies and cells have shapes {t.shape} and {n.shape}; expected one of each: (m,) both")
    k = n.sum()
    if t.size == 0 or not k >= 2 or not (t >= 1).all() or not (n >= 1).all():  # noqa: PLR2004 - one has nowhere to go
        raise ValueError("The cells must be at least two, each with at least one record, for PRAM to move any.")
    leaves, comes = theta / t, theta / ((k - 1) * t)
    with np.errstate(divide="ignore"):
        log_leaves, log_stays, log_comes, log_away = np.log(leaves), np.log1p(-leaves), np.log(comes), np.log1p(-comes)
    # to the target's cell from its own, from the others of its frequency, and from those of the other frequencies
    own = binomial(t - 1, log_stays, log_leaves, most)
    alike = binomial((n - 1) * t, log_comes, log_away, most)
    unlike = all_but_one(binomial(n * t, log_comes, log_away, most))
    q = product(product(own, alike), unlike)
    # 1 / (1 + odds against): the ratio q(a) / q(a-1) stays finite where both underflow
    with np.errstate(over="ignore", invalid="ignore"):
        against = np.exp((log_leaves - log_stays)[:, np.newaxis] + q[:, 1:] - q[:, :-1])
    a = np.arange(1, most + 1)
    possible = np.isfinite(q[:, :-1]) & (leaves < 1)[:, np.newaxis]
    return np.where(possible, 1 / (a * (1 + against)), 0.0)
