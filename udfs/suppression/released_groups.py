"""Released rows and the records that share them: a group is known by the packed cell that is released."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.udfs.suppression.cells import Cells


class Groups:
    """Which cells release how many of their records as which row.

    The size of a row counts the records too that stay as they are; they are no members.
    """

    def __init__(self, cells: Cells) -> None:
        self.cells = cells
        here = np.flatnonzero(cells.others)
        rows = cells.released(0, here).tolist()
        self.sizes: dict[Any, int] = dict(zip(rows, cells.others[here].tolist(), strict=True))
        self.members: dict[Any, dict[int, int]] = {}
        self.released: dict[int, dict[Any, int]] = {}  # the released rows of each cell
        self.left_out: dict[tuple[int, Any], int] = {}  # the keys that a cell loses in a row
        self._costs: dict[int, float] = {}

    def add(self, cell: int, row: Any, left_out: int, records: int) -> None:  # noqa: ANN401 - a packed row
        """Release so many records of a cell as a row, or with a negative number so many fewer."""
        self.left_out[cell, row] = left_out & int(self.cells.known[cell])
        _add_to_count(self.members.setdefault(row, {}), cell, records)
        _add_to_count(self.released.setdefault(cell, {}), row, records)
        _add_to_count(self.sizes, row, records)
        if not self.members[row]:
            del self.members[row]

    def count_lacking(self, row: Any, k: int) -> int:  # noqa: ANN401 - a packed row
        """Return how many records a row lacks to be shared by k, none where it is."""
        return max(0, k - self.sizes.get(row, 0))

    def move(self, cell: int, old: Any, new: Any, left_out: int, records: int) -> None:  # noqa: ANN401 - packed rows
        """Release records of a cell as another row."""
        self.add(cell, old, self.left_out[cell, old], -records)
        self.add(cell, new, left_out, records)

    def cost(self, cell: int, row: Any) -> float:  # noqa: ANN401 - a packed row
        """Return what a record of the cell loses when it is released as the row."""
        left_out = self.left_out[cell, row]
        if left_out not in self._costs:
            self._costs[left_out] = self.cells.cost(left_out)
        return self._costs[left_out]

    def take(self, rows: Iterable[Any]) -> list[tuple[int, Any, int, int]]:
        """Take groups apart; return what to give to `add` to have them again."""
        taken = [
            (cell, row, self.left_out[cell, row], n) for row in rows for cell, n in sorted(self.members[row].items())
        ]
        for cell, row, left_out, n in taken:
            self.add(cell, row, left_out, -n)
        return taken


def _add_to_count(numbers: dict[Any, int], name: Any, more: int) -> None:  # noqa: ANN401 - a cell or a packed row
    numbers[name] = numbers.get(name, 0) + more
    if not numbers[name]:
        del numbers[name]
