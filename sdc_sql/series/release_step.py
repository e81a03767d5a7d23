"""A step of one release, as a series hands it to what keeps more of it than its parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

    from sdc_sql.db.masking.masking import Masking
    from sdc_sql.series.ledger import Ledger
    from sdc_sql.series.persons import Persons


@dataclass(frozen=True)
class ReleaseStep:
    """What is masked, and where in the series.

    Parameters
    ----------
    data
        The described table.
    series, release
        Their names.
    place
        That of the step among those of the release, from 0.
    number
        That of the release, from 1.
    repeats
        Whether the release is recorded, and is given again.
    waiting
        The digests of ids that another step of this release does not release yet.
    persons
        The digests of the ids of the whole table.
    """

    ledger: Ledger
    data: Any
    masking: Masking
    series: str
    release: str
    place: int
    number: int
    repeats: bool
    waiting: pa.Array
    persons: Persons | None

    @property
    def identifier(self) -> str:
        """The column of the record ids."""
        return str(self.masking.arguments["id"])

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are masked, in the order of the table."""
        return tuple(column for column in self.data.read_columns() if column in self.masking.columns)
