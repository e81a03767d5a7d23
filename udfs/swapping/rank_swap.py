"""Rank swapping: values exchanged between records whose ranks are near (Moore 1996).

Source: Handbook on Statistical Disclosure Control, chapter 3, section 3.4.2.4; Moore (1996), Controlled
data-swapping techniques for masking public use microdata, US Bureau of the Census, Research Report 96-04.
"""

from __future__ import annotations

from math import floor, log, sqrt

import numpy as np
import numpy.typing as npt
from sdc_sql.udfs.arguments import Floats, Integers, number, two_or_more, uniforms_of, vector
from sdc_sql.udfs.ranks import ascending
from sdc_sql.udfs.swapping.pairing import partners

# E(d^2) / L^2 for the distance d of two swapped ranks: the integral of t^2 ln 2 2^t from 0 to 1, see `pairing`.
SQUARED_DISTANCE = 2 - 4 / log(2) + 2 / log(2) ** 2
# The search for a range ends at a correlation which has lost at least this share of what it may lose.
CLOSE_ENOUGH = 0.95
TRIALS_BY_LAW = 6  # then by halves
TRIALS = 40


def rank_swap(values: npt.ArrayLike, uniforms: npt.ArrayLike, p: float) -> Floats:
    """Return the values, swapped in pairs whose ranks differ by at most p percent of the records.

    From the highest rank down, each value not yet swapped is swapped with one chosen with equal chances among
    those not yet swapped whose rank is lower by L = floor(p n / 100) at most, n the number of values. No value is
    swapped twice. All are swapped but, for an odd n, one, which is among the L lowest: above them one of the next L is
    always free, as only the L - 1 values before can have taken any. So the highest values, which identify
    most, never stay with their record (but that a value may meet an equal one). Equal values are ranked at random,
    by the first draw.

    One variable at a time, each with its own draws; once a stratum to keep what strata hold. Give the codes of an
    ordinal variable. It keeps correlations the better the smaller p is.

    Parameters
    ----------
    values
        One column, (n,); NaN where missing: it stays, and counts in no rank.
    uniforms
        Draws in [0, 1), (n, 2), a row a record: the first ranks equal values, the second chooses.
    p
        Range in percent of the number of values, in (0, 100].

    Returns
    -------
    numpy.ndarray
        The swapped values, (n,): the same values, so that every univariate statistic is kept exactly.

    Raises
    ------
    ValueError
        If p is outside (0, 100], if the range is less than one rank, or if there is one value only (none could move).

    Examples
    --------
    >>> draws = [[0.0, 0.3], [0.0, 0.6], [0.0, 0.9], [0.0, 0.2], [0.0, 0.5], [0.0, 0.8]]
    >>> rank_swap([10, 20, 30, 40, 50, 60], draws, 40)
    array([30., 40., 10., 20., 60., 50.])
    """
    column, order, choices = _ranked(values, uniforms)
    return _swapped(column, order, choices, _reach(p, order.size))


