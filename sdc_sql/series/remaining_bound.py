"""What guaranteed PRAM still guarantees to who is still there: the bound of each batch, counted of those who stayed.

A record that leaves takes its cover along, and what was released is not drawn again. Of each cell of a batch the exact
probability of Nayak's (8) is counted of the records that are there: a record of it stays with 1 - theta / T, of the
batch as it was, and one of another cell comes with theta / ((k - 1) T). Records of other batches only lower it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Numbers = Any  # arrays of float64
MOST = 6  # of more matches one is right with a probability of at most 1 / 6


def find_largest_matches(
    group: NDArray[np.int64], cell: NDArray[np.int64], count: NDArray[np.int64], cells: NDArray[np.int64], theta: float
) -> Numbers:
    """Return of each record the largest probability that a match to it is right, of up to six matches.

    Parameters
    ----------
    group, cell
        Of each record that is there: its batch, or group of it, and its cell there.
    count, cells
        How many records its cell had, and how many cells its group, when the batch was drawn.

    Examples
    --------
    A cell of two with xi = 0.8, among forty others; and when one of the two has left.

    >>> group, cell = np.zeros(42, int), np.append([0, 0], np.arange(1, 41))
    >>> count, cells = np.append([2, 2], np.ones(40, int)), np.full(42, 41)
    >>> float(find_largest_matches(group, cell, count, cells, 0.3904)[0].round(3))
    0.477
    >>> float(find_largest_matches(group[1:], cell[1:], count[1:], cells[1:], 0.3904)[0].round(3))
    0.913
    """
    key = np.stack([group, cell], axis=1)
    _, first, place, there = np.unique(key, axis=0, return_index=True, return_inverse=True, return_counts=True)
    t, k, of = count[first].astype(float), cells[first].astype(float), group[first]
    comes = theta / ((k - 1) * t)
    ratio = comes / (1 - comes)
    powers = np.arange(1, MOST + 1)
    logs = np.empty((len(first), MOST + 1))
    logs[:, 0] = there * np.log1p(-comes)
    logs[:, 1:] = there[:, None] * (-1.0) ** (powers + 1) * ratio[:, None] ** powers / powers
    _, number = np.unique(of, return_inverse=True)
    sums = np.zeros((number.max() + 1, MOST + 1))
    np.add.at(sums, number, logs)
    others = _expand(sums[number] - logs)
    stays = 1 - theta / t
    own = _count_binomial(there - 1, stays)
    shown = np.stack(
        [sum((own[:, i] * others[:, a - i] for i in range(a + 1)), np.zeros(len(t))) for a in range(MOST + 1)], axis=1
    )
    found = np.zeros(len(t))
    for a in range(1, MOST + 1):
        right = stays * shown[:, a - 1]
        every = right + (1 - stays) * shown[:, a]
        found = np.maximum(found, np.divide(right, a * every, out=np.zeros(len(t)), where=every > 0))
    largest: Numbers = found[place.reshape(-1)]
    return largest


def _expand(logs: Numbers) -> Numbers:
    """Return the first coefficients of exp of power series, a row each."""
    found = np.zeros_like(logs)
    found[:, 0] = np.exp(logs[:, 0])
    for m in range(1, logs.shape[1]):
        found[:, m] = sum(j * logs[:, j] * found[:, m - j] for j in range(1, m + 1)) / m
    return found


def _count_binomial(n: NDArray[np.int64], p: Numbers) -> Numbers:
    """Return the probabilities of 0 to six of n, a row each."""
    found = np.zeros((len(n), MOST + 1))
    ways = np.ones(len(n))
    for i in range(MOST + 1):
        found[:, i] = np.where(i <= n, ways * p**i * (1 - p) ** np.maximum(n - i, 0), 0.0)
        ways = ways * (n - i) / (i + 1)
    return found
