"""The digests of ids, which are made once a release, whatever number of its steps asks for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa


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
