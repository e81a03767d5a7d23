"""Where digests stand among others: at the place where they are thought to be, else found by their first halves.

The ledger has most values in the order of its ids, and to compare two digests at one place is much cheaper than to look
for one. The first halves are numbers of 64 bits, which are found in half the time of the whole ones; the second halves
are then compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from numpy.typing import NDArray


def find_digests(asked: pa.Array, among: pa.Array, thought: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """Return of each digest its place among others, no two of which are the same, and -1 where it is not there.

    Parameters
    ----------
    asked, among
        Digests of 16 bytes, none of them NULL.
    thought
        Where each of them may stand; -1 where nothing is thought.

    Examples
    --------
    >>> among = pa.array([b"a" * 16, b"b" * 16, b"a" * 8 + b"c" * 8], pa.binary(16))
    >>> asked = pa.array([b"b" * 16, b"a" * 8 + b"c" * 8, b"d" * 16], pa.binary(16))
    >>> find_digests(asked, among)
    array([ 1,  2, -1])
    >>> find_digests(asked, among, np.array([1, 0, -1]))
    array([ 1,  2, -1])
    """
    found = np.full(len(asked), -1, dtype=np.int64)
    if not len(among) or not len(asked):
        return found
    halves, theirs = split_digests(asked), split_digests(among)
    left = np.arange(len(asked))
    if thought is not None:
        there = (thought >= 0) & (halves == theirs[thought]).all(axis=1)
        found[there] = thought[there]
        left = np.flatnonzero(~there)
    if 4 * len(left) < len(asked):
        # few are left: the others are looked up in a small table of these, and not these in a large one
        seen = pc.index_in(pa.array(theirs[:, 0]), value_set=pc.unique(pa.array(halves[left, 0]))).is_valid()
        rows = np.flatnonzero(seen.to_numpy(zero_copy_only=False))
    else:
        rows = np.arange(len(among))
    at = _find_halves(halves[left], theirs[rows])
    found[left] = np.where(at < 0, -1, rows[at]) if len(rows) else -1
    return found


def _find_halves(asked: NDArray[np.uint64], among: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the places of digests by their first halves, and those of which this one is not theirs by the whole."""
    at = _to_places(pc.index_in(pa.array(asked[:, 0]), value_set=pa.array(among[:, 0])))
    other = np.flatnonzero((at >= 0) & (asked[:, 1] != among[at, 1])) if len(among) else np.arange(0)
    if len(other):  # another one has the same first half
        whole = pc.index_in(_join_halves(asked[other]), value_set=_join_halves(among))
        at[other] = _to_places(whole)
    return at


def _to_places(found: pa.Array) -> NDArray[np.int64]:
    places: NDArray[np.int64] = pc.fill_null(found, -1).to_numpy().astype(np.int64)
    return places


def point_beside(ids: pa.Array, rows: pa.Array, places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where rows of persons may stand, of whom the places among the ids are given: the same ones, in most rows.

    Examples
    --------
    >>> ids, rows = (pa.array([c * 16 for c in row], pa.binary(16)) for row in ([b"a", b"b"], [b"a", b"c", b"b"]))
    >>> point_beside(ids, rows, np.array([1, 0, -1]))
    array([-1,  0, -1])
    """
    n = min(len(ids), len(rows))
    same = np.zeros(len(ids) + 1, dtype=bool)  # the last one is that of -1
    same[:n] = (split_digests(ids.slice(0, n)) == split_digests(rows.slice(0, n))).all(axis=1)
    beside: NDArray[np.int64] = np.where(same[places], places, -1)
    return beside


def split_digests(digests: pa.Array) -> NDArray[np.uint64]:
    """Return the halves of digests of 16 bytes as numbers."""
    buffer = digests.buffers()[1]
    if digests.null_count:
        raise ValueError("a digest is NULL")
    if buffer is None or not len(digests):
        return np.empty((0, 2), dtype=np.uint64)
    whole = np.frombuffer(buffer, dtype=np.uint64).reshape(-1, 2)
    return whole[digests.offset : digests.offset + len(digests)]


def _join_halves(halves: NDArray[np.uint64]) -> pa.Array:
    buffer = pa.py_buffer(np.ascontiguousarray(halves))
    return pa.FixedSizeBinaryArray.from_buffers(pa.binary(16), len(halves), [None, buffer])
