"""Whether a combination of columns gives away fewer than k records: by their leverages, which can be computed.

A party's sums tell w'z for each column w and z, and so for each combination of columns. One that is zero for all but
fewer than k records gives their values away, as the constant less a column that is 0 for one person does. To look for
such combinations one by one takes for ever (it is the least weight of a code); but

    v = W a,  v zero outside S   =>   v'Hv = v'v   =>   sum over S of h_ii >= 1   =>   some h_ii >= 1 / |S|
    H = W (W'W)^- W'

so that where every leverage is below 1 / (k - 1) there is none. What is refused beyond that are records that dominate a
combination, whose values the sums give nearly.

The columns are those of all that was answered, with those of the new model: what two answers tell together is what one
with all columns tells. That is the auditing of sums, of Chin & Ozsoyoglu (1982), Auditing and inference control in
statistical databases, IEEE Transactions on Software Engineering 8, 574-582, where a set of answers is refused if a
person's value is a combination of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

ALMOST = 1e-9  # a column this near to others is one of them by its exact sums, or differs from them at a few records
NEAR = 1e-6  # what rounding may leave of a column that follows exactly
PRIME = (1 << 127) - 1
SLACK = 1e-9


def find_exposing_column(
    columns: Sequence[npt.NDArray[np.int64]], gram: Sequence[Sequence[int]], threshold: int
) -> int | None:
    """Return the first column with which some combination may be of fewer than k records, or None.

    Parameters
    ----------
    columns
        The columns, in whole units, all of the same records.
    gram
        Their exact sums of products.
    threshold
        k.

    Examples
    --------
    >>> import numpy as np
    >>> one, odd = np.ones(40, dtype=np.int64), np.arange(40) % 2
    >>> but_one = np.where(np.arange(40) == 7, 0, 1)
    >>> def cross(*columns):
    ...     return [[int(a @ b) for b in columns] for a in columns]
    ...
    >>> find_exposing_column([one, odd], cross(one, odd), 3)
    >>> find_exposing_column([one, but_one], cross(one, but_one), 3)
    1
    """
    follows = find_dependent_columns(gram)
    basis: list[npt.NDArray[np.float64]] = []
    leverage = np.zeros(len(columns[0]))
    for place, column in enumerate(columns):
        rest = column / np.linalg.norm(column.astype(np.float64))
        for _ in range(2):  # once more, for what rounding has left
            for one in basis:
                rest = rest - one * (one @ rest)
        size = np.linalg.norm(rest)
        if follows[place] and size < NEAR:
            continue
        if size < ALMOST:
            return place
        basis.append(rest / size)
        leverage += basis[-1] ** 2
        if leverage.max() >= 1 / (threshold - 1) - SLACK:
            return place
    return None


def find_dependent_columns(gram: Sequence[Sequence[int]]) -> list[bool]:
    """Return which columns follow exactly from those before them, by elimination modulo a prime.

    A column that does not follow may be taken for one that does where a sum is a multiple of the prime, by a chance of
    2^-127; then the column itself still tells, but where it is nearly one that does.

    Examples
    --------
    >>> find_dependent_columns([[2, 1, 1], [1, 1, 0], [1, 0, 1]])
    [False, False, True]
    """
    rows = [[value % PRIME for value in row] for row in gram]
    found = []
    for k in range(len(rows)):
        pivot = rows[k][k]
        found.append(pivot == 0)
        if not pivot:
            continue
        inverse = pow(pivot, -1, PRIME)
        for i in range(k + 1, len(rows)):
            if factor := rows[i][k] * inverse % PRIME:
                rows[i] = [(a - factor * b) % PRIME for a, b in zip(rows[i], rows[k], strict=True)]
    return found
