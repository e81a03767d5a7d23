"""What is counted of the steps of a release that have a bound, and again where a later one leaves records out.

Who is left out covers nobody: the bound of guaranteed PRAM is that of the records which are released.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from sdc_sql.series.ledger import DIGEST

if TYPE_CHECKING:
    from sdc_sql.series.kept_step import KeptStep


class CountedBounds:
    """The figures of the steps, by the method and the name of each."""

    def __init__(self) -> None:
        self.told: dict[str, float] = {}
        self._steps: list[tuple[str, KeptStep]] = []
        self._absent: pa.Array = pa.array([], DIGEST)

    @property
    def has_any(self) -> bool:
        """Whether a step has a bound."""
        return bool(self._steps)

    def add(self, method: str, step: KeptStep) -> None:
        """Take what a step counted."""
        self._tell(method, step.told)
        if step.has_bound:
            self._steps.append((method, step))

    def leave_out(self, absent: pa.Array) -> None:
        """Count the bounds again without those who are left out, by the digests of their ids."""
        self._absent = pa.concat_arrays([self._absent, absent])
        if len(absent):
            for method, step in self._steps:
                self._tell(method, step.count_bound(self._absent))

    def _tell(self, method: str, told: dict[str, float]) -> None:
        self.told |= {f"{method}.{name}": value for name, value in told.items()}
