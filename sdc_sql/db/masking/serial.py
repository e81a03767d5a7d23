"""A step in a series of releases: it is admitted by the series, or refused with its reason."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from sdc_sql.errors import SeriesError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sdc_sql.db.masking.masking import Masking
    from sdc_sql.db.table import Table


@contextmanager
def admit_step(data: Table, masking: Masking, *, subset: bool = False) -> Iterator[None]:
    """Ask the series of a table, where it has one, whether a step may be masked, and tell it that it was.

    Raises
    ------
    SeriesError
        Where the method is refused in a series, or the step is another one than in the releases before.
    """
    series = data.series
    if series is None:
        yield
        return
    series.begin_step(data, masking, subset=subset)
    done = False
    try:
        yield
        done = True
    finally:
        series.end_step(done=done)


def refuse_unadmitted(data: Table) -> None:
    """Refuse to log a step of a series that the series was not asked for."""
    if data.series is not None and not data.series.has_turn:
        raise SeriesError("This method is refused in a series of releases: what it does in one is not declared.")
