"""The probability of a correct match after PRAM: the proof that goes with a guaranteed release.

Nayak's design moves a record of a cell with T records away with probability theta / T, to each of the
other k - 1 cells with equal probability. Nothing here builds a k x k matrix: cells with equal T are
interchangeable, so what is needed is the number of cells of each T.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.arguments import require_parameter
from sdc_sql.udfs.pram.power_series import binomial, multiply_others, multiply_series

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


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
    require_parameter(theta, "theta", least=0, most=1)
    require_parameter(most, "most", least=1)
    if t.ndim != 1 or t.shape != n.shape:
        raise ValueError(f"frequencies and cells have shapes {t.shape} and {n.shape}; expected one of each: (m,) both")
    k = n.sum()
    if t.size == 0 or not k >= 2 or not (t >= 1).all() or not (n >= 1).all():  # noqa: PLR2004 - one has nowhere to go
        raise ValueError("The cells must be at least two, each with at least one record, for PRAM to move any.")
    leaves, comes = theta / t, theta / ((k - 1) * t)
    with np.errstate(divide="ignore"):
        log_leaves, log_stays, log_comes, log_away = np.log(leaves), np.log1p(-leaves), np.log(comes), np.log1p(-comes)
    # records come to the target's cell from its own, from others of its frequency, and from those of other frequencies
    own = binomial(t - 1, log_stays, log_leaves, most)
    alike = binomial((n - 1) * t, log_comes, log_away, most)
    unlike = multiply_others(binomial(n * t, log_comes, log_away, most))
    q = multiply_series(multiply_series(own, alike), unlike)
    # 1 / (1 + odds against): the ratio q(a) / q(a-1) stays finite where both underflow
    with np.errstate(over="ignore", invalid="ignore"):
        against = np.exp((log_leaves - log_stays)[:, np.newaxis] + q[:, 1:] - q[:, :-1])
    a = np.arange(1, most + 1)
    possible = np.isfinite(q[:, :-1]) & (leaves < 1)[:, np.newaxis]
    return np.where(possible, 1 / (a * (1 + against)), 0.0)
