"""The fewest suppressions so that each record's combinations of values are frequent enough, set of keys by set.

As with `strong`, the original frequencies decide, so each record is decided by itself and the answer is the optimum. A
combination of which some values are suppressed has the frequency of what is left of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.suppression.frequencies import Frequencies

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sdc_sql.udfs.arguments import Floats, Integers
    from sdc_sql.udfs.suppression.cells import Cells

_DIGITS = 1e-12  # sums of weights that differ in the last digits are equal


def choose_least_frequencies(sets: Sequence[int], thresholds: Sequence[float], *, inclusive: bool) -> dict[int, float]:
    """Return the least frequency of each set of keys that decides: others are as frequent where these are.

    Parameters
    ----------
    sets, thresholds
        The sets of keys that are looked at, a bit a key, and the threshold of each.
    inclusive
        Whether a frequency equal to the threshold is too low.

    Examples
    --------
    >>> {keys: round(least) for keys, least in choose_least_frequencies([0b01, 0b10, 0b11], [3, 9, 3],
    ...     inclusive=False).items()}
    {2: 9, 3: 3}
    """
    least: dict[int, float] = {}
    for keys, t in zip(sets, thresholds, strict=True):
        limit = float(np.nextafter(t * (1 + _DIGITS), np.inf)) if inclusive else t * (1 - _DIGITS)
        least[keys] = max(limit, least.get(keys, 0.0))
    return {s: t for s, t in least.items() if not any(s != o and s & o == s and t <= u for o, u in least.items())}


def keep_frequent(
    cells: Cells, limits: Mapping[int, float], amounts: Floats, at_least: Floats | None = None
) -> Integers:
    """Return for each cell the keys that its records lose, a bit each.

    Parameters
    ----------
    limits
        The least frequency in each set of keys, a bit a key.
    amounts
        What the cells count: records, or the sums of their weights, (n,).
    at_least
        What cells that agree count at least, all together: their records, where weights are a little below 1.

    Examples
    --------
    >>> from sdc_sql.udfs.suppression.cells import Cells
    >>> cells = Cells(np.array([[1, 1], [1, 2], [2, 2]]), np.array([1, 1, 1]), [1, 1])
    >>> keep_frequent(cells, {1: 2, 2: 2}, np.ones(3)).tolist()
    [2, 0, 1]
    """
    frequencies = Frequencies(cells, amounts, at_least=at_least)
    lost = np.full(cells.number, -1, dtype=np.int64)
    left = np.arange(cells.number)
    for left_out in cells.sets:
        good = frequencies.find_frequent_without(limits, left_out, left)
        lost[left[good]] = left_out
        left = left[~good]
        if not len(left):
            break
    return lost
