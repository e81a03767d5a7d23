"""Rank swapping: values exchanged between records whose ranks are near (Moore 1996).

Source: Handbook on Statistical Disclosure Control, chapter 3, section 3.4.2.4; Moore (1996), Controlled
data-swapping techniques for masking public use microdata, US Bureau of the Census, Research Report 96-04.
"""

from __future__ import annotations

from math import floor, log, sqrt

import numpy as np
import numpy.typing as npt
from sdc_sql.udfs.arguments import (
    Floats,
    Integers,
    require_parameter,
    require_two_columns,
    require_uniforms,
    require_vector,
)
from sdc_sql.udfs.swapping.pairing import pair_places

# E(d^2) / L^2 for the distance d of two swapped ranks: the integral of t^2 ln 2 2^t from 0 to 1, see `pairing`.
SQUARED_DISTANCE = 2 - 4 / log(2) + 2 / log(2) ** 2
# The search for a range ends at a correlation which has lost at least this share of what it may lose.
CLOSE_ENOUGH = 0.95
TRIALS_BY_LAW = 6  # then by halves
TRIALS = 40


def swap_places(
    choices: npt.ArrayLike, p: float | None, target: float | None = None, ordered: npt.ArrayLike | None = None
) -> Integers:
    """Return for values in ascending order the place of the value that each is exchanged with.

    From the highest rank down, each value not yet swapped is swapped with one chosen with equal probability among
    those not yet swapped whose rank is lower by L = floor(p n / 100) at most, n the number of values. No value is
    swapped twice. All are swapped but, for an odd n, one, which is among the L lowest: above them one of the next L is
    always free, as only the L - 1 values before can have taken any. So the highest values, which identify
    most, never stay with their record (unless a value is swapped with an equal one).

    One variable at a time, each with its own draws; once a stratum to keep what strata hold. The caller ranks equal
    values at random and leaves out what is missing. Correlations are kept the better the smaller p is.

    Parameters
    ----------
    choices
        Draws in [0, 1), (n,), in the order of the values.
    p
        Range in percent of n, in (0, 100]; or None, then it is searched for `target`, see :func:`range_keeping`.
    target
        The least correlation between original and swapped values.
    ordered
        The values, (n,), ascending; needed for a target.

    Returns
    -------
    numpy.ndarray
        Places from 0, (n,): a permutation that is its own inverse, so that every univariate statistic is kept exactly.

    Raises
    ------
    ValueError
        If p is outside (0, 100], if the range is less than one rank, if there is one value only (none could move), or
        as of :func:`range_keeping`.

    Examples
    --------
    >>> swap_places([0.3, 0.6, 0.9, 0.2, 0.5, 0.8], 40).tolist()
    [2, 3, 0, 1, 5, 4]
    """
    draws = require_uniforms(choices, (np.size(choices),), "choices")
    require_two_columns(draws.size, "the column")
    if p is not None:
        return _find_partners(draws, _count_ranks(p, draws.size))
    if target is None or ordered is None:
        raise ValueError("p is NULL: give the range in percent, in (0, 100]")
    return _find_partners(draws, range_keeping(target, ordered, draws))


def range_keeping(target: float, ordered: npt.ArrayLike, choices: npt.ArrayLike) -> int:
    """Return the range, in ranks, in which swapping leaves a correlation of `target` or a little more.

    The wider the range, the lower the correlation: 1 - 2.35 (p / 100)^2 for evenly spread values and a small p. From
    there the range is searched with the same draws, as the loss of correlation grows about as its square, until 95 %
    of the loss allowed is used, or no range is left between one that meets the target and one that does not. The
    result always meets it. Two variables swapped independently to correlations r and s keep about r s of the
    correlation between them. A few values far from the rest (a heavy tail) must move too, and can make a target
    impossible: code the top first.

    Parameters
    ----------
    target
        The least correlation (Pearson) between original and swapped values, in (0, 1).
    ordered, choices
        The values, ascending, and their draws, as of :func:`swap_places`.

    Raises
    ------
    ValueError
        If the values are all equal, or if swapping neighbours in rank already leaves less than the target.

    Examples
    --------
    >>> range_keeping(0.99, np.arange(1000), np.random.default_rng(2).random(1000))
    65
    """
    wanted = require_parameter(target, "correlation", above=0, below=1)
    values = require_vector(ordered)
    draws = require_uniforms(choices, values.shape, "choices")
    n = values.size
    if not n or values[0] == values[-1]:
        raise ValueError("values are all equal or missing, which leaves no correlation; use rank_swap with a p")
    good, bad = 0, n  # ranges known to meet the target, and not to
    reach = min(max(round(n * sqrt((1 - wanted) / (6 * SQUARED_DISTANCE))), 1), n - 1)
    for trial in range(TRIALS):
        r = _correlation(values, values[_find_partners(draws, reach)])
        if r >= wanted:
            good = reach
        else:
            bad = reach
        if bad - good <= 1 or (r >= wanted and 1 - r >= CLOSE_ENOUGH * (1 - wanted)):
            break
        aim = (1 + CLOSE_ENOUGH) / 2 * (1 - wanted)
        guess = round(reach * sqrt(aim / (1 - r))) if r < 1 else bad
        reach = guess if trial < TRIALS_BY_LAW and good < guess < bad else (good + bad) // 2
    if not good:
        raise ValueError(
            f"correlation is {target}, but swapping neighbours in rank leaves a correlation of {r:.6g}; "
            "expected at most that: lower the target or code the top first"
        )
    return good


def _find_partners(draws: Floats, reach: int) -> Integers:
    """Return the partner of each place; the pairing begins at the highest rank."""
    found: Integers = draws.size - 1 - pair_places(draws[::-1], reach)[::-1]
    return found


def _count_ranks(p: float, n: int) -> int:
    """Return the greatest difference of ranks, p percent of n."""
    share = require_parameter(p, "p", above=0, most=100)
    reach = floor(share * n / 100 + 1e-6)  # 100 L / n percent of n are L, whatever the rounding
    if n and not reach:
        raise ValueError(f"p is {p} percent of {n} values, less than one rank; expected at least {100 / n:.4g}")
    return reach


def _correlation(a: Floats, b: Floats) -> float:
    """Return the correlation of two columns of the same values in another order."""
    centred = (a - a.mean()) / np.abs(a - a.mean()).max()
    other = (b - a.mean()) / np.abs(a - a.mean()).max()
    return float(centred @ other / (centred @ centred))
