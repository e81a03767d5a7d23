"""Rounding to multiples of a base: to the nearest, or at random without bias.

Source: Handbook on Statistical Disclosure Control, chapter 3, section 3.4.2.5 (points and sets of attraction);
Willenborg and de Waal (2001), Elements of Statistical Disclosure Control, chapter 5 (random rounding).
Values are rounded one by one, so that strata and chunks do not matter. The base is in the units of the values.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from sdc_sql.udfs.arguments import Floats, number, uniforms_of


def round_to_base(x: npt.ArrayLike, base: float) -> Floats:
    """Return each value as the nearest multiple of the base; halfway goes up.

    The set of attraction of the point b i is [b i - b/2, b i + b/2), as the handbook has it for values that are not
    negative; here for all, so that -b/2 goes to 0.

    Parameters
    ----------
    x
        The values, any shape; NaN stays NaN.
    base
        The distance b of the rounding points, > 0. Below 1 and one over a whole number (0.1, 0.25), values are
        counted in b by multiplication: with b = 0.1, 0.15 goes to 0.2 although its double lies below.

    Returns
    -------
    numpy.ndarray
        The rounded values, at most b/2 from `x`, of its shape.

    Raises
    ------
    ValueError
        If the base is not positive and finite.

    Examples
    --------
    >>> round_to_base([0, 2, 2.5, 7.4, 7.5, -2.5, -2.6], 5)
    array([ 0.,  0.,  5.,  5., 10.,  0., -5.])
    """
    lower, rest, unit = _counted(x, base)
    return _multiple(lower + (rest >= 0.5), unit)  # noqa: PLR2004  (halfway)


def random_round(x: npt.ArrayLike, base: float, uniforms: npt.ArrayLike) -> Floats:
    """Return each value as one of the two multiples of the base around it, the nearer with the greater chance.

    From b i + r with 0 <= r < b it goes up to b (i + 1) with probability r / b, else down to b i: its expectation is
    the value itself, so that sums and means stay unbiased. The variance of a sum is the sum of r (b - r), at
    most n b^2 / 4. A multiple of the base, 0 included, stays as it is (zero-restricted).

    Parameters
    ----------
    x
        The values, any shape; NaN stays NaN.
    base
        The distance b of the rounding points, > 0.
    uniforms
        Draws in [0, 1), of the shape of `x`.

    Returns
    -------
    numpy.ndarray
        The rounded values, less than b from `x`, of its shape.

    Raises
    ------
    ValueError
        If the base is not positive and finite, if shapes differ, or if a draw is outside [0, 1).

    Examples
    --------
    >>> random_round([0, 4, 4, 5, -1], 5, [0.0, 0.79, 0.81, 0.5, 0.5])
    array([0., 5., 0., 5., 0.])
    """
    lower, rest, unit = _counted(x, base)
    return _multiple(lower + (uniforms_of(uniforms, lower.shape) < rest), unit)


def _counted(x: npt.ArrayLike, base: float) -> tuple[Floats, Floats, float]:
    """Return x in units of the base, whole part below and rest in [0, 1), and the unit: the base, or minus 1 / base."""
    step = number(base, "base", above=0)
    given = np.asarray(x)
    if given.dtype.kind not in "iuf":
        raise ValueError(f"x has type {given.dtype}; expected integers or floats: cast the column, NULL to NaN")
    values = given.astype(np.float64)
    if np.isinf(values).any():
        raise ValueError("x holds infinite values; expected finite ones, or NaN for missing: replace them")
    parts = np.rint(1 / step)
    unit = -parts if step < 1 and parts * step == 1 else step
    scaled = values * -unit if unit < 0 else values / unit
    lower = np.floor(scaled)
    return lower, scaled - lower, float(unit)


def _multiple(count: Floats, unit: float) -> Floats:
    """Return count multiples of the base, without a negative zero."""
    return np.asarray((count / -unit if unit < 0 else count * unit) + 0.0, dtype=np.float64)
