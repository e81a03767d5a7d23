"""The digests of ids, which are made once a release, whatever number of its steps asks for them."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc


@dataclass(frozen=True, eq=False)
class Persons:
    """The digests of the ids of a table, in the order in which it was read, and the ids where they are at hand."""

    digests: pa.Array
    ids: pa.ChunkedArray | None = None

    def find_digests(self, ids: pa.ChunkedArray) -> pa.Array | None:
        """Return the digests of ids, where these are the same in the same order: else they are to be made."""
        if self.ids is None or self.ids.type != ids.type or not self.ids.equals(ids):
            return None
        return self.digests


def ascend(ids: pa.Array) -> bool:
    """Return whether each id is larger than the one before, so that no two are the same and none is NULL.

    Examples
    --------
    >>> ascend(pa.array([1, 2, 5])), ascend(pa.array([1, 1])), ascend(pa.array([None, 1]))
    (True, False, False)
    """
    if ids.null_count:
        return False
    try:
        return bool(pc.all(pc.less(ids[:-1], ids[1:]), min_count=0).as_py())
    except pa.ArrowNotImplementedError:  # of a type whose values Arrow does not compare
        return False
