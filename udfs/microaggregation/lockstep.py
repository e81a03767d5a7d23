"""MDAV of many blocks of the same size at once, a step of all of them at a time.

Every step (the centroids, the farthest record of each block, its nearest) is one operation on arrays of (blocks,
records): for blocks of some thousand records that is faster than to skip what cannot be the result (`ungrouped`), and
the groups are those of `mdav`. Records that are in a group take part in no search: their distances are pushed to one
end, and from time to time they are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

AT_ONCE = 2**15  # records of blocks that go together: their arrays stay in the processor's cache
KEPT = 0.75  # the grouped are left out when fewer than this share of the records remain


def group_blocks_by_mdav(x: NDArray[np.float64], k: int) -> NDArray[np.int64]:
    """Return the groups of MDAV within each block.

    Parameters
    ----------
    x : (blocks, n, p) float array, finite, standardised
    k : int
        The least number of records in a group, 2 to n.

    Returns
    -------
    (blocks, n) int64 array
        What `mdav` gives for each block.

    Examples
    --------
    >>> group_blocks_by_mdav(np.array([[[0.0], [1.0], [9.0], [10.0]], [[5.0], [1.0], [6.0], [2.0]]]), k=2).tolist()
    [[0, 0, 1, 1], [1, 0, 1, 0]]
    """
    size = max(1, AT_ONCE // x.shape[1])
    return np.concatenate([_Blocks(x[i : i + size], k).partition() for i in range(0, len(x), size)])


class _Blocks:
    """Some blocks: what is left of each, `count` records, and the groups that are formed."""

    def __init__(self, x: NDArray[np.float64], k: int) -> None:
        self.k, self.count = k, x.shape[1]
        self.groups = np.empty(x.shape[:2], dtype=np.int64)
        self.formed = 0
        self._block = np.arange(len(x))
        self._total = np.stack([block.sum(axis=0) for block in x])
        self._points = np.ascontiguousarray(x.transpose(2, 0, 1))  # (p, blocks, records)
        self._rows = np.broadcast_to(np.arange(self.count), x.shape[:2])
        self._take_all()

    def _take_all(self) -> None:
        self._gone = np.zeros(self._rows.shape)  # minus infinity for a record in a group
        self._part = np.empty(self._rows.shape)

    def partition(self) -> NDArray[np.int64]:
        """Form all groups."""
        while self.count >= 3 * self.k:
            from_first = self._form_around(self._farthest_from_mean())
            self._form_around((from_first + self._gone).argmax(axis=1))
        if self.count >= 2 * self.k:
            self._form_around(self._farthest_from_mean())
        last = np.flatnonzero(self._gone == 0)
        self.groups[last // self._rows.shape[1], self._rows.ravel()[last]] = self.formed
        return self.groups

    def _farthest_from_mean(self) -> NDArray[np.int64]:
        if self.count < KEPT * self._rows.shape[1]:
            self._leave_out_records()
        distance = self._distances(self._total / self.count)
        distance += self._gone
        # argmax takes the first of equal distances, which is the lowest row
        found: NDArray[np.int64] = distance.argmax(axis=1)
        return found

    def _form_around(self, records: NDArray[np.int64]) -> NDArray[np.float64]:
        """Form a group in each block around a record, and return the distances (blocks, records) from that."""
        distances = self._distances(self._points[:, self._block, records].T)
        near = distances - self._gone
        group = np.empty((len(near), self.k), dtype=np.int64)
        for i in range(self.k):
            group[:, i] = near.argmin(axis=1)
            near[self._block, group[:, i]] = np.inf
        every = self._block[:, np.newaxis]
        self._gone[every, group] = -np.inf
        self.groups[every, self._rows[every, group]] = self.formed
        self._total -= self._points[:, every, group].transpose(1, 2, 0).sum(axis=1)
        self.count -= self.k
        self.formed += 1
        return distances

    def _distances(self, to: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the squared distances (blocks, records) to a point (blocks, p), variables added in their order."""
        distance: NDArray[np.float64] = self._points[0] - to[:, :1]
        distance *= distance
        for values, at in zip(self._points[1:], to.T[1:], strict=True):
            np.subtract(values, at[:, np.newaxis], out=self._part)
            self._part *= self._part
            distance += self._part
        return distance

    def _leave_out_records(self) -> None:
        left = self._gone == 0
        shape = (len(left), self.count)
        self._points = np.stack([values[left].reshape(shape) for values in self._points])
        self._rows = self._rows[left].reshape(shape)
        self._take_all()
