r"""Multiplicative noise: Höhne's two variants (plain noise is SQL: sql/mask/multiplicative_noise.sql).

Source: Handbook on Statistical Disclosure Control, chapter 3, section 3.4.2.2; Höhne (2004), Varianten von
Zufallsüberlagerungen. NaN stays NaN and takes no part in moments and sums, which are those of the rows given: to keep
those of every stratum call once a stratum.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from sdc_sql.udfs.arguments import (
    Floats,
    require_columns,
    require_normals,
    require_parameter,
    require_two_columns,
    require_uniforms,
)
from sdc_sql.udfs.noise.moments import deviations, means
from sdc_sql.udfs.ranks import sort_places

# A deviation this small a part of the original one is left over from rounding.
CONSTANT = 1e-9
LEAST_SPREAD = 0.1  # the least spread of hoehne_sum, as a share of the size


def hoehne(x: npt.ArrayLike, uniforms: npt.ArrayLike, normals: npt.ArrayLike, f: float, s: float) -> Floats:
    r"""Return values raised or lowered by about f a record, means and variances restored (3.4.2.2, second formula).

    All values of a record get the factor 1 - f or 1 + f, each with probability 1/2, plus normal noise of standard
    deviation s of their own; then, variable by variable,
    :math:`x^{a^R} = (\sigma_X / \sigma_{X^a}) (x^a - \mu_{X^a}) + \mu_X`. The last step can move values near 0
    below it.

    Parameters
    ----------
    x
        The values, (n,) or (n, p), a row a record, NaN where missing.
    uniforms
        Draws in [0, 1), (n,): below 1/2 the record is lowered.
    normals
        Standard normal draws of the shape of `x`.
    f
        Distance of the main factors from 1, in (0, 1).
    s
        Standard deviation of the noise on the factors, 0 <= s < f/2.

    Returns
    -------
    numpy.ndarray
        The masked values, of the shape of `x`: means and variances of `x` exactly (up to rounding).

    Raises
    ------
    ValueError
        If shapes differ, f or s is out of range, or a column has a single value.

    Examples
    --------
    >>> x = np.array([100.0, 200.0, 600.0])
    >>> masked = hoehne(x, [0.2, 0.7, 0.6], [0.0, 0.0, 0.0], 0.1, 0.0)
    >>> masked.round(2)
    array([ 93.34, 208.48, 598.18])
    >>> bool(np.isclose(masked.mean(), x.mean())), bool(np.isclose(masked.std(), x.std()))
    (True, True)
    """
    matrix = require_columns(x)
    draws = require_normals(normals, matrix)
    up = require_uniforms(uniforms, matrix.shape[:1]) >= 0.5  # noqa: PLR2004  (even chances)
    main = require_parameter(f, "f", above=0, below=1)
    noise = require_parameter(s, "spread", least=0, below=main / 2)
    masked = matrix * (np.where(up, 1 + main, 1 - main)[:, np.newaxis] + noise * draws)
    before, after = deviations(matrix), deviations(masked)
    if (after < CONSTANT * before).any():
        raise ValueError("the factors made a column constant, so that its variance cannot be restored; change f")
    scale = before / np.where(after > 0, after, 1.0)
    return (scale * (masked - means(masked)) + means(matrix)).reshape(np.shape(x))


def hoehne_sum(x: npt.ArrayLike, normals: npt.ArrayLike, mean: float, sd: float) -> Floats:
    r"""Return values lowered or raised in turn, the sum of each variable kept (3.4.2.2, third to fifth formula).

    In descending order the first value becomes :math:`(1 - W_1) x_1`; each next one :math:`(1 - W_i) x_i` where the
    masked sum so far exceeds the original one, :math:`(1 + W_i) x_i` where not; the last one takes up the difference.
    :math:`W = |m + s N(0, 1)|`: the handbook wants positive draws, and a sign changed (one in 740 at most, as
    s <= m / 3) needs no new one. The largest value is always lowered. The smallest one can move by more than W,
    and below 0. Equal values are put in order by their draws.

    For one release only: the sign hangs on all values before, and a record more turns it for about half of those after.
    Whoever has two such releases has x as the midpoint of these; other draws do not cure it, as a midpoint is x to
    within the spread.

    Parameters
    ----------
    x
        The values, (n,) or (n, p), none negative, NaN where missing.
    normals
        Standard normal draws of the same shape.
    mean
        Expectation m of the relative change, in (0, 1).
    sd
        Its standard deviation s, m / 10 <= s <= m / 3 ("small"). With none, a released value leaves two candidates,
        x / (1 - m) and x / (1 + m).

    Returns
    -------
    numpy.ndarray
        The masked values, of the shape of `x`: the sum of each column exactly (up to rounding).

    Raises
    ------
    ValueError
        If shapes differ, a parameter is out of range, a value is negative (a raise would lower it) or alone.

    Examples
    --------
    >>> hoehne_sum([10.0, 1000.0, 100.0, 200.0], [0.0, 0.0, 0.0, 0.0], 0.1, 0.02)
    array([ 80., 900., 110., 220.])
    """
    matrix = require_columns(x)
    draws = require_normals(normals, matrix)
    m = require_parameter(mean, "mean", above=0, below=1)
    if require_parameter(sd, "spread", least=0, most=m / 3) < LEAST_SPREAD * m * (1 - CONSTANT):
        raise ValueError(
            f"spread is {sd}; expected at least a tenth of the size, {LEAST_SPREAD * m:g}, and at most a "
            f"third, {m / 3:g}: with less, each released value leaves two candidates only"
        )
    changes = np.abs(m + sd * draws)
    if (matrix < 0).any():
        raise ValueError(
            f"x has {int((matrix < 0).sum())} negative values; expected none: use hoehne, or mask magnitudes"
        )
    result = matrix.copy()
    for j, column in enumerate(matrix.T):
        order = sort_places(-column, draws[:, j])
        require_two_columns(order.size, f"column {j}")
        result[order, j] = _balance_steps(column[order], column[order] * changes[order, j])
    return result.reshape(np.shape(x))


def _balance_steps(descending: Floats, steps: Floats) -> Floats:
    """Return values with steps taken down where the masked sum is ahead, up where not; the last one evens out."""
    ahead = 0.0  # masked sum minus original sum so far
    moves: list[float] = []
    for k, step in enumerate(steps[:-1].tolist()):
        move = -step if k == 0 or ahead > 0 else step
        ahead += move
        moves.append(move)
    return descending + np.array([*moves, -ahead]) if moves else descending
