"""What the means of a series of releases give of the values in them: all their equations, solved together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.adapters import declare_function
from sdc_sql.udfs.arrow_function import NUMBERS

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats

NEAR = 1e-13  # the residual, as a share of the first, at which the solution ends
STEPS, WORK = 4000, 2e9  # the most steps, and the most additions


def solve_means(states: Floats, groups: Floats, amounts: Floats) -> Floats:
    """Return the values whose groups have these means: by least squares, of all solutions the nearest to the averages.

    Conjugate gradients on the normal equations (Hestenes & Stiefel 1952), each equation divided by the root of its
    size. They begin at the average of what is said of a value, which is the answer where each group is one value.

    Parameters
    ----------
    states, groups
        The number of the value, and that of the group which it is in, a pair a released number; from 0 on.
    amounts
        The released number, the same for all of a group.
    """
    unknown, group = np.asarray(states).astype(np.int64), np.asarray(groups).astype(np.int64)
    y = np.asarray(amounts, dtype=np.float64)
    if not len(y):
        return np.array([])
    many, sizes = int(unknown.max()) + 1, np.bincount(group)
    said = np.bincount(unknown, minlength=many)
    centre = float(y.mean())  # the differences from it are of like size: fewer digits are lost
    average = np.bincount(unknown, y - centre, minlength=many) / np.maximum(said, 1)
    if sizes.max() == 1:
        return np.where(said > 0, average + centre, np.nan)
    share = 1 / np.sqrt(sizes)
    means = np.bincount(group, y - centre) / sizes

    def sum_groups(x: Floats) -> Floats:
        return np.bincount(group, x[unknown]) * share

    def sum_values(r: Floats) -> Floats:
        return np.bincount(unknown, (r * share)[group], minlength=many) / np.maximum(said, 1)

    # scaled by how often a value is in a group, so that those of many releases do not slow down the others
    x = average
    rest = means * np.sqrt(sizes) - sum_groups(x)
    gradient = sum_values(rest)
    step, size = gradient.copy(), float((gradient * gradient * said).sum())
    first = size
    for _ in range(min(STEPS, max(50, int(WORK / len(y))))):
        if size <= NEAR**2 * first or size == 0:
            break
        moved = sum_groups(step)
        length = size / float(moved @ moved)
        x = x + length * step
        rest = rest - length * moved
        gradient = sum_values(rest)
        size, former = float((gradient * gradient * said).sum()), size
        step = gradient + size / former * step
    return np.where(said > 0, x + centre, np.nan)


FUNCTIONS = (
    declare_function(
        "series_means", solve_means, NUMBERS, by_stratum=False, states=NUMBERS, groups=NUMBERS, amounts=NUMBERS
    ),
)