def rank_swap_correlated(values: npt.ArrayLike, uniforms: npt.ArrayLike, target: float) -> tuple[Floats, float]:
    """Return swapped values whose correlation with the original ones is `target` or a little more, and the p used.

    The wider the range, the lower the correlation: 1 - 2.35 (p / 100)^2 for evenly spread values and a small p. From
    there p is searched with the same draws, as the loss of correlation grows about as its square, until 95 % of the
    loss allowed is used, or no p is left between one that meets the target and one that does not. The result always
    meets it. Two variables swapped independently to correlations r and s keep about r s of the correlation
    between them. A few values far from the rest (a heavy tail) must move too, and can make a target impossible: code
    the top first.

    Parameters
    ----------
    values, uniforms
        As of :func:`rank_swap`.
    target
        The least correlation (Pearson) between original and swapped values, in (0, 1).

    Returns
    -------
    tuple
        The swapped values, (n,), and p in percent: ``rank_swap(values, uniforms, p)`` gives the same values.

    Raises
    ------
    ValueError
        If the values are all equal or missing, or if neighbours in rank swapped are already below the target.

    Examples
    --------
    >>> import numpy as np
    >>> draws = np.random.default_rng(1).random((1000, 2))
    >>> swapped, p = rank_swap_correlated(np.arange(1000), draws, 0.99)
    >>> bool(np.corrcoef(np.arange(1000), swapped)[0, 1] >= 0.99), round(p)
    (True, 6)
    """
    wanted = number(target, "target", above=0, below=1)
    column, order, choices = _ranked(values, uniforms)
    present = column[order]
    if not present.size or present[0] == present[-1]:
        raise ValueError("values are all equal or missing, which leaves no correlation; use rank_swap with a p")
    n = order.size
    good, bad = 0, n  # reaches known to meet the target, and not to
    best = column
    reach = min(max(round(n * sqrt((1 - wanted) / (6 * SQUARED_DISTANCE))), 1), n - 1)
    for trial in range(TRIALS):
        swapped = _swapped(column, order, choices, reach)
        r = _correlation(present, swapped[order])
        if r >= wanted:
            good, best = reach, swapped
        else:
            bad = reach
        if bad - good <= 1 or (r >= wanted and 1 - r >= CLOSE_ENOUGH * (1 - wanted)):
            break
        aim = (1 + CLOSE_ENOUGH) / 2 * (1 - wanted)
        guess = round(reach * sqrt(aim / (1 - r))) if r < 1 else bad
        reach = guess if trial < TRIALS_BY_LAW and good < guess < bad else (good + bad) // 2
    if not good:
        raise ValueError(
            f"target is {target}, but swapping neighbours in rank leaves a correlation of {r:.6g}; "
            "expected at most that: lower the target or code the top first"
        )
    return best, 100 * good / n


def swapped_places(
    choices: npt.ArrayLike, p: float | None, target: float | None = None, ordered: npt.ArrayLike | None = None
) -> Integers:
    """Return for values in ascending order the place of the value that each is exchanged with.

    Parameters
    ----------
    choices
        Draws in [0, 1), (n,), in the order of the values.
    p
        Range in percent of n; or None, then it is searched for `target`, see :func:`rank_swap_correlated`.
    target
        The least correlation between original and swapped values.
    ordered
        The values, (n,), ascending; needed for a target.

    Examples
    --------
    >>> swapped_places([0.3, 0.6, 0.9, 0.2, 0.5, 0.8], 40).tolist()
    [2, 3, 0, 1, 5, 4]
    """
    draws = np.asarray(choices, dtype=np.float64)
    n = draws.size
    two_or_more(n, "the column")
    if p is None:
        if target is None or ordered is None:
            raise ValueError("p is NULL: give the range in percent, in (0, 100]")
        places = np.zeros((n, 2))
        places[:, 0], places[:, 1] = np.arange(n) / n, draws
        _, p = rank_swap_correlated(ordered, places, target)
    found: Integers = n - 1 - partners(uniforms_of(draws, (n,))[::-1], _reach(p, n))[::-1]
    return found


def _ranked(values: npt.ArrayLike, uniforms: npt.ArrayLike) -> tuple[Floats, Integers, Floats]:
    """Return the column, the places of its values from lowest to highest, and the draws that choose, in that order."""
    column = vector(values)
    draws = uniforms_of(uniforms, (column.size, 2))
    order = ascending(column, draws[:, 0])
    two_or_more(order.size, "the column")
    return column, order, draws[order, 1]


def _reach(p: float, n: int) -> int:
    """Return the greatest difference of ranks, p percent of n."""
    share = number(p, "p", above=0, most=100)
    reach = floor(share * n / 100 + 1e-6)  # 100 L / n percent of n are L, whatever the rounding
    if n and not reach:
        raise ValueError(f"p is {p} percent of {n} values, less than one rank; expected at least {100 / n:.4g}")
    return reach


def _swapped(column: Floats, order: Integers, choices: Floats, reach: int) -> Floats:
    """Return the column with the values of partners exchanged."""
    result = column.copy()
    down = order[::-1]
    result[down] = column[down[partners(choices[::-1], reach)]]
    return result


def _correlation(a: Floats, b: Floats) -> float:
    """Return the correlation of two columns of the same values in another order."""
    centred = (a - a.mean()) / np.abs(a - a.mean()).max()
    other = (b - a.mean()) / np.abs(a - a.mean()).max()
    return float(centred @ other / (centred @ centred))
